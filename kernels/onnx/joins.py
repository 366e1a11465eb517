"""Concatenation: Concat of any numbers, QLinearConcat with a scale and a zero point for each input."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from accelkit.kernels.elementwise_tiles import TABLE_BYTES
from accelkit.kernels.layouts import plan_concat
from accelkit.kernels.onnx.calls import KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, common_axes, memory_order, with_channels
from accelkit.kernels.onnx.operands import Array, constant, require_bytes, require_elements, shape_of
from accelkit.kernels.onnx.unary import table_of

Calls = tuple[KernelCall, ...]


def concat(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> Calls:
    """Concat."""
    return _joined(graph, node, layouts, node.inputs, ())


def quantised_concat(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> Calls:
    """QLinearConcat: inputs whose scale and zero point are not the result's pass through a table."""
    names = node.inputs[2::3]
    require_bytes(graph, *names)
    for place in range(len(node.inputs)):
        if place < 2 or place % 3 != 2:
            constant(graph, node, place, "scale" if place == 0 or place % 3 == 0 else "zero point", "scale")
    return _joined(graph, node, layouts, names, tuple(_table(graph, node, at) for at in range(len(names))))


def _table(graph: Graph, node: Node, at: int) -> Array | None:
    """What ONNX Runtime makes of the bytes of one input; None if they stay."""
    x = node.input(2 + 3 * at)
    own = onnx.NodeProto()
    own.CopyFrom(node.proto)
    del own.input[:]
    own.input.extend([*node.inputs[:2], x, *node.inputs[3 + 3 * at : 5 + 3 * at]])
    for attribute in own.attribute:
        attribute.i = 0  # the axis of a tensor of one
    table = table_of(graph, own, x)
    return None if np.array_equal(table.view(np.uint8), np.arange(TABLE_BYTES)) else table


def _joined(
    graph: Graph, node: Node, layouts: Mapping[str, Layout], names: tuple[str, ...], tables: tuple[Array | None, ...]
) -> Calls:
    itemsize = require_elements(graph, *names, *node.outputs)
    shapes = {name: shape_of(graph, name) for name in names}
    y_shape = shape_of(graph, node.outputs[0])
    axes = common_axes(graph, layouts, shapes)
    order = memory_order(len(y_shape), axes)
    bytes_axis = (itemsize,) if itemsize > 1 else ()
    memory = tuple((*(shapes[name][axis] for axis in order), *bytes_axis) for name in names)
    axis = order.index(node.attributes["axis"] % len(y_shape))
    operands = tuple(Operand(f"x{at}", name, with_channels(shapes[name], axes)) for at, name in enumerate(names))
    case = Planned(plan_concat, (memory, axis, tables))
    return (KernelCall(case, operands, node.outputs[0], with_channels(y_shape, axes), (node.index,)),)
