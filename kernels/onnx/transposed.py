"""A quantised transposed convolution as one node, which ONNX Runtime runs as an integer convolution of spread-out pixels.

ONNX Runtime has no QLinearConvTranspose, and in floating point its results may be a neighbour of the exact ones. The body of
the function is exact: zero points between the pixels, the kernel turned round, QLinearConv.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from accelkit.kernels.onnx.functions import Function, make_function
from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.onnx.importing import LeftFloat, Tensors
from accelkit.kernels.onnx.integer_forms import Form

OPERATOR = "QLinearConvTranspose"
_FIRST_OPSET = 11  # Pad of bytes


def make_transposed(tensors: Tensors, number: int, node: Node, form: Form, output: str) -> Function:
    """The form of a ConvTranspose node (inputs as QLinearConv has them) as a call of a function of its own.

    The call's attributes are `strides`, `dilations`, `pads`, `output_padding` and `group`, all explicit, and `operands`, how many
    inputs are the operator's: with a bias 9. Constants of the body follow them.
    """
    attributes = explicit_attributes(tensors, node)
    body = _body(tensors, node, form, output, attributes)
    attributes["operands"] = len(form.inputs)
    return make_function(tensors, f"{OPERATOR}_{number}", body, form.inputs, output, attributes)


def explicit_attributes(tensors: Tensors, node: Node) -> dict[str, Any]:
    """Attributes of a ConvTranspose with defaults, automatic padding and a wanted output shape worked out; LeftFloat if unusual."""
    if tensors.opset < _FIRST_OPSET:
        raise LeftFloat("opset", f"ConvTranspose of opset {tensors.opset}; convert the model to opset 13")
    given = node.attributes
    size, kernel = tensors.shape(node.input(0))[2:], tensors.shape(node.input(1))[2:]
    axes = len(size)
    strides, dilations = (list(given.get(name, [1] * axes)) for name in ("strides", "dilations"))
    extra = list(given.get("output_padding", [0] * axes))
    pads = list(given.get("pads", [0] * (2 * axes)))
    automatic = given.get("auto_pad", b"NOTSET").decode()
    if automatic not in ("NOTSET", "VALID") or "output_shape" in given:
        # Both fix the size of the result; what has to go is shared out between the ends.
        actual = tensors.shape(node.outputs[0])[2:]
        for axis in range(axes):
            full = strides[axis] * (size[axis] - 1) + extra[axis] + (kernel[axis] - 1) * dilations[axis] + 1
            total = full - actual[axis]
            if total < 0:
                raise LeftFloat("attribute", f"a result of {list(actual)}, larger than the transposed convolution gives")
            small = total // 2
            begin = small if automatic == "SAME_UPPER" else total - small
            pads[axis], pads[axis + axes] = begin, total - begin
    return {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra, "group": given.get("group", 1)}


def _body(tensors: Tensors, node: Node, form: Form, output: str, given: dict[str, Any]) -> list[onnx.NodeProto]:
    x, x_scale, x_zero_point, w, *rest = form.inputs
    batch, channels, *size = tensors.shape(node.input(0))
    _, outputs, *kernel = tensors.shape(node.input(1))
    axes, group, strides, dilations = len(size), given["group"], given["strides"], given["dilations"]
    nodes: list[onnx.NodeProto] = []

    def step(op_type: str, inputs: list[str], result: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op_type, inputs, [result], **attributes))
        return result

    def numbers(name: str, values: list[int]) -> str:
        return tensors.add(f"{output}_{name}", np.array(values, np.int64))

    padding = tensors.add(f"{output}_padding", tensors.value(x_zero_point).reshape(()))  # type: ignore[union-attr]
    # [N, C, H, W] -> [N, C, H, 1, W, 1] -> [N, C, H, stride, W, stride] -> [N, C, H * stride, W * stride]
    apart = step("Reshape", [x, numbers("apart", [batch, channels, *(n for s in size for n in (s, 1))])], "apart")
    ends = [0, 0, *(n for stride in strides for n in (0, stride - 1))]
    spread = step("Pad", [apart, numbers("spread", [0] * (2 + 2 * axes) + ends), padding], "spread")
    joined = [size[a] * strides[a] for a in range(axes)]
    pixels = step("Reshape", [spread, numbers("joined", [batch, channels, *joined])], "pixels")
    reach = [dilations[a] * (kernel[a] - 1) for a in range(axes)]
    begins = [reach[a] - given["pads"][a] for a in range(axes)]
    # The last pixel has stride - 1 zero points behind it that a transposed convolution hasn't.
    ends = [reach[a] - given["pads"][a + axes] + given["output_padding"][a] - strides[a] + 1 for a in range(axes)]
    framed = step("Pad", [pixels, numbers("frame", [0, 0, *begins, 0, 0, *ends]), padding], "framed")
    # Weights [C, M / group, kernel] -> [M, C / group, kernel turned round]
    where = list(range(2, 2 + axes))
    far = [np.iinfo(np.int64).min] * axes
    turned = step(
        "Slice",
        [w, numbers("first", [-1] * axes), numbers("last", far), numbers("axes", where), numbers("steps", [-1] * axes)],
        "turned",
    )
    grouped = step("Reshape", [turned, numbers("groups", [group, channels // group, outputs, *kernel])], "grouped")
    swapped = step("Transpose", [grouped], "swapped", perm=[0, 2, 1, *(3 + a for a in range(axes))])
    weights = step("Reshape", [swapped, numbers("weights", [outputs * group, channels // group, *kernel])], "weights")
    step("QLinearConv", [framed, x_scale, x_zero_point, weights, *rest], output, dilations=dilations, group=group)
    return nodes
