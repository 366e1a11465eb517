"""What is done to a model before and after ONNX Runtime's quantiser: no value is lost, and the accelerator can take the result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.quantised import OPERATORS
from accelkit.kernels.onnx.recipe import Recipe
from accelkit.kernels.onnx.records import Where
from tests.kernels.onnx.float_models import FloatBuilder, classifier, run, samples
from tests.kernels.onnx.quantised_models import RECIPES, fates, quantise


def test_folding_changes_no_result(tmp_path: Path) -> None:
    """With ranges far from saturation, the model whose BatchNormalization was folded has the right mean per channel: no shift is lost."""
    b = FloatBuilder(seed=3)
    b.node("Conv", ["x", b.normal("w", 6, 3, 3, 3), b.normal("bias", 6)], "conv", group=1)
    b.batch_norm("conv", "norm", 6)
    b.node("ConvTranspose", ["norm", b.normal("w2", 6, 5, 2, 2)], "up")
    b.batch_norm("up", "y", 5)
    model = b.model({"x": ["N", 3, 12, 12]}, ["y"])
    result = quantise(model, tmp_path, RECIPES["qdq"])
    assert fates(result)["norm"] == ("folded", "into conv")
    x = samples(4, seed=5)
    (expected,) = run(model, {"x": x}, ["y"])
    (y,) = run(onnx.load_from_string(result.content), {"x": x}, ["y"])
    assert np.abs(y.mean(axis=(0, 2, 3)) - expected.mean(axis=(0, 2, 3))).max() < 0.01 * np.ptp(expected)


@pytest.mark.parametrize("is_qdq", [False, True])
def test_activation_scales_are_short(is_qdq: bool, tmp_path: Path) -> None:
    """Activation scales have at most 12 significant bits, which keeps ONNX Runtime's averages exact; biases stay multiples of them."""
    result = quantise(classifier(), tmp_path, Recipe(is_qdq=is_qdq))
    path = tmp_path / "int8.onnx"
    path.write_bytes(result.content)
    graph = read_model(path)
    scales = []
    for node in graph.nodes:
        places = OPERATORS.get(node.op_type)
        if places is None:
            continue
        names = [node.input(scale) for tensor, scale, _ in places.operands if node.input(tensor) not in graph.constants]
        scales += [graph.constant(name) for name in [*names, *([node.input(places.result[0])] if places.result else [])]]
    assert len(scales) > 10
    for scale in scales:
        assert scale is not None
        mantissa = int(np.float32(scale).view(np.uint32)) & 0x7FFFFF | 0x800000
        assert mantissa % (1 << 12) == 0
    assert all(node.refusal is None for node in graph.nodes if node.op_type != "Softmax")


def test_norms_and_means_that_follow_no_product(tmp_path: Path) -> None:
    """A BatchNormalization that can't be folded becomes a convolution by channel, a mean over the image a global average."""
    b = FloatBuilder(seed=4)
    b.node("Conv", ["x", b.normal("w", 6, 3, 3, 3)], "conv")
    b.node("Relu", [b.batch_norm("conv", "norm", 6)], "relu")
    b.node("Concat", ["conv", "relu"], "joined", axis=1)
    b.batch_norm("joined", "joined_norm", 12)
    b.node("ReduceMean", ["joined_norm"], "mean", axes=[2, 3], keepdims=0)
    b.node("Gemm", ["mean", b.normal("g", 5, 12), b.normal("g_scale", 5)], "y", transB=1)
    model = b.model({"x": ["N", 3, 12, 12]}, ["y"])
    for recipe in (RECIPES["signed"], RECIPES["qdq"]):
        result = quantise(model, tmp_path, recipe)
        told = fates(result)
        assert told["norm"] == told["joined_norm"] == ("quantised", "QLinearConv")
        assert told["mean"] == ("quantised", "QLinearGlobalAveragePool")
        assert result.count("float") == 0
        x = samples(6, seed=3)
        (expected,) = run(model, {"x": x}, ["y"])
        (y,) = run(onnx.load_from_string(result.content), {"x": x}, ["y"])
        assert np.abs(y - expected).max() < 0.05 * np.ptp(expected)


@pytest.mark.parametrize("name", ["signed", "unsigned", "qdq", "unsigned qdq"])
def test_averages_need_no_fallback(name: str, tmp_path: Path) -> None:
    """Pools of four elements, where halves are frequent, are proven equal to ONNX Runtime's whatever range calibration finds."""
    for seed in range(6):
        b = FloatBuilder(seed)
        b.node("Conv", ["x", b.normal("w", 4, 3, 3, 3), b.normal("bias", 4)], "conv")
        b.node("AveragePool", ["conv"], "pool", kernel_shape=[2, 2], strides=[2, 2])
        b.node("Conv", ["pool", b.normal("w2", 4, 4, 3, 3)], "y")
        path = tmp_path / "int8.onnx"
        path.write_bytes(quantise(b.model({"x": ["N", 3, 12, 12]}, ["y"]), tmp_path, RECIPES[name]).content)
        records = place(read_model(path), load_machine("tiny-8")).records
        assert not [record for record in records if record.where is Where.CPU]


def test_scales_and_shifts_by_channel(tmp_path: Path) -> None:
    """What multiplies channels or adds to them behind a convolution goes into it, what varies along other axes doesn't."""
    b = FloatBuilder(seed=6)
    b.node("Conv", ["x", b.normal("w", 4, 3, 3, 3)], "conv")
    b.node("Mul", [b.batch_norm("conv", "norm", 4), b.constant("m", b.rng.uniform(0.5, 2, (4, 1, 1)))], "scaled")
    b.node("Add", [b.constant("a", b.rng.standard_normal((1, 4, 1, 1))), "scaled"], "shifted")
    b.node("Mul", ["shifted", b.constant("columns", b.rng.uniform(0.5, 2, 10))], "weighted")
    b.node("Sum", ["weighted", "shifted"], "y")
    model = b.model({"x": ["N", 3, 12, 12]}, ["y"])
    result = quantise(model, tmp_path)
    assert {name: outcome for name, (outcome, _) in fates(result).items()} == {
        "conv": "quantised",
        "norm": "folded",
        "scaled": "folded",
        "shifted": "folded",
        "weighted": "quantised",
        "y": "quantised",
    }
    x = samples(6, seed=3)
    (expected,) = run(model, {"x": x}, ["y"])
    (y,) = run(onnx.load_from_string(result.content), {"x": x}, ["y"])
    assert np.abs(y - expected).max() < 0.04 * np.ptp(expected)


@pytest.mark.parametrize("is_qdq", [False, True])
@pytest.mark.parametrize("case", ["two readers", "no range", "two clamps", "above 0", "graph output"])
def test_no_clamp_is_lost(case: str, is_qdq: bool, tmp_path: Path) -> None:
    """ONNX Runtime's quantiser leaves out Relu and Clip, in QOperator form also where nothing stands for them; not so here."""
    b = FloatBuilder(seed=2)
    b.node("Conv", ["x", b.normal("w", 6, 3, 3, 3)], "conv")
    outputs = ["y"]
    if case == "two readers":
        b.node("Add", [b.node("Relu", ["conv"], "relu"), "conv"], "y")
    elif case == "no range":
        b.node("Relu", [b.node("Transpose", ["conv"], "turned", perm=[0, 1, 3, 2])], "y")
    elif case == "two clamps":
        high = b.constant("high", 0.4)
        b.node("Clip", [b.node("Relu", ["conv"], "relu"), "", high], "y")
    elif case == "above 0":
        b.node("Clip", ["conv", b.constant("low", 1.0), b.constant("high", 2.5)], "y")
    else:
        b.node("Relu", ["conv"], "y")
        outputs.append("conv")
    model = b.model({"x": ["N", 3, 12, 12]}, outputs)
    result = quantise(model, tmp_path, Recipe(is_qdq=is_qdq))
    x = samples(10, seed=3)
    expected, values = run(model, {"x": x}, outputs), run(onnx.load_from_string(result.content), {"x": x}, outputs)
    for value, wanted in zip(values, expected, strict=True):
        assert np.abs(value - wanted).max() < 0.35  # results of the convolution go from -3 to 4


@pytest.mark.parametrize("is_qdq", [False, True])
def test_channel_without_weight(is_qdq: bool, tmp_path: Path) -> None:
    """A channel whose weights are next to nothing has a bias near the end of int32; no sum may pass it, there it would wrap."""
    b = FloatBuilder()
    weights = b.rng.standard_normal((4, 3, 3, 3))
    weights[2] *= 1e-8
    b.node("Conv", ["x", b.constant("w", weights), b.constant("bias", [0.1, -0.2, -1.7, 0.3])], "y")
    model = b.model({"x": ["N", 3, 12, 12]}, ["y"])
    result = quantise(model, tmp_path, Recipe(is_qdq=is_qdq))
    x = samples(5, seed=9)
    (expected,) = run(model, {"x": x}, ["y"])
    (y,) = run(onnx.load_from_string(result.content), {"x": x}, ["y"])
    assert np.abs(y[:, 2] - expected[:, 2]).max() < 0.02 * np.ptp(expected)
    path = tmp_path / "int8.onnx"
    path.write_bytes(result.content)
    graph = read_model(path)
    (conv,) = (node for node in graph.nodes if node.op_type == "QLinearConv")
    bias = graph.constant(conv.input(8))
    assert bias is not None
    assert 2**30 < abs(int(bias[2])) < 2**31 - 128 * 255 * 27
