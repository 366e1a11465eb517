"""QDQ models as integer ones: equal to ONNX Runtime where that has integer kernels of its own, and each file node accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import numpy_helper

from tests.kernels.onnx.qdq_checks import SHAPE, TYPES, check_equal, named, operators, read
from tests.kernels.onnx.qdq_models import QdqBuilder, run


@pytest.mark.parametrize("types", TYPES)
def test_products(types: str, tmp_path: Path) -> None:
    """Conv, MatMul and Gemm with weights per channel and biases; a Relu that the zero point implies vanishes."""
    b = QdqBuilder(TYPES[types][0], weight_dtype=TYPES[types][1])
    x = b.quantise("x", 0.04, 3)
    w = b.weights("w", 8, 6, 3, 3)
    b.node("Conv", [x, w, b.bias("wb", 8, x, w)], "conv", pads=[1] * 4)
    c = b.quantise(b.node("Relu", ["conv"], "relu"), 0.03, -128)
    b.node("Conv", [c, b.weights("d", 8, 1, 3, 3, axis=None)], "depthwise", group=8)
    flat = b.quantise(b.node("Flatten", [b.quantise("depthwise", 0.02, 5)], "flat"), 0.02, 5)
    w = b.weights("g", 10, 96)
    b.node("Gemm", [flat, w, b.bias("gb", 10, flat, w)], "gemm", transB=1)
    gemm = b.quantise("gemm", 0.02, -4)
    b.quantise(b.node("MatMul", [gemm, b.weights("m", 10, 7, axis=1, scale=0.02)], "product"), 0.05, 9)
    model = b.model({"x": SHAPE}, ["product_q", "gemm_q", "depthwise_q", "relu_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv", "QLinearConv", "Flatten", "QGemm", "QLinearMatMul"]
    assert [graph.originals[i].name for i in named(graph, "conv").origins] == ["conv", "x_f", "w_f", "wb_f", "relu", "relu_q"]
    check_equal(model, graph)


@pytest.mark.parametrize("types", ["s8", "u8"])
def test_sums_products_and_pools(types: str, tmp_path: Path) -> None:
    """Add, Mul with broadcasting and a constant, Concat of several scales, the pools and the unary operators that have QLinear forms."""
    b = QdqBuilder(TYPES[types][0])
    x = b.quantise("x", 0.04, 3)
    s = b.quantise(b.node("Sigmoid", [x], "sigmoid"), 1 / 256, -128)
    m = b.quantise(b.node("Mul", [x, s], "swish"), 0.03, -100)
    c = b.weights("c", 1, 6, 1, 1, axis=None, scale=0.01)
    a = b.quantise(b.node("Add", [m, c], "sum"), 0.05, -70)
    k = b.quantise(b.node("Concat", [a, m, x], "joined", axis=1), 0.045, -7)
    p = b.quantise(b.node("AveragePool", [k], "pool", kernel_shape=[3, 3], pads=[1] * 4), 0.03, 2)
    q = b.quantise(b.node("MaxPool", [p], "largest", kernel_shape=[2, 2]), 0.03, 2)
    r = b.quantise(b.node("LeakyRelu", [q], "leaky", alpha=0.2), 0.02, -30)
    g = b.quantise(b.node("GlobalAveragePool", [r], "average"), 0.01, -30)
    b.quantise(b.node("Softmax", [g], "share", axis=1), 1 / 500, -128)
    model = b.model({"x": SHAPE}, ["share_q", "average_q", "pool_q", "joined_q", "sum_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == [
        *("QLinearSigmoid", "QLinearMul", "QLinearAdd", "QLinearConcat", "QLinearAveragePool", "MaxPool"),
        *("QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearSoftmax"),
    ]
    check_equal(model, graph)


@pytest.mark.parametrize("types", ["s8", "u8"])
def test_tables(types: str, tmp_path: Path) -> None:
    """What follows byte by byte from one tensor is one node, whatever chain it is: also to the other type and to another scale."""
    b = QdqBuilder(TYPES[types][0])
    x = b.quantise("x", 0.04, 3)
    one, low, high, six = (b.constant(f"c{v}", v, np.float32) for v in (1, 0, 6, 6.5))
    b.quantise(b.node("HardSwish", [x], "hard_swish"), 0.03)
    b.quantise(b.node("Mul", [x, b.node("Sigmoid", [b.again("x", "x_again")], "gate")], "silu"), 0.02)
    b.node("Clip", [b.node("Add", [one, x], "plus"), low, high], "clipped")
    b.quantise(b.node("Div", ["clipped", six], "hard"), 1 / 256, -128)
    b.quantise(b.node("Tanh", [x], "tanh"), 1 / 128)
    other = np.uint8 if b.dtype == np.int8 else np.int8
    b.quantise(b.node("Relu", [x], "relu"), 0.04, -128, other)
    b.node("QuantizeLinear", [x, "silu_scale", "silu_zero_point"], "requantised")
    b.node("QuantizeLinear", [x, "x_scale", "x_zero_point"], "same")
    outputs = ["hard_swish_q", "silu_q", "hard_q", "tanh_q", "relu_q", "requantised", "same"]
    model = b.model({"x": SHAPE}, outputs)
    graph = read(model, tmp_path)
    assert operators(graph) == ["Table", "Table", "Table", "Table", "Table", "Table", "Identity"]
    assert {node.domain for node in graph.nodes if node.op_type == "Table"} == {"accelkit"}
    origins = [graph.originals[i].name for i in named(graph, "silu").origins]
    assert (origins[0], set(origins)) == ("silu", {"silu", "x_again", "gate", "silu_q"})
    check_equal(model, graph)


@pytest.mark.parametrize("types", ["s8", "u8"])
def test_moves(types: str, tmp_path: Path) -> None:
    """Operators that move elements move bytes; where the scale changes as well, a table follows."""
    b = QdqBuilder(TYPES[types][0])

    def shape(name: str, values: Sequence[int]) -> str:
        return b.constant(name, values, np.int64)

    x = b.quantise("x", 0.04, 3)
    t = b.quantise(b.node("Transpose", [x], "turned", perm=[0, 2, 3, 1]), 0.04, 3)
    t = b.quantise(b.node("Transpose", [t], "back", perm=[0, 3, 1, 2]), 0.05, 9)
    p = b.quantise(b.node("Pad", [t, shape("pads", [0, 0, 1, 1, 0, 0, 1, 1])], "padded"), 0.03, 1)
    scales = b.constant("factors", [1, 1, 2, 2], np.float32)
    r = b.quantise(b.node("Resize", [p, "", scales], "resized", mode="nearest"), 0.03, 1)
    b.node("Split", [r], "left", "right", axis=1)
    left, right = b.quantise("left", 0.03, 1), b.quantise("right", 0.045)
    b.quantise(b.node("GlobalMaxPool", [left], "largest"), 0.03, 1)
    b.node("MaxPool", [right], "pool", kernel_shape=[3, 3], pads=[1] * 4)
    b.quantise(b.node("Relu", ["pool"], "relu"), 0.045)
    b.quantise(b.node("Slice", [right, shape("from", [1]), shape("to", [2]), shape("axis", [1])], "slice"), 0.045)
    b.quantise(b.node("Concat", [left, left], "twice", axis=1), 0.03, 1)
    b.quantise(b.node("SpaceToDepth", [left], "deep", blocksize=2), 0.03, 1)
    b.quantise(b.node("Reshape", [left, shape("flat", [2, -1])], "reshaped"), 0.03, 1)
    # back_q is an output lest ONNX Runtime's optimiser leave the quantisation between two others out, which changes results.
    model = b.model({"x": SHAPE}, ["back_q", "largest_q", "relu_q", "slice_q", "twice_q", "deep_q", "reshaped_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == [
        *("Transpose", "Transpose", "Table", "Pad", "Table", "Resize", "Split", "Table"),
        *("MaxPool", "MaxPool", "Table", "Slice", "Concat", "SpaceToDepth", "Reshape"),
    ]
    check_equal(model, graph)


@pytest.mark.parametrize("types", TYPES)
def test_clamps_and_differences(types: str, tmp_path: Path) -> None:
    """Relu or Clip before the QuantizeLinear is a table after the product, a difference is a sum with a negative scale. ONNX Runtime
    has both in floating point only, so its bytes may be the neighbours."""
    b = QdqBuilder(TYPES[types][0], weight_dtype=TYPES[types][1])
    x = b.quantise("x", 0.04, 3)
    b.node("Relu", [b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "conv")], "relu")
    c = b.quantise("relu", 0.013, -20)
    low, high = b.constant("low", -0.2, np.float32), b.constant("high", 1.3, np.float32)
    b.node("Clip", [b.node("Add", [c, x], "sum"), low, high], "clip")
    b.quantise("clip", 0.0231, -10)
    b.quantise(b.node("Sub", [c, x], "difference"), 0.0517, -10)
    model = b.model({"x": SHAPE}, ["relu_q", "clip_q", "difference_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv", "Table", "QLinearAdd", "Table", "QLinearAdd"]
    check_equal(model, graph, units=1)


def test_transposed_convolution(tmp_path: Path) -> None:
    """ConvTranspose of any stride, dilation, padding and group is a node that ONNX Runtime runs in integers: the exact sums of NumPy."""
    for case, attributes in enumerate(
        (
            {"strides": [2, 2], "pads": [1, 0, 1, 2], "output_padding": [1, 0]},
            {"strides": [3, 2], "auto_pad": "SAME_UPPER", "dilations": [1, 2]},
            {"strides": [2, 3], "output_shape": [9, 16]},
            {"group": 2, "pads": [2, 2, 0, 1]},
        )
    ):
        b = QdqBuilder(seed=case)
        x = b.quantise("x", 0.04, 3)
        w = b.weights("w", 6, 4, 3, 2, axis=None if "group" in attributes else 1)
        bias = [] if "group" in attributes else [b.bias("wb", 4, x, w)]
        b.quantise(b.node("ConvTranspose", [x, w, *bias], "up", **attributes), 0.0313, -9)
        model = b.model({"x": SHAPE}, ["up_q"])
        graph = read(model, tmp_path)
        assert operators(graph) == ["QLinearConvTranspose"]
        assert named(graph, "up").domain == "accelkit"
        check_equal(model, graph, units=1)


def test_exact_transposed_sums(tmp_path: Path) -> None:
    """The node's bytes are the requantised integer sums, worked out tap by tap."""
    b = QdqBuilder(seed=8)
    x = b.quantise("x", 0.04, 3)
    b.quantise(b.node("ConvTranspose", [x, b.weights("w", 6, 4, 3, 2, axis=1)], "up", strides=[2, 3]), 0.0313, -9)
    graph = read(b.model({"x": SHAPE}, ["up_q", "x_q"]), tmp_path)
    results = run(graph.model, {"x": np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32) * 2}, is_integer=False)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in b.constants}
    pixels, weights = results["x_q"].astype(np.int64) - 3, values["w"].astype(np.int64)
    sums = np.zeros((2, 4, 2 * 4 + 3, 3 * 5 + 2), np.int64)
    for i in range(5):
        for j in range(6):
            sums[:, :, 2 * i : 2 * i + 3, 3 * j : 3 * j + 2] += np.einsum("nc,cmhw->nmhw", pixels[:, :, i, j], weights)
    scale = (np.float32(0.04) * values["w_scale"] / np.float32(0.0313)).astype(np.float32)[:, None, None]
    expected = np.clip(np.rint(sums.astype(np.float32) * scale) - 9, -128, 127)
    assert np.array_equal(results["up_q"], expected)


def test_other_type_of_the_result(tmp_path: Path) -> None:
    """A product of uint8 whose result is to be int8 is computed in uint8, and a table moves it by 128."""
    b = QdqBuilder(np.uint8, weight_dtype=np.int8)
    x = b.quantise("x", 0.04, 3)
    b.quantise(b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "conv"), 0.0131, -20, np.int8)
    model = b.model({"x": SHAPE}, ["conv_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv", "Table"]
    check_equal(model, graph, units=1)
