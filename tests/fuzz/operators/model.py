"""Builds small quantised models from numbers that a family draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

Array = npt.NDArray[Any]
MICROSOFT = "com.microsoft"
OPSET = 17


@dataclass
class ModelBuilder:
    """A model in the making; data follow from `rng`. `dtype` is int8 or uint8, of all quantised tensors."""

    dtype: np.dtype[Any]
    rng: np.random.Generator
    has_tie_scales: bool = False  # powers of two: many results lie exactly between two integers
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    inputs: dict[str, Array] = field(default_factory=dict)

    def data(self, shape: tuple[int, ...]) -> Array:
        """Random bytes over the whole range."""
        limits = np.iinfo(self.dtype)
        return self.rng.integers(limits.min, limits.max, shape, dtype=self.dtype, endpoint=True)

    def input(self, name: str, shape: tuple[int, ...]) -> str:
        """An input of the model, with the data of its run."""
        self.inputs[name] = self.data(shape)
        return name

    def constant(self, name: str, value: npt.ArrayLike, dtype: npt.DTypeLike) -> str:
        """An initialiser."""
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def scale(self, around: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """A scale of about that size."""
        scale = np.asarray(around) * np.exp(self.rng.uniform(-0.5, 0.5, np.shape(around)))
        return np.asarray(np.exp2(np.round(np.log2(scale))) if self.has_tie_scales else scale, np.float32)

    def zero_point(self, kind: str) -> int:
        """`middle` is 0 of int8 and 128 of uint8; `extreme` one end of the range."""
        limits = np.iinfo(self.dtype)
        middle = (int(limits.min) + int(limits.max) + 1) // 2
        if kind == "middle":
            return middle
        if kind == "extreme":
            return int(self.rng.choice([limits.min, limits.max]))
        return middle + int(self.rng.choice([-1, 1])) * int(self.rng.integers(1, 100))

    def quantisation(self, name: str, scale: npt.ArrayLike, zero_point: npt.ArrayLike) -> list[str]:
        """Constants `<name>_scale` and `<name>_zp`."""
        return [
            self.constant(f"{name}_scale", scale, np.float32),
            self.constant(f"{name}_zp", zero_point, self.dtype),
        ]

    def node(self, op_type: str, inputs: list[str], outputs: str | list[str], domain: str = "", **attributes: Any) -> None:
        """A node, called after its first output."""
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op_type, inputs, outputs, f"{outputs[0]}_node", domain=domain, **attributes))

    def convolution(
        self,
        x: str,
        y: str,
        channels: tuple[int, int],
        kernel: tuple[int, ...],
        is_per_channel: bool = True,
        zero_points: tuple[str, str, str] = ("other", "middle", "other"),
        has_bias: bool = True,
        **attributes: Any,
    ) -> float:
        """QLinearConv from (inputs per group) to (outputs); zero points of x, w and y. Returns the scale of y."""
        taps, outputs = channels[0] * int(np.prod(kernel)), channels[1]
        x_scale, w_scale = self.scale(0.02), self.scale(np.full(outputs if is_per_channel else 1, 0.01))
        y_scale = self.scale(float(x_scale) * 0.01 * 74 * 74 * np.sqrt(taps) / 50)
        w_zero_point = np.full(len(w_scale), self.zero_point(zero_points[1]))
        operands = [
            x,
            *self.quantisation(f"{y}_x", x_scale, self.zero_point(zero_points[0])),
            self.constant(f"{y}_w", self.data((outputs, channels[0], *kernel)), self.dtype),
            *self.quantisation(f"{y}_w", w_scale if is_per_channel else w_scale[0], w_zero_point if is_per_channel else w_zero_point[0]),
            *self.quantisation(f"{y}_y", y_scale, self.zero_point(zero_points[2])),
        ]
        if has_bias:
            operands.append(self.constant(f"{y}_b", self.rng.integers(-9000, 9000, outputs), np.int32))
        self.node("QLinearConv", operands, y, **attributes)
        return float(y_scale)

    def model(self, outputs: list[str]) -> onnx.ModelProto:
        """The model with the outputs of these names, whose types ONNX Runtime infers."""
        graph = helper.make_graph(
            self.nodes,
            "fuzz",
            [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                for name, value in self.inputs.items()
            ],
            [onnx.ValueInfoProto(name=name) for name in outputs],
            self.constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)
