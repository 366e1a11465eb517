"""Functions of one byte: whatever computes a byte of the result from the byte at its place is a table of 256 entries.

The table is what ONNX Runtime makes of all 256 bytes, so it is right for any function, and for any chain of them between a
DequantizeLinear and a QuantizeLinear, which import joins to one node with a body of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx

from accelkit.kernels.elementwise import plan_lookup
from accelkit.kernels.elementwise_tiles import TABLE_BYTES
from accelkit.kernels.onnx.byte_regions import ELEMENTWISE
from accelkit.kernels.onnx.calls import KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.operands import Array, Refused, dtype_of, require_bytes, shape_of
from accelkit.kernels.onnx.probe import probe

# Element by element, as long as all inputs but one tensor are single constants. The first are those that import joins to tables.
STANDARD = ELEMENTWISE | {"BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Cast", "Mod", "DequantizeLinear", "QuantizeLinear"}
MICROSOFT = frozenset({"BiasGelu", "FastGelu", "Gelu", "QLinearAdd", "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid", "QuickGelu"})


def is_unary(graph: Graph, node: Node) -> bool:
    """Whether a node computes each element of its result from the element at its place in its one input, and from single constants."""
    varying = _varying(graph, node)
    if len(varying) != 1 or len(node.outputs) != 1:
        return False
    source, target = graph.types[varying[0]], graph.types[node.outputs[0]]
    if source.shape is None or source.shape != target.shape:
        return False
    function = function_of(graph, node)
    body = function.node if function is not None else [node.proto]
    return _is_elementwise(body) and all(_is_single(graph, name) for name in node.inputs if name and name not in varying)


def unary(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """A node of one byte as a lookup, in whatever order its input lies."""
    require_bytes(graph, *_varying(graph, node), *node.outputs)
    if not is_unary(graph, node):
        raise Refused("attribute", f"{node.op_type} of {_operands(graph, node)}; the kernel has functions of one byte")
    (x,) = _varying(graph, node)
    layout = layouts.get(x)
    case = Planned(plan_lookup, (shape_of(graph, x), table_of(graph, node.proto, x)))
    return (KernelCall(case, (Operand("x", x, layout),), node.outputs[0], layout, (node.index,)),)


def table_of(graph: Graph, proto: onnx.NodeProto, x: str) -> Array:
    """The 256 results of an operator that computes byte by byte what it makes of tensor `x`, indexed by the byte's bits."""
    table = probe(graph, proto, x, dtype_of(graph, x), (TABLE_BYTES,))
    if table.size != TABLE_BYTES:
        raise Refused("no-kernel", f"{proto.op_type} gives {list(table.shape)} for {TABLE_BYTES} bytes")
    return table.reshape(TABLE_BYTES)  # a constant of more axes gives it more, of one element


def function_of(graph: Graph, node: Node) -> onnx.FunctionProto | None:
    """The function of the model that a node calls, if it does."""
    called = node.proto.domain, node.proto.op_type
    found: onnx.FunctionProto | None = next((f for f in graph.model.functions if (f.domain, f.name) == called), None)
    return found


def _operands(graph: Graph, node: Node) -> str:
    return " and ".join(f"{name} {list(graph.types[name].shape or ())}" for name in node.inputs if name)


def _varying(graph: Graph, node: Node) -> list[str]:
    return list(dict.fromkeys(name for name in node.inputs if name and name not in graph.constants))


def _is_single(graph: Graph, name: str) -> bool:
    value = graph.constant(name)
    return value is not None and value.size == 1


def _is_elementwise(nodes: Iterable[onnx.NodeProto]) -> bool:
    return all(node.op_type in (MICROSOFT if node.domain == "com.microsoft" else STANDARD) for node in nodes)
