"""DRAM of a placed model: activations and workspaces in one arena, each for the steps that need it; constants apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.arena import Arena, Life, pack
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.schedule import Island, Launch, Step

ALIGNMENT = 64  # bytes, if no bus word is longer


@dataclass(frozen=True)
class Area:
    """DRAM of a tensor in a layout, or of a workspace (a plan's buffer) of one step."""

    tensor: str
    layout: Layout = None
    step: int = -1


def _areas(step: Step, number: int, graph: Graph, roots: Mapping[str, str]) -> dict[Area, int]:
    """The areas that a step touches, with their bytes; constants among the operands lie elsewhere."""
    if isinstance(step, Island):
        return {}
    if not isinstance(step, Launch):
        kind = graph.types[step.tensor]
        assert kind.dtype is not None
        return {Area(step.tensor, step.layout): kind.elements * kind.dtype.itemsize}
    areas = launch_areas(step, number, graph, roots)
    return {area: step.task.plan.buffer(name).nbytes for name, area in areas.items()}


def launch_areas(step: Launch, number: int, graph: Graph, roots: Mapping[str, str]) -> dict[str, Area]:
    """The areas of a plan's buffers by name: activations, result, workspaces. Packed constants and constant operands have none."""
    call, plan = step.task.call, step.task.plan
    operands = {operand.buffer: operand for operand in call.operands}
    areas = {}
    for buffer in plan.buffers:
        if buffer.name == plan.output:
            areas[buffer.name] = Area(roots.get(call.result, call.result), call.layout)
        elif buffer.name in operands:
            operand = operands[buffer.name]
            root = roots.get(operand.tensor, operand.tensor)
            if root not in graph.constants:
                areas[buffer.name] = Area(root, operand.layout)
        elif buffer.contents is None:
            areas[buffer.name] = Area(buffer.name, step=number)
    return areas


def find_lives(steps: Sequence[Step], graph: Graph, roots: Mapping[str, str]) -> dict[Area, Life]:
    """When each area holds something."""
    lives: dict[Area, Life] = {}
    for number, step in enumerate(steps):
        for area, nbytes in _areas(step, number, graph, roots).items():
            life = lives.get(area, Life(nbytes, number, number))
            lives[area] = Life(max(nbytes, life.nbytes), life.first, number)
    return lives


def plan_memory(lives: Mapping[Area, Life], machine: Machine) -> Arena[Area]:
    """Where the areas lie, relative to the arena's begin."""
    return pack(lives, max(machine.bus_bytes, ALIGNMENT))


def constant_bytes(steps: Sequence[Step], graph: Graph) -> int:
    """Bytes of packed weights, parameters and tables, and of constants that are operands as they are."""
    launches = [step for step in steps if isinstance(step, Launch)]
    packed = sum(
        buffer.nbytes for step in launches for buffer in step.task.plan.buffers if buffer.contents is not None
    )
    operands = {
        (operand.tensor, operand.layout): graph.types[operand.tensor]
        for step in launches
        for operand in step.task.call.operands
        if operand.tensor in graph.constants
    }
    return packed + sum(kind.elements * kind.dtype.itemsize for kind in operands.values() if kind.dtype is not None)
