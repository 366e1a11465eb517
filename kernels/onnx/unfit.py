"""Nodes that ONNX Runtime's quantiser fails on, or loses; they are kept from it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
from onnx import helper, numpy_helper

# Operators whose results get a range of their own in QOperator form; the others' is their operand's.
_RANGED = {"Add", "AveragePool", "Concat", "Conv", "Gemm", "GlobalAveragePool", "LeakyRelu", "MatMul", "Mul", "Sigmoid"}
_CLAMPS = {"Relu", "Clip"}


def find_unfit(model: onnx.ModelProto, is_qdq: bool) -> dict[str, str]:
    """Names of the nodes to leave out, and why."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    makers = {name: node for node in model.graph.node for name in node.output}
    readers = Counter(name for node in model.graph.node for name in set(node.input))
    outputs = {output.name for output in model.graph.output}
    reasons = {}
    for node in model.graph.node:
        reason = None
        if node.op_type in _CLAMPS:
            reason = _lost_clamp(node, constants)
            x = node.input[0]
            is_ranged = is_qdq or (x in makers and makers[x].op_type in _RANGED and readers[x] == 1)
            if x in outputs or not is_ranged:
                reason = f"the range of {x} can't stand for it"
        elif node.op_type in ("Conv", "ConvTranspose", "Gemm"):
            reason = _bad_bias(node, constants)
        if reason is not None:
            reasons[node.name] = reason
    return reasons


def _bad_bias(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> str | None:
    """The quantiser fails on biases that aren't constant vectors, added once."""
    if len(node.input) < 3 or not node.input[2]:
        return None
    bias = constants.get(node.input[2])
    if bias is None or len(bias.dims) != 1:
        return f"bias {node.input[2]} is not a constant vector"
    factors = {a.name: a.f for a in node.attribute if a.name in ("alpha", "beta") and a.f != 1}
    return f"{', '.join(f'{name} = {value:g}' for name, value in factors.items())}; the quantiser knows 1 only" if factors else None


def _lost_clamp(node: onnx.NodeProto, constants: dict[str, onnx.TensorProto]) -> str | None:
    """The quantiser drops Relu and Clip in favour of the range of what is before, which always has 0 in it."""
    if node.op_type == "Relu":
        return None
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    bounds = [float(attributes.get("min", -np.inf)), float(attributes.get("max", np.inf))]
    for place in (0, 1):
        name = node.input[place + 1] if len(node.input) > place + 1 else ""
        if name and name not in constants:
            return f"bound {name} is not a constant"
        if name:
            bounds[place] = float(numpy_helper.to_array(constants[name]).reshape(-1)[0])
    return None if bounds[0] <= 0 <= bounds[1] else f"0 is not between its bounds {bounds[0]:g} and {bounds[1]:g}"
