"""What is known of a checker or port fault beyond its class: the places it is about, the instructions that took part, a text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.row import Memory

Ranges = tuple[tuple[int, int], ...]  # first and last, both inclusive
_MOST_RANGES = 4  # that a text names
_REGIONS = {Memory.SCRATCHPAD: "sp", Memory.ACCUMULATOR: "acc"}


@dataclass(frozen=True)
class Part:
    """An instruction and its part in a fault. `role` is "fault", "other" (of two in no order), "holder" (of a port), "writer" (of what was
    there before), "later writer", "poster" or "waiter" (of tokens that are left). It issued `count` times, at last in cycle `issue`."""

    role: str
    pc: int
    issue: int
    complete: int
    count: int = 1


@dataclass(frozen=True)
class Detail:
    """`ranges` of a memory are the rows (DRAM: bytes) at fault, `nbytes` of them. `lines` say it all to a person; `fix` is a likely one, if
    one is more likely than that of the class."""

    lines: tuple[str, ...]
    parts: tuple[Part, ...]
    memory: Memory | None = None
    ranges: Ranges = ()
    nbytes: int = 0
    fix: str = ""

    def of(self, role: str) -> Part | None:
        """The first part with that role."""
        return next((part for part in self.parts if part.role == role), None)


def as_json(detail: Detail, place: Callable[[int], str], text: Callable[[int], str]) -> dict[str, Any]:
    """For a JSON file; `place` and `text` name an instruction."""
    return {
        "memory": None if detail.memory is None else detail.memory.name.lower(),
        "ranges": [list(one) for one in detail.ranges],
        "bytes": detail.nbytes,
        "instructions": [
            {
                "role": part.role,
                "instruction": part.pc,
                "place": place(part.pc),
                "text": text(part.pc),
                "issue": part.issue,
                "complete": part.complete,
                "count": part.count,
            }
            for part in detail.parts
        ],
        "lines": list(detail.lines),
    }


def ranges_of(places: NDArray[np.int64]) -> Ranges:
    """Runs of neighbours in sorted places without repeats."""
    if not len(places):
        return ()
    breaks = np.flatnonzero(np.diff(places) > 1)
    firsts = places[np.concatenate([[0], breaks + 1])].tolist()
    lasts = places[np.concatenate([breaks, [len(places) - 1]])].tolist()
    return tuple(zip(firsts, lasts, strict=True))


def width(memory: Memory, machine: Machine) -> int:
    """Bytes of a place: a row, or a byte of DRAM."""
    return {Memory.SCRATCHPAD: machine.lanes, Memory.ACCUMULATOR: 4 * machine.array_columns, Memory.DRAM: 1}[memory]


def places_text(memory: Memory, ranges: Ranges, program: Program) -> str:
    """`scratchpad rows 0..7`, with the region that holds the first of them."""
    form = "#x" if memory is Memory.DRAM else "d"
    shown = [f"{first:{form}}..{last:{form}}" if last > first else f"{first:{form}}" for first, last in ranges[:_MOST_RANGES]]
    if len(ranges) > _MOST_RANGES:
        shown.append(f"... {ranges[-1][1]:{form}}")
    thing = "DRAM byte" if memory is Memory.DRAM else f"{memory.name.lower()} row"
    is_one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    names = [
        region.name
        for region in program.regions
        if region.memory == _REGIONS.get(memory) and region.first_row <= ranges[0][0] < region.first_row + region.rows
    ]
    of_region = f" (in {', '.join(names)})" if names else ""
    return f"{thing}{'' if is_one else 's'} {', '.join(shown)}{of_region}"
