"""The quantiser: what it makes runs, is close to the floating-point model, and each node's fate is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from accelkit.kernels.onnx.errors import InputError, ModelError
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.quantise import quantise_file
from accelkit.kernels.onnx.recipe import Recipe
from tests.kernels.onnx import qdq_models
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.float_models import FloatBuilder, classifier, run, samples
from tests.kernels.onnx.quantised_models import RECIPES, fates, quantise


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
