"""What the import of QDQ models asks of a graph: who makes and reads a tensor, and how a floating-point tensor is quantised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from accelkit.kernels.onnx.graph import BYTES, Graph, Node

Array = npt.NDArray[Any]
_RESHAPES = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}
QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
_DOMAINS = ("", "com.microsoft")  # both have the two


class LeftFloat(Exception):
    """A pattern doesn't hold, so a node stays in floating point: the reason and its code, see `Refusal`."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True)
class Scaling:
    """How integers stand for numbers: (integer - zero point) * scale. The names are those of constants.

    `axis` is None where there is one scale for the whole tensor, otherwise the axis along which they differ.
    """

    scale: str
    zero_point: str
    scales: Array = field(repr=False)
    zero_points: Array = field(repr=False)
    axis: int | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the integers."""
        return self.zero_points.dtype

    def is_same(self, other: Scaling) -> bool:
        """Whether the same bytes mean the same numbers."""
        return (
            self.axis is None
            and other.axis is None
            and self.dtype == other.dtype
            and bool(np.array_equal(self.scales.ravel(), other.scales.ravel()))
            and bool(np.array_equal(self.zero_points.ravel(), other.zero_points.ravel()))
        )


@dataclass(frozen=True)
class Quantised:
    """A floating-point tensor that is an integer one dequantised; `nodes` are what stands between the two."""

    tensor: str
    scaling: Scaling
    nodes: tuple[Node, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the integers."""
        return self.scaling.dtype


class Tensors:
    """The tensors of a graph, and the constants that the import adds to it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.makers: Mapping[str, Node] = {name: node for node in graph.nodes for name in node.outputs}
        self.readers: dict[str, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            for name in dict.fromkeys(node.inputs):
                self.readers[name].append(node)
        self.added: dict[str, Array] = {}
        self._taken = {*graph.types, *graph.constants}
        self._moved_constants: dict[str, str] = {}
        self._scalings: dict[tuple[str, str, str, int | None], Scaling] = {}

    @property
    def opset(self) -> int:
        """The version of the standard operators."""
        return int(next(entry.version for entry in self.graph.model.opset_import if entry.domain in ("", "ai.onnx")))

    def fresh(self, name: str) -> str:
        """A name like `name` that no tensor has yet."""
        chosen, number = name, 1
        while chosen in self._taken:
            number += 1
            chosen = f"{name}_{number}"
        self._taken.add(chosen)
        return chosen

    def add(self, name: str, value: Array) -> str:
        """A new constant, called like `name`."""
        chosen = self.fresh(name)
        self.added[chosen] = value
        return chosen

    def value(self, name: str) -> Array | None:
        """The value of a constant of the graph or of the import."""
        return self.added[name] if name in self.added else self.graph.constant(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """The static shape of a tensor; LeftFloat if it has none."""
        kind = self.graph.types.get(name)
        if kind is None or kind.shape is None:
            raise LeftFloat("dynamic-shape", f"the shape of {name} depends on data")
        return kind.shape

    def sole_reader(self, name: str) -> Node | None:
        """The only node that reads a tensor that nobody else sees."""
        readers = self.readers[name]
        return readers[0] if len(readers) == 1 and name not in self.graph.outputs else None

    def number(self, name: str) -> Array | None:
        """The value of a floating-point constant, dequantised or not; None if it isn't one."""
        constant = self.value(name)
        if constant is not None:
            return constant
        maker = self.makers.get(name)
        if maker is None or not is_a(maker, DEQUANTIZE):
            return None
        stored = self.value(maker.input(0))
        if stored is None:
            return None
        scaling = self.scaling(maker, stored.dtype)
        along = [1] * stored.ndim
        if scaling.axis is not None:
            along[scaling.axis] = -1
        scales, zero_points = (value.reshape(along) for value in (scaling.scales, scaling.zero_points))
        return np.asarray((stored.astype(np.int64) - zero_points).astype(np.float32) * scales, np.float32)

    def quantised(self, name: str) -> Quantised | None:
        """What a tensor is the dequantisation of, None if it is none.

        A transposed or reshaped constant is looked through, as weights often are. LeftFloat if the integers aren't int8 or uint8 (or
        int32, which only biases have), or if their scale isn't constant.
        """
        maker = self.makers.get(name)
        if maker is None:
            return None
        if is_a(maker, DEQUANTIZE):
            kind = self.graph.types.get(maker.input(0))
            if kind is None or kind.dtype not in (*BYTES, np.dtype(np.int32)):
                raise LeftFloat("dtype", f"{maker.input(0)} is {kind.dtype if kind else None}, expected int8 or uint8")
            return Quantised(maker.input(0), self.scaling(maker, kind.dtype), (maker,))
        if maker.domain == "" and (maker.op_type == "Transpose" or maker.op_type in _RESHAPES):
            inner = self.quantised(maker.input(0))
            if inner is not None and self.value(inner.tensor) is not None:
                return self._move(maker, inner)
        return None

    def _move(self, node: Node, inner: Quantised) -> Quantised | None:
        """A constant, transposed or reshaped before it is dequantised."""
        value, scaling = self.value(inner.tensor), inner.scaling
        assert value is not None
        if node.op_type == "Transpose":
            order = tuple(node.attributes.get("perm", range(value.ndim)[::-1]))
            moved, axis = value.transpose(order), None if scaling.axis is None else order.index(scaling.axis)
            scaling = Scaling(scaling.scale, scaling.zero_point, scaling.scales, scaling.zero_points, axis)
        elif scaling.axis is None:
            moved = value.reshape(self.shape(node.outputs[0]))
        else:
            return None
        name = node.outputs[0]
        if name not in self._moved_constants:
            self._moved_constants[name] = self.add(f"{name}_integer", np.ascontiguousarray(moved))
        return Quantised(self._moved_constants[name], scaling, (*inner.nodes, node))

    def scaling(self, node: Node, dtype: np.dtype[Any]) -> Scaling:
        """Scale and zero point of a QuantizeLinear or DequantizeLinear node whose integers are `dtype`; LeftFloat if not constant."""
        scale, zero_point = node.input(1), node.input(2)
        scales = self.value(scale)
        if scales is None or (zero_point and self.value(zero_point) is None):
            raise LeftFloat("scale", f"scale or zero point of {node.name} is not a constant")
        if node.attributes.get("block_size"):
            raise LeftFloat("attribute", f"{node.name} has scales by block")
        if scales.dtype != np.float32:
            raise LeftFloat("scale", f"the scale of {node.name} is {scales.dtype}, expected float32")
        rank = len(self.shape(node.input(0)))
        # One number is one scale, unless it stands along an axis of a length of its own.
        axis = int(node.attributes.get("axis", 1)) % max(rank, 1) if scales.size > 1 else None
        key = (scale, zero_point, dtype.name, axis)
        if key not in self._scalings:
            if zero_point:
                zero_points = self.value(zero_point)
                assert zero_points is not None
            else:
                zero_points = np.zeros(scales.shape, dtype)
                zero_point = self.add(f"{scale}_zero_point", zero_points)
            self._scalings[key] = Scaling(scale, zero_point, scales, zero_points, axis)
        return self._scalings[key]

    def result(self, node: Node) -> Scaling:
        """How the result of a QuantizeLinear node is quantised: 8 bits, one scale; LeftFloat otherwise."""
        kind = self.graph.types[node.outputs[0]]
        if kind.dtype not in BYTES:
            raise LeftFloat("dtype", f"{node.outputs[0]} is {kind.dtype}, expected int8 or uint8")
        return self.whole(node.outputs[0], self.scaling(node, kind.dtype))

    @staticmethod
    def whole(name: str, scaling: Scaling) -> Scaling:
        """The scaling, if it is one for a whole 8-bit tensor with a positive scale; LeftFloat otherwise."""
        if scaling.axis is not None:
            raise LeftFloat("scale", f"{name} has {scaling.scales.size} scales, expected one")
        if scaling.dtype not in BYTES:
            raise LeftFloat("dtype", f"{name} is {scaling.dtype}, expected int8 or uint8")
        if not scaling.scales.size or not (scaling.scales > 0).all():
            raise LeftFloat("scale", f"the scale of {name} is not above 0")
        return scaling

    def activation(self, name: str) -> Quantised:
        """A tensor that is quantised with one scale in 8 bits; LeftFloat otherwise."""
        source = self.quantised(name)
        if source is None:
            raise LeftFloat("float", f"{name} is floating point, no DequantizeLinear makes it")
        self.whole(name, source.scaling)
        return source


def is_a(node: Node, op_type: str) -> bool:
    """Whether a node is QuantizeLinear or DequantizeLinear."""
    return node.op_type == op_type and node.domain in _DOMAINS


def as_tensor(name: str, value: Array) -> onnx.TensorProto:
    """A constant for a file."""
    return numpy_helper.from_array(np.asarray(value), name)
