"""What the accelerator makes of a node where it stands: calls, their plans, conversions of operands that lie otherwise; or why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.conversions import convert_layout
from accelkit.kernels.onnx.cost import plan_cycles
from accelkit.kernels.onnx.fusion import extend
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, is_view
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.onnx.preferences import prefer_layouts
from accelkit.kernels.plan import Plan, Refusal

Layouts = Mapping[str, Layout]  # of tensors on the accelerator, views among them
_UNKNOWN = "-"


@dataclass(frozen=True)
class Task:
    """A call with its plan."""

    call: KernelCall
    plan: Plan = field(repr=False)


@dataclass(frozen=True)
class Conversion:
    """A tensor on the accelerator that is needed in another layout there, too."""

    tensor: str
    want: Layout
    task: Task


@dataclass(frozen=True)
class Offer:
    """All that the accelerator does for a node, or for several that are one call."""

    tasks: tuple[Task, ...]
    conversions: tuple[Conversion, ...]

    @property
    def cycles(self) -> int:
        """Expected cycles, launches included."""
        works = (*self.tasks, *(conversion.task for conversion in self.conversions))
        return sum(plan_cycles(task.plan) for task in works)

    @property
    def nodes(self) -> tuple[int, ...]:
        """Indices of the nodes that it does."""
        return tuple(dict.fromkeys(node for task in self.tasks for node in task.call.nodes))


class Judge:
    """Answers for one graph on one machine; an answer is worked out once for each combination of layouts."""

    def __init__(self, graph: Graph, machine: Machine) -> None:
        self._graph = graph
        self._machine = machine
        self._preferences = prefer_layouts(graph)
        self._roots: dict[str, str] = {}  # of everything that could be a view
        for node in graph.nodes:
            if is_view(graph, node):
                self._roots[node.outputs[0]] = self._roots.get(node.input(0), node.input(0))
        self._offers: dict[object, Offer | Refusal] = {}
        self._conversions: dict[object, Task | Refusal] = {}

    def offer(self, node: Node, layouts: Layouts) -> Offer | Refusal:
        """What a node comes to by itself.

        A tensor from the host can be had in any layout: if no operand is on the accelerator yet, it is the one that readers further
        on want.
        """
        wish = self._wish(node, layouts)
        if wish:
            offer = self._offer(node, {**layouts, **wish}, layouts)
            if isinstance(offer, Offer):
                return offer
        return self._offer(node, layouts, layouts)

    def fuse(self, offer: Offer, reader: Node, layouts: Layouts) -> Offer | None:
        """The offer that does the only reader of its result, too; None if there is no such call or it costs more."""
        if len(offer.tasks) != 1:
            return None
        call = offer.tasks[0].call
        key = (call.nodes, call.layout, tuple((op.tensor, op.layout) for op in call.operands), *self._key(reader, layouts))
        if key not in self._offers:
            extended = extend(self._graph, call, reader, layouts)
            self._offers[key] = Refusal("") if extended is None else self._complete((extended,), layouts)
        fused = self._offers[key]
        if isinstance(fused, Refusal):
            return None
        alone = self.offer(reader, layouts)
        if isinstance(alone, Offer) and fused.cycles > offer.cycles + alone.cycles:
            return None
        return fused

    def _wish(self, node: Node, layouts: Layouts) -> dict[str, Layout]:
        if any(name in layouts for name in node.inputs):
            return {}
        return {name: layout for name in node.inputs if (layout := self._preferences.get(name)) is not None}

    def _offer(self, node: Node, wished: Layouts, layouts: Layouts) -> Offer | Refusal:
        key = (wished is layouts, *self._key(node, wished))
        if key not in self._offers:
            calls = describe(self._graph, node, wished)
            self._offers[key] = calls if isinstance(calls, Refusal) else self._complete(calls, layouts)
        return self._offers[key]

    def _key(self, node: Node, layouts: Layouts) -> tuple[object, ...]:
        return (node.index, *(layouts.get(name, _UNKNOWN) for name in node.inputs))

    def _complete(self, calls: tuple[KernelCall, ...], layouts: Layouts) -> Offer | Refusal:
        """Plans of the calls and of the conversions that they need."""
        tasks, conversions = [], {}
        brought: dict[str, Layout] = {}  # from the host, by this offer
        for call in calls:
            plan = call.plan(self._machine)
            if isinstance(plan, Refusal):
                return plan
            tasks.append(Task(call, plan))
            for operand in call.operands:
                if operand.tensor in self._graph.constants:
                    continue
                have = layouts.get(operand.tensor, _UNKNOWN)
                if isinstance(have, str):
                    have = brought.setdefault(self._roots.get(operand.tensor, operand.tensor), operand.layout)
                if have != operand.layout:
                    task = self._convert(operand.tensor, have, operand.layout)
                    if isinstance(task, Refusal):
                        return task
                    conversions[operand.tensor, operand.layout] = Conversion(operand.tensor, operand.layout, task)
        return Offer(tuple(tasks), tuple(conversions.values()))

    def _convert(self, tensor: str, have: Layout, want: Layout) -> Task | Refusal:
        key = (tensor, have, want)
        if key not in self._conversions:
            call = convert_layout(self._graph, tensor, have, want)
            plan = call.plan(self._machine)
            self._conversions[key] = plan if isinstance(plan, Refusal) else Task(call, plan)
        return self._conversions[key]
