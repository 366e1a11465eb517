"""Operators that take elements to other places as they are: between DequantizeLinear and QuantizeLinear, they move bytes instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.onnx.importing import LeftFloat, Scaling, Tensors
from accelkit.kernels.onnx.integer_forms import Form

# Operator -> the first opset in which ONNX Runtime has it for int8 and uint8.
_MOVES = {
    "DepthToSpace": 11,
    "Dropout": 10,
    "Expand": 10,
    "Flatten": 10,
    "Gather": 10,
    "GlobalMaxPool": 12,
    "Identity": 10,
    "MaxPool": 12,
    "Pad": 11,
    "Reshape": 10,
    "Resize": 13,
    "Slice": 10,
    "SpaceToDepth": 10,
    "Split": 10,
    "Squeeze": 10,
    "Tile": 10,
    "Transpose": 10,
    "Unsqueeze": 10,
}


def is_move(node: Node) -> bool:
    """Whether a node takes elements of its first input to other places, or the largest of several."""
    return node.domain == "" and node.op_type in _MOVES


def integer_move(tensors: Tensors, node: Node, result: Scaling) -> Form:
    """The node on bytes, quantised as its input is; LeftFloat if ONNX Runtime can't, or another input isn't constant."""
    x = tensors.activation(node.input(0))
    first = _MOVES[node.op_type]
    if tensors.opset < first:
        raise LeftFloat(
            "opset", f"{node.op_type} has no int8 form before opset {first}, the model is of opset {tensors.opset}; convert it to opset 13"
        )
    for name in node.inputs[1:]:
        if name and tensors.value(name) is None and not (node.op_type == "Pad" and tensors.number(name) is not None):
            raise LeftFloat("dynamic-shape", f"{name} is not a constant")
    attributes, inputs = dict(node.attributes), node.inputs[1:]
    op_type = node.op_type
    if op_type == "Resize":
        _check_resize(node)
    elif op_type == "Pad":
        inputs = _pad(tensors, node, x.scaling, result)
    elif op_type == "GlobalMaxPool":
        op_type, attributes = "MaxPool", {"kernel_shape": list(tensors.shape(node.input(0))[2:])}
    elif op_type == "Dropout":
        if node.input(2):
            raise LeftFloat("attribute", "Dropout in training mode")
        op_type, attributes, inputs = "Identity", {}, ()
    if op_type in ("MaxPool", "Identity") and len(node.outputs) > 1:
        raise LeftFloat("attribute", f"{node.op_type} with a second result ({node.outputs[1]})")
    return Form(op_type, (x.tensor, *inputs), x.scaling, x.nodes, attributes)


def _check_resize(node: Node) -> None:
    mode = node.attributes.get("mode", b"nearest").decode()
    if mode != "nearest":
        raise LeftFloat("attribute", f"mode = {mode}; only nearest takes elements as they are")
    if node.attributes.get("coordinate_transformation_mode", b"") == b"tf_crop_and_resize":
        raise LeftFloat("attribute", "coordinate_transformation_mode = tf_crop_and_resize, which brings in another number")


def _pad(tensors: Tensors, node: Node, x: Scaling, result: Scaling) -> tuple[str, ...]:
    """Inputs of Pad with the padding as a byte."""
    axes = node.inputs[3:]
    if node.attributes.get("mode", b"constant") != b"constant":
        return (node.input(1), "", *axes) if axes else (node.input(1),)
    number: Any = tensors.number(node.input(2)) if node.input(2) else np.float32(0)
    number = np.float32(np.asarray(number).ravel()[0])
    limits = np.iinfo(x.dtype)
    scale, zero_point = x.scales.ravel()[0], x.zero_points.ravel()[0]
    code = np.clip(np.rint(number / scale) + zero_point, limits.min, limits.max)
    if not x.is_same(result) and (code - zero_point) * scale != number:
        raise LeftFloat("scale", f"padding with {number:g}, which the scale of {node.input(0)} can't express")
    return (node.input(1), tensors.add(f"{node.outputs[0]}_padding", np.asarray(code, x.dtype)), *axes)
