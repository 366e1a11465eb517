"""Operators that only move elements: slice, split, transpose, pad, tile, expand, one of a row, space to depth and back.

Each translates its axes into the order in which its input lies on the device; the bytes of an element are one more axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from accelkit.kernels.layouts import plan_pad, plan_slice, plan_tile, plan_transpose
from accelkit.kernels.onnx.calls import KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, channel_axes, memory_order, with_channels
from accelkit.kernels.onnx.operands import Refused, Shape, constant, require_elements, shape_of
from accelkit.kernels.plan import Plan, Refusal

Calls = tuple[KernelCall, ...]
_WHOLE = slice(None)


class Mover:
    """A node's first input as it lies: axes in the order of memory, and one of bytes if elements have several."""

    def __init__(self, graph: Graph, node: Node, held: Mapping[str, Layout], rank: int = 0) -> None:
        """With `rank`, the input gets axes of one element in front, up to that many."""
        self.graph, self.node, self.x = graph, node, node.input(0)
        itemsize = require_elements(graph, self.x, *node.outputs)
        shape = shape_of(graph, self.x)
        self.shape: Shape = (1,) * (rank - len(shape)) + shape
        self.rank = len(self.shape)
        self.axes = channel_axes(self.shape, held.get(self.x)) or (self.rank, self.rank)
        self.order = memory_order(self.rank, self.axes)
        self.bytes: Shape = (itemsize,) if itemsize > 1 else ()

    def axis(self, axis: int) -> int:
        """An axis of the node, which may count from the end, as one of the tensor's."""
        return axis % self.rank

    def arrange(self, values: Sequence[Any], of_bytes: Any) -> tuple[Any, ...]:
        """One value for each axis of the tensor, in the order of memory; `of_bytes` is that of the axis of bytes."""
        return (*(values[axis] for axis in self.order), *(of_bytes for _ in self.bytes))

    def is_still(self, moved: Sequence[int]) -> bool:
        """Whether a transposition of the memory leaves every element where it is."""
        counted = [axis for axis in moved if self.shape[self.order[axis]] > 1]
        return counted == sorted(counted)

    def call(
        self, planner: Callable[..., Plan | Refusal], *arguments: Any, output: int = 0, axes: tuple[int, int] | None = None
    ) -> KernelCall:
        """`planner` of x as it lies. The channels of the result are the same axes, unless `axes` says otherwise."""
        result = self.node.outputs[output]
        layout = with_channels(shape_of(self.graph, result), axes or self.axes)
        case = Planned(planner, ((*self.arrange(self.shape, 1)[: self.rank], *self.bytes), *arguments))
        return KernelCall(case, (Operand("x", self.x, with_channels(self.shape, self.axes)),), result, layout, (self.node.index,))


def transpose(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """The result gets the layout in which the bytes stay where they are, if there is one (as for an image that comes with channels last),
    else keeps its channels innermost if they stay together at their place."""
    x = Mover(graph, node, held)
    order = tuple(node.attributes.get("perm", reversed(range(x.rank))))
    pairs = [(first, last) for first in range(x.rank) for last in range(first + 1, x.rank + 1)]
    first, last = x.axes
    keeps = all(sorted(order[a:b]) == list(range(a, b)) for a, b in ((0, first), (first, last), (last, x.rank)))
    choices = [x.axes] * keeps + [(x.rank, x.rank)]
    axes = next((axes for axes in [*choices, *pairs] if x.is_still(_moved(x, order, axes))), choices[0])
    return (x.call(plan_transpose, (*_moved(x, order, axes), *(x.rank for _ in x.bytes)), axes=axes),)


def _moved(x: Mover, order: tuple[int, ...], axes: tuple[int, int]) -> list[int]:
    """The transposition of x's memory that gives the result in the layout with these channel axes."""
    return [x.order.index(order[axis]) for axis in memory_order(x.rank, axes)]


def cut(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Slice with constant bounds."""
    x = Mover(graph, node, held)
    starts, ends = (constant(graph, node, place, what).tolist() for place, what in ((1, "start"), (2, "end")))
    axes = constant(graph, node, 3, "axes").tolist() if node.input(3) else range(len(starts))
    steps = constant(graph, node, 4, "step").tolist() if node.input(4) else [1] * len(starts)
    slices = [_WHOLE] * x.rank
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        size = x.shape[x.axis(axis)]
        start, end = (value + size if value < 0 else value for value in (start, end))
        low, high = (0, size) if step > 0 else (-1, size - 1)
        start, end = max(start, low + (step < 0)), max(low, min(end, high))
        slices[x.axis(axis)] = slice(min(start, high), end if end >= 0 else None, step)
    return (x.call(plan_slice, x.arrange(slices, _WHOLE)),)


def split(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """A call for each result."""
    x = Mover(graph, node, held)
    axis, start, calls = x.axis(node.attributes.get("axis", 0)), 0, []
    for number, name in enumerate(node.outputs):
        size = shape_of(graph, name)[axis]
        slices = [_WHOLE] * x.rank
        slices[axis] = slice(start, start + size)
        calls.append(x.call(plan_slice, x.arrange(slices, _WHOLE), output=number))
        start += size
    if start != x.shape[axis]:
        raise Refused("attribute", f"results of {start} of {x.shape[axis]} elements")
    return tuple(calls)


def gather_one(graph: Graph, node: Node, held: Mapping[str, Layout], index: int) -> Calls:
    """Gather by one index: the axis goes."""
    x = Mover(graph, node, held)
    axis = x.axis(node.attributes.get("axis", 0))
    slices = [_WHOLE] * x.rank
    slices[axis] = slice(index % x.shape[axis], index % x.shape[axis] + 1)
    axes = x.axes[0] - (axis < x.axes[0]), x.axes[1] - (axis < x.axes[1])
    return (x.call(plan_slice, x.arrange(slices, _WHOLE), axes=axes),)


def pad(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Pad with one constant byte."""
    x = Mover(graph, node, held)
    amounts = constant(graph, node, 1, "padding").tolist()
    axes = constant(graph, node, 3, "axes").tolist() if node.input(3) else range(x.rank)
    pads = [(0, 0)] * x.rank
    for at, axis in enumerate(axes):
        pads[x.axis(axis)] = amounts[at], amounts[at + len(amounts) // 2]
    value = constant(graph, node, 2, "padding value") if node.input(2) else np.zeros(1, np.uint8)
    values = set(value.tobytes())
    if len(values) > 1:
        raise Refused("attribute", f"padding with {value.ravel()[0]}, whose bytes differ")
    return (x.call(plan_pad, x.arrange(pads, (0, 0)), int(np.array([values.pop()], np.uint8).view(np.int8)[0])),)


def repeat(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Tile and Expand: whole copies along each axis."""
    y_shape = shape_of_result(graph, node)
    x = Mover(graph, node, held, len(y_shape))
    times = [after // before for before, after in zip(x.shape, y_shape, strict=True)]
    return (x.call(plan_tile, x.arrange(times, 1)),)


def shape_of_result(graph: Graph, node: Node) -> Shape:
    """The shape of the result; Refused if it depends on data."""
    require_elements(graph, node.outputs[0])
    return shape_of(graph, node.outputs[0])


def space_to_depth(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Axes N, C, H / b, b, W / b, b of x become N, b, b, C, H / b, W / b."""
    x = _image(graph, node, held)
    n, c, h, w = x.shape
    b = node.attributes["blocksize"]
    return _regroup(x, (n, c, h // b, b, w // b, b), ((0,), (1,), (2, 3), (4, 5)), ((0,), (3, 5, 1), (2,), (4,)))


def depth_to_space(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """The blocks are the slowest part of a channel (mode DCR), or the fastest (CRD)."""
    x = _image(graph, node, held)
    n, c, h, w = x.shape
    b = node.attributes["blocksize"]
    depth = c // (b * b)
    if node.attributes.get("mode", b"DCR") == b"CRD":
        return _regroup(x, (n, depth, b, b, h, w), ((0,), (1, 2, 3), (4,), (5,)), ((0,), (1,), (4, 2), (5, 3)))
    return _regroup(x, (n, b, b, depth, h, w), ((0,), (1, 2, 3), (4,), (5,)), ((0,), (3,), (4, 1), (5, 2)))


def _image(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Mover:
    """An image from the host is taken as a convolution would."""
    shape = shape_of(graph, node.input(0)) if graph.types[node.input(0)].shape else ()
    return Mover(graph, node, held if node.input(0) in held or len(shape) != 4 else {node.input(0): with_channels(shape, (1, 2))})


def _regroup(x: Mover, parts: Shape, source: tuple[Shape, ...], target: tuple[Shape, ...]) -> Calls:
    """A transposition of axes cut into `parts`; each axis of source and target is a row of them."""
    before = [part for axis in x.order for part in source[axis]]
    after = [part for axis in x.order for part in target[axis]]
    call = x.call(plan_transpose, (*(before.index(part) for part in after), *(len(parts) for _ in x.bytes)))
    assert isinstance(call.case, Planned)
    shape = (*(parts[part] for part in before), *x.bytes)
    assert prod(shape) == prod(call.case.arguments[0])
    case = Planned(plan_transpose, (shape, *call.case.arguments[1:]))
    return (KernelCall(case, call.operands, call.result, call.layout, call.nodes),)
