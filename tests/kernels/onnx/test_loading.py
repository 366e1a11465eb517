"""Models that can't be run: one clear line each, which says what to do."""

from __future__ import annotations

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


def refused(path: Path) -> str:
    """The message for a file that can't be run."""
    with pytest.raises(ModelError) as caught:
        read_model(path)
    return str(caught.value)


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


@pytest.mark.parametrize(
    "damage, expected",
    [
        ({"raw_data": b""}, "ONNX Runtime can't load the model"),
        ({"data_type": 0}, "constant c_w has element type 0, which there isn't"),
        ({"data_type": 77}, "constant c_w has element type 77, which there isn't"),
    ],
)
def test_damaged_constant(damage: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """Weights with bytes missing, or of a type that there isn't, are refused."""
    model = small_model()
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "c_w")
    for name, value in damage.items():
        setattr(weights, name, value)
    assert expected in refused(save(model, tmp_path))


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


def test_large_constants(tmp_path: Path) -> None:
    """Weights of more than a million elements are constants as well, whatever nodes they come through; only what grows is left alone."""
    b = Builder()
    b.gemm("x", "y", 1100, 1000)
    weights = next(tensor for tensor in b.constants if tensor.name == "y_w")
    b.constants.remove(weights)
    turned = numpy_helper.from_array(np.ascontiguousarray(numpy_helper.to_array(weights).T))
    b.constant("repeats", [2000, 1000], np.int64)
    b.constant("one", [[1]], np.int8)
    b.nodes[:0] = [
        helper.make_node("Constant", [], ["w0"], value=turned),
        helper.make_node("Transpose", ["w0"], ["y_w"]),
        helper.make_node("Tile", ["one", "repeats"], ["grown"]),
    ]
    graph = read_model(save(b.model({"x": [1, 1100]}, ["y", "grown"]), tmp_path))
    assert graph.folded == {0, 1}
    value = graph.constant("y_w")
    assert value is not None
    assert np.array_equal(value, numpy_helper.to_array(weights))
