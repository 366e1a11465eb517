"""Input arrays that don't fit, and how a batch becomes runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from accelkit.kernels.onnx.errors import InputError
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.inputs import read_array, split_runs
from accelkit.kernels.onnx.loading import read_model
from tests.kernels.onnx.builder import Builder, save


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Two inputs: int8 [2, 3, 4, 4] and int8 [2, 5, 2, 2] (the sum's other operand has gone through a convolution)."""
    b = Builder()
    b.conv("left", "c", 3, 5)
    b.add("c", "right", "y")
    return read_model(save(b.model({"left": [2, 3, 4, 4], "right": [2, 5, 2, 2]}, ["y"]), tmp_path_factory.mktemp("net")))


LEFT = np.zeros((6, 3, 4, 4), np.int8)
RIGHT = np.zeros((6, 5, 2, 2), np.int8)

KNOWN = "left: int8 [2, 3, 4, 4], right: int8 [2, 5, 2, 2]"
OR_BATCHES = "or a multiple of 2 in its first dimension"
BAD = {
    "missing": ({"left": LEFT}, f"input right is missing; the model has {KNOWN}"),
    "unknown": ({"left": LEFT, "other": RIGHT}, f"the model has no input other; it has {KNOWN}"),
    "nameless": ({"": LEFT}, f"the model has 2 inputs ({KNOWN}); give each as NAME=FILE.npy"),
    "type": (
        {"left": LEFT.astype(np.float64), "right": RIGHT},
        f"input left is float64 [6, 3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; convert it: x.astype(numpy.int8)",
    ),
    "text": (
        {"left": np.full((2, 3, 4, 4), "a"), "right": RIGHT},
        f"input left is <U1 [2, 3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; convert it: x.astype(numpy.int8)",
    ),
    "other byte": (
        {"left": LEFT.astype(np.uint8), "right": RIGHT},
        f"input left is uint8 [6, 3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; convert it: x.astype(numpy.int8)",
    ),
    "shape": (
        {"left": LEFT.transpose(0, 2, 3, 1), "right": RIGHT},
        f"input left is int8 [6, 4, 4, 3], expected int8 [2, 3, 4, 4], {OR_BATCHES}; reshape or transpose it (ONNX has NCHW)",
    ),
    "rank": (
        {"left": LEFT[0], "right": RIGHT},
        f"input left is int8 [3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; reshape or transpose it (ONNX has NCHW)",
    ),
    "one number": (
        {"left": np.int8(3)[...], "right": RIGHT},
        f"input left is int8 [], expected int8 [2, 3, 4, 4], {OR_BATCHES}; reshape or transpose it (ONNX has NCHW)",
    ),
    "odd batch": (
        {"left": LEFT[:5], "right": RIGHT},
        f"input left is int8 [5, 3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; it has 5",
    ),
    "empty": (
        {"left": LEFT[:0], "right": RIGHT},
        f"input left is int8 [0, 3, 4, 4], expected int8 [2, 3, 4, 4], {OR_BATCHES}; it has 0",
    ),
    "batches differ": (
        {"left": LEFT, "right": RIGHT[:4]},
        "input right has 2 batches, another input has 3; all must have the same number, or one",
    ),
}


def test_input_given_twice(tmp_path: Path) -> None:
    """The model's only input, once by its name and once without: neither wins."""
    b = Builder()
    b.gemm("x", "y", 24, 5)
    graph = read_model(save(b.model({"x": [1, 24]}, ["y"]), tmp_path))
    value = np.zeros((1, 24), np.int8)
    with pytest.raises(InputError, match="input x is given twice, with and without its name"):
        split_runs(graph, {"": value, "x": value})


@pytest.mark.parametrize("case", BAD)
def test_bad_inputs(graph: Graph, case: str) -> None:
    """Arrays that don't fit are refused in one line with what was seen, what was expected and a way out."""
    given, expected = BAD[case]
    with pytest.raises(InputError) as caught:
        split_runs(graph, given)
    assert str(caught.value) == expected


def test_runs_are_slices_of_the_batch(graph: Graph) -> None:
    """Six items for a model of batch 2 are three runs in order; an input of the model's own shape serves all of them."""
    left = np.arange(LEFT.size).astype(np.int8).reshape(LEFT.shape)
    runs = split_runs(graph, {"left": left, "right": RIGHT[:2]})
    assert len(runs) == 3
    assert np.array_equal(np.concatenate([run["left"] for run in runs]), left)
    assert all(run["right"].shape == (2, 5, 2, 2) for run in runs)


def test_unreadable_files(tmp_path: Path) -> None:
    """A missing file, a truncated one, a pickle and an .npz are refused with what to do."""
    good = tmp_path / "x.npy"
    np.save(good, LEFT)
    cut = tmp_path / "cut.npy"
    cut.write_bytes(good.read_bytes()[:200])
    pickled = tmp_path / "pickled.npy"
    np.save(pickled, np.array([{"x": 1}], dtype=object), allow_pickle=True)
    several = tmp_path / "x.npz"
    np.savez(several, LEFT)
    empty = tmp_path / "empty.npy"
    empty.write_bytes(b"")
    expected = {
        tmp_path / "lost.npy": "No such file",
        cut: "truncated",
        pickled: "not a .npy file",
        several: "holds several arrays",
        empty: "truncated",
    }
    for path, text in expected.items():
        with pytest.raises(InputError, match=text):
            read_array(path)
    assert np.array_equal(read_array(good), LEFT)


def test_scalar_input(tmp_path: Path) -> None:
    """An input without dimensions is one run."""
    b = Builder()
    b.node("QuantizeLinear", ["x", *b.scale("x", 0.02, 3)], "q")
    b.conv("z", "y", 3, 5)
    model = b.model({"x": []}, ["q"], TensorProto.FLOAT)
    model.graph.input.extend(b.model({"z": [1, 3, 4, 4]}, []).graph.input)
    graph = read_model(save(model, tmp_path))
    assert len(split_runs(graph, {"x": np.array(1.5, np.float32), "z": LEFT[:1]})) == 1
