"""QDQ models for the tests, written node by node, and ONNX Runtime's own reading of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]


class QdqBuilder:
    """Collects nodes, called like their results, and constants. A quantised tensor t has its bytes in t_q, dequantised in t_f."""

    def __init__(self, dtype: npt.DTypeLike = np.int8, seed: int = 0, weight_dtype: npt.DTypeLike | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self.weight_dtype = np.dtype(weight_dtype or dtype)
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.scales: dict[str, float] = {}  # of t_f

    def constant(self, name: str, value: npt.ArrayLike, dtype: npt.DTypeLike) -> str:
        """An initialiser."""
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op_type: str, inputs: Sequence[str], *outputs: str, **attributes: Any) -> str:
        """A node; its first result."""
        self.nodes.append(helper.make_node(op_type, inputs, outputs, outputs[0], **attributes))
        return outputs[0]

    def quantise(self, x: str, scale: float, zero_point: int = 0, dtype: npt.DTypeLike | None = None) -> str:
        """Quantise and dequantise the float tensor x; the zero point is that of int8, 128 more for uint8. The result is x_f."""
        kind = np.dtype(dtype or self.dtype)
        parameters = [
            self.constant(f"{x}_scale", scale, np.float32),
            self.constant(f"{x}_zero_point", zero_point + 128 * (kind == np.uint8), kind),
        ]
        self.node("QuantizeLinear", [x, *parameters], f"{x}_q")
        self.scales[f"{x}_f"] = scale
        return self.node("DequantizeLinear", [f"{x}_q", *parameters], f"{x}_f")

    def again(self, x: str, name: str) -> str:
        """Another DequantizeLinear of the quantised tensor x."""
        self.scales[name] = self.scales[f"{x}_f"]
        return self.node("DequantizeLinear", [f"{x}_q", f"{x}_scale", f"{x}_zero_point"], name)

    def weights(self, name: str, *shape: int, axis: int | None = 0, scale: float = 0.002) -> str:
        """Random weights, dequantised; `axis` None: one scale for all."""
        limits, count = np.iinfo(self.weight_dtype), 1 if axis is None else shape[axis]
        scales = (self.rng.uniform(0.5, 2, count) * scale).astype(np.float32)
        zero_points = np.full(count, 128 * (self.weight_dtype == np.uint8))
        inputs = [
            self.constant(name, self.rng.integers(limits.min, limits.max, shape, endpoint=True), self.weight_dtype),
            self.constant(f"{name}_scale", scales if axis is not None else scales[0], np.float32),
            self.constant(f"{name}_zero_point", zero_points if axis is not None else zero_points[0], self.weight_dtype),
        ]
        return self.node("DequantizeLinear", inputs, f"{name}_f", **({} if axis is None else {"axis": axis}))

    def bias(self, name: str, count: int, x: str, weights: str, factor: float = 1.0) -> str:
        """An int32 bias in units of the product of x and weights, dequantised."""
        w_scale = next(numpy_helper.to_array(c) for c in self.constants if c.name == f"{weights.removesuffix('_f')}_scale")
        scales = (np.float32(self.scales[x]) * w_scale * np.float32(factor)).astype(np.float32)
        inputs = [
            self.constant(name, self.rng.integers(-2000, 2000, count), np.int32),
            self.constant(f"{name}_scale", scales, np.float32),
        ]
        return self.node("DequantizeLinear", inputs, f"{name}_f", **({"axis": 0} if scales.ndim else {}))

    def model(self, inputs: dict[str, list[int]], outputs: Sequence[str], opset: int = 17) -> onnx.ModelProto:
        """The model of float32 inputs."""
        graph = helper.make_graph(
            self.nodes,
            "qdq",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
            [onnx.ValueInfoProto(name=name) for name in outputs],
            self.constants,
        )
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def run(model: onnx.ModelProto, inputs: dict[str, Array], is_integer: bool) -> dict[str, Array]:
    """ONNX Runtime's outputs. With `is_integer` it makes integer kernels of QDQ patterns, as it does on CPUs that it deems fit."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_EXTENDED if is_integer else level.ORT_DISABLE_ALL
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))
