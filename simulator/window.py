"""A window of a launch: cycles, or the instructions of some source lines."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import Program

_FOREVER = 1 << 62


@dataclass(frozen=True)
class Window:
    """Cycles `first` to `last`, of the instructions of source lines `first_line` to `last_line` only if those aren't 0."""

    first: int = 0
    last: int = _FOREVER
    first_line: int = 0
    last_line: int = 0

    @property
    def is_by_line(self) -> bool:
        """Whether it names lines."""
        return self.first_line > 0

    def instructions(self, program: Program) -> NDArray[np.bool_]:
        """Which instructions it wants; ValueError if none of its lines has one."""
        if not self.is_by_line:
            return np.ones(len(program.words), np.bool_)
        chosen = [line is not None and self.first_line <= line.line <= self.last_line for line in program.lines]
        if not any(chosen):
            raise ValueError(f"{program.name} has no instruction at lines {self.first_line} to {self.last_line}")
        return np.array(chosen, np.bool_)


def parse_window(text: str) -> Window:
    """A window as written: `FIRST:LAST` (cycles) or `line:FIRST-LAST`; ValueError says what is wrong."""
    if match := re.fullmatch(r"(\d+):(\d+)", text):
        first, last = int(match[1]), int(match[2])
        if first <= last < _FOREVER:
            return Window(first, last)
    elif match := re.fullmatch(r"line:(\d+)(?:-(\d+))?", text):
        first, last = int(match[1]), int(match[2] or match[1])
        if 0 < first <= last:
            return Window(first_line=first, last_line=last)
    raise ValueError(f"{text}: expected FIRST:LAST in cycles, or line:FIRST-LAST, the smaller one first")
