"""Rows and bytes that an instruction touches, from the table's walks. Slow and exact; the generator's programs are small."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.isa.row import Access, Instruction, Memory
from accelkit.isa.walks import level_count

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Footprint:
    """What one access of one instruction touches: sorted rows (DRAM: bytes) without repeats, and the banks it holds."""

    memory: Memory
    is_write: bool
    places: Places
    banks: frozenset[int]

    def meets(self, other: "Footprint") -> bool:
        """Whether the two touch a common place and one of them writes."""
        if self.memory is not other.memory or not (self.is_write or other.is_write):
            return False
        if self.places[-1] < other.places[0] or other.places[-1] < self.places[0]:
            return False
        return bool(np.intersect1d(self.places, other.places, assume_unique=True).size)

    def shares_port(self, other: "Footprint") -> bool:
        """Whether the two use the same port of a common bank."""
        return (
            self.memory is other.memory and self.is_write == other.is_write and bool(self.banks & other.banks)
        )


def is_active(access: Access, values: Mapping[str, int]) -> bool:
    """Whether the flags of an instruction switch an access on."""
    return not access.when or bool(values[access.when.removeprefix("!")]) != access.when.startswith("!")


def offsets(row: Instruction, access: Access, values: Mapping[str, int], machine: Machine) -> Places:
    """Distances from the base of everything that a walk touches, in order; for DRAM of every byte."""
    walk = np.zeros(1, np.int64)
    for level in access.levels:
        steps = np.arange(level_count(row, level.count, values, machine), dtype=np.int64)
        walk = (walk[:, None] + steps * (1 if level.step == "@one" else values[level.step])).reshape(-1)
    if access.memory is Memory.DRAM:
        walk = (walk[:, None] + np.arange(values["bytes"])).reshape(-1)
    return walk


def span(row: Instruction, access: Access, values: Mapping[str, int], machine: Machine) -> tuple[int, int]:
    """Least and largest distance from the base, also of a walk with an invalid count (0 counts as 1) or one too long to write down."""
    distances = [
        (max(level_count(row, level.count, values, machine), 1) - 1)
        * (1 if level.step == "@one" else values[level.step])
        for level in access.levels
    ]
    last = max(values["bytes"], 1) - 1 if access.memory is Memory.DRAM else 0
    return sum(min(0, distance) for distance in distances), sum(
        max(0, distance) for distance in distances
    ) + last


def memory_size(memory: Memory, machine: Machine) -> int:
    """Rows of an on-chip memory, bytes of DRAM."""
    sizes = {
        Memory.SCRATCHPAD: machine.scratchpad_rows,
        Memory.ACCUMULATOR: machine.accumulator_rows,
        Memory.DRAM: machine.dram_bytes,
    }
    return sizes[memory]


def bank_rows(memory: Memory, machine: Machine) -> int:
    """Rows of one bank of an on-chip memory."""
    return machine.scratchpad_bank_rows if memory is Memory.SCRATCHPAD else machine.accumulator_bank_rows


def footprints(row: Instruction, values: Mapping[str, int], machine: Machine) -> list[Footprint]:
    """Footprints of all active accesses of an instruction that is valid."""
    found = []
    for access in row.accesses:
        if not is_active(access, values):
            continue
        places = np.unique(offsets(row, access, values, machine) + values[access.base])
        banks: frozenset[int] = frozenset()
        if access.memory is not Memory.DRAM:
            size = bank_rows(access.memory, machine)
            banks = frozenset(range(int(places[0]) // size, int(places[-1]) // size + 1))
        found.append(Footprint(access.memory, access.is_write, places, banks))
    return found
