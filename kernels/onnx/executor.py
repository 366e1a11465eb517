"""Runs a placed model: kernels on the simulator, islands of other nodes on ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.onnx import runtime
from accelkit.kernels.onnx.areas import Area, launch_areas
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.memory import TensorMemory
from accelkit.kernels.onnx.placement import Placement
from accelkit.kernels.onnx.schedule import Download, Island, Launch, Step, Upload
from accelkit.simulator import LaunchResult, Mode, Session

Array = npt.NDArray[Any]
Observer = Callable[[str, Array], None]


@dataclass
class Measured:
    """A step in all runs: launches and cycles, or time on the host; and the latest launch (cycles never depend on data)."""

    launches: int = 0
    cycles: int = 0
    seconds: float = 0.0
    last: LaunchResult | None = field(default=None, repr=False)


class Executor:
    """A placed model on a simulator session; `run` as often as you like."""

    def __init__(self, placement: Placement, keeps_all: bool = False, session: Session | None = None) -> None:
        """Make the islands and pack weights into DRAM, unless the session is for timing alone. With `keeps_all`, islands show every
        intermediate to observers.

        ModelError if the model doesn't fit into the machine's DRAM, or ONNX Runtime can't run a part of it.
        """
        self.placement = placement
        self.session = session or Session(placement.machine)
        self.measured = [Measured() for _ in placement.steps]
        self.runs = 0
        try:
            self.memory = TensorMemory(placement.graph, placement.roots, placement.arena, self.session)
            self._islands = {
                number: _load(placement, step, keeps_all)
                for number, step in enumerate(placement.steps)
                if isinstance(step, Island) and self.session.mode is not Mode.TIMING
            }
            self._placed = {
                number: self._place(step, number) for number, step in enumerate(placement.steps) if isinstance(step, Launch)
            }
        except runtime.RuntimeRefusal as refusal:
            raise ModelError(f"{placement.graph.source}: ONNX Runtime can't load a part of the model: {refusal}") from refusal
        except ValueError as error:
            raise ModelError(f"{placement.graph.source}: {error}") from error
        self._first, self._last = _lives(placement)

    def run(
        self,
        inputs: Mapping[str, Array],
        observe: Observer | None = None,
        after_step: Callable[[int], None] | None = None,
    ) -> dict[str, Array]:
        """Outputs by name for inputs of exactly the model's types. LaunchError if a kernel doesn't halt.

        `observe` is shown each tensor when a node has made it; `after_step` is told the number of each step that is done.
        """
        self.memory.start()
        for name, value in inputs.items():
            self.memory.set_host(name, value)
        for number, step in enumerate(self.placement.steps):
            for area, nbytes in self._first.get(number, ()):
                self.memory.take(area, nbytes)
            self._do(number, step, observe)
            for area in self._last.get(number, ()):
                self.memory.release(area)
            if after_step is not None:
                after_step(number)
        self.runs += 1
        return {name: np.array(self.memory.host(name)) for name in self.placement.graph.outputs}

    def time(self, after_step: Callable[[int], None] | None = None) -> None:
        """A run without values: nothing but the launches, which take the same cycles. For sessions for timing alone."""
        for number, step in enumerate(self.placement.steps):
            if isinstance(step, Launch):
                self._launch(number, step)
            if after_step is not None:
                after_step(number)
        self.runs += 1

    def _launch(self, number: int, step: Launch) -> None:
        names = [self.placement.graph.nodes[index].name for index in step.nodes]
        self.session.label = ", ".join(names) + (": layout" if step.converts else "")
        result = self._placed[number].launch()
        measured = self.measured[number]
        measured.launches += len(step.task.plan.steps)
        measured.cycles += result.cycles
        measured.last = result

    def _do(self, number: int, step: Step, observe: Observer | None) -> None:
        if isinstance(step, Upload):
            self.memory.upload(step.tensor, step.layout)
        elif isinstance(step, Download):
            self.memory.download(step.tensor, step.layout)
        elif isinstance(step, Island):
            results = self._run_island(number, step)
            for name, value in results.items():
                self.memory.set_host(name, value)
                if observe is not None:
                    observe(name, value)
        else:
            self._launch(number, step)
            if observe is not None and not step.converts:
                call = step.task.call
                observe(call.result, self.memory.look(call.result, call.layout, step.stays.y))

    def _run_island(self, number: int, step: Island) -> dict[str, Array]:
        feeds = {name: self.memory.host(name) for name in step.inputs}
        start = time.perf_counter()
        try:
            results = self._islands[number].run(feeds)
        except runtime.RuntimeRefusal as refusal:
            names = ", ".join(node.name for node in step.nodes)
            raise ModelError(f"{self.placement.graph.source}: ONNX Runtime failed on {names}: {refusal}") from refusal
        self.measured[number].seconds += time.perf_counter() - start
        self._check_shapes(results)
        return results

    def _check_shapes(self, results: Mapping[str, Any]) -> None:
        """ONNX Runtime's shape inference and its kernels disagree about some windows and scales; everything was placed by the first."""
        for name, value in results.items():
            announced = self.placement.graph.types[name].shape
            if announced is not None and isinstance(value, np.ndarray) and value.shape != announced:
                raise ModelError(
                    f"{self.placement.graph.source}: ONNX Runtime gives {name} as {list(value.shape)} where it announces {list(announced)};"
                    " write the pads of a MaxPool with ceil_mode, or the sizes of a Resize, into the model"
                )

    def _place(self, step: Launch, number: int) -> PlacedPlan:
        """Packed constants are allocated, called after the step's first node; all else has its place."""
        placement, call = self.placement, step.task.call
        areas = launch_areas(step, number, placement.graph, placement.roots)
        addresses = {name: self.memory.address(area) for name, area in areas.items()}
        buffers = {buffer.name for buffer in step.task.plan.buffers}
        for operand in call.operands:
            if operand.buffer in buffers - addresses.keys():
                addresses[operand.buffer] = self.memory.constant(placement.root(operand.tensor), operand.layout)
        return place(self.session, step.task.plan, f"step {number}", addresses)


def _lives(placement: Placement) -> tuple[dict[int, list[tuple[Area, int]]], dict[int, list[Area]]]:
    """Areas by the step at which they begin to hold something, with their bytes, and by the one after which they don't."""
    first: dict[int, list[tuple[Area, int]]] = {}
    last: dict[int, list[Area]] = {}
    for area, life in placement.lives.items():
        first.setdefault(life.first, []).append((area, life.nbytes))
        last.setdefault(life.last, []).append(area)
    return first, last


def _load(placement: Placement, island: Island, keeps_all: bool) -> runtime.Session:
    graph = placement.graph
    made = [name for node in island.nodes for name in node.outputs]
    outputs = made if keeps_all else list(island.outputs)
    outputs = outputs or made  # nobody reads them, but a model must have an output
    nodes = [node.proto for node in island.nodes]
    types = {name: graph.types[name] for name in island.inputs}
    return runtime.Session(runtime.extract(graph.model, nodes, graph.constants, types, outputs))
