"""Timelines for Perfetto's viewer: an observer that writes what units did, cycle by cycle, while launches run.

One nanosecond of the timeline is one cycle. A track per port (the array's preloads and runs have one each) shows beats and, between
them, stalls by class; the sequencer's shows dispatches; counters show how many instructions are in each queue; arrows lead from
the post of a token to the wait that took it. Memory is bounded: events go out as they come.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import QUEUED_UNITS, Port
from accelkit.simulator import descriptors
from accelkit.simulator.account import Account
from accelkit.simulator.core import state as st
from accelkit.simulator.core import timeline as core
from accelkit.simulator.lines import Sources
from accelkit.simulator.observe import Ending
from accelkit.simulator.window import Window

TRACKS = (*(port.name.lower() for port in Port), "sequencer", "launches")
MANY_EVENTS = 1_000_000

_EVENTS = 1 << 14
_BYTES = 1 << 20


class Sink(Protocol):
    """Where bytes go."""

    def write(self, content: bytes | memoryview, /) -> object:
        """Take the next bytes."""


class Encoder(Protocol):
    """A format: bytes before, for a program that begins, for a table of events, for a launch as a whole, and after."""

    def header(self) -> bytes:
        """Before everything."""

    def program(self, program: Program, sources: Sources) -> bytes:
        """Before the first event of a launch of a program."""

    def encode(self, timeline: st.Record, out: NDArray[np.uint8], events: st.Array, chunk: st.Array, first: int) -> int:
        """Bytes of events from `first` on into `out` up to `timeline.position`; the first event that found no room."""

    def launch(self, name: str, first: int, until: int) -> bytes:
        """A slice for a launch."""

    def footer(self) -> bytes:
        """After everything."""


class Timeline:
    """An observer that writes all launches of a session, one after the other, `launch_cycles` between them, to `sink`.

    The window's cycles count from the begin of each launch. Without `has_scalars` the sequencer's track shows what it waits for, but not
    each dispatch. `warn` is called once, when the timeline comes to `MANY_EVENTS`.
    """

    def __init__(
        self,
        sink: Sink,
        encoder: Encoder,
        window: Window | None = None,
        sources: Sources | None = None,
        has_scalars: bool = True,
        warn: Callable[[], None] | None = None,
    ) -> None:
        self.events = 0
        self.sees_scalars = has_scalars
        self._sink = sink
        self._encoder = encoder
        self._window = window or Window()
        self._sources = sources or {}
        self._warn = warn
        self._offset = 0
        self._table = np.zeros((_EVENTS, core.FIELDS), np.int64)
        self._out = np.zeros(_BYTES, np.uint8)
        self._account = Account(keeps_spans=True)
        self._has_header = False

    def begin(self, machine: Machine, program: Program) -> None:
        """A launch begins where the one before ended; ValueError if the window has nothing of the program."""
        self._machine = machine
        self._program = program
        self._wanted = self._window.instructions(program)
        self._account.begin(machine, program)
        state = descriptors.record(core.TIMELINE)
        state.offset = self._offset
        state.first, state.last = self._window.first, self._window.last
        state.has_scalars = self.sees_scalars
        state.shows_depths = not self._window.is_by_line
        self._state = state
        if not self._has_header:
            self._sink.write(self._encoder.header())
            self._has_header = True
        self._sink.write(self._encoder.program(program, self._sources))

    def see(self, launch: st.Launch) -> None:
        """Write what happened since the last call."""
        self._account.see(launch)
        rows, spans = descriptors.rows(), self._account.spans
        self._state.span = 0
        first, count = 0, int(launch.timing.chunk_count)
        while first < count:
            first = core.issued(rows, self._state, self._table, self._wanted, launch.chunk, spans, first, count)
            self._encode(launch.chunk)
        first, count = 0, int(launch.timing.log_count)
        while first < count:
            first = core.dispatched(self._state, self._table, self._wanted, launch.log, first, count)
            self._encode(launch.chunk)

    def end(self, ending: Ending) -> None:
        """Write how the queues emptied, and the launch as a whole."""
        for unit in QUEUED_UNITS:
            core.depart(self._state, self._table, unit, ending.cycles)
        self._encode(ending.launch.chunk)
        self._write()
        name = f"{ending.label} ({self._program.name})" if ending.label else self._program.name
        self._sink.write(self._encoder.launch(name, self._offset, self._offset + ending.cycles))
        self._offset += ending.cycles + self._machine.launch_cycles

    def close(self) -> None:
        """Write the end of the timeline."""
        if not self._has_header:
            self._sink.write(self._encoder.header())
        self._sink.write(self._encoder.footer())

    def _encode(self, chunk: st.Array) -> None:
        """Empty the table of events: the chunk that they point into is used again."""
        count = int(self._state.events)
        if self.events < MANY_EVENTS <= self.events + count and self._warn is not None:
            self._warn()
        self.events += count
        first = 0
        while first < count:
            first = self._encoder.encode(self._state, self._out, self._table, chunk, first)
            if first < count:
                self._write()
        self._state.events = 0

    def _write(self) -> None:
        """Write the bytes of events, which wait until there are many."""
        self._sink.write(self._out[: self._state.position].data)
        self._state.position = 0
