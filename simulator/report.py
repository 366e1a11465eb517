"""Results of a launch as JSON and as text."""

from collections.abc import Sequence
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CycleClass
from accelkit.simulator.annotate import short_names
from accelkit.simulator.explain import instruction, where
from accelkit.simulator.lines import Line, worst_stalls
from accelkit.simulator.result import FaultReport, LaunchResult
from accelkit.simulator.sanitiser import detail

MOST_STALLS = 4  # of a summary
MOST_TEXT = 60  # characters of a line of source in it


def as_json(program: Program, machine: Machine, result: LaunchResult) -> dict[str, Any]:
    """Cycles, verdict and classes by name; every class of every unit, so that each unit adds up to `cycles`."""
    return {
        "program": program.name,
        "machine": machine.name,
        "machine_digest": machine.digest,
        "verdict": result.verdict.value,
        "cycles": result.cycles,
        "microseconds": result.cycles / machine.clock_ghz / 1e3,
        "instructions": result.instructions,
        "units": {
            u.name.lower(): {c.name.lower(): n for c, n in classes.items()}
            for u, classes in result.units.items()
        },
        "sequencer": {c.name.lower(): n for c, n in result.sequencer.items()},
        "fault": None if result.fault is None else _fault(program, result.fault),
    }


def _fault(program: Program, fault: FaultReport) -> dict[str, Any]:
    known = None
    if fault.detail is not None:
        known = detail.as_json(fault.detail, lambda pc: where(program, pc), lambda pc: instruction(program, pc))
    return {"class": fault.fault.name.lower(), "instruction": fault.pc, "cycle": fault.cycle, "detail": known}


def as_text(program: Program, machine: Machine, result: LaunchResult, lines: Sequence[Line] = ()) -> str:
    """A summary for a person: a line for the launch, a row per unit of its busy cycles and stalls by reason, and where most cycles were
    lost, if cycles by line are there."""
    time = result.cycles / machine.clock_ghz / 1e3
    text = [
        f"{program.name} on {machine.name}: {result.verdict.value} after {result.cycles:,} cycles"
        f" ({time:,.3f} us at {machine.clock_ghz:g} GHz), {result.instructions:,} instructions",
        "",
    ]
    used = [cls for cls in CycleClass if any(classes[cls] for classes in result.units.values())]
    header = ["unit", *(cls.name.lower().replace("_", " ") for cls in used), "total", "busy %"]
    rows = [
        [
            unit.name.lower(),
            *(f"{classes[cls]:,}" for cls in used),
            f"{sum(classes.values()):,}",
            f"{100 * classes[CycleClass.BUSY] / result.cycles:.1f}",
        ]
        for unit, classes in result.units.items()
    ]
    text += table(header, rows)
    spent = [f"{cls.name.lower().replace('_', ' ')} {n:,}" for cls, n in result.sequencer.items() if n]
    text += [f"sequencer: {', '.join(spent)} (total {sum(result.sequencer.values()):,})"]
    return "\n".join(text + _stalls(lines, result.cycles))


def _stalls(lines: Sequence[Line], cycles: int) -> list[str]:
    """The worst stalls, a line each."""
    worst = worst_stalls(lines, MOST_STALLS)
    texts = {line.place: line.text for line in lines}
    names = {place: f"line {name}" if name.isdecimal() else name for place, name in short_names(line.place for line in lines).items()}
    rows = [[one.unit, f"{one.cycles:,}", f"{100 * one.cycles / cycles:.1f} %", one.cls.replace("_", " ")] for one in worst]
    widths = [max(len(row[column]) for row in rows) for column in range(4)] if rows else []
    shown = []
    for one, row in zip(worst, rows, strict=True):
        cells = [cell.rjust(w) if column in (1, 2) else cell.ljust(w) for column, (cell, w) in enumerate(zip(row, widths, strict=True))]
        blame = f" <- {names[one.blame]}: {_short(texts[one.blame])}" if one.blame else ""
        shown.append(f"lost: {'  '.join(cells)}  at {names[one.place]}: {_short(texts[one.place])}{blame}".rstrip())
    return shown


def _short(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    """Lines of a table: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(w) if place == 0 else cell.rjust(w)
            for place, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in [header, *rows]
    ]
