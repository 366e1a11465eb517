"""`--compare` finds what is wrong, and the first of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.compare import Comparison
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.schedule import Launch
from tests.kernels.onnx.builder import Builder, save


def build(folder: Path, dtype: type[np.int8] | type[np.uint8] = np.int8) -> Executor:
    """Three products in a row with a fallback node among them, ready to run."""
    b = Builder(dtype, weight_dtype=np.int8)
    b.gemm("x", "g1", 24, 20)
    b.softmax("g1", "a")
    b.gemm("a", "g2", 20, 20)
    b.gemm("g2", "g3", 20, 4)
    graph = read_model(save(b.model({"x": [2, 24]}, ["g3"]), folder))
    return Executor(place(graph, load_machine("edge-16")), keeps_all=True)


def corrupt(executor: Executor, tensor: str) -> None:
    """Change every byte of the weights of the node that makes a tensor by one."""
    (number,) = (
        number
        for number, step in enumerate(executor.placement.steps)
        if isinstance(step, Launch) and step.task.call.result == tensor
    )
    place_in_dram = executor.session.buffer(f"step {number}.b")
    data = executor.session.read(place_in_dram.address, place_in_dram.nbytes)
    executor.session.write(place_in_dram.address, data + np.uint8(1))


def inputs(dtype: type[np.int8] | type[np.uint8] = np.int8) -> dict[str, np.ndarray]:
    return {"x": np.random.default_rng(3).integers(0, 100, (2, 24)).astype(dtype)}


def compare(executor: Executor, comparison: Comparison, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A run under comparison; every tensor that it made."""
    seen = {}

    def observe(tensor: str, value: np.ndarray) -> None:
        seen[tensor] = np.array(value)
        comparison.observe(tensor, value)

    comparison.start(values)
    executor.run(values, observe)
    return seen


def test_equal_runs_have_no_difference(tmp_path: Path) -> None:
    """All four intermediates, those inside an island too, are compared and equal."""
    executor = build(tmp_path)
    comparison = Comparison(executor.placement.graph)
    compare(executor, comparison, inputs())
    assert comparison.difference is None
    assert comparison.tensors == 4
    assert comparison.unseen == 0


@pytest.mark.parametrize("node", ["g1", "g2", "g3"])
def test_first_difference_is_named(node: str, tmp_path: Path) -> None:
    """With wrong weights in one node, that node is named, although all after it differ too."""
    executor = build(tmp_path)
    corrupt(executor, node)
    comparison = Comparison(executor.placement.graph)
    seen = compare(executor, comparison, inputs())
    difference = comparison.difference
    assert difference is not None
    assert str(difference).startswith(f"run 0: {node}_node (QGemm): {node} differs from ONNX Runtime in ")
    value = seen[node]
    assert difference.elements == value.size
    assert str(value[difference.index]) == difference.value != difference.expected


def test_trap_of_unsigned_activations_is_told(tmp_path: Path) -> None:
    """Where ONNX Runtime itself may be wrong (u8 x s8 without VNNI), a difference says so."""
    executor = build(tmp_path, np.uint8)
    corrupt(executor, "g1")
    comparison = Comparison(executor.placement.graph)
    compare(executor, comparison, inputs(np.uint8))
    assert "without VNNI" in str(comparison.difference)


def test_constants_that_are_computed_compare_equal(tmp_path: Path) -> None:
    """An LSTM whose weights are a Concat of constants: ONNX Runtime packs constant weights and then sums in another order.

    A plain session, which folds the Concat when it loads, is the judge of what is right.
    """
    b = Builder()
    b.gemm("x", "g", 24, 128)
    b.node("DequantizeLinear", ["g", *b.scale("f", 0.02, 1)], "f")
    b.node("Reshape", ["f", b.constant("shape", [2, 1, 128], np.int64)], "sequence")
    rows = [b.constant(f"w{i}", b.rng.standard_normal((1, 128, 128)) / 11, np.float32) for i in range(4)]
    b.node("Concat", rows, "w", axis=1)
    b.node("Concat", rows, "r", axis=1)
    b.node("LSTM", ["sequence", "w", "r"], "y", hidden_size=128)
    b.gemm("x", "g2", 24, 3)
    model = b.model({"x": [2, 24]}, ["y", "g2"])
    executor = Executor(place(read_model(save(model, tmp_path)), load_machine("edge-16")), keeps_all=True)
    comparison = Comparison(executor.placement.graph)
    seen = compare(executor, comparison, inputs())
    assert comparison.difference is None, str(comparison.difference)
    plain = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.array_equal(seen["y"], plain.run(["y"], inputs())[0])
