"""Small quantised models for the tests, written node by node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
MICROSOFT = "com.microsoft"


class Builder:
    """Collects nodes and constants; every tensor is named by the caller, so that tests can speak of it."""

    def __init__(
        self, dtype: npt.DTypeLike = np.int8, seed: int = 0, weight_dtype: npt.DTypeLike | None = None
    ) -> None:
        """Weights have the activations' type unless told otherwise: ONNX Runtime gets u8 x s8 wrong on some CPUs."""
        self.dtype = np.dtype(dtype)
        self.weight_dtype = np.dtype(weight_dtype or dtype)
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: npt.ArrayLike, dtype: npt.DTypeLike) -> str:
        """An initialiser."""
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op_type: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        """A node with one output, called after it."""
        self.nodes.append(helper.make_node(op_type, inputs, [output], f"{output}_node", domain=domain, **attributes))
        return output

    def scale(self, name: str, scale: npt.ArrayLike, zero_point: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> list[str]:
        """The constants `<name>_scale` and `<name>_zero_point`."""
        return [
            self.constant(f"{name}_scale", scale, np.float32),
            self.constant(f"{name}_zero_point", zero_point, dtype or self.dtype),
        ]

    def bytes(self, *shape: int, dtype: npt.DTypeLike | None = None) -> Array:
        """Random bytes over the whole range."""
        limits = np.iinfo(dtype or self.dtype)
        return self.rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype or self.dtype)

    def conv(self, x: str, y: str, inputs: int, outputs: int, kernel: tuple[int, ...] = (3, 3), **attributes: Any) -> str:
        """QLinearConv with random weights per channel; the scale spreads results over the range."""
        taps = inputs * int(np.prod(kernel))
        weights = self.bytes(outputs, inputs, *kernel, dtype=self.weight_dtype)
        bias = self.constant(f"{y}_b", self.rng.integers(-5000, 5000, outputs), np.int32)
        w_scale = self.rng.uniform(0.5, 2, outputs) / (74 * np.sqrt(taps))
        operands = [
            x,
            *self.scale(f"{y}_x", 0.02, self.middle(3)),
            self.constant(f"{y}_w", weights, self.weight_dtype),
            *self.weight_scale(y, w_scale),
            *self.scale(f"{y}_y", 0.02, self.middle(-5)),
            bias,
        ]
        return self.node("QLinearConv", operands, y, **attributes)

    def gemm(self, x: str, y: str, inputs: int, outputs: int, **attributes: Any) -> str:
        """QGemm with weights [outputs, inputs] (transB = 1) and a bias."""
        weights = self.bytes(outputs, inputs, dtype=self.weight_dtype)
        operands = [
            x,
            *self.scale(f"{y}_x", 0.02, self.middle(-5)),
            self.constant(f"{y}_w", weights, self.weight_dtype),
            *self.weight_scale(y, self.rng.uniform(0.5, 2, outputs) / (74 * np.sqrt(inputs))),
            self.constant(f"{y}_b", self.rng.integers(-5000, 5000, outputs), np.int32),
            *self.scale(f"{y}_y", 0.02, self.middle(7)),
        ]
        return self.node("QGemm", operands, y, MICROSOFT, transB=1, **attributes)

    def weight_scale(self, y: str, scales: Array) -> list[str]:
        """A scale per output channel, and one zero point written once per channel."""
        middle = 128 if self.weight_dtype == np.uint8 else 0
        return self.scale(f"{y}_w", scales, np.full(len(scales), middle), self.weight_dtype)

    def softmax(self, x: str, y: str) -> str:
        """QLinearSoftmax over the last axis, which has no kernel: a fallback between kernels."""
        operands = [x, *self.scale(f"{y}_x", 0.02, self.middle(1)), *self.scale(f"{y}_y", 1 / 256, self.middle(-100))]
        return self.node("QLinearSoftmax", operands, y, MICROSOFT, axis=-1, opset=13)

    def add(self, a: str, b: str, y: str) -> str:
        """QLinearAdd."""
        operands = [name for tensor, side in ((a, "a"), (b, "b")) for name in (tensor, *self.scale(f"{y}_{side}", 0.02, self.middle(1)))]
        return self.node("QLinearAdd", [*operands, *self.scale(f"{y}_y", 0.03, self.middle(2))], y, MICROSOFT)

    def middle(self, offset: int) -> int:
        """A zero point `offset` away from the middle of the type's range."""
        return offset + (128 if self.dtype == np.uint8 else 0)

    def model(self, inputs: dict[str, list[int | str]], outputs: list[str], dtype: int | None = None, opset: int = 13) -> onnx.ModelProto:
        """The model; inputs have the builder's type unless `dtype` says otherwise."""
        element = dtype or (TensorProto.UINT8 if self.dtype == np.uint8 else TensorProto.INT8)
        graph = helper.make_graph(
            self.nodes,
            "test",
            [helper.make_tensor_value_info(name, element, shape) for name, shape in inputs.items()],
            [onnx.ValueInfoProto(name=name) for name in outputs],
            self.constants,
        )
        opsets = [helper.make_opsetid(MICROSOFT, 1), helper.make_opsetid("", opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def save(model: onnx.ModelProto, folder: Path, name: str = "net.onnx") -> Path:
    """The model as a file."""
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def run_reference(model: onnx.ModelProto, inputs: dict[str, Array], tensors: list[str]) -> dict[str, Array]:
    """Tensors of ONNX Runtime's own run, independent of the product's sessions: outputs and intermediates alike."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    del exposed.graph.output[:]
    exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4  # what goes wrong comes back as an exception
    session = ort.InferenceSession(exposed.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip(tensors, session.run(tensors, inputs), strict=True))
