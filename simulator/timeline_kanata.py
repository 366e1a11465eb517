"""Timelines as Kanata text for the pipeline viewer Konata: a row for each instruction, stages Q (dispatched, queued), X (beats), C (until
its results are there)."""

from collections import deque
from collections.abc import Iterator

import numpy as np

from accelkit.isa.files import encode_names
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CHANNELS, PORT_UNIT, Channel, Port, channels_posted, channels_waited
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.lines import Sources, line_text, place
from accelkit.simulator.observe import Ending
from accelkit.simulator.timeline import Sink
from accelkit.simulator.window import Window

_TENSOR_UNITS = range(st.UNITS)


class Kanata:
    """An observer that writes a launch as Kanata text. What is written waits only until no earlier event can come."""

    def __init__(self, sink: Sink, window: Window | None = None, sources: Sources | None = None) -> None:
        self._sink = sink
        self._window = window or Window()
        self._sources = sources or {}
        self._cycle = 0  # of the text so far
        self._offset = 0
        self._rows = 0  # instructions shown
        self._retired = 0
        sink.write(b"Kanata\t0004\nC=\t0\n")

    def begin(self, machine: Machine, program: Program) -> None:
        """A launch begins where the one before ended; ValueError if the window has nothing of the program."""
        self._machine = machine
        self._wanted = self._window.instructions(program)
        self._texts = [f"{place(program, pc)}: {line_text(program, pc, self._sources)}" for pc in range(len(program.words))]
        rows = descriptors.rows()
        self._is_queued = [int(rows.unit[word & 0xFF]) in _TENSOR_UNITS for word in program.words]
        self._dispatched = 0
        self._open: dict[int, int] = {}  # row by number of dispatch
        self._posted: list[deque[int]] = [deque() for _ in CHANNELS]  # rows of posts that nothing has taken, -1 if not shown
        self._pending: list[tuple[int, int, str]] = []  # cycle, order, text

    def see(self, launch: st.Launch) -> None:
        """Write what happened since the last call, as far as nothing earlier can follow."""
        for pc, d in launch.log[: launch.timing.log_count, [st.LOG_PC, st.LOG_CYCLE]].tolist():
            self._dispatch(pc, d)
            self._dispatched += 1
        for record in launch.chunk[: launch.timing.chunk_count]:
            self._issue(record)
        self._write(int(min(launch.timing.last, launch.timing.next_issue)))

    def end(self, ending: Ending) -> None:
        """Write the rest; what never issued is flushed."""
        for row in self._open.values():
            self._add(ending.cycles, f"R\t{row}\t0\t1")
        self._write(1 << 62)
        self._offset += ending.cycles + self._machine.launch_cycles

    def close(self) -> None:
        """Nothing follows the last line."""

    def _dispatch(self, pc: int, d: int) -> None:
        if not 0 <= pc < len(self._wanted) or not self._wanted[pc] or not self._window.first <= d <= self._window.last:
            return
        row = self._rows
        self._rows += 1
        self._add(d, f"I\t{row}\t{self._dispatched}\t0\nL\t{row}\t0\t{self._texts[pc]}\nS\t{row}\t0\tQ")
        if self._is_queued[pc]:
            self._open[self._dispatched] = row
        else:
            self._add(d + 1, f"R\t{row}\t{self._retire()}\t0")

    def _issue(self, record: st.Record) -> None:
        row = self._open.pop(int(record.number), -1)
        port = Port(int(descriptors.rows().port[record.op]))
        for channel in _channels(channels_waited(PORT_UNIT[port]), int(record.wait), is_wait=True):
            producer = self._posted[channel.number].popleft()
            if row >= 0 and producer >= 0:
                self._add(int(record.s), f"W\t{row}\t{producer}\t0")
        for channel in _channels(channels_posted(port), int(record.post), is_wait=False):
            self._posted[channel.number].append(row)
        if row < 0:
            return
        self._add(int(record.s), f"S\t{row}\t0\tX")
        if record.c > record.e:
            self._add(int(record.e) + 1, f"S\t{row}\t0\tC")
        self._add(int(record.c) + 1, f"R\t{row}\t{self._retire()}\t0")

    def _retire(self) -> int:
        self._retired += 1
        return self._retired - 1

    def _add(self, cycle: int, text: str) -> None:
        self._pending.append((cycle + self._offset, len(self._pending), text))

    def _write(self, until: int) -> None:
        """Write everything before a cycle of the launch, in order."""
        self._pending.sort()
        limit = until + self._offset
        count = int(np.searchsorted([cycle for cycle, _, _ in self._pending], limit))
        lines = []
        for cycle, _, text in self._pending[:count]:
            if cycle > self._cycle:
                lines.append(f"C\t{cycle - self._cycle}")
                self._cycle = cycle
            lines.append(text)
        self._pending = [(cycle, order, text) for order, (cycle, _, text) in enumerate(self._pending[count:])]
        self._sink.write(encode_names("".join(f"{line}\n" for line in lines)))


def _channels(channels: tuple[Channel, ...], mask: int, is_wait: bool) -> Iterator[Channel]:
    """Channels whose bit is in a mask of waits or posts."""
    return (channel for channel in channels if mask >> (channel.wait_bit if is_wait else channel.post_bit) & 1)
