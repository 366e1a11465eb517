"""Walks of captured instructions over the memories, from the table's `Access` rows, and views of NumPy arrays along them.

A walk over rows (DRAM: bytes) becomes a strided view, so that a test of all its rows is one NumPy call however they lie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.isa.row import Access, Instruction, Memory
from accelkit.isa.walks import level_count

Levels = tuple[tuple[int, int], ...]  # (count, step) from the outermost to the innermost; counts above 1, steps not 0


@dataclass(frozen=True)
class Walk:
    """One access of a captured instruction: `levels` lead from `base` to each row on chip, or to the first of `nbytes` bytes of each
    DRAM row (on chip `nbytes` is 1). `low` and `high` bound all rows or bytes."""

    memory: Memory
    is_write: bool
    base: int
    levels: Levels
    low: int
    high: int
    nbytes: int

    def view(self, array: npt.NDArray[Any], origin: int = 0) -> npt.NDArray[Any]:
        """The walk's elements of the last axis of `array`, whose element 0 is row `origin`; repeats stand in it repeatedly."""
        item, lead = array.itemsize, array.ndim - 1
        levels = self._levels()
        shape = (*array.shape[:lead], *(count for count, _ in levels))
        strides = (*array.strides[:lead], *(step * item for _, step in levels))
        return np.ndarray(shape, array.dtype, array, (self.base - origin) * item, strides)

    def at(self, place: int) -> int:
        """The row (DRAM: byte) of an element of a view, counted through all its axes."""
        levels = self._levels()
        indices = np.unravel_index(place, [count for count, _ in levels])
        return self.base + sum(int(index) * step for index, (_, step) in zip(indices, levels, strict=True))

    def _levels(self) -> Levels:
        return joined((*self.levels, (self.nbytes, 1))) or ((1, 1),)

    def rows(self) -> npt.NDArray[np.int64]:
        """First byte of every DRAM row (on chip: every row) in the order of the walk."""
        found = np.array([self.base], np.int64)
        for count, step in self.levels:
            found = (found[:, None] + step * np.arange(count)).reshape(-1)
        return found


def walk_of(row: Instruction, access: Access, values: Mapping[str, int], machine: Machine) -> Walk | None:
    """The walk of an access, None if the instruction's flags switch it off. `values` are operands and flags by name."""
    if access.when and bool(values[access.when.removeprefix("!")]) == access.when.startswith("!"):
        return None
    base = values[access.base]
    low = high = base
    levels = []
    for level in access.levels:
        count = level_count(row, level.count, values, machine)
        step = 1 if level.step == "@one" else values[level.step]
        reach = (count - 1) * step
        low, high = low + min(0, reach), high + max(0, reach)
        levels.append((count, step))
    nbytes = values["bytes"] if access.memory is Memory.DRAM else 1
    return Walk(access.memory, access.is_write, base, joined(levels), low, high + nbytes - 1, nbytes)


def joined(levels: Sequence[tuple[int, int]]) -> Levels:
    """The same rows with as few levels as possible: no level of one step or of repeats; neighbours that continue or overlap each other as
    one, so that no walk takes longer than it has rows."""
    result: list[tuple[int, int]] = []
    for count, step in levels:
        if count == 1 or step == 0:
            continue
        outer_count, outer_step = result[-1] if result else (0, 0)
        times, rest = divmod(outer_step, step)
        if result and rest == 0 and 0 < times <= count:
            result[-1] = ((outer_count - 1) * times + count, step)
        else:
            result.append((count, step))
    return tuple(result)


def memory_size(memory: Memory, machine: Machine) -> int:
    """Rows of an on-chip memory, bytes of DRAM."""
    if memory is Memory.DRAM:
        return machine.dram_bytes
    return machine.scratchpad_rows if memory is Memory.SCRATCHPAD else machine.accumulator_rows


def bank_rows(memory: Memory, machine: Machine) -> int:
    """Rows of one bank of an on-chip memory."""
    return machine.scratchpad_bank_rows if memory is Memory.SCRATCHPAD else machine.accumulator_bank_rows
