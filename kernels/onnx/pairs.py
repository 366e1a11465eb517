"""Quantised sums and products of two tensors that broadcast: QLinearAdd, QLinearMul."""

from __future__ import annotations

from collections.abc import Mapping

from accelkit.kernels.elementwise import PairCase
from accelkit.kernels.onnx.calls import KernelCall, Operand
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, common_axes, memory_order, with_channels
from accelkit.kernels.onnx.operands import Shape, quantised, require_bytes, scale, shape_of
from accelkit.kernels.onnx.unary import is_unary, unary

_SIDES = (("left", 0), ("right", 3))


def pair(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """Both operands in the layout of the larger part of what lies on the device; with one byte that varies, a table."""
    if is_unary(graph, node):
        return unary(graph, node, layouts)
    names = tuple(node.input(place) for _, place in _SIDES)
    require_bytes(graph, *names, node.outputs[0])
    y_shape = shape_of(graph, node.outputs[0])
    shapes = tuple(_padded(shape_of(graph, name), len(y_shape)) for name in names)
    operands, memory_shapes, layout = _placed(graph, layouts, names, shapes, y_shape)
    case = case_of(graph, node, memory_shapes)
    return (KernelCall(case, operands, node.outputs[0], layout, (node.index,)),)


def case_of(graph: Graph, node: Node, shapes: tuple[Shape, ...]) -> PairCase:
    """The case of a sum or product whose operands have these shapes in memory."""
    left, right = (quantised(graph, node.input(place), node, place + 2, side, True) for side, place in _SIDES)
    return PairCase(
        left_shape=shapes[0],
        right_shape=shapes[1],
        left=left,
        right=right,
        y=quantised(graph, node.outputs[0], node, 7, "result", is_optional=True),
        left_scale=float(scale(graph, node, 1, "left")),
        right_scale=float(scale(graph, node, 4, "right")),
        y_scale=float(scale(graph, node, 6, "result")),
        is_product=node.op_type == "QLinearMul",
    )


def _placed(
    graph: Graph, layouts: Mapping[str, Layout], names: tuple[str, ...], shapes: tuple[Shape, ...], y_shape: Shape
) -> tuple[tuple[Operand, ...], tuple[Shape, ...], Layout]:
    """The operands with their layouts, their shapes in memory, and the layout of the result."""
    held = {layouts[name] for name in names if name in layouts}
    if shapes[0] == shapes[1] and len(held) == 1:  # byte by byte in whatever order
        (layout,) = held
        return tuple(Operand(side, name, layout) for name, (side, _) in zip(names, _SIDES, strict=True)), (y_shape, y_shape), layout
    axes = common_axes(graph, layouts, dict(zip(names, shapes, strict=True)))
    order = memory_order(len(y_shape), axes)
    operands = tuple(
        Operand(side, name, with_channels(shape, axes)) for name, shape, (side, _) in zip(names, shapes, _SIDES, strict=True)
    )
    memory = tuple(tuple(shape[axis] for axis in order) for shape in shapes)
    return operands, memory, with_channels(y_shape, axes)


def _padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + shape
