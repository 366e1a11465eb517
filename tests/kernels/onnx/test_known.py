"""Shapes that a model computes: known before a run, as far as they follow from static ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from accelkit.kernels.onnx import known
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.loading import read_model
from tests.kernels.onnx.builder import Builder
from tests.kernels.onnx.builder import save as save_model


def save(path: Path, nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], output: str) -> Path:
    """A model of float x [N, 6, 4] with an int8 product at its end, as every model that is read has one."""
    initial = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6, 4])
    graph = helper.make_graph(nodes, "shapes", [x], [helper.make_empty_tensor_value_info(output)], initial)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


PRODUCT = {
    "scale": np.float32(0.1), "zero": np.int8(0), "w": np.ones((8, 3), np.int8), "pads": np.array([0, 0, 0, 0, 0, 4]),
    "first": np.array([0]), "rest": np.array([-1, 8]), "one": np.array([1]), "twelve": np.array([12, 8]),
}  # fmt: skip


def product(x: str) -> list[onnx.NodeProto]:
    """Quantise a float matrix [M, 8] and multiply it with w."""
    return [
        helper.make_node("QuantizeLinear", [x, "scale", "zero"], ["xq"]),
        helper.make_node("QLinearMatMul", ["xq", "scale", "zero", "w", "scale", "zero", "scale", "zero"], ["y"]),
    ]


def test_pads_that_are_computed(tmp_path: Path) -> None:
    """Pad by the result of a Cast of constants, as an exporter writes it: everything behind has a static shape."""
    nodes = [
        helper.make_node("Cast", ["pads"], ["float_pads"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["float_pads"], ["int_pads"], to=TensorProto.INT64),
        helper.make_node("Pad", ["x", "int_pads"], ["padded"]),
        helper.make_node("Reshape", ["padded", "rest"], ["matrix"]),
        *product("matrix"),
    ]
    graph = read_model(save(tmp_path / "a.onnx", nodes, PRODUCT, "y"))
    assert graph.types["padded"].shape == (1, 6, 8)
    assert graph.types["y"].shape == (6, 3)


@pytest.mark.parametrize("start,end,expected", [(None, None, (1, 6, 4)), (0, 1, (1,)), (-2, None, (6, 4))])
def test_shape_of_a_static_tensor(tmp_path: Path, start: int | None, end: int | None, expected: tuple[int, ...]) -> None:
    """Shape is a constant, its slice too."""
    bounds = {name: value for name, value in (("start", start), ("end", end)) if value is not None}
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"], **bounds),
        helper.make_node("ConstantOfShape", ["shape"], ["zeros"]),
        helper.make_node("Pad", ["x", "pads"], ["padded"]),
        helper.make_node("Reshape", ["padded", "rest"], ["matrix"]),
        *product("matrix"),
    ]
    graph = read_model(save(tmp_path / "a.onnx", nodes, PRODUCT, "y"))
    assert tuple(graph.constant("shape")) == expected  # type: ignore[arg-type]
    assert graph.types["zeros"].shape == expected


def test_chain_of_shapes(tmp_path: Path) -> None:
    """A shape that depends on the shape of a tensor whose shape is computed."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "first"], ["batch"]),
        helper.make_node("Concat", ["batch", "twelve"], ["wider"], axis=0),
        helper.make_node("Concat", ["x", "x", "x", "x"], ["four"], axis=2),
        helper.make_node("Reshape", ["four", "wider"], ["matrices"]),
        helper.make_node("Shape", ["matrices"], ["second"]),
        helper.make_node("Expand", ["matrices", "second"], ["same"]),
        helper.make_node("Reshape", ["same", "rest"], ["matrix"]),
        *product("matrix"),
    ]
    graph = read_model(save(tmp_path / "a.onnx", nodes, PRODUCT, "y"))
    assert graph.types["y"].shape == (12, 3)


def test_shape_that_depends_on_data_stays_unknown(tmp_path: Path) -> None:
    """NonZero has as many results as the data say; what needs no static shape runs on the CPU."""
    nodes = [
        helper.make_node("NonZero", ["x"], ["places"]),
        helper.make_node("Shape", ["places"], ["count"]),
        helper.make_node("Pad", ["x", "pads"], ["padded"]),
        helper.make_node("Reshape", ["padded", "rest"], ["matrix"]),
        *product("matrix"),
    ]
    graph = read_model(save(tmp_path / "a.onnx", nodes, PRODUCT, "y"))
    assert graph.types["places"].shape is None
    assert graph.constant("count") is None
    assert graph.types["y"].shape == (6, 3)


def large(outputs: int = 200) -> onnx.ModelProto:
    """A convolution and a product of weights that are large enough to be kept from type inference."""
    b = Builder()
    b.conv("x", "c", 64, outputs)
    b.node("MaxPool", ["c"], "p", kernel_shape=[3, 3])
    b.node("Flatten", ["p"], "f")
    b.gemm("f", "y", outputs, 100)
    return b.model({"x": [1, 64, 5, 5]}, ["y"])


def test_large_constants_are_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types are the same whether ONNX Runtime sees all constants or only small ones, and where it insists on all of them it gets them."""
    path = save_model(large(), tmp_path)
    expected = {"c": (1, 200, 3, 3), "p": (1, 200, 1, 1), "f": (1, 200), "y": (1, 100)}
    seen: list[int] = []
    original = known.Session

    def note(model: onnx.ModelProto) -> object:
        seen.append(model.ByteSize())
        return original(model)

    def insist(model: onnx.ModelProto) -> object:
        if model.ByteSize() < 64 * 200 * 9:
            raise known.RuntimeRefusal("weights must be constant")
        return original(model)

    for session in (note, insist):
        monkeypatch.setattr(known, "Session", session)
        types = read_model(path).types
        assert {name: types[name].shape for name in expected} == expected
    assert max(seen) < 64 * 200


def test_large_constants_of_another_size(tmp_path: Path) -> None:
    """Weights that are cut short are refused however large they are."""
    model = large()
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "c_w")
    weights.raw_data = weights.raw_data[:-5]
    with pytest.raises(ModelError, match=r"size from shape and data type \(115200 bytes\)"):
        read_model(save_model(model, tmp_path))
