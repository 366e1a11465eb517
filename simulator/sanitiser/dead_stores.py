"""Dead stores: rows on chip that an instruction writes and nothing reads before they are overwritten, or before halt (docs/adr/0016)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.row import Memory
from accelkit.simulator import descriptors
from accelkit.simulator.core import dead_stores as core
from accelkit.simulator.core import state as st
from accelkit.simulator.explain import instruction, where
from accelkit.simulator.observe import Ending
from accelkit.simulator.sanitiser.detail import places_text, width


@dataclass(frozen=True)
class DeadStore:
    """Of `written` rows that an instruction wrote, so many were overwritten unread and so many left unread at halt. The first of them: its
    row, the cycle of the write's issue, and who overwrote it in which cycle (-1: nobody)."""

    pc: int
    memory: Memory
    written: int
    overwritten: int
    left: int
    row: int
    cycle: int
    by: int
    by_cycle: int


class DeadStores:
    """An observer of one launch. Rows are counted each time that they are written."""

    sees_scalars = False

    def begin(self, machine: Machine, program: Program) -> None:
        """A launch begins: what an earlier one left is its own matter."""
        self._config = descriptors.config(machine)
        self._scratchpad = np.zeros((machine.scratchpad_rows, core.W_FIELDS), np.int64)
        self._accumulator = np.zeros((machine.accumulator_rows, core.W_FIELDS), np.int64)
        self._dead = np.zeros((len(program.words), core.D_FIELDS), np.int64)
        self.is_complete = False

    def see(self, launch: st.Launch) -> None:
        """Note what was read and written."""
        count = int(launch.timing.chunk_count)
        core.see(self._config, descriptors.rows(), launch.chunk, count, self._scratchpad, self._accumulator, self._dead)

    def end(self, ending: Ending) -> None:
        """After a fault that cut the launch short nothing is known of what would have been read."""
        self.is_complete = ending.is_complete

    def found(self) -> list[DeadStore]:
        """All of them, in order of the program."""
        if not self.is_complete:
            return []
        left: dict[int, tuple[Memory, st.Array, st.Array]] = {}  # an instruction writes one memory on chip
        for memory, latest in ((Memory.SCRATCHPAD, self._scratchpad), (Memory.ACCUMULATOR, self._accumulator)):
            writers = latest[:, core.W_WRITER]
            for writer in np.unique(writers[writers > 0]).tolist():
                left[writer - 1] = memory, np.flatnonzero(writers == writer), latest
        overwritten = np.flatnonzero(self._dead[:, core.D_OVERWRITTEN]).tolist()
        return [self._of(pc, left.get(pc)) for pc in sorted(left.keys() | set(overwritten))]

    def _of(self, pc: int, left: tuple[Memory, st.Array, st.Array] | None) -> DeadStore:
        one = [int(value) for value in self._dead[pc]]
        written, overwritten = one[core.D_WRITTEN], one[core.D_OVERWRITTEN]
        if overwritten:
            count = len(left[1]) if left else 0
            first = (one[core.D_ROW], one[core.D_CYCLE], one[core.D_BY], one[core.D_BY_CYCLE])
            return DeadStore(pc, Memory(one[core.D_MEMORY]), written, overwritten, count, *first)
        assert left is not None
        memory, rows, latest = left
        return DeadStore(pc, memory, written, 0, len(rows), int(rows[0]), int(latest[rows[0], core.W_CYCLE]), -1, -1)


def as_text(found: Sequence[DeadStore], program: Program, machine: Machine) -> str:
    """A warning for each."""
    return "\n".join(_warning(one, program, machine) for one in found)


def _warning(one: DeadStore, program: Program, machine: Machine) -> str:
    dead = one.overwritten + one.left
    nbytes = dead * width(one.memory, machine)
    ends = [f"{count:,} {how}" for count, how in ((one.overwritten, "overwritten"), (one.left, "left at halt")) if count]
    lost = f", overwritten in cycle {one.by_cycle} by {where(program, one.by)} ({instruction(program, one.by)})" if one.by >= 0 else ""
    return (
        f"{where(program, one.pc)}: warning: dead store: of {one.written:,} rows written, nothing reads {dead:,}"
        f" ({nbytes:,} bytes): {', '.join(ends)}\n"
        f"    {instruction(program, one.pc)}\n"
        f"  the first: {places_text(one.memory, ((one.row, one.row),), program)}, written in cycle {one.cycle}{lost}"
    )


def as_json(found: Sequence[DeadStore], program: Program, machine: Machine) -> list[dict[str, Any]]:
    """For a JSON file."""
    return [
        {
            "instruction": one.pc,
            "place": where(program, one.pc),
            "text": instruction(program, one.pc),
            "memory": one.memory.name.lower(),
            "rows_written": one.written,
            "rows_overwritten": one.overwritten,
            "rows_left": one.left,
            "bytes": (one.overwritten + one.left) * width(one.memory, machine),
            "first": {
                "row": one.row,
                "cycle": one.cycle,
                "overwritten_by": None if one.by < 0 else where(program, one.by),
                "overwritten_in_cycle": None if one.by < 0 else one.by_cycle,
            },
        }
        for one in found
    ]
