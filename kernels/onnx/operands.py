"""What a node's inputs and outputs are, for the modules that make cases of nodes; what can't be used is `Refused`, with code and reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.graph import BYTES, Graph, Node
from accelkit.kernels.plan import Quantised

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


class Refused(Exception):
    """Carries code and reason of a refusal out of the making of a case."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def require_static(graph: Graph, *names: str) -> None:
    """Refused unless the tensors have elements, as many as is known."""
    for name in names:
        kind = graph.types[name]
        if kind.shape is None:
            raise Refused("dynamic-shape", f"the shape of {name} depends on data")
        if 0 in kind.shape:
            raise Refused("empty", f"{name} is empty, {list(kind.shape)}")


def require_bytes(graph: Graph, *names: str) -> None:
    """Refused unless the tensors are int8 or uint8, and `require_static`."""
    require_static(graph, *names)
    for name in names:
        dtype = graph.types[name].dtype
        if dtype not in BYTES:
            code = "float" if dtype is not None and dtype.kind == "f" else "dtype"
            raise Refused(code, f"{name} is {dtype or 'not an array'}; the kernel has int8 and uint8")


def shape_of(graph: Graph, name: str) -> Shape:
    """The shape of a tensor that `require_static` has seen."""
    shape = graph.types[name].shape
    assert shape is not None
    return shape


def dtype_of(graph: Graph, name: str) -> np.dtype[Any]:
    """The type of a tensor that is an array."""
    dtype = graph.types[name].dtype
    assert dtype is not None
    return dtype


def constant(graph: Graph, node: Node, place: int, what: str, code: str = "not-constant") -> Array:
    """The value of an input; Refused if it isn't a constant."""
    value = graph.constant(node.input(place))
    if value is None:
        raise Refused(code, f"{what} {node.input(place) or '(absent)'} is not a constant")
    return value


def scale(graph: Graph, node: Node, place: int, what: str) -> np.float32:
    """The one float32 scale of a tensor; `what` is the tensor's role."""
    value = constant(graph, node, place, "scale", "scale")
    if value.dtype != np.float32:
        raise Refused("scale", f"the {what} scale is {value.dtype}; the kernel has float32")
    if value.size != 1:
        raise Refused("scale", f"{value.size} {what} scales; the kernel takes one")
    return np.float32(value.ravel()[0])


def zero_point(graph: Graph, node: Node, place: int, what: str, is_optional: bool = False) -> int:
    """The one zero point of a tensor, 0 if it is absent and may be."""
    if is_optional and not node.input(place):
        return 0
    value = constant(graph, node, place, "zero point", "zero-point")
    if value.size != 1:
        raise Refused("zero-point", f"{value.size} zero points of the {what}; the kernel takes one")
    return int(value.ravel()[0])


def quantised(graph: Graph, tensor: str, node: Node, place: int, what: str, is_optional: bool = False) -> Quantised:
    """Type and zero point of a tensor; `place` is that of the zero point."""
    return Quantised(dtype_of(graph, tensor), zero_point(graph, node, place, what, is_optional))


def require_elements(graph: Graph, *names: str) -> int:
    """The bytes of an element, the same for all; Refused unless the tensors hold numbers of whole bytes, and `require_static`."""
    require_static(graph, *names)
    for name in names:
        dtype = graph.types[name].dtype
        if dtype is None or dtype.kind not in "biuf" or not dtype.isbuiltin:
            raise Refused("dtype", f"{name} is {dtype or 'not an array'}; the kernel moves numbers of whole bytes")
    return dtype_of(graph, names[0]).itemsize
