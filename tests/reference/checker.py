"""The slow, obvious checker: happens-before as a graph that is searched, and the whole history of every byte, row and bank port.

Judges a run of the reference machine by docs/adr/0003, "Checker": instructions in order of (issue, unit number), classes in their order.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import Memory
from accelkit.isa.units import Port, Unit
from tests.reference.beats import Write, beats_of
from tests.reference.decoded import dram_walks
from tests.reference.machine import Outcome
from tests.reference.ports import needs
from tests.reference.tensor import Memories, Tensor

ISSUE, COMPLETION = 0, 1
Place = tuple[Memory, int]
Event = tuple[int, int]  # (number of the instruction, ISSUE or COMPLETION)
Range = tuple[int, int, bool]  # first byte, bytes, whether stores may write it


@dataclass(frozen=True)
class Verdict:
    """What the checker finds: the class, the faulty instruction and the cycle of its issue; for a token leak None and the halt's cycle."""

    fault: Fault
    tensor: Tensor | None
    cycle: int


@dataclass
class State:
    """Memories before the run and what is initialised in them; `buffers` are the declared ranges of DRAM. Changed by `check`."""

    memories: Memories
    scratchpad_marks: npt.NDArray[np.bool_]
    accumulator_marks: npt.NDArray[np.bool_]
    dram_marks: npt.NDArray[np.bool_]
    buffers: Sequence[Range]
    history: dict[Place, list[tuple[Tensor, bool]]] = field(default_factory=lambda: defaultdict(list))
    port_users: dict[tuple[Memory, bool, int], list[Tensor]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def marks(self, memory: Memory) -> npt.NDArray[np.bool_]:
        """The initialised marks of a memory."""
        return {
            Memory.SCRATCHPAD: self.scratchpad_marks,
            Memory.ACCUMULATOR: self.accumulator_marks,
            Memory.DRAM: self.dram_marks,
        }[memory]

    def after_launch(self) -> "State":
        """The state with which the next launch starts: everything so far has completed."""
        return replace(self, history=defaultdict(list), port_users=defaultdict(list))


def completions_before_issue(outcome: Outcome) -> list[int]:
    """For each dispatched tensor instruction those whose completion happens before its issue, as bits by their numbers."""
    predecessors = _edges(outcome)
    before: dict[Event, int] = {}
    for event in TopologicalSorter(predecessors).static_order():
        before[event] = 0
        for earlier in predecessors[event]:
            before[event] |= before[earlier]
            if earlier[1] == COMPLETION:
                before[event] |= 1 << earlier[0]
    return [before[tensor.number, ISSUE] for tensor in outcome.tensors]


def _edges(outcome: Outcome) -> dict[Event, set[Event]]:
    """Nearest predecessors of every event."""
    edges: dict[Event, set[Event]] = {
        (t.number, end): set() for t in outcome.tensors for end in (ISSUE, COMPLETION)
    }
    last_of_unit: dict[Unit, int] = {}
    last_of_port: dict[Port, int] = {}
    fenced: set[int] = set()  # last of each port before the latest fence
    fences = set(outcome.fences)
    for tensor in outcome.tensors:
        number = tensor.number
        if number in fences:
            fenced = set(last_of_port.values())
        if tensor.s is None:
            continue
        edges[number, ISSUE] |= {(earlier, COMPLETION) for earlier in fenced}
        edges[number, COMPLETION].add((number, ISSUE))
        if tensor.unit in last_of_unit:
            edges[number, ISSUE].add((last_of_unit[tensor.unit], ISSUE))
        for port in (tensor.port, Port.PRELOAD) if tensor.port is Port.RUN else (tensor.port,):
            if port in last_of_port:
                edges[number, COMPLETION].add((last_of_port[port], COMPLETION))
        last_of_unit[tensor.unit] = last_of_port[tensor.port] = number
    for channel in range(len(outcome.tokens)):
        posts = [
            tensor.number for tensor in outcome.tensors if tensor.s is not None and channel in tensor.posts
        ]
        waits = [
            tensor.number for tensor in outcome.tensors if tensor.s is not None and channel in tensor.waits
        ]
        for post, wait in zip(posts, waits, strict=False):
            edges[wait, ISSUE].add((post, COMPLETION))
    return edges


def check(outcome: Outcome, state: State, machine: Machine) -> Verdict | None:
    """The first checker fault of a run, None if it is clean or a port fault came earlier (an instruction with both has the port fault).
    `state` goes along with the instructions."""
    before = completions_before_issue(outcome)
    issued = [tensor for tensor in outcome.tensors if tensor.s is not None]
    for tensor in sorted(issued, key=lambda tensor: (tensor.s, tensor.unit)):
        assert tensor.s is not None
        if outcome.verdict == "port fault" and (outcome.fault_cycle, outcome.issuer) <= (
            tensor.s,
            tensor.unit,
        ):
            return None
        fault = _check(tensor, before[tensor.number], state, machine)
        if fault is not Fault.NONE:
            return Verdict(fault, tensor, tensor.s)
    if outcome.verdict == "halted" and any(outcome.tokens):
        return Verdict(Fault.TOKEN_LEAK, None, outcome.events[-1][1])
    return None


def accessed(tensor: Tensor) -> tuple[list[Place], list[Place]]:
    """Rows and bytes that an instruction reads, and those that it writes."""
    touched = tensor.touched()
    reads = [(Memory.SCRATCHPAD, row) for row in touched.scratchpad_read]
    reads += [(Memory.ACCUMULATOR, row) for row in touched.accumulator_read]
    reads += [(Memory.DRAM, byte) for byte in touched.dram_read]
    writes = [(Memory.SCRATCHPAD, row) for row in touched.scratchpad_write]
    writes += [(Memory.ACCUMULATOR, row) for row in touched.accumulator_write]
    writes += [(Memory.DRAM, byte) for byte in touched.dram_write]
    return reads, writes


def _check(tensor: Tensor, before: int, state: State, machine: Machine) -> Fault:
    """Check one instruction in the order of the classes, then let it change the memories and the marks."""
    reads, writes = accessed(tensor)
    if not _is_in_buffers(tensor, state.buffers):
        return Fault.BUFFER
    if not all(state.marks(memory)[place] for memory, place in reads):
        return Fault.UNINITIALISED
    accesses = {*((place, False) for place in reads), *((place, True) for place in writes)}
    for place, is_write in accesses:
        for other, other_writes in state.history[place]:
            if (
                other.unit is not tensor.unit
                and (is_write or other_writes)
                and not before >> other.number & 1
            ):
                return Fault.RACE
    used = [(need.memory, need.is_write, bank) for need in needs(tensor, machine) for bank in need.banks]
    for port in used:
        if any(
            other.unit is not tensor.unit and not before >> other.number & 1
            for other in state.port_users[port]
        ):
            return Fault.BANK_ORDER
    tensor.has_overflow = False
    _execute(tensor, state.memories)
    if tensor.has_overflow:
        return Fault.OVERFLOW
    for place, is_write in accesses:
        state.history[place].append((tensor, is_write))
    for port in used:
        state.port_users[port].append(tensor)
    for memory, place in writes:
        state.marks(memory)[place] = True
    return Fault.NONE


def _execute(tensor: Tensor, memories: Memories) -> None:
    """Let an instruction do its work alone, a beat a cycle: it may read rows that it writes, before or after their writes take place."""
    later: dict[int, list[Write]] = defaultdict(list)
    for cycle, beat in enumerate(beats_of(tensor)):
        write = beat.act(memories)
        if write is not None:
            later[cycle + beat.delay].append(write)
        for due in later.pop(cycle, []):
            due()
    for cycle in sorted(later):
        for due in later[cycle]:
            due()


def _is_in_buffers(tensor: Tensor, buffers: Sequence[Range]) -> bool:
    """Whether every DRAM row of the instruction lies in one declared buffer, a writable one for stores."""
    for base, levels, nbytes in dram_walks(tensor.name, tensor.values):
        rows = [base]
        for count, step in levels:
            rows = [row + step * index for row in rows for index in range(count)]
        for row in rows:
            holding = [
                is_writable
                for first, size, is_writable in buffers
                if first <= row and row + nbytes <= first + size
            ]
            if not holding or (tensor.name.startswith("store") and not holding[0]):
                return False
    return True
