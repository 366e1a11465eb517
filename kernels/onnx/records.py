"""One record for each node of the file: where it runs and why, whatever import and fusion have made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from accelkit.kernels.onnx.graph import Graph, Node, Original
from accelkit.kernels.onnx.layout import describe_layout
from accelkit.kernels.onnx.macs import count_macs
from accelkit.kernels.onnx.schedule import Island, Launch, Step
from accelkit.kernels.onnx.walk import Walk
from accelkit.kernels.plan import Refusal


class Where(Enum):
    """What becomes of a node of the file."""

    ACCELERATOR = "accelerator"
    FUSED = "fused"  # done by the launches of another node
    VIEW = "view"  # another shape of the same memory
    CONSTANT = "constant"  # computed once, when the model is read
    IMPORTED = "imported"  # a part of another node, as DequantizeLinear and QuantizeLinear are of the operator between them
    CPU = "cpu"


@dataclass(frozen=True)
class Record:
    """A node of the file. `into` names the nodes that do its work, for FUSED and IMPORTED.

    `code` and `reason` say why it is not on the accelerator. `launches` are numbers of the placement's steps: of its kernels, and of
    layout conversions that only it needs; `island` is that of its island. MACs are counted once, with the node that they are named after.
    """

    node: Original
    where: Where
    code: str = ""
    reason: str = ""
    note: str = ""
    into: tuple[str, ...] = ()
    macs: int = 0
    launches: tuple[int, ...] = ()
    conversions: tuple[int, ...] = ()
    island: int | None = None


def make_records(graph: Graph, walk: Walk, reasons: Mapping[int, Refusal], steps: Sequence[Step]) -> tuple[Record, ...]:
    """Records in the order of the file."""
    maker = _Records(graph, walk, reasons, steps)
    return tuple(maker.record(original) for original in graph.originals)


class _Records:
    def __init__(self, graph: Graph, walk: Walk, reasons: Mapping[int, Refusal], steps: Sequence[Step]) -> None:
        self._graph = graph
        self._walk = walk
        self._reasons = reasons
        self._steps = steps
        self._units = {node.index: unit for unit in walk.units for node in unit.nodes}
        self._launches: dict[int, list[int]] = {}
        self._islands: dict[int, int] = {}
        for number, step in enumerate(steps):
            if isinstance(step, Launch):
                self._launches.setdefault(step.nodes[0], []).append(number)
            elif isinstance(step, Island):
                self._islands.update({node.index: number for node in step.nodes})
        self._mains: dict[int, list[Node]] = {}
        self._parts: dict[int, list[Node]] = {}
        for node in graph.nodes:
            self._mains.setdefault(node.origins[0], []).append(node)
            for index in node.origins[1:]:
                self._parts.setdefault(index, []).append(node)

    def record(self, original: Original) -> Record:
        mains = self._mains.get(original.index, [])
        records = [self._of_node(original, node) for node in mains]
        if not records:
            return self._of_part(original)
        # What the import split into several nodes is where the one of them is that is farthest from the accelerator.
        order = (Where.CPU, Where.ACCELERATOR, Where.FUSED, Where.VIEW, Where.CONSTANT)
        first = min(records, key=lambda record: order.index(record.where))
        return Record(
            original,
            first.where,
            first.code,
            first.reason,
            "; ".join(dict.fromkeys(record.note for record in records if record.note)),
            first.into,
            sum(record.macs for record in records),
            tuple(number for record in records for number in record.launches),
            tuple(number for record in records for number in record.conversions),
            first.island,
        )

    def _of_node(self, original: Original, node: Node) -> Record:
        if node.index in self._graph.folded:
            return Record(original, Where.CONSTANT)
        macs = count_macs(self._graph, node)
        unit = self._units.get(node.index)
        if unit is None:
            return Record(original, Where.VIEW, note=f"the memory of {self._walk.roots[node.outputs[0]]}")
        if unit.offer is None:
            refusal = self._reasons[node.index]
            return Record(original, Where.CPU, refusal.code, refusal.reason, macs=macs, island=self._islands[node.index])
        first = unit.nodes[0]
        if node is not first:
            return Record(original, Where.FUSED, into=(self._name(first),), macs=macs)
        launches = self._launches[node.index]
        kernels = tuple(number for number in launches if not self._is_conversion(number))
        conversions = tuple(number for number in launches if self._is_conversion(number))
        notes = [task.call.note for task in unit.offer.tasks]
        notes += [f"with {self._name(other)} ({other.op_type})" for other in unit.nodes[1:]]
        notes += [f"{self._converted(number)} first" for number in conversions]
        if roles := dict.fromkeys(role for number in kernels for role in self._staying(number)):
            notes.append(f"{', '.join(roles)} in the scratchpad")
        note = "; ".join(dict.fromkeys(note for note in notes if note))
        return Record(original, Where.ACCELERATOR, note=note, macs=macs, launches=kernels, conversions=conversions)

    def _of_part(self, original: Original) -> Record:
        """A node of the file that no node of the graph is called after."""
        owners = self._parts.get(original.index, [])
        if not owners:
            return Record(original, Where.CONSTANT, note="computed when the model was read")
        names = tuple(dict.fromkeys(self._name(owner) for owner in owners))
        units = [self._units.get(owner.index) for owner in owners]
        on_host = [owner for owner, unit in zip(owners, units, strict=True) if unit is not None and unit.offer is None]
        if not on_host:
            return Record(original, Where.IMPORTED, into=names)
        index = on_host[0].index
        refusal = self._reasons[index]
        return Record(original, Where.CPU, refusal.code, refusal.reason, into=names, island=self._islands[index])

    def _name(self, node: Node) -> str:
        return self._graph.originals[node.origins[0]].name

    def _is_conversion(self, number: int) -> bool:
        step = self._steps[number]
        return isinstance(step, Launch) and step.converts

    def _staying(self, number: int) -> list[str]:
        step = self._steps[number]
        return [role for role in ("x", "residual", "y") if isinstance(step, Launch) and getattr(step.stays, role)]

    def _converted(self, number: int) -> str:
        step = self._steps[number]
        assert isinstance(step, Launch)
        return f"{step.task.call.operands[0].tensor} to {describe_layout(step.task.call.layout)}"
