"""What the accelerator takes of a node, and the reasons against it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from accelkit.kernels.conv2d import Conv2dCase
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.layout import ChannelsLast
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Refusal
from tests.kernels.onnx.builder import MICROSOFT, Builder, save


def conv_model(kernel: tuple[int, ...] = (3, 3), size: tuple[int, ...] = (8, 9), **attributes: Any) -> onnx.ModelProto:
    b = Builder()
    b.conv("x", "y", 4 // attributes.get("group", 1), 6, kernel, **attributes)
    return b.model({"x": [1, 4, *size]}, ["y"])


def gemm_model(**attributes: Any) -> onnx.ModelProto:
    b = Builder()
    b.gemm("x", "y", 12, 5, **attributes)
    return b.model({"x": [12, 3] if "transA" in attributes else [3, 12]}, ["y"])


def matmul_model(left: list[int], right: list[int], w_zero_point: Any = 2, is_constant: bool = True) -> onnx.ModelProto:
    b = Builder()
    operands = ["x", *b.scale("x", 0.02, 3), "w", *b.scale("w", 0.02, w_zero_point), *b.scale("y", 0.5, -4)]
    b.node("QLinearMatMul", operands, "y")
    inputs: dict[str, list[int | str]] = {"x": [*left]}
    if is_constant:
        b.constant("w", b.bytes(*right), np.int8)
    else:
        inputs["w"] = [*right]
    return b.model(inputs, ["y"])


def changed(model: onnx.ModelProto, name: str, value: Any) -> onnx.ModelProto:
    """The model with another constant."""
    for tensor in model.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(numpy_helper.from_array(np.asarray(value), name))
    return model


def with_input(model: onnx.ModelProto, name: str, element: int, shape: list[int]) -> onnx.ModelProto:
    """The model with a constant turned into an input."""
    kept = [tensor for tensor in model.graph.initializer if tensor.name != name]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    model.graph.input.append(helper.make_tensor_value_info(name, element, shape))
    return model


def float_result() -> onnx.ModelProto:
    model = gemm_model()
    del model.graph.node[0].input[7:]
    return model


def after_conv(op_type: str, inputs: list[str], output_dtype: int | None = None, **attributes: Any) -> onnx.ModelProto:
    """A convolution's result y [1, 6, 6, 7] and one more node of it."""
    b = Builder()
    b.conv("x", "y", 4, 6)
    b.constant("one", 0.5, np.float32)
    b.constant("zero", 0, np.int8)
    b.constant("sizes", [1, 6, 12, 14], np.int64)
    b.constant("three", [3], np.int64)
    b.constant("indices", [[0, 1], [2, 3]], np.int64)
    b.node("DequantizeLinear", ["y", "one", "zero"], "numbers")
    b.nodes.append(helper.make_node(op_type, inputs, ["z"], "z_node", **attributes))
    return b.model({"x": [1, 4, 8, 9]}, ["z"])


def pool_with_indices() -> onnx.ModelProto:
    model = after_conv("MaxPool", ["y"], kernel_shape=[2, 2])
    model.graph.node[-1].output.append("where")
    return model


def inexact_average() -> onnx.ModelProto:
    b = Builder()
    b.node("QLinearAveragePool", ["x", *b.scale("x", 0.1, 0), *b.scale("y", 0.1, 0)], "y", MICROSOFT, kernel_shape=[2, 2])
    return b.model({"x": [1, 2, 4, 4]}, ["y"])


def described(model: onnx.ModelProto, folder: Path) -> KernelCall | Refusal:
    """The answer for the last node of a model, which has one result."""
    graph = read_model(save(model, folder))
    answer = describe(graph, graph.nodes[-1], {})
    if isinstance(answer, Refusal):
        return answer
    (call,) = answer
    return call


REFUSED: dict[str, tuple[Callable[[], onnx.ModelProto], str, str]] = {
    "operator": (lambda: after_conv("Softmax", ["numbers"]), "no-kernel", "no kernel for Softmax"),
    "float": (lambda: after_conv("Relu", ["numbers"]), "float", "numbers is float32; the kernel has int8 and uint8"),
    "3-D": (lambda: conv_model((1, 1, 1), (4, 4, 4)), "rank", "a 3-D convolution; the kernel has 1-D and 2-D"),
    "weights at run time": (
        lambda: with_input(conv_model(), "y_w", TensorProto.INT8, [6, 4, 3, 3]),
        "not-constant",
        "weight y_w is not a constant",
    ),
    "scale at run time": (
        lambda: with_input(conv_model(), "y_x_scale", TensorProto.FLOAT, []),
        "scale",
        "scale y_x_scale is not a constant",
    ),
    "empty": (lambda: after_conv("Slice", ["y", "three", "three"]), "empty", "z is empty, [0, 6, 6, 7]"),
    "bias by row": (
        lambda: changed(gemm_model(), "y_b", np.arange(3, dtype=np.int32)[:, None]),
        "bias",
        "bias y_b differs by row, [3, 1]; the kernel takes one per column",
    ),
    "bias of another length": (
        lambda: changed(conv_model(), "y_b", np.arange(7, dtype=np.int32)),
        "shape",
        "bias y_b is [7], for 6 outputs",
    ),
    "empty zero point": (
        lambda: changed(gemm_model(), "y_w_zero_point", np.zeros(0, np.int8)),
        "zero-point",
        "weight zero point y_w_zero_point is empty",
    ),
    "zero points far apart": (
        lambda: changed(conv_model(), "y_w_zero_point", np.array([0, 1, 2, 3, 4, 127], np.int8)),
        "zero-point",
        "weight zero points differ by channel (0 to 127); the array takes one",
    ),
    "two zero points of the result": (
        lambda: changed(conv_model(), "y_y_zero_point", np.zeros(2, np.int8)),
        "zero-point",
        "2 zero points of the result; the kernel takes one",
    ),
    "float result": (float_result, "float", "y is float32; the kernel has int8 and uint8"),
    "large batch of products": (
        lambda: matmul_model([65, 3, 4], [65, 4, 5]),
        "attribute",
        "a batch of 65 products, each a launch; at most 64 are taken",
    ),
    "groups that don't fit": (lambda: conv_model(kernel=(3, 3), group=3), "shape", "weights [6, 1, 3, 3] in 3 groups for 4 channels"),
    "weights of other channels": (
        lambda: changed(conv_model(), "y_w", np.zeros((6, 5, 3, 3), np.int8)),
        "shape",
        "weights [6, 5, 3, 3] in 1 groups for 4 channels",
    ),
    "attribute against weights": (
        lambda: conv_model(kernel_shape=[5, 5]),
        "shape",
        "ONNX Runtime's result has [N, C, ...] = [1, 6, 4, 5], the kernel's [1, 6, 6, 7]",
    ),
    "product that doesn't fit": (
        lambda: changed(gemm_model(), "y_w", np.zeros((5, 11), np.int8)),
        "shape",
        "a product of [3, 12] and [5, 11]",
    ),
    "indices of a maximum": (pool_with_indices, "attribute", "MaxPool's output where, indices; the kernel has the maximum only"),
    "average on ties": (
        inexact_average,
        "not-exact",
        "ONNX Runtime adds in float32: a window of 4 elements with the sum -506, divided by 4, gives -127 or -126 there and -126 in the"
        " kernel; a scale of fewer significant bits and an even zero point avoid that",
    ),
    "resize between elements": (
        lambda: after_conv("Resize", ["y", "", "", "sizes"], mode="linear"),
        "attribute",
        "mode linear computes between elements; the kernel has nearest",
    ),
    "table of indices": (
        lambda: after_conv("Gather", ["y", "indices"], axis=1),
        "attribute",
        "indices [2, 2]; the kernel has one index or a row of them",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str, tmp_path: Path) -> None:
    """What the kernels don't have is refused with a code, with what was seen and what they have."""
    build, code, reason = REFUSED[case]
    assert described(build(), tmp_path) == Refusal(reason, code)


def test_conv_case(tmp_path: Path) -> None:
    """A convolution's case has NHWC shapes, explicit padding, the combined scale and the zero points of the file."""
    model = conv_model(strides=[2, 1], auto_pad="SAME_LOWER")
    call = described(model, tmp_path)
    assert isinstance(call, KernelCall)
    assert isinstance(call.case, Conv2dCase)
    assert call.case.x_shape == (1, 8, 9, 4)
    assert (call.case.strides, call.case.pads) == ((2, 1), (1, 1, 0, 1))
    assert (call.case.x.zero_point, call.case.weights_zero_point, call.case.y.zero_point) == (3, 0, -5)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    scale = constants["y_x_scale"] * constants["y_w_scale"] / constants["y_y_scale"]
    assert np.array_equal(np.asarray(call.case.y.scale), scale)
    assert np.array_equal(np.asarray(call.case.y.bias), constants["y_b"])
    assert call.operands[0].layout == ChannelsLast(1, 4, 72)
    assert call.layout == ChannelsLast(1, 6, 36)


def test_one_dimensional_conv(tmp_path: Path) -> None:
    """A 1-D convolution is a 2-D one of height 1; dilation along a single tap is none."""
    call = described(conv_model((3,), (20,), pads=[2, 1]), tmp_path)
    assert isinstance(call, KernelCall)
    assert isinstance(call.case, Conv2dCase)
    assert (call.case.x_shape, call.case.pads, call.case.weights.shape) == ((1, 1, 20, 4), (0, 2, 0, 1), (6, 4, 1, 3))
    assert isinstance(described(conv_model((1, 3), dilations=[5, 1]), tmp_path), KernelCall)


@pytest.mark.parametrize(
    ("left", "right", "sizes"),
    [([3, 4], [4, 5], (3, 5, 4)), ([2, 3, 4], [4, 5], (6, 5, 4)), ([2, 3, 4], [1, 4, 5], (6, 5, 4)), ([4], [4, 5], (1, 5, 4))],
)
def test_matmul_case(left: list[int], right: list[int], sizes: tuple[int, ...], tmp_path: Path) -> None:
    """Leading dimensions of the left operand are rows; the right one is a constant or another activation."""
    for is_constant in (True, False):
        call = described(matmul_model(left, right, is_constant=is_constant), tmp_path)
        assert isinstance(call, KernelCall)
        assert isinstance(call.case, GemmCase)
        assert sizes == (call.case.M, call.case.N, call.case.K)
        assert (call.case.a.zero_point, call.case.b.zero_point, call.case.y.zero_point) == (3, 2, -4)
        assert [operand.buffer for operand in call.operands] == (["a"] if is_constant else ["a", "b"])


def test_equal_zero_points_per_channel(tmp_path: Path) -> None:
    """One zero point written once per channel is one zero point."""
    call = described(matmul_model([3, 4], [4, 5], w_zero_point=[7] * 5), tmp_path)
    assert isinstance(call, KernelCall)
    assert isinstance(call.case, GemmCase)
    assert call.case.b.zero_point == 7
