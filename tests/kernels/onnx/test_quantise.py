"""The quantiser: what it makes runs, is close to the floating-point model, and each node's fate is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.errors import InputError, ModelError
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.quantise import Quantised, quantise_file
from accelkit.kernels.onnx.quantised import OPERATORS
from accelkit.kernels.onnx.recipe import Recipe
from accelkit.kernels.onnx.records import Where
from tests.kernels.onnx import qdq_models
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.float_models import FloatBuilder, classifier, run, samples

RECIPES = {
    "signed": Recipe(),
    "unsigned": Recipe(is_unsigned=True),
    "per tensor": Recipe(is_per_tensor=True),
    "qdq": Recipe(is_qdq=True),
    "unsigned qdq": Recipe(is_qdq=True, is_unsigned=True),
    "products": Recipe(operators=("Conv", "MatMul", "Gemm")),
}


def quantise(model: onnx.ModelProto, folder: Path, recipe: Recipe = RECIPES["signed"]) -> Quantised:
    return quantise_file(save(model, folder, "float.onnx"), {"x": samples(30)}, recipe)


def fates(result: Quantised) -> dict[str, tuple[str, str]]:
    return {row.name: (row.outcome, row.detail) for row in result.rows}


@pytest.mark.parametrize("name", RECIPES)
def test_result_is_close_and_has_no_float_products(name: str, tmp_path: Path) -> None:
    """Logits on new inputs differ from the floating-point model's by under 4 % of their range, and all products are integer."""
    result = quantise(classifier(), tmp_path, RECIPES[name])
    path = tmp_path / "int8.onnx"
    path.write_bytes(result.content)
    graph = read_model(path)
    products = [node.op_type for node in graph.nodes if "Conv" in node.op_type or node.op_type.endswith(("MatMul", "Gemm"))]
    assert products == ["QLinearConv", "QLinearConv", "QGemm"]
    x = samples(20, seed=2)
    (expected,) = run(classifier(), {"x": x}, ["logits"])
    (logits,) = run(onnx.load(path), {"x": x}, ["logits"])
    assert np.abs(logits - expected).max() < 0.04 * np.ptp(expected)
    kind = np.uint8 if RECIPES[name].is_unsigned else np.int8
    conv = next(node for node in graph.nodes if node.op_type == "QLinearConv")
    assert [graph.types[conv.input(place)].dtype for place in (0, 3)] == [kind, kind]
    zero_points = graph.constant(conv.input(5))
    assert zero_points is not None
    assert len(np.unique(zero_points)) == 1  # the array has one
    assert graph.types[conv.input(4)].elements == (1 if RECIPES[name].is_per_tensor else 8)


@pytest.mark.parametrize("is_unsigned", [False, True])
def test_both_forms_of_import_agree_with_onnx_runtime(is_unsigned: bool, tmp_path: Path) -> None:
    """The quantiser's QDQ model, imported, gives the bits of ONNX Runtime's integer kernels for it."""
    result = quantise(classifier(), tmp_path, Recipe(is_qdq=True, is_unsigned=is_unsigned))
    path = tmp_path / "int8.onnx"
    path.write_bytes(result.content)
    model = onnx.load(path)
    graph = read_model(path, batch=8)
    inputs = {"x": samples(8, seed=4)}
    expected = qdq_models.run(model, inputs, is_integer=True)
    results = qdq_models.run(graph.model, inputs, is_integer=False)
    assert np.array_equal(results["logits"], expected["logits"])


def test_every_node_has_a_fate(tmp_path: Path) -> None:
    """Each node of the floating-point model is told of, in its order: quantised, folded and into what, or left and why."""
    assert fates(quantise(classifier(), tmp_path)) == {
        "conv1": ("quantised", "QLinearConv"),
        "norm1": ("folded", "into conv1"),
        "relu1": ("folded", "into the range of the result before it"),
        "conv2": ("quantised", "QLinearConv"),
        "sum": ("quantised", "QLinearAdd"),
        "relu2": ("folded", "into the range of the result before it"),
        "pool": ("quantised", "MaxPool"),
        "average": ("quantised", "QLinearGlobalAveragePool"),
        "flat": ("quantised", "Flatten"),
        "product": ("quantised", "QGemm"),
        "logits": ("folded", "into product"),
        "probabilities": ("float", "Softmax is not among the operators to quantise"),
    }
    products = fates(quantise(classifier(), tmp_path, RECIPES["products"]))
    assert {name for name, (outcome, _) in products.items() if outcome == "quantised"} == {"conv1", "conv2", "product"}
    assert products["sum"] == ("float", "Add is not among the operators to quantise")


def test_more_operators_in_qdq_form(tmp_path: Path) -> None:
    """What has no QLinear operator is quantised between QuantizeLinear and DequantizeLinear; in QOperator form its row says so."""
    b = FloatBuilder()
    b.node("ConvTranspose", ["x", b.normal("w", 3, 4, 2, 2)], "up", strides=[2, 2])
    b.node("HardSwish", ["up"], "swish")
    b.node("Conv", ["swish", b.normal("w2", 4, 4, 1, 1)], "conv")
    b.node("Sub", ["conv", "swish"], "difference")
    model = b.model({"x": ["N", 3, 12, 12]}, ["difference"])
    qdq = fates(quantise(model, tmp_path, RECIPES["qdq"]))
    assert qdq == {
        "up": ("quantised", "QLinearConvTranspose"),
        "swish": ("quantised", "Table"),
        "conv": ("quantised", "QLinearConv"),
        "difference": ("quantised", "QLinearAdd"),
    }
    plain = fates(quantise(model, tmp_path))
    assert plain["conv"] == ("quantised", "QLinearConv")
    reason = "ConvTranspose is not among the operators to quantise; it has no QLinear operator, --format qdq quantises it"
    assert plain["up"] == ("float", reason)


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


def test_same_bytes_in_every_process(tmp_path: Path) -> None:
    """The file doesn't depend on the order of Python's sets."""
    path = save(classifier(), tmp_path, "float.onnx")
    np.savez(tmp_path / "calib.npz", x=samples(3))
    command = "from accelkit.cli.accel_sim import main; main()"
    contents = []
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.onnx"
        arguments = ["quantize", str(path), "--data", str(tmp_path / "calib.npz"), "-o", str(out)]
        subprocess.run([sys.executable, "-c", command, *arguments], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True)
        contents.append(out.read_bytes())
    assert contents[0] == contents[1]


@pytest.mark.parametrize("opset", [8, 11])
def test_old_opset_is_converted(opset: int, tmp_path: Path) -> None:
    """A model of an older opset, back to 7, becomes one of opset 13, which has int8 pools."""
    model = onnx.load_from_string(quantise(classifier(opset), tmp_path).content)
    assert next(entry.version for entry in model.opset_import if entry.domain == "") == 13


def test_constants_from_nodes(tmp_path: Path) -> None:
    """Weights that come through Constant and Identity nodes are quantised as any others."""
    b = FloatBuilder()
    weights = numpy_helper.from_array(b.rng.standard_normal((4, 3, 1, 1)).astype(np.float32), "value")
    b.nodes.append(onnx.helper.make_node("Constant", [], ["w0"], "weights", value=weights))
    b.node("Identity", ["w0"], "w")
    b.node("Conv", [b.node("Identity", ["x"], "same"), "w"], "y")
    result = quantise(b.model({"x": ["N", 3, 12, 12]}, ["y"]), tmp_path)
    assert fates(result) == {
        "weights": ("folded", "a constant, or a copy"),
        "w": ("folded", "a constant, or a copy"),
        "same": ("folded", "a constant, or a copy"),
        "y": ("quantised", "QLinearConv"),
    }


X = samples(4)
BAD_SAMPLES = {
    "name": ({"y": X}, "arrays y, but the model's inputs are x: float32 [1, 3, 12, 12]; write the file with numpy.savez(FILE, x=...)"),
    "shape": (
        {"x": X[:, :2]},
        "input x is float32 [4, 2, 12, 12], expected float32 [1, 3, 12, 12], or a multiple of 1 in its first dimension;"
        " reshape or transpose it (ONNX has NCHW)",
    ),
    "type": (
        {"x": X.astype(np.float64)},
        "input x is float64 [4, 3, 12, 12], expected float32 [1, 3, 12, 12], or a multiple of 1 in its first dimension;"
        " convert it: x.astype(numpy.float32)",
    ),
    "empty": ({"x": X[:0]}, "calibration array x is empty, [0, 3, 12, 12]; give some typical inputs, a hundred or so"),
    "NaN": (
        {"x": np.where(np.arange(X.size).reshape(X.shape) == 7, np.float32(np.nan), X)},
        "calibration array x has nan at [0, 0, 0, 7]; only finite numbers have a range",
    ),
}


@pytest.mark.parametrize("case", BAD_SAMPLES)
def test_bad_samples(case: str, tmp_path: Path) -> None:
    """Calibration arrays that don't fit are refused in one line that says what to do."""
    arrays, expected = BAD_SAMPLES[case]
    with pytest.raises(InputError) as caught:
        quantise_file(save(classifier(), tmp_path), arrays, Recipe())
    assert str(caught.value) == expected


def test_bad_models(tmp_path: Path) -> None:
    """A model that is quantised already, and an operator that has no quantised form, are refused."""
    path = tmp_path / "int8.onnx"
    path.write_bytes(quantise(classifier(), tmp_path).content)
    with pytest.raises(ModelError, match=r"quantised already \(node x_QuantizeLinear is QuantizeLinear\); run it: accel-sim model"):
        quantise_file(path, {"x": X}, Recipe())
    with pytest.raises(ModelError, match="operator Foo has no quantised form; there are Add, "):
        quantise_file(save(classifier(), tmp_path), {"x": X}, Recipe(operators=("Foo",)))


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
