"""Runs a placed model: kernels on the simulator, islands of other nodes on ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.onnx import runtime
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.memory import TensorMemory
from accelkit.kernels.onnx.placement import Placement, Record, Where
from accelkit.simulator import LaunchResult, Session

Array = npt.NDArray[Any]


@dataclass
class Island:
    """CPU nodes that run together in one ONNX Runtime session, made once."""

    records: tuple[Record, ...]
    inputs: tuple[str, ...]
    session: runtime.Session
    seconds: float = 0.0


@dataclass
class Measured:
    """Launches of an accelerator node in all runs, and what the latest one cost (cycles never depend on data)."""

    launches: int = 0
    cycles: int = 0
    last: LaunchResult | None = field(default=None, repr=False)


class Executor:
    """A placed model on a simulator session; `run` as often as you like."""

    def __init__(self, placement: Placement, keeps_all: bool = False) -> None:
        """Make the islands and pack weights into DRAM. With `keeps_all`, every intermediate of the islands is kept for a look.

        ModelError if the model doesn't fit into the machine's DRAM, or ONNX Runtime can't run a part of it.
        """
        self.placement = placement
        self.session = Session(placement.machine)
        self.memory = TensorMemory(placement.graph, placement.roots, self.session)
        self.measured = {record.node.index: Measured() for record in placement.records if record.plan is not None}
        self.runs = 0
        try:
            self.islands = {
                stage: _island(placement, records, keeps_all)
                for stage in range(placement.stages)
                if (records := placement.stage(stage, Where.CPU))
            }
            self._placed = {r.node.index: self._place(r) for r in placement.records if r.plan is not None}
        except runtime.RuntimeRefusal as refusal:
            raise ModelError(f"{placement.graph.source}: ONNX Runtime can't load a part of the model: {refusal}") from refusal
        except ValueError as error:
            raise ModelError(f"{placement.graph.source}: {error}") from error

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs by name for inputs of exactly the model's types. LaunchError if a kernel doesn't halt."""
        self.memory.start()
        for name, value in inputs.items():
            self.memory.set_host(name, value)
        for stage in range(self.placement.stages):
            if stage in self.islands:
                self._run_island(self.islands[stage])
            for record in self.placement.stage(stage, Where.ACCELERATOR):
                self._launch(record)
        self.runs += 1
        return {name: np.array(self.memory.to_host(name)) for name in self.placement.graph.outputs}

    def _run_island(self, island: Island) -> None:
        feeds = {name: self.memory.to_host(name) for name in island.inputs}
        start = time.perf_counter()
        try:
            results = island.session.run(feeds)
        except runtime.RuntimeRefusal as refusal:
            names = ", ".join(record.node.name for record in island.records)
            raise ModelError(f"{self.placement.graph.source}: ONNX Runtime failed on {names}: {refusal}") from refusal
        island.seconds += time.perf_counter() - start
        for name, value in results.items():
            self.memory.set_host(name, value)

    def _launch(self, record: Record) -> None:
        assert record.call is not None
        for operand in record.call.operands:
            self.memory.to_device(operand.tensor, operand.layout)
        result = self._placed[record.node.index].launch()
        self.memory.set_device(record.node.outputs[0], record.call.layout)
        measured = self.measured[record.node.index]
        measured.launches += len(self._placed[record.node.index].plan.steps)
        measured.cycles += result.cycles
        measured.last = result

    def _place(self, record: Record) -> PlacedPlan:
        """The plan's own buffers are called after the node, activations after the tensor."""
        assert record.call is not None
        assert record.plan is not None
        addresses = {op.buffer: self.memory.address(op.tensor, op.layout) for op in record.call.operands}
        addresses[record.plan.output] = self.memory.address(record.node.outputs[0], record.call.layout)
        return place(self.session, record.plan, f"node {record.node.name}", addresses)


def _island(placement: Placement, records: tuple[Record, ...], keeps_all: bool) -> Island:
    graph = placement.graph
    made = {name for record in records for name in record.node.outputs}
    read = dict.fromkeys(name for record in records for name in record.node.inputs if name)
    inputs = tuple(name for name in read if name not in made and name not in graph.constants)
    inside = {record.node.index for record in records}
    wanted = {placement.root(name) for name in graph.outputs}
    for node in graph.nodes:
        if node.index not in inside:
            wanted.update(placement.root(name) for name in node.inputs)
    outputs = [name for record in records for name in record.node.outputs if keeps_all or name in wanted]
    outputs = outputs or sorted(made)  # nobody reads them, but a model must have an output
    nodes = [record.node.proto for record in records]
    types = {name: graph.types[name] for name in inputs}
    return Island(records, inputs, runtime.Session(runtime.extract(graph.model, nodes, graph.constants, types, outputs)))
