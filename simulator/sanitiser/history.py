"""Who touched a set of places in a launch, before an instruction and after it: found by a second timing pass, which goes as the first one
did, since time depends on no data."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.row import Memory
from accelkit.isa.table import TABLE
from accelkit.simulator import descriptors, passes
from accelkit.simulator.core import state as st
from accelkit.simulator.core.touching import find
from accelkit.simulator.generator.footprint import Footprint, footprints

Places = NDArray[np.int64]


class Touch(NamedTuple):
    """One access of one instruction to watched places; `positions` are theirs among the watched ones."""

    record: st.Record
    is_write: bool
    positions: Places


def values_of(record: st.Record) -> dict[str, int]:
    """Captured operands and flags by name."""
    row = TABLE.by_opcode[int(record.op)]
    values = {operand.name: int(record["values"][slot]) for slot, operand in enumerate(row.slots)}
    return values | {flag.name: int(record.flag_bits) >> bit & 1 for bit, flag in enumerate(row.flags)}


def footprints_of(record: st.Record, machine: Machine) -> list[Footprint]:
    """What an instruction on its way touches."""
    return footprints(TABLE.by_opcode[int(record.op)], values_of(record), machine)


def is_same(one: st.Record, other: st.Record) -> bool:
    """Whether two records are of one instruction on its way: a unit issues one in a cycle."""
    return bool(one.op == other.op and one.pc == other.pc and one.s == other.s)


def retrace(machine: Machine, start: st.Launch, see: Callable[[st.Array], bool]) -> None:
    """Show the issued instructions of a launch, in order, until `see` answers True or the launch ends. The bound on tokens that nothing
    takes may end it before."""

    def consume(chunk: st.Array, count: int) -> bool:
        return see(chunk[:count])

    with suppress(ValueError):
        passes.retrace(machine, start, consume)


class Watched:
    """Touches of places of one memory, up to an instruction at fault and the first writes after it."""

    def __init__(self, machine: Machine, memory: Memory, places: Places, fault: st.Record, looks_ahead: bool) -> None:
        self.before: list[Touch] = []
        self.after: list[Touch] = []  # writes alone
        self._machine = machine
        self._memory = memory
        self._places = places
        self._fault = fault
        self._is_before = True
        self._looks_ahead = looks_ahead
        self._missing = set(range(len(places)))  # of later writers

    def see(self, chunk: st.Array) -> bool:
        """Look at a chunk; True once there is nothing more to find."""
        config, rows = descriptors.config(self._machine), descriptors.rows()
        low, high, count = int(self._places[0]), int(self._places[-1]), len(chunk)
        at = count
        if self._is_before:
            is_fault = (chunk.s == self._fault.s) & (chunk.pc == self._fault.pc)
            at = int(np.argmax(is_fault)) if is_fault.any() else count
        first = 0
        while self._missing and (first := find(config, rows, chunk, first, count, self._memory, low, high)) < count:
            is_before = self._is_before and first < at
            if not (self._is_before and first == at):
                self._take(chunk[first : first + 1].copy()[0], is_before)
            first += 1
        self._is_before = self._is_before and at == count
        return not self._missing or not (self._is_before or self._looks_ahead)

    def _take(self, record: st.Record, is_before: bool) -> None:
        for footprint in footprints_of(record, self._machine):
            if footprint.memory is not self._memory or not (is_before or footprint.is_write):
                continue
            positions = np.flatnonzero(np.isin(self._places, footprint.places, assume_unique=True))
            if not len(positions):
                continue
            (self.before if is_before else self.after).append(Touch(record, footprint.is_write, positions))
            if not is_before:
                self._missing -= set(positions.tolist())

    def last_writers(self, of: Places, but: st.Record | None = None) -> list[Touch]:
        """For each position of `of` the latest write before the fault, leaving out an instruction; in order, each touch once, with the
        positions that it wrote last."""
        writes = [touch for touch in self.before if touch.is_write and not (but is not None and is_same(touch.record, but))]
        writer = np.full(len(self._places), -1)
        for number, touch in enumerate(writes):
            writer[touch.positions] = number
        chosen = np.zeros(len(writer), np.bool_)
        chosen[of] = True
        return [
            writes[number]._replace(positions=np.flatnonzero(chosen & (writer == number)))
            for number in np.unique(writer[of]).tolist()
            if number >= 0
        ]
