"""A float graph of plain layers written directly as QOperator s8s8 per channel; activation ranges come from one float run.

For networks where ONNX Runtime's quantiser would take minutes. Every tensor between two nodes is int8, but around LRN
and Softmax, which stay in float. A Relu is its producer's saturation: the zero point of its result is -128.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from models.layers import IR_VERSION, OPSET
from models.quantise import Feeds

Array = npt.NDArray[Any]
_MICROSOFT = "com.microsoft"
_SHAPE_ONLY = {"MaxPool", "Reshape", "Transpose", "Flatten"}  # scale and zero point are the input's
_FLOAT = {"LRN", "Softmax"}
_POOLS = {"AveragePool": "QLinearAveragePool", "GlobalAveragePool": "QLinearGlobalAveragePool"}


def measure_ranges(model: onnx.ModelProto, feeds: Feeds) -> dict[str, tuple[float, float]]:
    """Minimum and maximum of the input and of every result in a float run on one thread."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    names = [name for node in model.graph.node for name in node.output]
    del exposed.graph.output[:]
    exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(exposed.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = dict(zip(names, session.run(names, feeds), strict=True)) | feeds
    return {name: (float(value.min()), float(value.max())) for name, value in values.items()}


def choose_scale(low: float, high: float) -> tuple[np.float32, np.int8]:
    """Scale and zero point of an int8 tensor that holds `low` to `high` and 0.

    The scale has 12 significant bits, so that the last bits of a CPU's float kernels don't show in the file.
    """
    low, high = min(low, 0.0), max(high, 0.0)
    mantissa, exponent = np.frexp((high - low) / 255 or 1.0)
    scale = np.float32(np.ldexp(np.ceil(mantissa * 4096) / 4096, exponent))
    return scale, np.int8(np.clip(np.rint(-128 - low / scale), -128, 127))


class _Writer:
    def __init__(self, model: onnx.ModelProto, ranges: dict[str, tuple[float, float]]) -> None:
        self.source, self.ranges = model.graph, ranges
        self.graph = onnx.GraphProto(name=model.graph.name)
        self.graph.input.extend(model.graph.input)
        self.graph.output.extend(model.graph.output)
        self.constants = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
        self.scales: dict[str, tuple[np.float32, np.int8]] = {}
        self.alias: dict[str, str] = {}  # a Relu that is its producer's saturation
        self.relus = self._fused_relus()

    def write(self) -> None:
        handlers: dict[str, Callable[[onnx.NodeProto, str], None]] = {
            "Conv": self._layer, "Gemm": self._layer, "Sum": self._sum, "Add": self._sum, "Concat": self._concat,
            **dict.fromkeys(_SHAPE_ONLY, self._move), **dict.fromkeys(_POOLS, self._pool), **dict.fromkeys(_FLOAT, self._float),
        }  # fmt: skip
        for value in self.graph.input:
            self._quantise(value.name)
        for node in self.source.node:
            if node.op_type != "Relu" or node.output[0] not in self.relus.values():
                handlers[node.op_type](node, self.relus.get(node.output[0], node.output[0]))
        made = {name for node in self.graph.node for name in node.output}
        for value in self.graph.output:
            if value.name not in made:
                self._add("DequantizeLinear", value.name, self._operand(value.name))

    def _fused_relus(self) -> dict[str, str]:
        """Result -> the Relu's result that takes its place."""
        readers = Counter(name for node in self.source.node for name in node.input)
        relus = {node.input[0]: node.output[0] for node in self.source.node if node.op_type == "Relu"}
        shared = [name for name in relus if readers[name] > 1]
        assert not shared, f"read by a Relu and by others: {shared}"
        return relus

    def _constant(self, name: str, value: npt.ArrayLike) -> str:
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _add(self, op: str, output: str, inputs: list[str], domain: str = "", **attributes: Any) -> None:
        name = output.removesuffix("_q") if op != "DequantizeLinear" else f"{output}_dequantise"
        name = f"{name}_quantise" if op == "QuantizeLinear" else name
        self.graph.node.append(helper.make_node(op, inputs, [output], name, domain=domain, **attributes))

    def _set_scale(self, tensor: str) -> list[str]:
        """Choose scale and zero point by the measured range; their names."""
        self.scales[tensor] = scale, zero_point = choose_scale(*self.ranges[tensor])
        return [self._constant(f"{tensor}_scale", scale), self._constant(f"{tensor}_zero_point", zero_point)]

    def _operand(self, tensor: str) -> list[str]:
        root = self.alias.get(tensor, tensor)
        return [f"{tensor}_q", f"{root}_scale", f"{root}_zero_point"]

    def _quantise(self, tensor: str) -> None:
        self._add("QuantizeLinear", f"{tensor}_q", [tensor, *self._set_scale(tensor)])

    def _layer(self, node: onnx.NodeProto, output: str) -> None:
        """Conv or Gemm: weights symmetric, a scale per output; the bias in units of the sum."""
        attributes = _attributes(node)
        is_gemm = node.op_type == "Gemm"
        assert not is_gemm or attributes.get("transB") == 1, "weights [outputs, inputs]"
        x, x_scale, x_zero_point = self._operand(node.input[0])
        weights, bias = self.constants[node.input[1]], self.constants[node.input[2]]
        peaks = np.abs(weights.reshape(len(weights), -1)).max(axis=1)
        scales = (np.where(peaks > 0, peaks, 1) / np.float32(127)).astype(np.float32)
        unit = scales.astype(np.float64) * self.scales[self.alias.get(node.input[0], node.input[0])][0]
        limits = np.iinfo(np.int32)
        constants = {
            "w": np.rint(weights / scales.reshape(-1, *[1] * (weights.ndim - 1))).astype(np.int8),
            "w_scale": scales,
            "w_zero_point": np.zeros(len(scales), np.int8),
            "b": np.clip(np.rint(bias / unit), limits.min, limits.max).astype(np.int32),
        }
        w, w_scale, w_zero_point, b = (self._constant(f"{output}_{part}", value) for part, value in constants.items())
        left, right = [x, x_scale, x_zero_point], [w, w_scale, w_zero_point]
        y = self._set_scale(output)
        if is_gemm:
            self._add("QGemm", f"{output}_q", [*left, *right, b, *y], _MICROSOFT, **attributes)
        else:
            self._add("QLinearConv", f"{output}_q", [*left, *right, *y, b], **attributes)

    def _sum(self, node: onnx.NodeProto, output: str) -> None:
        left, right = (self._operand(name) for name in node.input)
        self._add("QLinearAdd", f"{output}_q", [*left, *right, *self._set_scale(output)], _MICROSOFT)

    def _concat(self, node: onnx.NodeProto, output: str) -> None:
        operands = [part for name in node.input for part in self._operand(name)]
        self._add("QLinearConcat", f"{output}_q", [*self._set_scale(output), *operands], _MICROSOFT, **_attributes(node))

    def _pool(self, node: onnx.NodeProto, output: str) -> None:
        operands = [*self._operand(node.input[0]), *self._set_scale(output)]
        self._add(_POOLS[node.op_type], f"{output}_q", operands, _MICROSOFT, **_attributes(node))

    def _move(self, node: onnx.NodeProto, output: str) -> None:
        x = node.input[0]
        self.alias[output] = self.alias.get(x, x)
        others = [self._constant(f"{output}_shape", self.constants[name]) for name in node.input[1:]]
        self._add(node.op_type, f"{output}_q", [f"{x}_q", *others], **_attributes(node))

    def _float(self, node: onnx.NodeProto, output: str) -> None:
        self._add("DequantizeLinear", node.input[0], self._operand(node.input[0]))
        self._add(node.op_type, output, [node.input[0]], **_attributes(node))
        if output not in {value.name for value in self.graph.output}:
            self._quantise(output)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {item.name: helper.get_attribute_value(item) for item in node.attribute}


def quantise_directly(model: onnx.ModelProto, feeds: Feeds) -> onnx.ModelProto:
    """`model` in int8; the range of each tensor is what it takes in a run of `feeds`."""
    writer = _Writer(model, measure_ranges(model, feeds))
    writer.write()
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, 1)]
    quantised = helper.make_model(writer.graph, opset_imports=opsets, ir_version=IR_VERSION)
    onnx.checker.check_model(quantised)
    return quantised
