"""What the QDQ import leaves in floating point, and the reasons that it gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tests.kernels.onnx.qdq_checks import SHAPE, named, operators, read
from tests.kernels.onnx.qdq_models import QdqBuilder, run


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
