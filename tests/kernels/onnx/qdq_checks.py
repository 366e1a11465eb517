"""What the tests of the QDQ import check of an imported graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.qdq_models import run

TYPES = {"s8": (np.int8, np.int8), "u8": (np.uint8, np.uint8), "u8s8": (np.uint8, np.int8)}
SHAPE = [2, 6, 5, 6]


def read(model: onnx.ModelProto, folder: Path) -> Graph:
    """The imported graph; each node of the file must belong to exactly one of its nodes, or have several called after it."""
    graph = read_model(save(model, folder))
    mains = {node.origins[0] for node in graph.nodes}
    parts = [index for node in graph.nodes for index in node.origins[1:]]
    assert sorted([*mains, *parts]) == [original.index for original in graph.originals]
    return graph


def check_equal(model: onnx.ModelProto, graph: Graph, units: int = 0) -> None:
    """All outputs equal ONNX Runtime's on the file, on random inputs; `units` is how far bytes may be apart. On the accelerator the
    imported graph gives what it gives in ONNX Runtime, exactly."""
    rng = np.random.default_rng(5)
    inputs = {}
    for value in model.graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        inputs[value.name] = (2 * rng.standard_normal(shape)).astype(np.float32)
    expected, results = run(model, inputs, is_integer=True), run(graph.model, inputs, is_integer=False)
    simulated = Executor(place(graph, load_machine("tiny-8"))).run(inputs)
    for name, value in results.items():
        np.testing.assert_array_equal(simulated[name], value, err_msg=name)
        assert value.dtype == expected[name].dtype
        assert len(np.unique(value)) > 2  # neither saturated nor constant
        apart = np.abs(value.astype(np.float64) - expected[name])
        assert apart.max() <= units, name


def operators(graph: Graph) -> list[str]:
    """The nodes that compute, without those at the borders."""
    return [node.op_type for node in graph.nodes if node.op_type not in ("QuantizeLinear", "DequantizeLinear")]


def named(graph: Graph, name: str) -> Node:
    return next(node for node in graph.nodes if node.name == name)
