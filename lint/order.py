"""Happens-before over a trace: which conflicting accesses nothing orders, and which tokens order nothing that matters.

Instructions come in the order of `Schedule.order`, a linear extension of happens-before, so that the latest access of each port decides
(docs/adr/0007). Clocks say, for each port, how many of its instructions have surely completed; they have a lane for the program as it
stands (0) and one for each group of tokens that is left out.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from accelkit.isa.row import Memory
from accelkit.isa.units import QUEUED_UNITS, Port
from accelkit.lint.capture import Captured
from accelkit.lint.groups import Pair
from accelkit.lint.schedule import FENCE, Schedule
from accelkit.lint.sequencer import Trace
from accelkit.lint.shadow import Ints, Shadow, Sight, exempt, exempt_ports, slot_ports, slots_of
from accelkit.lint.walk import Walk


@dataclass(frozen=True)
class Conflict:
    """Two tensor instructions (numbers in the trace) that nothing orders: on the same row or byte, or on a port of the same bank.

    `place` is the row, byte or bank; `first` and `second` are in order of dispatch, with the kind of their accesses.
    """

    first: int
    second: int
    first_writes: bool
    second_writes: bool
    memory: Memory
    place: int
    is_bank: bool


@dataclass
class Judgement:
    """What a trace shows. `conflicts` has the first conflict of each two places in the program; `unwritten` reads of what nothing wrote,
    (number, walk, row); `outside` accesses outside buffers, (number, text). `is_needed[lane]` says that without a lane's group a conflict
    appears that is not there with it. `used[number]`: something was read that this instruction wrote."""

    conflicts: dict[tuple[int, int, bool], Conflict] = field(default_factory=dict)
    unwritten: list[tuple[int, Walk, int]] = field(default_factory=list)
    outside: list[tuple[int, str]] = field(default_factory=list)
    is_needed: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, np.bool_))
    used: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))


class Judge:
    """Goes through one trace. `lanes[pair]` are the lanes (from 1) in which a pair of post and wait is left out."""

    def __init__(
        self, trace: Trace, made: Schedule, shadow: Shadow, lanes: dict[Pair, list[int]] | None = None, count: int = 0
    ) -> None:
        self.trace, self.made, self.shadow = trace, made, shadow
        self.keep: dict[Pair, Ints] = {}
        for pair, left_out in (lanes or {}).items():
            self.keep[pair] = np.ones((count + 1, 1), np.int64)
            self.keep[pair][left_out] = 0
        shape = (count + 1, len(Port))
        self.clocks = {unit: np.zeros(shape, np.int64) for unit in QUEUED_UNITS}
        self.numbers: dict[Port, list[int]] = {port: [] for port in Port}  # tensor instructions of each port in order
        self.completed: dict[int, Ints] = {}  # clock at the completion of instructions that post
        self.result = Judgement(is_needed=np.zeros(count + 1, np.bool_), used=np.zeros(len(trace.tensors), np.bool_))

    def run(self) -> Judgement:
        """Judge everything that issues."""
        for number in self.made.order:
            if number == FENCE:
                sequence = np.array([len(self.numbers[port]) for port in Port], np.int64)
                for clock in self.clocks.values():
                    clock[:] = sequence
                continue
            tensor = self.trace.tensors[number]
            clock = self._take(number, tensor)
            self._check(number, tensor, clock)
            self.numbers[tensor.port].append(number)
            if tensor.posts:
                done = clock.copy()
                done[:, tensor.port] = len(self.numbers[tensor.port])
                if tensor.port is Port.RUN:  # a run completes after every preload before it
                    done[:, Port.PRELOAD] = len(self.numbers[Port.PRELOAD])
                self.completed[number] = done
        return self.result

    def _take(self, number: int, tensor: Captured) -> Ints:
        clock = self.clocks[tensor.unit]
        for channel, post in zip(tensor.waits, self.made.taken.get(number, ()), strict=True):
            known = self.completed[post]
            keep = self.keep.get((channel, self.trace.tensors[post].pc, tensor.pc))
            np.maximum(clock, known if keep is None else known * keep, out=clock)
        return clock

    def _check(self, number: int, tensor: Captured, clock: Ints) -> None:
        sights: list[Sight] = []
        for walk in tensor.walks:
            found = self.shadow.sights(walk, tensor.port)
            if isinstance(found, str):
                self.result.outside.append((number, found))
            else:
                sights += found
        for sight in sights:
            self._check_rows(number, tensor, sight, clock)
        for walk in tensor.walks:
            if walk.memory is not Memory.DRAM:
                self._check_banks(number, tensor, walk, clock)
        sequence = len(self.numbers[tensor.port]) + 1
        for sight in sights:
            sight.own[...] = sequence
            if sight.walk.is_write:
                sight.is_written[...] = True
                sight.writer[...] = number + 1
        for walk in tensor.walks:
            if walk.memory is not Memory.DRAM:
                first, last = self.shadow.bank_range(walk)
                self.shadow.banks[walk.memory, walk.is_write][tensor.port, first : last + 1] = sequence

    def _check_rows(self, number: int, tensor: Captured, sight: Sight, clock: Ints) -> None:
        walk = sight.walk
        if not walk.is_write:
            if not sight.is_written.all():
                self.result.unwritten.append((number, walk, _first_row(walk, ~sight.is_written)))
            self.result.used[sight.writer[sight.writer > 0] - 1] = True
        known = clock[:, slot_ports(walk.memory)] + exempt(walk.memory, tensor.port, walk.is_write)
        newest = sight.newest()
        late = newest > known
        if not late.any():
            return
        slots = slots_of(walk.memory)
        for slot in np.flatnonzero(late[0]):
            port, writes = slots[slot]
            other = self.numbers[port][newest[slot] - 1]
            place = _first_row(walk, sight.latest[slot] == newest[slot])
            self._note(number, other, walk.is_write, writes, walk.memory, place, False)
        self.result.is_needed |= (late & ~late[0]).any(axis=1)

    def _check_banks(self, number: int, tensor: Captured, walk: Walk, clock: Ints) -> None:
        first, last = self.shadow.bank_range(walk)
        users = self.shadow.banks[walk.memory, walk.is_write][:, first : last + 1]
        newest = users.max(axis=1)
        late = newest > clock + exempt_ports(tensor.port)
        if not late.any():
            return
        for port in np.flatnonzero(late[0]):
            other = self.numbers[Port(int(port))][newest[port] - 1]
            bank = first + int(np.argmax(users[port]))
            self._note(number, other, walk.is_write, walk.is_write, walk.memory, bank, True)
        self.result.is_needed |= (late & ~late[0]).any(axis=1)

    def _note(
        self, number: int, other: int, writes: bool, other_writes: bool, memory: Memory, place: int, is_bank: bool
    ) -> None:
        ends = sorted([(number, writes), (other, other_writes)])
        pcs = tuple(self.trace.tensors[end].pc for end, _ in ends)
        key = (pcs[0], pcs[1], is_bank)
        if key not in self.result.conflicts and (pcs[0], pcs[1], False) not in self.result.conflicts:
            (first, first_writes), (second, second_writes) = ends
            self.result.conflicts[key] = Conflict(first, second, first_writes, second_writes, memory, place, is_bank)


def _first_row(walk: Walk, mask: npt.NDArray[np.bool_]) -> int:
    """The row (DRAM: byte) of the first element of a walk's view that is marked."""
    return walk.at(int(np.argmax(mask.reshape(-1))))
