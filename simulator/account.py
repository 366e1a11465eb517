"""Where the cycles of launches went: for each instruction by unit and class, with the instruction that was to blame."""

from typing import NamedTuple

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CHANNELS, CycleClass, SequencerClass, Unit
from accelkit.simulator import descriptors
from accelkit.simulator.core import account as core
from accelkit.simulator.core import cells as table
from accelkit.simulator.core import state as st
from accelkit.simulator.observe import Ending

_FIRST_CELLS = 4096  # a power of two, as all sizes of the table


class Cell(NamedTuple):
    """Cycles of one unit that went to one class at one instruction. `pc` is -1 after the unit's last instruction, `blame` is -1 where
    no other instruction is to blame."""

    unit: Unit
    pc: int
    cls: CycleClass | SequencerClass
    blame: int
    cycles: int


class Account:
    """An observer that accounts every cycle of every unit; after several launches of a program, of all of them.

    The cells of a unit add up to the launch's cycles, those of a class to `LaunchResult.units` and `sequencer`, exactly, unless a port
    or checker fault cut the launch short (`is_complete`). Instead of cells it can keep `spans` [SPAN_FIELDS]: the stalls that the latest
    call of `see` met.
    """

    def __init__(self, keeps_spans: bool = False) -> None:
        self.is_complete = True
        self.cycles = 0
        self._words = 0
        self._keys = np.zeros(0 if keeps_spans else _FIRST_CELLS, np.int64)
        self._cycles = np.zeros_like(self._keys)
        self._spans = np.zeros((0, core.SPAN_FIELDS), np.int64)
        self._keeps_spans = keeps_spans
        self._state = descriptors.record(core.ACCOUNT)

    def begin(self, machine: Machine, program: Program) -> None:
        """Events start anew; ValueError at another program, whose cells would be mixed up with the first one's."""
        if not self._keeps_spans and self._words not in (0, len(program.words)):
            raise ValueError(f"{program.name}: an account is of one program")
        self._words = len(program.words)
        cells = self._state.cells
        self._config = descriptors.config(machine)
        self._state = descriptors.record(core.ACCOUNT)
        self._state.words = self._words
        self._state.cells = cells
        for name in ("last_pc", "preload_pc", "busy_until", "complete", "complete_pc", "complete_ring", "pc_ring"):
            self._state[name] = -1
        self._posts = np.zeros((len(CHANNELS), 32, core.POST_FIELDS), np.int64)

    def see(self, launch: st.Launch) -> None:
        """Account what happened since the last call."""
        self._state.spans = 0
        if self._keeps_spans and not len(self._spans):
            self._spans = np.zeros((len(launch.chunk) * core.MOST_SPANS, core.SPAN_FIELDS), np.int64)
        first, count = 0, int(launch.timing.chunk_count)
        rows = descriptors.rows()
        while True:
            arrays = (self._posts, self._keys, self._cycles, self._spans)
            first = core.issued(self._config, rows, self._state, *arrays, launch.chunk, first, count)
            if first == count:
                break
            self._grow()
        if self._keeps_spans:
            return
        first, count = 0, int(launch.timing.log_count)
        while True:
            first = core.dispatched(self._state, self._keys, self._cycles, launch.log, first, count)
            if first == count:
                break
            self._grow()

    def end(self, ending: Ending) -> None:
        """Account the cycles after each unit's last instruction."""
        self.is_complete &= ending.is_complete
        self.cycles += ending.cycles
        if self._keeps_spans or not ending.is_complete:
            return
        self._state.spans = 0
        self._grow(len(Unit) * table.MOST_CELLS)
        timing, arrays = ending.launch.timing, (self._posts, self._keys, self._cycles, self._spans)
        rows, total = descriptors.rows(), ending.cycles
        core.rest(self._config, rows, self._state, *arrays, timing, ending.launch.ring, total)
        spent = timing.sequencer_class - self._state.sequencer
        for cls in SequencerClass:
            if spent[cls]:
                pc = {SequencerClass.ENDED: -1, SequencerClass.BRANCH: int(self._state.last_pc)}.get(cls, int(timing.fault_pc))
                table.add(self._state, self._keys, self._cycles, Unit.SEQUENCER, pc, cls, -1, spent[cls])

    @property
    def spans(self) -> st.Array:
        """Stalls that the latest `see` met."""
        return self._spans[: self._state.spans]

    def cells(self) -> list[Cell]:
        """All cells that have cycles, ordered by instruction, unit, class and blame."""
        used = np.flatnonzero(self._cycles)
        rest, cls = np.divmod(self._keys[used] - 1, table.CLASSES)
        rest, unit = np.divmod(rest, len(Unit))
        pc, blame = np.divmod(rest, self._words + 1)
        cells = zip(pc.tolist(), unit.tolist(), cls.tolist(), blame.tolist(), self._cycles[used].tolist(), strict=True)
        return [
            Cell(Unit(u), p - 1, SequencerClass(c) if u == Unit.SEQUENCER else CycleClass(c), b - 1, n)
            for p, u, c, b, n in sorted(cells)
        ]

    def _grow(self, cells: int = table.MOST_CELLS) -> None:
        """Twice the room for what has run out, or will with so many more cells."""
        if np.any(self._state.posted - self._state.waited >= self._posts.shape[1]):
            self._posts = _with_room(self._posts, self._state)
        if self._keeps_spans or 2 * (self._state.cells + cells) <= len(self._keys):
            return
        keys = np.zeros(2 * len(self._keys), np.int64)
        cycles = np.zeros_like(keys)
        table.copy(self._keys, self._cycles, keys, cycles)
        self._keys, self._cycles = keys, cycles


def _with_room(posts: st.Array, state: st.Record) -> st.Array:
    """The posts that nothing has taken yet, with twice the room."""
    old = posts.shape[1]
    larger = np.zeros((len(posts), 2 * old, core.POST_FIELDS), np.int64)
    for channel in range(len(posts)):
        pending = np.arange(state.waited[channel], state.posted[channel])
        larger[channel, pending % (2 * old)] = posts[channel, pending % old]
    return larger
