"""Which nodes the accelerator takes, and which function makes each kind a kernel's case.

`describe` is the only judge: what the report says and what a run does come from its one answer. The kernel's planner,
which knows the machine, may still refuse a case that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accelkit.kernels.onnx import conversions, joins, maps, moves, pairs, pools, products, unary
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.graph import FUNCTIONS, Graph, Node
from accelkit.kernels.onnx.layout import VIEWS, Layout
from accelkit.kernels.onnx.operands import Refused, require_static
from accelkit.kernels.plan import Refusal

Describe = Callable[[Graph, Node, Mapping[str, Layout]], tuple[KernelCall, ...]]

OPERATORS: dict[tuple[str, str], Describe] = {
    ("", "QLinearConv"): products.conv,
    (FUNCTIONS, "QLinearConvTranspose"): products.conv_transpose,
    ("", "QLinearMatMul"): products.matmul,
    ("com.microsoft", "QGemm"): products.gemm,
    ("", "MaxPool"): pools.maximum,
    ("com.microsoft", "QLinearAveragePool"): pools.average,
    ("com.microsoft", "QLinearGlobalAveragePool"): pools.global_average,
    ("com.microsoft", "QLinearAdd"): pairs.pair,
    ("com.microsoft", "QLinearMul"): pairs.pair,
    ("com.microsoft", "QLinearConcat"): joins.quantised_concat,
    ("", "Concat"): joins.concat,
    ("", "Slice"): moves.cut,
    ("", "Split"): moves.split,
    ("", "Gather"): maps.gather,
    ("", "Transpose"): moves.transpose,
    ("", "Pad"): maps.any_pad,
    ("", "Resize"): maps.resize,
    ("", "Tile"): moves.repeat,
    ("", "Expand"): moves.repeat,
    ("", "SpaceToDepth"): moves.space_to_depth,
    ("", "DepthToSpace"): moves.depth_to_space,
    ("", "QuantizeLinear"): conversions.quantise,
    ("", "DequantizeLinear"): conversions.dequantise,
}


def describe(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...] | Refusal:
    """The calls that a node is, one for each result, or the first reason against it (types, shapes, attributes, quantisation).

    `layouts` are those of the tensors that lie on the device, views included; any other can be had in any layout.
    """
    try:
        return _maker(graph, node)(graph, node, layouts)
    except Refused as refused:
        return node.refusal or Refusal(str(refused), refused.code)


def _maker(graph: Graph, node: Node) -> Describe:
    if (node.domain, node.op_type) in OPERATORS:
        return OPERATORS[node.domain, node.op_type]
    names = unary.MICROSOFT if node.domain == "com.microsoft" else unary.STANDARD if not node.domain else ()
    if node.op_type in names or unary.function_of(graph, node) is not None:
        return unary.unary
    if node.op_type in VIEWS and not node.domain:
        require_static(graph, node.input(0), *node.outputs)
        raise Refused("not-constant", f"the shape of {node.outputs[0]} is computed with the model's inputs")
    raise Refused("no-kernel", f"no kernel for {node.op_type}")
