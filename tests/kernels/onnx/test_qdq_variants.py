"""QDQ models as different exporters write them: opsets, scales, weights, biases, repeated nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest

from tests.kernels.onnx.qdq_checks import SHAPE, check_equal, named, operators, read
from tests.kernels.onnx.qdq_models import QdqBuilder, run


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
