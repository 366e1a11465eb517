"""QDQ models as integer ones: equal to ONNX Runtime where that has integer kernels of its own, and each file node accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import helper, numpy_helper

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.qdq_models import QdqBuilder, run

TYPES = {"s8": (np.int8, np.int8), "u8": (np.uint8, np.uint8), "u8s8": (np.uint8, np.int8)}
SHAPE = [2, 6, 5, 6]


def read(model: onnx.ModelProto, folder: Path) -> Graph:
    """The imported graph; each node of the file must belong to exactly one of its nodes, or have several called after it."""
    graph = read_model(save(model, folder))
    mains = {node.origins[0] for node in graph.nodes}
    parts = [index for node in graph.nodes for index in node.origins[1:]]
    assert sorted([*mains, *parts]) == [original.index for original in graph.originals]
    return graph


def check_equal(model: onnx.ModelProto, graph: Graph, units: int = 0) -> None:
    """All outputs equal ONNX Runtime's on the file, on random inputs; `units` is how far bytes may be apart. On the accelerator the
    imported graph gives what it gives in ONNX Runtime, exactly."""
    rng = np.random.default_rng(5)
    inputs = {}
    for value in model.graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        inputs[value.name] = (2 * rng.standard_normal(shape)).astype(np.float32)
    expected, results = run(model, inputs, is_integer=True), run(graph.model, inputs, is_integer=False)
    simulated = Executor(place(graph, load_machine("tiny-8"))).run(inputs)
    for name, value in results.items():
        np.testing.assert_array_equal(simulated[name], value, err_msg=name)
        assert value.dtype == expected[name].dtype
        assert len(np.unique(value)) > 2  # neither saturated nor constant
        apart = np.abs(value.astype(np.float64) - expected[name])
        assert apart.max() <= units, name


def operators(graph: Graph) -> list[str]:
    """The nodes that compute, without those at the borders."""
    return [node.op_type for node in graph.nodes if node.op_type not in ("QuantizeLinear", "DequantizeLinear")]


def named(graph: Graph, name: str) -> Node:
    return next(node for node in graph.nodes if node.name == name)


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


@pytest.mark.parametrize("opset", [10, 13, 19, 21])
def test_opsets(opset: int, tmp_path: Path) -> None:
    """QuantizeLinear of opset 10 has no axis, that of 21 has a type of its own; both may have no zero point, which is uint8 0."""
    b = QdqBuilder(np.uint8)
    scale = b.constant("x_scale", 0.04, np.float32)
    b.scales["x_f"] = 0.04
    b.node("QuantizeLinear", ["x", scale], "x_q")
    b.node("DequantizeLinear", ["x_q", scale], "x_f")
    per_channel = {"axis": 0} if opset >= 13 else {"axis": None}
    b.node("Conv", ["x_f", b.weights("w", 8, 6, 3, 3, **per_channel)], "conv")
    attributes = {"output_dtype": onnx.TensorProto.UINT8} if opset == 21 else {}
    b.node("QuantizeLinear", ["conv", b.constant("y_scale", 0.05, np.float32)], "y", **attributes)
    model = b.model({"x": SHAPE}, ["y"], opset)
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv"]
    check_equal(model, graph)


def test_weights_by_way_of_other_nodes(tmp_path: Path) -> None:
    """Weights may be quantised in the file itself (as training leaves them), and transposed once they are dequantised."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.constant("w", b.rng.standard_normal((7, 6)), np.float32)
    w = b.quantise("w", 0.02)
    b.quantise(b.node("MatMul", [x, b.node("Transpose", [w], "turned", perm=[1, 0])], "product"), 0.1, 2)
    v = b.weights("v", 5, 7, axis=0, scale=0.01)
    b.quantise(b.node("MatMul", ["product_f", b.node("Transpose", [v], "v_turned", perm=[1, 0])], "second"), 0.2, 2)
    model = b.model({"x": [4, 6]}, ["product_q", "second_q"])
    graph = read(model, tmp_path)
    assert [name for name in operators(graph) if name != "Transpose"] == ["QLinearMatMul", "QLinearMatMul"]
    check_equal(model, graph)


@pytest.mark.parametrize("keepdims", [0, 1])
def test_mean_of_an_image(keepdims: int, tmp_path: Path) -> None:
    """ReduceMean over all positions is a global average; ONNX Runtime has it in floating point only."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.quantise(b.node("ReduceMean", [x], "mean", axes=[-1, 2], keepdims=keepdims), 0.0071)
    model = b.model({"x": SHAPE}, ["mean_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearGlobalAveragePool", "Reshape"][: 2 - keepdims]
    check_equal(model, graph, units=1)


def test_quantised_before_each_reader(tmp_path: Path) -> None:
    """A tensor that is quantised alike for each of its readers is computed once."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "conv")
    b.quantise("conv", 0.03, 5)
    again = [b.constant("other_scale", 0.03, np.float32), b.constant("other_zero_point", 5, np.int8)]
    b.node("DequantizeLinear", [b.node("QuantizeLinear", ["conv", *again], "other_q"), *again], "other")
    b.quantise(b.node("Add", ["conv_f", "other"], "sum"), 0.05)
    b.quantise(b.node("MaxPool", ["other"], "pool", kernel_shape=[2, 2]), 0.03, 5)
    model = b.model({"x": SHAPE}, ["sum_q", "pool_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv", "QLinearAdd", "MaxPool"]
    check_equal(model, graph)


def test_bias_behind_a_matrix_product(tmp_path: Path) -> None:
    """MatMul and the Add of a constant row are one QGemm, as in ONNX Runtime's optimiser."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.node("MatMul", [x, b.weights("w", 6, 8, axis=1)], "product")
    b.node("Add", [b.constant("bias", b.rng.standard_normal(8), np.float32), "product"], "sum")
    b.quantise("sum", 0.02, 5)
    model = b.model({"x": [40, 6]}, ["sum_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QGemm"]
    assert [graph.originals[i].name for i in named(graph, "product").origins][:2] == ["product", "sum"]
    check_equal(model, graph)


@pytest.mark.parametrize("op_type", ["Conv", "Gemm"])
def test_float_bias(op_type: str, tmp_path: Path) -> None:
    """A bias in floating point, as training exports it, is rounded to the product's unit, as ONNX Runtime does."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    bias = b.constant("bias", b.rng.standard_normal(8), np.float32)
    if op_type == "Conv":
        b.node("Conv", [x, b.weights("w", 8, 6, 1, 1), bias], "y")
    else:
        b.node("Gemm", [x, b.weights("w", 8, 6), bias], "y", transB=1)
    b.quantise("y", 0.02, -5)
    model = b.model({"x": SHAPE if op_type == "Conv" else [40, 6]}, ["y_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv" if op_type == "Conv" else "QGemm"]
    check_equal(model, graph)


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_bias_of_another_scale(dtype: npt.DTypeLike, tmp_path: Path) -> None:
    """A bias whose scale isn't the product's (ONNX Runtime's integer kernels would take its integers as they are) keeps its value."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    w = b.weights("w", 8, 6, 1, 1)
    integers = b.constant("bias", b.rng.integers(-128, 128, 8), dtype)
    bias = b.node("DequantizeLinear", [integers, b.constant("bias_scale", 0.01, np.float32)], "bias_f")
    b.quantise(b.node("Conv", [x, w, bias], "y"), 0.02, -5)
    model = b.model({"x": SHAPE}, ["y_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearConv"]
    inputs = {"x": np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)}
    expected, results = run(model, inputs, is_integer=False), run(graph.model, inputs, is_integer=False)
    assert np.abs(results["y_q"].astype(int) - expected["y_q"]).max() <= 1


def _wide(b: QdqBuilder, x: str) -> str:
    b.constants.append(helper.make_tensor("wide", onnx.TensorProto.INT16, [], [0]))
    b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "y")
    b.node("QuantizeLinear", ["y", "x_scale", "wide"], "y_q")
    return "y_q"


def _per_channel_zero_points(b: QdqBuilder, x: str) -> str:
    w = b.weights("w", 6, 6, 1, 1)
    next(c for c in b.constants if c.name == "w_zero_point").CopyFrom(numpy_helper.from_array(np.arange(6, dtype=np.int8), "w_zero_point"))
    return b.quantise(b.node("Conv", [x, w], "y"), 0.05)


def _computed_bias(b: QdqBuilder, x: str) -> str:
    bias = b.node("ReduceMax", [x], "bias", axes=[0, 2, 3], keepdims=0)
    return b.quantise(b.node("Conv", [x, b.weights("w", 6, 6, 1, 1), bias], "y"), 0.05)


def _large_bias(b: QdqBuilder, x: str) -> str:
    return b.quantise(b.node("Conv", [x, b.weights("w", 6, 6, 1, 1), b.constant("bias", [1e9] * 6, np.float32)], "y"), 0.05)


def _not_quantised_on(b: QdqBuilder, x: str) -> str:
    return b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "y")


def _second_reader(b: QdqBuilder, x: str) -> str:
    b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "y")
    b.quantise("y", 0.05)
    return b.node("Add", ["y", "y_f"], "z")


def _float_weights(b: QdqBuilder, x: str) -> str:
    return b.quantise(b.node("Conv", [x, b.constant("w", b.rng.standard_normal((6, 6, 1, 1)), np.float32)], "y"), 0.05)


def _linear_resize(b: QdqBuilder, x: str) -> str:
    return b.quantise(b.node("Resize", [x, "", b.constant("f", [1, 1, 2, 2], np.float32)], "y", mode="linear"), 0.05)


REFUSED = {
    "16 bits": (_wide, "dtype", "y_q is int16, expected int8 or uint8, so Conv stays in floating point"),
    "zero points": (
        _per_channel_zero_points,
        "zero-point",
        "the zero points of w_f differ by channel; ONNX Runtime's integer kernels take one, so Conv stays in floating point",
    ),
    "computed bias": (_computed_bias, "bias", "bias bias is not a constant, so Conv stays in floating point"),
    "large bias": (
        _large_bias,
        "bias",
        "bias bias doesn't fit int32 in units of the product of the scales of x_q and w, so Conv stays in floating point",
    ),
    "float result": (_not_quantised_on, "float", "y goes on in floating point, so Conv stays in floating point"),
    "second reader": (_second_reader, "float", "y goes on in floating point, so Conv stays in floating point"),
    "float weights": (
        _float_weights,
        "float",
        "w is floating point, no DequantizeLinear makes it, so Conv stays in floating point",
    ),
    "linear": (_linear_resize, "attribute", "mode = linear; only nearest takes elements as they are, so Resize stays in floating point"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_stays_in_floating_point_says_why(case: str, tmp_path: Path) -> None:
    """A node that no pattern covers is left as it is, with a code and a reason, and the model still gives ONNX Runtime's results."""
    build, code, reason = REFUSED[case]
    b = QdqBuilder()
    output = build(b, b.quantise("x", 0.04, 3))
    model = b.model({"x": SHAPE}, [output], opset=21 if case == "16 bits" else 17)  # 16 bits are newer
    graph = read(model, tmp_path)
    refusal = named(graph, "y").refusal
    assert refusal is not None
    assert (refusal.code, refusal.reason) == (code, reason)
    inputs = {"x": np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)}
    expected, results = run(model, inputs, is_integer=False), run(graph.model, inputs, is_integer=False)
    np.testing.assert_array_equal(results[output], expected[output])


def test_integer_files_keep_their_float_parts(tmp_path: Path) -> None:
    """In a file with QLinear operators only tables and moves replace floating-point nodes: the same bits as ONNX Runtime's for the file."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.nodes.append(
        helper.make_node(
            "QLinearAdd",
            ["x_q", "x_scale", "x_zero_point", "x_q", "x_scale", "x_zero_point", "x_scale", "x_zero_point"],
            ["twice"],
            "twice",
            domain="com.microsoft",
        )
    )
    b.quantise(b.node("Add", [x, b.again("x", "x_again")], "sum"), 0.0713, 2)
    b.quantise(b.node("GlobalAveragePool", [x], "average"), 0.01)
    b.quantise(b.node("HardSwish", [x], "swish"), 0.03)
    b.quantise(b.node("Transpose", [x], "turned"), 0.04, 3)
    model = b.model({"x": SHAPE}, ["twice", "sum_q", "average_q", "swish_q", "turned_q"])
    graph = read(model, tmp_path)
    assert operators(graph) == ["QLinearAdd", "Table", "GlobalAveragePool", "Table", "Transpose"]
    inputs = {"x": np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)}
    expected, results = run(model, inputs, is_integer=False), run(graph.model, inputs, is_integer=False)
    for name, value in expected.items():
        np.testing.assert_array_equal(results[name], value, err_msg=name)


