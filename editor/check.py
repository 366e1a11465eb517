"""What the assembler says of a text: all its errors and warnings, and the symbols' values if there are no errors; and what a lint says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from accelkit.assembler import Source, analyse
from accelkit.assembler.diagnostics import Diagnostic
from accelkit.isa.program import Program

# From a program, its texts by file name and the folder of machine files: warnings, and lines on what was not covered (lint/check.py).
Lint = Callable[[Program, Mapping[str, str], Path], tuple[Sequence[Diagnostic], Sequence[str]]]
Fix = Callable[[Program, Mapping[str, str], Path], str]  # the text with what the lint can mend


@dataclass(frozen=True)
class Checked:
    """Result of assembling a text. `values` are the symbols' values, empty if something is wrong; `uncovered` is what the lint left
    open."""

    diagnostics: tuple[Diagnostic, ...] = ()
    values: dict[str, int] = field(default_factory=dict)
    uncovered: tuple[str, ...] = ()
    program: Program | None = None


def check(source: str, path: Path, lint: Lint | None = None) -> Checked:
    """Assemble `source`, the text of `path`, and lint the program; files that it includes are read from the disk."""
    found = analyse([Source(source, path.name, path.parent)])
    if found.program is None:
        return Checked(found.diagnostics)
    values = {symbol.name: symbol.value for symbol in found.program.symbols}
    warned, uncovered = lint(found.program, {path.name: source}, path.parent) if lint else ((), ())
    return Checked((*found.diagnostics, *warned), values, tuple(uncovered), found.program)
