"""Runs what `describe` makes of a model's last node by itself, on tensors that lie in any layout, for tests against ONNX Runtime."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.launch import place
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.layout import Layout, from_memory, to_memory, with_channels
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Plan, Refusal
from accelkit.simulator import Session
from tests.kernels.onnx.builder import Builder, run_reference, save

Array = npt.NDArray[Any]


def read(model: onnx.ModelProto) -> Graph:
    """The model as a graph."""
    with tempfile.TemporaryDirectory() as folder:
        return read_model(save(model, Path(folder)))


def quantised_model(b: Builder, inputs: Mapping[str, list[int]], outputs: list[str], dtype: int | None = None) -> onnx.ModelProto:
    """The builder's model with a quantised node in front, which makes it a model for the accelerator whatever else it has."""
    b.nodes.insert(0, b.nodes.pop(b.nodes.index(_mark(b))))
    return b.model({**inputs, "mark_x": [1]}, [*outputs, "mark"], dtype, opset=18)


def _mark(b: Builder) -> onnx.NodeProto:
    b.node("QLinearSigmoid", ["mark_x", *b.scale("mark_x", 0.1, 0), *b.scale("mark_y", 0.1, 0)], "mark", "com.microsoft")
    return b.nodes[-1]


def layouts_of(shape: tuple[int, ...]) -> st.SearchStrategy[Layout | str]:
    """Any layout in which a tensor may lie, or "host"."""
    rank = len(shape)
    borders = st.tuples(st.integers(0, rank), st.integers(0, rank)).map(sorted)
    convolution = st.just((1, 2)) if rank > 2 else st.just((rank, rank))
    channels = st.one_of(convolution, borders).map(lambda axes: with_channels(shape, (axes[0], axes[1])))
    return st.one_of(st.just("host"), st.just(None), channels, channels)


def run_call(machine: Machine, call: KernelCall, graph: Graph, values: Mapping[str, Array]) -> Array | Refusal:
    """The result of a call; its operands lie as it wants them. Every fault, race and leaked token raises."""
    plan = call.plan(machine)
    if isinstance(plan, Refusal):
        return plan
    assert isinstance(plan, Plan)
    placed = place(Session(machine), plan, "call")
    for operand in call.operands:
        value = graph.constant(operand.tensor)
        value = values[operand.tensor] if value is None else value
        placed.write(operand.buffer, to_memory(np.asarray(value), operand.layout))
    placed.launch()
    kind = graph.types[call.result]
    assert kind.shape is not None
    data = placed.session.read(placed.addresses[plan.output], plan.buffer(plan.output).nbytes)
    return from_memory(data.view(kind.dtype), call.layout, kind.shape)


def check_last_node(
    machine: Machine, model: onnx.ModelProto, inputs: Mapping[str, Array], layouts: Mapping[str, Layout | str]
) -> int | Refusal:
    """Compare all results of the last node of the imported model with ONNX Runtime's; how many elements, or why the node or its kernel
    is refused."""
    graph = read(model)
    node = graph.nodes[-1]
    held: dict[str, Any] = {name: layout for name, layout in layouts.items() if layout != "host"}
    calls = describe(graph, node, held)
    if isinstance(calls, Refusal):
        return calls
    mark = {"mark_x": np.zeros(1, graph.types["mark_x"].dtype)} if "mark_x" in graph.types else {}
    expected = run_reference(graph.model, {**inputs, **mark}, list(node.outputs))
    compared = 0
    for call in calls:
        result = run_call(machine, call, graph, inputs)
        if isinstance(result, Refusal):
            return result
        np.testing.assert_array_equal(result, expected[call.result], err_msg=str(call))
        compared += result.size
    assert {call.result for call in calls} == set(node.outputs)
    return compared
