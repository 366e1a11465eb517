"""What a node must cost at least: the slowest of its multiply-accumulates and of each byte once over the bus, in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.judge import Task
from accelkit.kernels.plan import Plan

_ON_VECTOR_UNIT = {"depthwise"}  # kernels whose multiply-accumulates run there, one a lane and cycle; the array does all others


@dataclass(frozen=True)
class Bound:
    """Cycles that MACs, bytes in and bytes out take by themselves; the largest is the bound."""

    macs: float
    read: float
    write: float
    read_bytes: int
    write_bytes: int
    rate: int  # MACs in a cycle of the unit that does them

    @property
    def cycles(self) -> float:
        """The least cycles of the node."""
        return max(self.macs, self.read, self.write)

    @property
    def kind(self) -> str:
        """What bounds: compute or bandwidth."""
        return "compute" if self.macs >= max(self.read, self.write) else "bandwidth"


def find_bound(machine: Machine, graph: Graph, tasks: tuple[Task, ...]) -> Bound:
    """The bound of the calls of one node or of a fused few: inputs and constants read once, results written once. Activations that stay on
    chip, which the plan has no buffer for, are not DRAM's."""
    nodes = {node.index: node for node in graph.nodes}
    read = {operand.tensor for task in tasks for operand in task.call.operands if _has_buffer(task.plan, operand.buffer)}
    for index in {index for task in tasks for index in task.call.nodes}:
        read.update(name for name in nodes[index].inputs if name in graph.constants)
    read_bytes = sum(_nbytes(graph, name) for name in read)
    write_bytes = sum(_nbytes(graph, task.call.result) for task in tasks if task.plan.output)
    rate = max(_rate(machine, task.plan) for task in tasks)
    macs = sum(task.plan.macs for task in tasks) / rate
    return Bound(macs, read_bytes / machine.bus_bytes, write_bytes / machine.bus_bytes, read_bytes, write_bytes, rate)


def losses(node: Mapping[str, Any], macs: int, bound: Bound) -> dict[str, Any]:
    """What keeps a measured node from its bound.

    `main_unit` is the unit whose work bounds it, `busy` the share of the cycles in which that moves a beat, `waits` what most of its
    other cycles went to. Where multiply-accumulates bound, `fill` is how many of them a busy cycle does in relation to what the unit
    could do: lanes and rows that are padded count as nothing.
    """
    units: Mapping[str, Mapping[str, int]] = node["units"]
    if bound.kind == "compute":
        main = "vector" if node["kernel"] in _ON_VECTOR_UNIT else "array"
    else:
        main = "load" if bound.read >= bound.write else "store"
    busy = units[main].get("busy", 0)
    idle = {kind: count for kind, count in units[main].items() if kind != "busy"}
    return {
        "main_unit": main,
        "busy": busy / node["cycles"],
        "fill": macs / (busy * bound.rate) if bound.kind == "compute" and busy else None,
        "waits": max(idle, key=lambda kind: idle[kind]) if idle else "",
    }


def _has_buffer(plan: Plan, name: str) -> bool:
    return any(buffer.name == name for buffer in plan.buffers)


def is_on_array(plan: Plan) -> bool:
    """Whether the multiply-accumulates of a plan, if it has any, are the array's."""
    return plan.kernel not in _ON_VECTOR_UNIT


def _rate(machine: Machine, plan: Plan) -> int:
    """Multiply-accumulates in a cycle."""
    return machine.peak_macs_per_cycle if is_on_array(plan) else machine.lanes


def _nbytes(graph: Graph, tensor: str) -> int:
    value = graph.constant(tensor)
    if value is not None:
        return value.nbytes
    kind = graph.types[tensor]
    assert kind.shape is not None
    assert kind.dtype is not None
    return prod(kind.shape) * kind.dtype.itemsize
