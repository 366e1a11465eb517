"""Random graphs of kernels, views and fallback nodes, against ONNX Runtime tensor by tensor."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from accelkit.kernels.onnx.records import Where
from tests.kernels.onnx.builder import run_reference, save
from tests.kernels.onnx.random_network import networks

MACHINES = [load_machine(name) for name in ("tiny-8", "edge-16")]


@settings(max_examples=60)
@given(networks(), st.sampled_from(MACHINES), st.booleans())
def test_every_tensor_equals_onnx_runtime(
    drawn: tuple[onnx.ModelProto, tuple[int, ...], list[str]], machine: Machine, keeps_all: bool
) -> None:
    """Whatever is placed where, every tensor that is made equals ONNX Runtime's, in two runs on other data."""
    model, shape, tensors = drawn
    with tempfile.TemporaryDirectory() as folder:
        graph = read_model(save(model, Path(folder)))
    placement = place(graph, machine)
    check(placement, model, shape, tensors, keeps_all)
    nodes = {node.name: node for node in graph.nodes}
    for record in placement.records:
        node = nodes[record.node.name]
        if node.op_type == "QGemm" or (node.op_type == "QLinearConv" and node.attributes.get("group", 1) == 1):
            assert record.where is Where.ACCELERATOR, record.reason


@settings(max_examples=40)
@given(networks(), st.sampled_from(MACHINES), st.data())
def test_any_nodes_on_the_cpu(
    drawn: tuple[onnx.ModelProto, tuple[int, ...], list[str]], machine: Machine, data: st.DataObject
) -> None:
    """With any nodes pinned to the CPU, views among them, tensors cross as they must: all that is made still equals ONNX Runtime's."""
    model, shape, tensors = drawn
    with tempfile.TemporaryDirectory() as folder:
        graph = read_model(save(model, Path(folder)))
    names = [graph.originals[node.origins[0]].name for node in graph.nodes if node.index not in graph.folded]
    pinned = data.draw(st.sets(st.sampled_from(names)))
    placement = place(graph, machine, dict.fromkeys(pinned, "cpu"))
    assert {record.node.name for record in placement.records if record.code == "pinned"} >= pinned
    check(placement, model, shape, tensors, keeps_all=True)


def check(placement: Placement, model: onnx.ModelProto, shape: tuple[int, ...], tensors: list[str], keeps_all: bool) -> None:
    """Two runs, every tensor against ONNX Runtime."""
    graph = placement.graph
    executor = Executor(placement, keeps_all)
    dtype = graph.types["x"].dtype
    assert dtype is not None
    limits = np.iinfo(dtype)
    for seed in range(2):
        x = np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)
        seen: dict[str, np.ndarray] = {}
        results = executor.run({"x": x}, lambda tensor, value, seen=seen: seen.update({tensor: np.array(value)}))
        expected = run_reference(model, {"x": x}, tensors)
        for name in graph.outputs:
            np.testing.assert_array_equal(results[name], expected[name], err_msg=name)
        for name in tensors:
            if name in seen:
                np.testing.assert_array_equal(seen[name], expected[name], err_msg=name)
