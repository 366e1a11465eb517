"""The committed digits model: its form, its accuracy, and its integers against the NumPy reference."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from models.digits.data import count_correct, load_held_out, load_training
from models.digits.train import MODEL_PATH
from tests.reference import quantised
from tests.reference.onnx_op import open_session

Array = quantised.Array


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return onnx.load(MODEL_PATH)


def evaluate(model: onnx.ModelProto, images: Array) -> dict[str, Array]:
    """Every tensor of the model, computed by the NumPy reference."""
    values: dict[str, Array] = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    values["images"] = images
    for node in model.graph.node:
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        operands = [values[name] for name in node.input]
        values[node.output[0]] = compute(node.op_type, operands, attributes)
    return values


def compute(op_type: str, operands: list[Array], attributes: dict[str, Any]) -> Array:
    if op_type == "QuantizeLinear":
        return quantised.quantize_linear(operands[0], np.float32(operands[1]), int(operands[2]), np.int8)
    if op_type == "DequantizeLinear":
        return quantised.dequantize_linear(operands[0], np.float32(operands[1]), int(operands[2]))
    if op_type == "Flatten":
        return operands[0].reshape(len(operands[0]), -1)
    if op_type == "QLinearConv":
        x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias = operands
        window = quantised.Window(strides=tuple(attributes["strides"]), pads=tuple(attributes["pads"]))
        acc = quantised.conv2d_nchw(x, w, window, int(x_zero), w_zero).transpose(0, 2, 3, 1)
        scale = quantised.combine_scales(x_scale, w_scale, y_scale)
        return quantised.requantise(acc, scale, int(y_zero), np.int8, bias=bias).transpose(0, 3, 1, 2)
    assert op_type == "QGemm"
    assert attributes == {"transB": 1}
    x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero = operands
    acc = quantised.gemm(x, w.T, int(x_zero), w_zero)
    scale = quantised.combine_scales(x_scale, w_scale, y_scale)
    return quantised.requantise(acc, scale, int(y_zero), np.int8, bias=bias)


def test_split_is_fixed() -> None:
    """540 held-out images, no image in both parts, and the order that the model was trained with."""
    (training, _), (held_out, labels) = load_training(), load_held_out()
    assert (training.shape, held_out.shape) == ((1257, 1, 8, 8), (540, 1, 8, 8))
    assert held_out.dtype == np.float32
    assert (held_out.min(), held_out.max()) == (0, 1)
    assert not {image.tobytes() for image in training} & {image.tobytes() for image in held_out}
    assert labels[:12].tolist() == [4, 9, 5, 0, 9, 6, 4, 4, 5, 2, 1, 6]


def test_model_is_qoperator_s8_per_channel(model: onnx.ModelProto) -> None:
    """Only quantise, three convolutions, flatten, gemm, dequantise; int8 throughout; a scale per channel."""
    assert [node.op_type for node in model.graph.node] == [
        "QuantizeLinear", "QLinearConv", "QLinearConv", "QLinearConv", "Flatten", "QGemm", "DequantizeLinear",
    ]  # fmt: skip
    constants = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    for name, channels in (("conv1", 16), ("conv2", 32), ("conv3", 32), ("gemm", 10)):
        assert constants[f"{name}_w_quantized"].dtype == np.int8
        assert constants[f"{name}_w_scale"].shape == (channels,)
    assert {array.dtype for name, array in constants.items() if name.endswith("zero_point")} == {
        np.dtype(np.int8)
    }


def test_accuracy() -> None:
    """535 of the 540 held-out images are right in ONNX Runtime, as the README says."""
    images, labels = load_held_out()
    (logits,) = open_session(str(MODEL_PATH)).run(None, {"images": images})
    assert count_correct(logits, labels) == 535


def test_every_tensor_equals_onnxruntime(model: onnx.ModelProto) -> None:
    """The reference gives every intermediate of every held-out image bit for bit."""
    images, _ = load_held_out()
    mine = evaluate(model, images)
    names = [node.output[0] for node in model.graph.node]
    inspected = onnx.ModelProto.FromString(model.SerializeToString())
    del inspected.graph.output[:]
    inspected.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    golden = open_session(inspected.SerializeToString()).run(names, {"images": images})
    for name, array in zip(names, golden, strict=True):
        np.testing.assert_array_equal(mine[name], array, err_msg=name)
    (logits,) = open_session(str(MODEL_PATH)).run(None, {"images": images})  # with all of its optimisations
    np.testing.assert_array_equal(mine["logits"], logits)
