"""What is known of every row and byte while a trace is judged: the latest access of each port, initialised or not, who wrote it.

Sequence numbers count the instructions of a port from 1. A *slot* is a port that reads, or a port that writes, a memory; which slots a
memory has follows from the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.isa.row import Memory
from accelkit.isa.table import TABLE
from accelkit.isa.units import PORT_UNIT, Port
from accelkit.lint.cases import Buffer
from accelkit.lint.walk import Walk, bank_rows, memory_size

Ints = npt.NDArray[np.int64]
NEVER = 1 << 60  # added to what is known: no access is later


@cache
def slots_of(memory: Memory) -> tuple[tuple[Port, bool], ...]:
    """(port, is_write) of every slot of a memory."""
    found = {
        (row.port, access.is_write)
        for row in TABLE.rows
        for access in row.accesses
        if row.port is not None and access.memory is memory
    }
    return tuple(sorted(found))


@cache
def slot_ports(memory: Memory) -> Ints:
    """The port of each slot."""
    return np.array([port for port, _ in slots_of(memory)], np.int64)


@cache
def exempt(memory: Memory, port: Port, is_write: bool) -> Ints:
    """NEVER for the slots that an access of `port` can't conflict with: those of its own unit, and reads if it reads; else 0."""
    return np.array(
        [
            NEVER if PORT_UNIT[other] is PORT_UNIT[port] or not (is_write or writes) else 0
            for other, writes in slots_of(memory)
        ],
        np.int64,
    )


@cache
def exempt_ports(port: Port) -> Ints:
    """NEVER for the ports of the unit that `port` belongs to, else 0."""
    return np.array([NEVER if PORT_UNIT[other] is PORT_UNIT[port] else 0 for other in Port], np.int64)


@dataclass(frozen=True)
class Area:
    """Arrays over the rows of a memory, or the bytes of a writable buffer, from `origin` on: `latest` [slots, rows], `is_written` and
    `writer` [rows] (0 for none, else the number of the tensor instruction plus 1)."""

    memory: Memory
    origin: int
    latest: Ints
    is_written: npt.NDArray[np.bool_]
    writer: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Sight:
    """An access seen through the arrays: views of the rows that its walk touches."""

    walk: Walk
    memory: Memory
    latest: Ints
    own: Ints
    is_written: npt.NDArray[np.bool_]
    writer: npt.NDArray[np.int32]
    axes: tuple[int, ...]

    def newest(self) -> Ints:
        """The largest sequence number of each slot over the walk."""
        result: Ints = self.latest.max(axis=self.axes) if self.axes else self.latest
        return result


def area(memory: Memory, size: int, origin: int = 0, initialised: npt.NDArray[np.bool_] | bool = False) -> Area:
    """Fresh arrays for `size` rows."""
    is_written = np.zeros(size, np.bool_)
    is_written[:] = initialised
    return Area(memory, origin, np.zeros((len(slots_of(memory)), size), np.int64), is_written, np.zeros(size, np.int32))


class Shadow:
    """The areas of a machine's memories. `initialised` are bool arrays over scratchpad and accumulator rows, all False if left out."""

    def __init__(
        self,
        machine: Machine,
        buffers: Sequence[Buffer],
        initialised: tuple[Any, Any] = (False, False),
        written_bytes: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.machine = machine
        self.buffers = buffers
        self.on_chip = {
            memory: area(memory, memory_size(memory, machine), 0, marks)
            for memory, marks in zip((Memory.SCRATCHPAD, Memory.ACCUMULATOR), initialised, strict=True)
        }
        self.banks = {
            (memory, is_write): np.zeros((len(Port), -(-memory_size(memory, machine) // bank_rows(memory, machine))), np.int64)
            for memory in self.on_chip
            for is_write in (False, True)
        }
        self._of_buffer: dict[str, Area] = {}
        self._seen: dict[tuple[Walk, Port], list[Sight] | str] = {}
        for address, nbytes in written_bytes:
            for buffer in buffers:
                if buffer.is_writable and buffer.holds(address, address + nbytes - 1):
                    first = address - buffer.address
                    self._area(buffer).is_written[first : first + nbytes] = True

    def sights(self, walk: Walk, port: Port) -> list[Sight] | str:
        """The views of an access; a text (what is wrong) if it leaves the declared buffers of DRAM, or stores to an input."""
        key = (walk, port)
        if key not in self._seen:
            self._seen[key] = self._look(walk, port)
        return self._seen[key]

    def bank_range(self, walk: Walk) -> tuple[int, int]:
        """First and last bank of an access on chip."""
        rows = bank_rows(walk.memory, self.machine)
        return walk.low // rows, walk.high // rows

    def _look(self, walk: Walk, port: Port) -> list[Sight] | str:
        if walk.memory is not Memory.DRAM:
            return [_sight(self.on_chip[walk.memory], walk, port)]
        whole = self._buffer_of(walk.low, walk.high)
        if whole is not None and (whole.is_writable or not walk.is_write):
            return [_sight(self._area(whole), walk, port)] if whole.is_writable else []
        found: list[Sight] = []
        for first in walk.rows().tolist():
            last = first + walk.nbytes - 1
            buffer = self._buffer_of(first, last)
            if buffer is None:
                return f"bytes {first:#x}..{last:#x} lie in no declared buffer{self._near(first, last)}"
            if walk.is_write and not buffer.is_writable:
                return f"bytes {first:#x}..{last:#x} belong to the input '{buffer.name}'"
            if buffer.is_writable:
                row = Walk(walk.memory, walk.is_write, first, (), first, last, walk.nbytes)
                found.append(_sight(self._area(buffer), row, port))
        return found

    def _area(self, buffer: Buffer) -> Area:
        if buffer.name not in self._of_buffer:
            self._of_buffer[buffer.name] = area(Memory.DRAM, buffer.nbytes, buffer.address, buffer.is_initialised)
        return self._of_buffer[buffer.name]

    def _buffer_of(self, low: int, high: int) -> Buffer | None:
        return next((buffer for buffer in self.buffers if buffer.holds(low, high)), None)

    def _near(self, first: int, last: int) -> str:
        for buffer in self.buffers:
            end = buffer.address + buffer.nbytes
            if first < end and buffer.address <= last:
                return f" ('{buffer.name}' is {buffer.address:#x}..{end - 1:#x})"
        return ""


def _sight(area: Area, walk: Walk, port: Port) -> Sight:
    latest = walk.view(area.latest, area.origin)
    return Sight(
        walk=walk,
        memory=walk.memory,
        latest=latest,
        own=latest[slots_of(walk.memory).index((port, walk.is_write))],
        is_written=walk.view(area.is_written, area.origin),
        writer=walk.view(area.writer, area.origin),
        axes=tuple(range(1, latest.ndim)),
    )
