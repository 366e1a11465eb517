"""One pass over a graph with the sides of its nodes given: what is done where, in which layouts, fused with what."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.judge import Judge, Offer
from accelkit.kernels.onnx.layout import Layout, is_view
from accelkit.kernels.plan import Refusal


@dataclass(frozen=True)
class Unit:
    """What runs as one: nodes of one call or a few on the accelerator, or one node on the host, which has no offer."""

    nodes: tuple[Node, ...]
    offer: Offer | None

    @property
    def outputs(self) -> tuple[str, ...]:
        """The tensors that it makes; what lies between fused nodes doesn't exist."""
        if self.offer is not None:
            return tuple(task.call.result for task in self.offer.tasks)
        return self.nodes[0].outputs

    @property
    def inputs(self) -> tuple[str, ...]:
        """The tensors that it reads, constants among them."""
        if self.offer is None:
            return tuple(name for name in self.nodes[0].inputs if name)
        return tuple(dict.fromkeys(operand.tensor for task in self.offer.tasks for operand in task.call.operands))


@dataclass(frozen=True)
class Walk:
    """The outcome. `cycles` are what each node adds on the accelerator (for a fused one, what the call grows by).

    `layouts` has, for each tensor that comes to the accelerator, the layout in which it comes there first.
    """

    units: tuple[Unit, ...]
    roots: Mapping[str, str]
    layouts: Mapping[str, Layout]
    refusals: Mapping[int, Refusal]
    cycles: Mapping[int, int]


def walk(graph: Graph, judge: Judge, candidates: Container[int], real_nodes: Container[int]) -> Walk:
    """Place `candidates` on the accelerator unless they are refused, all others on the host.

    `real_nodes` may not become views.
    """
    walker = _Walker(graph, judge, candidates, real_nodes)
    for node in graph.nodes:
        if node.index not in graph.folded:
            walker.visit(node)
    units = tuple(unit for unit in walker.units if unit is not None)
    return Walk(units, walker.roots, walker.layouts, walker.refusals, walker.cycles)


class _Walker:
    def __init__(self, graph: Graph, judge: Judge, candidates: Container[int], real_nodes: Container[int]) -> None:
        self.graph = graph
        self.judge = judge
        self.candidates = candidates
        self.real_nodes = real_nodes
        self.units: list[Unit | None] = []  # None: went into a later one
        self.roots: dict[str, str] = {}
        self.layouts: dict[str, Layout] = {}
        self.refusals: dict[int, Refusal] = {}
        self.cycles: dict[int, int] = {}
        self._on_host: set[str] = set()
        self._makers: dict[str, int] = {}  # a call's result -> place in units
        self._views: dict[str, list[str]] = {}  # of a root
        self._readers: dict[str, set[int]] = {}
        for node in graph.nodes:
            for name in node.inputs:
                self._readers.setdefault(name, set()).add(node.index)

    def visit(self, node: Node) -> None:
        """Decide on one node; those before it are decided."""
        if is_view(self.graph, node) and node.index not in self.real_nodes:
            source = node.input(0)
            if source in self._on_host or source in self.graph.constants:
                reason = f"gives {source}, which is on the CPU, another shape"
                self.refusals[node.index] = Refusal(reason, "view")
                self._to_host(node)
            else:
                self._view(node.outputs[0], self.roots.get(source, source))
            return
        if node.index not in self.candidates or not self._to_accelerator(node):
            self._to_host(node)

    def _view(self, tensor: str, root: str) -> None:
        self.roots[tensor] = root
        self._views.setdefault(root, []).append(tensor)
        if root in self.layouts:
            self.layouts[tensor] = self.layouts[root]

    def _to_host(self, node: Node) -> None:
        self.units.append(Unit((node,), None))
        self._on_host.update(node.outputs)

    def _to_accelerator(self, node: Node) -> bool:
        if self._fuse(node):
            return True
        offer = self.judge.offer(node, self.layouts)
        if isinstance(offer, Refusal):
            self.refusals[node.index] = offer
            return False
        self._add(Unit((node,), offer))
        self.cycles[node.index] = offer.cycles
        return True

    def _fuse(self, node: Node) -> bool:
        """Let the call that makes one of the node's inputs do the node, too; the latest such call, if there are several."""
        places = sorted({self._makers[name] for name in node.inputs if self._only_reader(name) == node.index}, reverse=True)
        for place in places:
            unit = self.units[place]
            assert unit is not None
            assert unit.offer is not None
            fused = self.judge.fuse(unit.offer, node, self.layouts)
            if fused is not None:
                self.cycles[node.index] = max(0, fused.cycles - unit.offer.cycles)
                self.units[place] = None
                del self.layouts[unit.outputs[0]]
                self._add(Unit((*unit.nodes, node), fused))
                return True
        return False

    def _only_reader(self, tensor: str) -> int | None:
        """The one node that sees a call's result."""
        readers = self._readers.get(tensor, set())
        is_alone = len(readers) == 1 and tensor in self._makers and tensor not in self.graph.outputs
        return next(iter(readers)) if is_alone else None

    def _add(self, unit: Unit) -> None:
        assert unit.offer is not None
        for task in unit.offer.tasks:
            for operand in task.call.operands:
                self._bring(operand.tensor, operand.layout)
            self._makers[task.call.result] = len(self.units)
            self._lay(task.call.result, task.call.layout)
        self.units.append(unit)

    def _bring(self, tensor: str, layout: Layout) -> None:
        """What comes from the host lies as its first reader wants it. Constants come in every layout that is wanted."""
        root = self.roots.get(tensor, tensor)
        if root not in self.layouts and root not in self.graph.constants:
            self._lay(root, layout)

    def _lay(self, root: str, layout: Layout) -> None:
        for name in (root, *self._views.get(root, ())):
            self.layouts[name] = layout
