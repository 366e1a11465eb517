"""Useful multiply-accumulates of a node, wherever it runs."""

from accelkit.kernels.onnx.graph import Graph, Node

# Operator -> places of the two operands.
_CONVOLUTIONS = {"Conv": (0, 1), "ConvInteger": (0, 1), "QLinearConv": (0, 3)}
_TRANSPOSED = {"ConvTranspose": (0, 1), "QLinearConvTranspose": (0, 3)}
_PRODUCTS = {"MatMul": (0, 1), "MatMulInteger": (0, 1), "QLinearMatMul": (0, 3), "Gemm": (0, 1), "QGemm": (0, 3)}


def count_macs(graph: Graph, node: Node) -> int:
    """Outputs x kernel taps x input channels, or outputs x K; for a transposed convolution inputs x kernel taps x outputs of a group.

    0 for other operators and where shapes aren't known.
    """
    output = graph.types[node.outputs[0]] if node.outputs else None
    if output is None or output.shape is None:
        return 0
    if node.op_type in _CONVOLUTIONS:
        weights = graph.types[node.input(_CONVOLUTIONS[node.op_type][1])]
        if not weights.shape:
            return 0
        return output.elements * weights.elements // weights.shape[0] if weights.shape[0] else 0
    if node.op_type in _TRANSPOSED:
        x, weights = (graph.types[node.input(place)] for place in _TRANSPOSED[node.op_type])
        if not x.shape or not weights.shape or 0 in weights.shape:
            return 0
        return x.elements * weights.elements // weights.shape[0]
    if node.op_type in _PRODUCTS:
        left = graph.types[node.input(_PRODUCTS[node.op_type][0])]
        if not left.shape:
            return 0
        return output.elements * left.shape[-2 if node.attributes.get("transA") else -1]
    return 0
