"""Where each node runs, and in which order: the plan that a run follows and a report shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, is_view
from accelkit.kernels.onnx.macs import count_macs
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Plan, Refusal


class Where(Enum):
    """What becomes of a node."""

    ACCELERATOR = "accelerator"
    CPU = "cpu"
    VIEW = "view"  # another shape of the same memory
    CONSTANT = "constant"  # computed once, when the model is read


@dataclass(frozen=True)
class Record:
    """One original node: where it runs and why not elsewhere. `call` and `plan` are there on the accelerator only.

    `stage` orders the work: the CPU nodes of a stage are one island, its accelerator nodes and views follow it.
    """

    node: Node
    where: Where
    reason: str = ""  # why not on the accelerator
    note: str = ""
    macs: int = 0
    stage: int = 0
    call: KernelCall | None = field(default=None, repr=False)
    plan: Plan | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Placement:
    """Records in the order of the graph, and what views are views of."""

    graph: Graph
    machine: Machine
    records: tuple[Record, ...]
    roots: dict[str, str]  # a view's output -> the tensor whose memory it is

    def root(self, tensor: str) -> str:
        """The tensor whose memory holds `tensor`."""
        return self.roots.get(tensor, tensor)

    def stage(self, number: int, where: Where) -> tuple[Record, ...]:
        """The CPU or accelerator nodes of a stage, in graph order."""
        return tuple(record for record in self.records if record.stage == number and record.where is where)

    @property
    def stages(self) -> int:
        """How many stages there are; each is an island of CPU nodes and then accelerator nodes."""
        return 1 + max((record.stage for record in self.records), default=0)


def place(graph: Graph, machine: Machine) -> Placement:
    """Ask for each node whether the accelerator takes it on this machine; what it doesn't goes to the CPU."""
    placer = _Placer(graph, machine)
    records = tuple(placer.place(node) for node in graph.nodes)
    return Placement(graph, machine, records, placer.roots)


class _Placer:
    """Places one node after another; what it knows of tensors follows from the nodes before."""

    def __init__(self, graph: Graph, machine: Machine) -> None:
        self.graph = graph
        self.machine = machine
        self.roots: dict[str, str] = {}
        self.layouts: dict[str, Layout] = {}  # of results of the accelerator
        self.stages: dict[str, int] = {}  # of computed tensors
        self.on_cpu: set[str] = set()

    def place(self, node: Node) -> Record:
        if node.index in self.graph.folded:
            return Record(node, Where.CONSTANT)
        source = self.roots.get(node.input(0), node.input(0))
        renames = is_view(self.graph, node)
        if renames and source not in self.on_cpu and source not in self.graph.constants:
            self.roots[node.outputs[0]] = source
            if source in self.stages:
                self.stages[node.outputs[0]] = self.stages[source]
            return Record(node, Where.VIEW, note=f"the memory of {source}", stage=self.stages.get(source, 0))
        judged = Refusal("follows a node on the CPU") if renames else self._judge(node)
        if isinstance(judged, Refusal):
            # A CPU node that needs a result of the accelerator waits for the next island.
            stage = max((self.stages[name] + (name not in self.on_cpu) for name in node.inputs if name in self.stages), default=0)
            record = Record(node, Where.CPU, judged.reason, macs=count_macs(self.graph, node), stage=stage)
            self.on_cpu.update(node.outputs)
        else:
            call, plan, note = judged
            stage = max((self.stages[name] for name in node.inputs if name in self.stages), default=0)
            record = Record(node, Where.ACCELERATOR, "", note, plan.macs, stage, call, plan)
            self.layouts[node.outputs[0]] = call.layout
        self.stages.update(dict.fromkeys(node.outputs, stage))
        return record

    def _judge(self, node: Node) -> tuple[KernelCall, Plan, str] | Refusal:
        views = {view: self.layouts[root] for view, root in self.roots.items() if root in self.layouts}
        calls = describe(self.graph, node, self.layouts | views)
        if isinstance(calls, Refusal):
            return calls
        if len(calls) > 1:
            return Refusal(f"{len(calls)} results")
        (call,) = calls
        plan = call.plan(self.machine)
        return plan if isinstance(plan, Refusal) else (call, plan, call.note)
