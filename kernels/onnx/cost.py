"""What a placement is chosen by: expected cycles of the machine, for work on either side and for tensors that cross between them.

The host is modelled by two numbers, because what matters is the order of magnitude: a launch against a call and a copy. It is a small
core beside the accelerator: 5 us for a call of ONNX Runtime, one operation a nanosecond. (An x86 core, one thread, without graph
optimisations: a run of one small node 5 us, convolutions 7 MAC/ns, additions and transpositions 4 to 15 elements/ns.) Nothing but the
choice of sides rests on them: the report shows measured host times.
"""

from __future__ import annotations

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.macs import count_macs
from accelkit.kernels.plan import Plan

HOST_CALL_NANOSECONDS = 5_000  # of each node there
HOST_OPERATIONS_PER_NANOSECOND = 1  # an element read, written or reordered, or a multiply-accumulate


def host_cycles(machine: Machine, graph: Graph, node: Node) -> int:
    """A node on the host, in cycles of the machine's clock."""
    elements = sum(_elements(graph, name) for name in (*node.inputs, *node.outputs) if name)
    return round(HOST_CALL_NANOSECONDS * machine.clock_ghz) + _host(machine, max(elements, count_macs(graph, node)))


def crossing_cycles(machine: Machine, graph: Graph, tensor: str) -> int:
    """A tensor on its way between host and DRAM: once over the bus, once through the host, which may have to reorder it.

    Nothing else: host and accelerator are taken to be on one chip, without a driver's call for each transfer.
    """
    kind = graph.types[tensor]
    assert kind.dtype is not None
    elements = _elements(graph, tensor)
    return -(-elements * kind.dtype.itemsize // machine.bus_bytes) + _host(machine, elements)


def plan_cycles(plan: Plan) -> int:
    """A plan's launches; its estimate has the cost of a launch for all but one."""
    return plan.estimate_cycles + plan.machine.launch_cycles


def _host(machine: Machine, operations: int) -> int:
    return round(operations / HOST_OPERATIONS_PER_NANOSECOND * machine.clock_ghz)


def _elements(graph: Graph, tensor: str) -> int:
    """Elements of a tensor, 0 if its shape isn't known."""
    kind = graph.types.get(tensor)
    return 0 if kind is None or kind.shape is None else kind.elements
