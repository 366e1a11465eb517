"""Where each node runs, and in which order: the plan that a run follows and a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.areas import Area, find_lives, plan_memory
from accelkit.kernels.onnx.arena import Arena, Life
from accelkit.kernels.onnx.cost import crossing_cycles, host_cycles
from accelkit.kernels.onnx.errors import FallbackError, ModelError
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.judge import Judge
from accelkit.kernels.onnx.layout import is_view
from accelkit.kernels.onnx.partition import Choice, Traffic, partition
from accelkit.kernels.onnx.pins import Pins, resolve_pins
from accelkit.kernels.onnx.records import Record, Where, make_records
from accelkit.kernels.onnx.residency import keep_on_chip
from accelkit.kernels.onnx.schedule import Step, schedule
from accelkit.kernels.onnx.walk import Walk, walk
from accelkit.kernels.plan import Refusal


@dataclass(frozen=True)
class Placement:
    """A record for each node of the file, in its order; the steps of a run; the DRAM of activations and workspaces."""

    graph: Graph
    machine: Machine
    records: tuple[Record, ...]
    steps: tuple[Step, ...] = field(repr=False)
    roots: Mapping[str, str] = field(repr=False)  # a view's output -> the tensor whose memory it is
    lives: Mapping[Area, Life] = field(repr=False)
    arena: Arena[Area] = field(repr=False)

    def root(self, tensor: str) -> str:
        """The tensor whose memory holds `tensor`."""
        return self.roots.get(tensor, tensor)

    def with_steps(self, steps: tuple[Step, ...]) -> Placement:
        """The same with other plans in its launches: the steps in their order, their memory planned anew."""
        lives = find_lives(steps, self.graph, self.roots)
        return replace(self, steps=steps, lives=lives, arena=plan_memory(lives, self.machine))

    @cached_property
    def fallbacks(self) -> tuple[Record, ...]:
        """The nodes that run on the CPU although nobody asked for it."""
        return tuple(record for record in self.records if record.where is Where.CPU and record.code != "pinned")


def place(graph: Graph, machine: Machine, pins: Mapping[str, str] | None = None, falls_back: bool = True) -> Placement:
    """The cheapest placement by modelled cost (docs/adr/0010).

    `pins` holds nodes of the file to "accelerator" or "cpu", by name; ModelError if one can't be held. Without `falls_back`, what the
    accelerator can take runs there whatever it costs, and FallbackError names all that it can't take.
    """
    resolved = resolve_pins(graph, pins or {})
    outcome, chosen = _Placer(graph, machine, resolved, falls_back).place()
    steps = keep_on_chip(schedule(graph, outcome), graph, outcome.roots, machine)
    records = make_records(graph, outcome, chosen, steps)
    placement = Placement(graph, machine, records, (), outcome.roots, {}, Arena({}, 0, 0)).with_steps(steps)
    if not falls_back and placement.fallbacks:
        raise FallbackError(_offenders(placement))
    return placement


def _offenders(placement: Placement) -> str:
    lines = [f"  {r.node.name} ({r.node.op_type}): {r.code}: {r.reason}" for r in placement.fallbacks]
    return "\n".join(
        [
            f"{placement.graph.source}: --no-fallback: {len(lines)} of {len(placement.records)} nodes can't run on"
            f" {placement.machine.name}:",
            *lines,
        ]
    )


class _Placer:
    """Walks with everything on the accelerator to learn costs, cuts, walks again; until nothing new is refused."""

    def __init__(self, graph: Graph, machine: Machine, pins: Pins, falls_back: bool) -> None:
        self._graph = graph
        self._machine = machine
        self._pins = pins
        self._falls_back = falls_back
        self._judge = Judge(graph, machine)
        self._nodes = {node.index: node for node in graph.nodes if node.index not in graph.folded}
        self._host_cycles = {index: host_cycles(machine, graph, node) for index, node in self._nodes.items()}

    def place(self) -> tuple[Walk, dict[int, Refusal]]:
        """The last walk, and for each node on the host why it is there."""
        candidates = frozenset(self._nodes) - self._pins.cpu
        trial = walk(self._graph, self._judge, candidates, self._pins.cpu)
        refused = dict(trial.refusals)
        cycles = dict(trial.cycles)
        while True:
            sides = self._cut(cycles, refused)
            outcome = walk(self._graph, self._judge, sides, self._pins.cpu)
            cycles.update(outcome.cycles)
            news = {index: r for index, r in outcome.refusals.items() if index not in refused and r.code != "view"}
            if not news:
                self._check_pins(refused | dict(outcome.refusals))
                return outcome, refused | dict(outcome.refusals) | self._choices(outcome, cycles, refused)
            refused |= news

    def _cut(self, cycles: Mapping[int, int], refused: Mapping[int, Refusal]) -> frozenset[int]:
        choices = {}
        for index, node in self._nodes.items():
            if is_view(self._graph, node) and index not in self._pins.cpu:
                continue
            can_run = index in cycles and index not in refused and index not in self._pins.cpu
            must_run = can_run and (index in self._pins.accelerator or not self._falls_back)
            choices[index] = Choice(cycles[index] if can_run else None, None if must_run else self._host_cycles[index])
        return partition(choices, self._traffic(choices))

    def _traffic(self, choices: Mapping[int, Choice]) -> list[Traffic]:
        """Tensors that may cross; a view is the tensor that it is a view of."""
        roots: dict[str, str] = {}
        makers = dict.fromkeys(self._graph.inputs, -1)
        readers: dict[str, set[int]] = {}
        for index, node in self._nodes.items():
            if index not in choices:
                roots[node.outputs[0]] = roots.get(node.input(0), node.input(0))
                continue
            for name in node.inputs:
                readers.setdefault(roots.get(name, name), set()).add(index)
            makers.update(dict.fromkeys(node.outputs, index))
        for name in self._graph.outputs:
            readers.setdefault(roots.get(name, name), set()).add(-1)
        return [
            Traffic(maker, frozenset(readers[name]), crossing_cycles(self._machine, self._graph, name))
            for name, maker in makers.items()
            if name in readers and self._graph.types[name].dtype is not None
        ]

    def _choices(self, outcome: Walk, cycles: Mapping[int, int], refused: Mapping[int, Refusal]) -> dict[int, Refusal]:
        """Why the host has nodes that the accelerator could take."""
        reasons = {}
        for unit in outcome.units:
            (index, *_) = (node.index for node in unit.nodes)
            if unit.offer is not None or index in refused or index in outcome.refusals:
                continue
            if index in self._pins.cpu:
                reasons[index] = Refusal("pinned to the CPU", "pinned")
            else:
                reasons[index] = Refusal(
                    f"cheaper on the CPU: about {self._host_cycles[index]:,} cycles there and {cycles[index]:,} here,"
                    " beside what tensors cost that cross",
                    "cost",
                )
        return reasons

    def _check_pins(self, refused: Mapping[int, Refusal]) -> None:
        for index in sorted(self._pins.accelerator & refused.keys()):
            node: Node = self._nodes[index]
            refusal = refused[index]
            raise ModelError(
                f"{self._graph.source}: node {node.name} ({node.op_type}) is pinned to the accelerator, which can't take it:"
                f" {refusal.code}: {refusal.reason}"
            )
