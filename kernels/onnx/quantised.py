"""Where quantised operators keep tensors, scales and zero points, and the checks that hold for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import shape_inference

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Graph, Node


@dataclass(frozen=True)
class Quantised:
    """Places of inputs: each operand as (tensor, scale, zero point), the result as (scale, zero point)."""

    operands: tuple[tuple[int, int, int], ...]
    result: tuple[int, int] | None


_TWO = ((0, 1, 2), (3, 4, 5))
_UNARY = Quantised(((0, 1, 2),), (3, 4))
OPERATORS = {
    "QuantizeLinear": Quantised((), (1, 2)),
    "DequantizeLinear": Quantised(((0, 1, 2),), None),
    "QLinearConv": Quantised(_TWO, (6, 7)),
    "QLinearMatMul": Quantised(_TWO, (6, 7)),
    "QGemm": Quantised(_TWO, (7, 8)),
    "QLinearAdd": Quantised(_TWO, (6, 7)),
    "QLinearMul": Quantised(_TWO, (6, 7)),
    "QLinearSigmoid": _UNARY,
    "QLinearLeakyRelu": _UNARY,
    "QLinearSoftmax": _UNARY,
    "QLinearAveragePool": _UNARY,
    "QLinearGlobalAveragePool": _UNARY,
}

_DYNAMIC = {"MatMulInteger", "ConvInteger", "DynamicQuantizeLinear", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "DynamicQuantizeLSTM"}


def require_quantised(source: str, op_types: set[str]) -> None:
    """ModelError unless some operator is of an int8 model, in QOperator or QDQ form, with scales that are known beforehand."""
    if any(name.startswith("QLinear") for name in op_types) or op_types & {"QGemm", "QuantizeLinear", "DequantizeLinear"}:
        return
    hint = f"accel-sim quantize {source} --data calibration.npz -o int8.onnx"
    if op_types & _DYNAMIC:
        raise ModelError(
            f"{source}: quantised dynamically ({min(op_types & _DYNAMIC)}): scales that follow from the data have no kernel;"
            f" quantise the float model statically: {hint.replace(source, 'FLOAT.onnx')}"
        )
    raise ModelError(f"{source}: a float model, with no int8 operator for the accelerator; quantise it: {hint}")


def check_scales(graph: Graph) -> None:
    """ModelError for a constant scale that isn't a finite number, or is 0 where it divides."""
    for node in graph.nodes:
        places = OPERATORS.get(node.op_type)
        if places is None:
            continue
        scales = [scale for _, scale, _ in places.operands] + ([places.result[0]] if places.result else [])
        for place in scales:
            scale = graph.constant(node.input(place))
            if scale is None:
                continue
            divides = places.result is not None and place == places.result[0]
            wrong = scale[~np.isfinite(scale) | (divides & (scale == 0))].ravel()
            if wrong.size:
                raise ModelError(
                    f"{graph.source}: node {node.name} ({node.op_type}): scale {node.input(place)} is {wrong[0]},"
                    " expected a finite number above 0; calibrate and quantise the model again"
                )


def check_counts(graph: Graph) -> None:
    """ModelError for a QuantizeLinear or DequantizeLinear whose constants fit neither the whole tensor nor its channels."""
    for node in graph.nodes:
        tensor = graph.types.get(node.input(0))
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear") or node.attributes.get("block_size") or tensor is None:
            continue
        if not tensor.shape:
            continue
        scale, zero_point = (graph.types.get(node.input(place)) for place in (1, 2))
        axis, rank = int(node.attributes.get("axis", 1)), len(tensor.shape)
        if scale is None or scale.shape in (None, (), (1,)):
            channels = 1
        elif -rank <= axis < rank:
            channels = tensor.shape[axis]
        else:
            raise _count_error(graph, node, f"axis = {axis} of a tensor {list(tensor.shape)}")
        for what, kind in (("scales", scale), ("zero points", zero_point)):
            if kind is not None and kind.shape is not None and kind.elements != channels:
                where = f"{channels} channels (axis {axis} of {list(tensor.shape)})" if channels != 1 else "one scale"
                raise _count_error(graph, node, f"{kind.elements} {what} for {where}")


def check_weights(graph: Graph) -> None:
    """ModelError for a QLinearConv of empty weights: ONNX Runtime divides by their number and takes the process with it."""
    for node in graph.nodes:
        weights = graph.types.get(node.input(3))
        if node.op_type == "QLinearConv" and weights is not None and weights.shape is not None and 0 in weights.shape:
            raise ModelError(
                f"{graph.source}: node {node.name} (QLinearConv): weights {node.input(3)} are empty, {list(weights.shape)};"
                " export the model without the node"
            )


def _count_error(graph: Graph, node: Node, text: str) -> ModelError:
    return ModelError(f"{graph.source}: node {node.name} ({node.op_type}): {text}; quantise the model again")


def explain_types(source: str, model: onnx.ModelProto, nodes: tuple[Node, ...]) -> str | None:
    """One line on the first zero point whose type isn't its tensor's, or None; for a model that ONNX Runtime refuses."""
    types = _element_types(model)
    for node in nodes:
        places = OPERATORS.get(node.op_type)
        if places is None:
            continue
        for tensor, _, zero_point in places.operands:
            pair = [types.get(node.input(place)) for place in (tensor, zero_point)]
            if None not in pair and pair[0] != pair[1]:
                return (
                    f"{source}: node {node.name} ({node.op_type}): zero point {node.input(zero_point)} is {pair[1]} but its"
                    f" tensor {node.input(tensor)} is {pair[0]}; they must have one type: quantise the model again"
                )
        if places.result is not None and node.outputs and node.input(places.result[1]) in types:
            types[node.outputs[0]] = types[node.input(places.result[1])]
    return None


def _element_types(model: onnx.ModelProto) -> dict[str, Any]:
    """The element types that follow without ONNX Runtime."""
    try:
        graph = shape_inference.infer_shapes(model).graph
    except (shape_inference.InferenceError, ValueError):
        graph = model.graph
    values = [*graph.input, *graph.value_info]
    types: dict[str, int] = {value.name: value.type.tensor_type.elem_type for value in values}
    types |= {tensor.name: tensor.data_type for tensor in graph.initializer}
    known = set(onnx.helper.get_all_tensor_dtypes())  # a damaged file has others
    return {name: onnx.helper.tensor_dtype_to_np_dtype(kind) for name, kind in types.items() if kind in known}
