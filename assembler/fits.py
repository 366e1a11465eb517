"""Does a program fit the machines on which it is meant to run: those of its cases, and the one of `-m`?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from accelkit.assembler.diagnostics import Diagnostic, Note, Reject, Report
from accelkit.assembler.layout import Layout
from accelkit.assembler.syntax import Line, Span

if TYPE_CHECKING:
    from accelkit.isa.machine import Machine


class MachineUse:
    """A machine and the place that names it: a case, or nothing for `-m`."""

    def __init__(self, name: str, folder: Path, line: Line | None = None, span: Span | None = None) -> None:
        self.name = name
        self.folder = folder
        self.line = line
        self.span = span

    def note(self) -> tuple[Note, ...]:
        """The place, as a note."""
        if self.line is None or self.span is None:
            return ()
        return (Note(f"{self.name} is a machine of this case", self.line, self.span),)


def check_fits(layout: Layout, uses: Sequence[MachineUse]) -> list[Diagnostic]:
    """What does not fit, once for each machine."""
    report = Report()
    seen = set()
    for use in uses:
        if (use.name, use.folder) not in seen:
            seen.add((use.name, use.folder))
            machine = _load(use)
            if machine is not None:
                _check(layout, machine, use, report)
    return report.found


def _load(use: MachineUse) -> Machine | None:
    """The machine. None if a case names one that can't be had: the case then is the lint's to complain of, and the program is sound."""
    from accelkit.isa.machine import (  # only who names a machine pays for it
        MachineError,
        load_machine,
        presets,
    )

    try:
        return load_machine(use.name if use.name in presets() else use.folder / use.name)
    except MachineError:
        if use.line is None:
            raise
        return None


def _check(layout: Layout, machine: Machine, use: MachineUse, report: Report) -> None:
    rows = {"sp": machine.scratchpad_rows, "acc": machine.accumulator_rows}
    for placed in layout.regions:
        region = placed.region
        if region.first_row + region.rows > rows[region.memory]:
            with report.on(placed.line):
                where = f"rows {region.first_row}..{region.first_row + region.rows - 1}"
                message = f"region '{region.name}' has {where}; {region.memory} of {machine.name} has {rows[region.memory]} rows"
                raise Reject("E0602", message, placed.word.span, notes=use.note())
    for what, count, limit in (
        ("instructions", len(layout.words), machine.instruction_words),
        ("arguments", len(layout.arguments), machine.argument_words),
    ):
        if count > limit:
            line = use.line or Line("<command line>", 1, f"-m {use.name}")
            with report.on(line):
                message = f"the program has {count} {what}, {machine.name} has memory for {limit}"
                raise Reject("E0605", message, use.span or Span(3, len(line.text)))
