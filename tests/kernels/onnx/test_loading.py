"""Models that can't be run: one clear line each, which says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.loading import read_model
from tests.kernels.onnx.builder import Builder, save


def small_model(**options: int) -> onnx.ModelProto:
    """QuantizeLinear, one convolution, Flatten, one product: everything right."""
    b = Builder()
    b.node("QuantizeLinear", ["x", *b.scale("x", 0.02, 3)], "q")
    b.conv("q", "c", 3, 4)
    b.node("Flatten", ["c"], "f")
    b.gemm("f", "y", 4 * 36, 5)
    return b.model({"x": [1, 3, 8, 8]}, ["y"], TensorProto.FLOAT, **options)


def float_model() -> onnx.ModelProto:
    b = Builder()
    b.node("Relu", ["x"], "y")
    return b.model({"x": [1, 3]}, ["y"], TensorProto.FLOAT)


def dynamically_quantised_model() -> onnx.ModelProto:
    b = Builder()
    b.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero_point"]))
    b.constant("w", b.bytes(3, 4), np.int8)
    b.node("MatMulInteger", ["q", "w", "zero_point"], "y")
    return b.model({"x": [1, 3]}, ["y"], TensorProto.FLOAT)


def dynamic_model() -> onnx.ModelProto:
    b = Builder()
    b.conv("x", "y", 3, 4)
    return b.model({"x": [1, 3, "height", 8]}, ["y"])


def control_flow_model() -> onnx.ModelProto:
    model = small_model()
    branch = helper.make_graph([], "branch", [], [helper.make_tensor_value_info("f", TensorProto.INT8, None)])
    condition = numpy_helper.from_array(np.array(True), "condition")
    model.graph.initializer.append(condition)
    model.graph.node.append(
        helper.make_node("If", ["condition"], ["z"], "choose", then_branch=branch, else_branch=branch)
    )
    return model


def with_constant(name: str, value: np.generic) -> onnx.ModelProto:
    """The small model with another constant."""
    model = small_model()
    for tensor in model.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(numpy_helper.from_array(np.asarray(value), name))
    return model


def with_operator(op_type: str) -> onnx.ModelProto:
    """The small model with an operator that nobody knows."""
    model = small_model()
    model.graph.node[2].op_type = op_type
    return model


def without_input() -> onnx.ModelProto:
    """The small model whose product reads a tensor that nothing writes."""
    model = small_model()
    model.graph.node[3].input[0] = "lost"
    return model


def circular() -> onnx.ModelProto:
    """The small model whose convolution reads the result of the product."""
    model = small_model()
    model.graph.node[1].input[0] = "y"
    return model


BAD: dict[str, tuple[Callable[[], onnx.ModelProto], list[str]]] = {
    "float": (float_model, ["a float model", "quantise it: accel-sim quantize", "-o int8.onnx"]),
    "dynamic scales": (
        dynamically_quantised_model,
        ["quantised dynamically (DynamicQuantizeLinear)", "accel-sim quantize FLOAT.onnx"],
    ),
    "dynamic": (dynamic_model, ["input x has the dynamic shape [1, 3, height, 8]", "make_dynamic_shape_fixed"]),
    "old opset": (lambda: small_model(opset=9), ["opset 9 is not supported", "expected 10 to", "version_converter"]),
    "future opset": (lambda: small_model(opset=999), ["opset 999 is not supported"]),
    "control flow": (control_flow_model, ["node choose is control flow (If)", "export the model without it"]),
    "NaN scale": (
        lambda: with_constant("c_w_scale", np.full(4, np.nan, np.float32)),
        ["node c_node (QLinearConv): scale c_w_scale is nan", "quantise the model again"],
    ),
    "infinite scale": (lambda: with_constant("y_x_scale", np.float32(np.inf)), ["scale y_x_scale is inf"]),
    "zero divisor": (lambda: with_constant("y_y_scale", np.float32(0)), ["scale y_y_scale is 0.0"]),
    "zero point type": (
        lambda: with_constant("c_x_zero_point", np.uint8(3)),
        ["node c_node (QLinearConv): zero point c_x_zero_point is uint8 but its tensor q is int8"],
    ),
    "zero point type of a contrib operator": (
        lambda: with_constant("y_x_zero_point", np.uint8(3)),
        ["node y_node (QGemm): zero point y_x_zero_point is uint8 but its tensor f is int8"],
    ),
    "unknown operator": (lambda: with_operator("Flatten5"), ["ONNX Runtime can't load the model", "Flatten5"]),
    "circle": (circular, ["nodes need their own results (", "c_node", "none can run first"]),
    "lost tensor": (without_input, ["ONNX Runtime can't load the model", "lost"]),
}


def refused(path: Path) -> str:
    """The message for a file that can't be run."""
    with pytest.raises(ModelError) as caught:
        read_model(path)
    return str(caught.value)


@pytest.mark.parametrize("case", BAD)
def test_bad_model(case: str, tmp_path: Path) -> None:
    """A model that can't be run is refused in one line that names the file, the place and the way out."""
    build, expected = BAD[case]
    message = refused(save(build(), tmp_path))
    assert message.startswith(f"{tmp_path}/net.onnx: ")
    assert "\n" not in message
    for text in expected:
        assert text in message


def test_truncated_file(tmp_path: Path) -> None:
    """A file cut off anywhere is refused, also where what is left is a valid message."""
    data = small_model().SerializeToString()
    path = tmp_path / "net.onnx"
    for length in [0, 1, 2, 50, *range(100, len(data) - 40, 97), *range(len(data) - 40, len(data))]:
        path.write_bytes(data[:length])
        assert refused(path).startswith(str(path))
    path.write_bytes(data[: len(data) // 2])
    assert "truncated or not ONNX; export or download it again" in refused(path)


def test_foreign_and_missing_file(tmp_path: Path) -> None:
    """A file that isn't ONNX, a folder and a file that isn't there have a message of their own."""
    path = tmp_path / "net.onnx"
    path.write_bytes(b"\x89PNG\r\n" * 20)
    assert "not a readable ONNX model" in refused(path)
    assert "No such file" in refused(tmp_path / "lost.onnx")
    assert "Is a directory" in refused(tmp_path)


def test_missing_external_weights(tmp_path: Path) -> None:
    """A model whose weights are in a file that isn't there says so."""
    path = tmp_path / "net.onnx"
    onnx.save(small_model(), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    read_model(path)
    (tmp_path / "weights.bin").unlink()
    assert "weights" in refused(path)


@pytest.mark.parametrize("damage", [{"raw_data": b""}, {"data_type": 0}, {"data_type": 77}])
def test_damaged_constant(damage: dict[str, Any], tmp_path: Path) -> None:
    """Weights with bytes missing, or of a type that there isn't, are refused as ONNX Runtime refuses them."""
    model = small_model()
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "c_w")
    for name, value in damage.items():
        setattr(weights, name, value)
    assert "ONNX Runtime can't load the model" in refused(save(model, tmp_path))


def test_damaged_name(tmp_path: Path) -> None:
    """An operator's name that is no UTF-8 is damage like any other."""
    path = tmp_path / "net.onnx"
    path.write_bytes(small_model().SerializeToString().replace(b"QLinearConv", b"QLinear\xffonv"))
    assert "not a readable ONNX model" in refused(path)


def test_batch_is_bound_and_types_are_known(tmp_path: Path) -> None:
    """A symbolic first dimension becomes 1, and every tensor has a static type, those of contrib operators too."""
    model = small_model()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    graph = read_model(save(model, tmp_path))
    shapes = {name: graph.types[name].shape for name in ("x", "q", "c", "f", "y")}
    assert shapes == {"x": (1, 3, 8, 8), "q": (1, 3, 8, 8), "c": (1, 4, 6, 6), "f": (1, 144), "y": (1, 5)}
    assert graph.types["y"].dtype == np.int8


def test_constants_are_folded(tmp_path: Path) -> None:
    """What follows from constants alone is a constant, so that weights may come through Constant and Identity nodes."""
    b = Builder()
    b.conv("x", "y", 3, 4)
    weights = next(tensor for tensor in b.constants if tensor.name == "y_w")
    b.constants.remove(weights)
    b.nodes[:0] = [
        helper.make_node("Constant", [], ["w0"], value=weights),
        helper.make_node("Identity", ["w0"], ["y_w"]),
    ]
    graph = read_model(save(b.model({"x": [1, 3, 8, 8]}, ["y"]), tmp_path))
    assert graph.folded == {0, 1}
    value = graph.constant("y_w")
    assert value is not None
    assert np.array_equal(value, numpy_helper.to_array(weights))


def test_batch_of_a_size(tmp_path: Path) -> None:
    """An open batch takes the size that is asked for; where none is open, asking is an error."""
    model = small_model()
    path = save(model, tmp_path)
    with pytest.raises(ModelError, match=r"no input leaves its batch open \(x: \[1, 3, 8, 8\]\), so it can't be 4; export the model with"):
        read_model(path, batch=4)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    graph = read_model(save(model, tmp_path), batch=4)
    assert [graph.types[name].shape for name in ("x", "y")] == [(4, 3, 8, 8), (4, 5)]
