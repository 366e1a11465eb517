"""From units to steps: as few islands of host nodes as the order of work allows, and every tensor moved where it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.judge import Task
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.walk import Unit, Walk
from accelkit.kernels.residency import NOTHING_STAYS, Stays


@dataclass(frozen=True)
class Upload:
    """The host writes a tensor to DRAM."""

    tensor: str
    layout: Layout


@dataclass(frozen=True)
class Download:
    """The host reads a tensor from DRAM."""

    tensor: str
    layout: Layout


@dataclass(frozen=True)
class Launch:
    """The launches of a plan; `converts` if they are there only to change the layout of an operand of the nodes. `stays` says what of
    its tensors lies in the scratchpad."""

    task: Task
    nodes: tuple[int, ...]
    converts: bool = False
    stays: Stays = NOTHING_STAYS


@dataclass(frozen=True)
class Island:
    """Host nodes that run together in one ONNX Runtime session; `outputs` are read outside."""

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


Step = Upload | Download | Launch | Island


def schedule(graph: Graph, walk: Walk) -> tuple[Step, ...]:
    """The steps of a run, each once what it reads is there."""
    scheduler = _Scheduler(graph, walk)
    stages = _stages(walk)
    for stage in range(max(stages, default=0) + 1):
        units = [unit for unit, number in zip(walk.units, stages, strict=True) if number == stage]
        scheduler.island([unit.nodes[0] for unit in units if unit.offer is None])
        for unit in units:
            if unit.offer is not None:
                scheduler.launch(unit)
    return tuple(scheduler.steps)


def _stages(walk: Walk) -> list[int]:
    """A number for each unit: host units of a stage are one island, its other units follow. A host unit that needs a result of the
    accelerator waits for the next island."""
    stages: list[int] = []
    makers: dict[str, int] = {}
    for number, unit in enumerate(walk.units):
        stage = 0
        for name in unit.inputs:
            maker = makers.get(walk.roots.get(name, name))
            if maker is not None:
                waits = unit.offer is None and walk.units[maker].offer is not None
                stage = max(stage, stages[maker] + waits)
        stages.append(stage)
        makers.update(dict.fromkeys(unit.outputs, number))
    return stages


class _Scheduler:
    def __init__(self, graph: Graph, walk: Walk) -> None:
        self.graph = graph
        self.walk = walk
        self.steps: list[Step] = []
        self._device: set[tuple[str, Layout]] = set()
        self._host_readers: dict[str, set[int]] = {}
        for unit in walk.units:
            for name in unit.inputs:
                if unit.offer is None:
                    self._host_readers.setdefault(self._root(name), set()).add(unit.nodes[0].index)
        for name in graph.outputs:
            self._host_readers.setdefault(self._root(name), set()).add(-1)

    def island(self, nodes: Sequence[Node]) -> None:
        """Host nodes whose inputs from the accelerator have been downloaded."""
        if not nodes:
            return
        made = {name for node in nodes for name in node.outputs}
        read = dict.fromkeys(name for node in nodes for name in node.inputs if name)
        inputs = tuple(name for name in read if name not in made and name not in self.graph.constants)
        inside = {node.index for node in nodes}
        brought = {self._root(name) for unit in self.walk.units if unit.offer is not None for name in unit.inputs}
        outputs = tuple(
            name
            for node in nodes
            for name in node.outputs
            if name in brought or self._host_readers.get(name, set()) - inside
        )
        self.steps.append(Island(tuple(nodes), inputs, outputs))

    def launch(self, unit: Unit) -> None:
        """The calls of a unit, after the transfers and conversions that they need."""
        assert unit.offer is not None
        nodes = tuple(node.index for node in unit.nodes)
        conversions = {(self._root(c.tensor), c.want): c.task for c in unit.offer.conversions}
        for task in unit.offer.tasks:
            for operand in task.call.operands:
                root = self._root(operand.tensor)
                if root in self.graph.constants:
                    continue
                first = self.walk.layouts[root]
                if (root, first) not in self._device:
                    self._device.add((root, first))
                    self.steps.append(Upload(root, first))
                if (root, operand.layout) not in self._device:
                    self._device.add((root, operand.layout))
                    self.steps.append(Launch(conversions[root, operand.layout], nodes, converts=True))
            self.steps.append(Launch(task, nodes))
            self._device.add((task.call.result, task.call.layout))
            if task.call.result in self._host_readers:
                self.steps.append(Download(task.call.result, task.call.layout))

    def _root(self, tensor: str) -> str:
        return self.walk.roots.get(tensor, tensor)
