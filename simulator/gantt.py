"""A chart of a window of a launch: a row for each instruction, a column for each cycle."""

from collections.abc import Iterator

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CycleClass
from accelkit.simulator.account import Account
from accelkit.simulator.core import account as core
from accelkit.simulator.core import state as st
from accelkit.simulator.lines import Sources, line_text, place
from accelkit.simulator.observe import Ending
from accelkit.simulator.window import Window

WIDEST = 400  # cycles; more can't be read
DEFAULT_CYCLES = 100
_LETTERS = {
    CycleClass.DRAIN: "d",
    CycleClass.OUTSTANDING: "o",
    CycleClass.WAIT_LOAD: "l",
    CycleClass.WAIT_STORE: "s",
    CycleClass.WAIT_PRELOAD: "p",
    CycleClass.WAIT_RUN: "r",
    CycleClass.WAIT_VECTOR: "v",
}
LEGEND = (
    "D dispatch, q queued behind others, # beats, - until its results are there, C completion;\n"
    "the oldest in its queue waits for: d drain, o outstanding, a token of l load, s store, p preload, r run, v vector"
)


class Gantt:
    """An observer that keeps what a chart of a window of at most `WIDEST` cycles shows."""

    def __init__(self, window: Window) -> None:
        """ValueError if the window is too wide."""
        if not window.is_by_line and window.last - window.first >= WIDEST:
            raise ValueError(f"a window of {window.last - window.first + 1:,} cycles; a chart shows at most {WIDEST}")
        self._window = window
        self._account = Account(keeps_spans=True)

    def begin(self, machine: Machine, program: Program) -> None:
        """Forget the launch before."""
        self._account.begin(machine, program)
        self._program = program
        self._wanted = np.append(self._window.instructions(program), False)  # the last one: pc outside
        self._dispatched = 0
        self._first = self._window.first
        self._last = self._window.last
        self._events: dict[int, tuple[int, int, int, int, int]] = {}  # pc, d, s, e, c by number of dispatch
        self._stalls: dict[int, list[tuple[int, int, int]]] = {}  # class, first, until

    def see(self, launch: st.Launch) -> None:
        """Keep what lies in the window."""
        self._account.see(launch)
        self._see_dispatches(launch.log[: launch.timing.log_count])
        for record in launch.chunk[: launch.timing.chunk_count]:
            if record.d <= self._last and record.c >= self._first and self._wanted[record.pc]:
                events = record.pc, record.d, record.s, record.e, record.c
                self._events[int(record.number)] = tuple(int(one) for one in events)  # type: ignore[assignment]
        spans = self._account.spans
        inside = (spans[:, core.SPAN_FIRST] <= self._last) & (spans[:, core.SPAN_UNTIL] > self._first)
        for span in spans[inside & self._wanted[spans[:, core.SPAN_PC]]]:
            stall = int(span[core.SPAN_CLASS]), int(span[core.SPAN_FIRST]), int(span[core.SPAN_UNTIL])
            self._stalls.setdefault(int(span[core.SPAN_NUMBER]), []).append(stall)

    def end(self, ending: Ending) -> None:
        """The chart ends where the launch does."""
        self._last = min(self._last, max(ending.cycles - 1, self._first))

    def _see_dispatches(self, log: st.Array) -> None:
        """Dispatches in the window; a window by line begins with the first of its instructions."""
        pcs = np.where((log[:, st.LOG_PC] >= 0) & (log[:, st.LOG_PC] < len(self._wanted)), log[:, st.LOG_PC], -1)
        cycles = log[:, st.LOG_CYCLE]
        wanted = self._wanted[pcs]
        if self._window.is_by_line and self._last == self._window.last and wanted.any():
            self._first = int(cycles[wanted][0])
            self._last = self._first + WIDEST // 2 - 1
        for index in np.flatnonzero(wanted & (cycles >= self._first) & (cycles <= self._last)).tolist():
            self._events.setdefault(self._dispatched + index, (int(pcs[index]), int(cycles[index]), -1, -1, -1))
        self._dispatched += len(log)

    def chart(self, sources: Sources | None = None) -> str:
        """The chart and what its letters mean."""
        width = self._last - self._first + 1
        rows = [
            (place(self._program, pc), line_text(self._program, pc, sources or {}), self._cells(number))
            for number, (pc, *_) in sorted(self._events.items())
        ]
        names = [name.rpartition(":")[2] for name, _, _ in rows]
        pad = max([4, *map(len, names)])
        ruler = "".join(_ruler(self._first, width))
        lines = [f"cycles {self._first} to {self._last}", f"{'line':>{pad}}  {ruler}"]
        lines += [f"{name:>{pad}}  {cells}  {text}" for name, (_, text, cells) in zip(names, rows, strict=True)]
        return "\n".join([*(line.rstrip() for line in lines), "", LEGEND])

    def _cells(self, number: int) -> str:
        _, d, s, e, c = self._events[number]
        cells = [" "] * (self._last - self._first + 1)

        def fill(first: int, until: int, letter: str) -> None:
            for cycle in range(max(first, self._first), min(until, self._last + 1)):
                cells[cycle - self._first] = letter

        if s >= 0:
            fill(d + 1, s, "q")
            for cls, first, until in self._stalls.get(number, ()):
                if letter := _LETTERS.get(CycleClass(cls)):
                    fill(first, until, letter)
            fill(s, e + 1, "#")
            fill(e + 1, c, "-")
            fill(max(c, e + 1), c + 1, "C")
        fill(d, d + 1, "D")
        return "".join(cells)


def _ruler(first: int, width: int) -> Iterator[str]:
    """A tick every ten cycles, with the cycle's number."""
    place = 0
    while place < width:
        cycle = first + place
        text = f"|{cycle}" if cycle % 10 == 0 and len(f"|{cycle}") <= width - place else "."
        yield text
        place += len(text)
