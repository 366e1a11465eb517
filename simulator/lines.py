"""An account of cycles by source line, as data: what listings, differences and JSON files are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from accelkit.isa.codec import IllegalWord
from accelkit.isa.program import Program
from accelkit.isa.text import disassemble
from accelkit.isa.units import QUEUED_UNITS, SequencerClass, Unit
from accelkit.simulator.account import Account

_NO_STALLS = ("busy", "preload", "empty", "dispatch", "ended")
END = "(end)"  # the place of cycles after a unit's last instruction
Sources = Mapping[str, Sequence[str]]  # lines of text by file


@dataclass
class Share:
    """Cycles of one unit at one line by class, and who was to blame: cycles by (class, place)."""

    classes: dict[str, int] = field(default_factory=dict)
    blame: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def cycles(self) -> int:
        """All of them."""
        return sum(self.classes.values())


@dataclass
class Line:
    """A source line (or an instruction whose line is unknown, or `END`): times dispatched, and a share for each unit that it kept busy
    or waiting, by the unit's name."""

    place: str
    text: str
    count: int = 0
    units: dict[str, Share] = field(default_factory=dict)


def by_line(program: Program, account: Account, sources: Sources | None = None) -> list[Line]:
    """The account's cells by line, in order of the program, `END` last. For each unit the lines add up to the launches' cycles.

    `sources` are the texts to show; a line of a file that isn't there shows its first instruction.
    """
    lines: dict[str, Line] = {}
    for pc in range(len(program.words)):
        name = place(program, pc)
        if name not in lines:
            lines[name] = Line(name, line_text(program, pc, sources or {}))
    lines[END] = Line(END, "")
    for cell in account.cells():
        line = lines[place(program, cell.pc)]
        share = line.units.setdefault(cell.unit.name.lower(), Share())
        cls = cell.cls.name.lower()
        share.classes[cls] = share.classes.get(cls, 0) + cell.cycles
        if cell.unit is Unit.SEQUENCER and cell.cls is SequencerClass.DISPATCH:
            line.count += cell.cycles
        if cell.blame >= 0:
            key = cls, place(program, cell.blame)
            share.blame[key] = share.blame.get(key, 0) + cell.cycles
    return [line for line in lines.values() if line.units or line.count]


def place(program: Program, pc: int) -> str:
    """`file:line` of an instruction, its number where that is unknown, `END` outside the program."""
    if not 0 <= pc < len(program.words):
        return END
    line = program.lines[pc] if pc < len(program.lines) else None
    return f"{line.file}:{line.line}" if line else f"instruction {pc}"


def line_text(program: Program, pc: int, sources: Sources) -> str:
    """The source text of an instruction, else its disassembly."""
    line = program.lines[pc] if pc < len(program.lines) else None
    if line and 0 < line.line <= len(sources.get(line.file, ())):
        return " ".join(sources[line.file][line.line - 1].split("#", 1)[0].split())
    try:
        return disassemble(program.words[pc])
    except IllegalWord as error:
        return f"({error})"


def totals(lines: Sequence[Line]) -> dict[str, Share]:
    """Sums over the lines, by unit; every unit is there."""
    result = {unit.name.lower(): Share() for unit in (*QUEUED_UNITS, Unit.SEQUENCER)}
    for line in lines:
        for unit, share in line.units.items():
            for cls, cycles in share.classes.items():
                classes = result[unit].classes
                classes[cls] = classes.get(cls, 0) + cycles
    return result


class Stall(NamedTuple):
    """Cycles that a unit lost at one line for one reason, and the line to blame (empty if there is none)."""

    unit: str
    cls: str
    place: str
    blame: str
    cycles: int


def worst_stalls(lines: Sequence[Line], most: int) -> list[Stall]:
    """Where most cycles were lost; a unit that has nothing to do loses none. The largest first, equals in order of the program."""
    stalls: list[Stall] = []
    for line in lines:
        for unit, share in line.units.items():
            for cls, cycles in share.classes.items():
                blamed = {place: n for (of, place), n in share.blame.items() if of == cls}
                if cls not in _NO_STALLS:
                    stalls += [Stall(unit, cls, line.place, place, n) for place, n in (blamed or {"": cycles}).items()]
    return sorted(stalls, key=lambda stall: -stall.cycles)[:most]


def as_json(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Lines for a JSON file."""
    return [
        {
            "place": line.place,
            "text": line.text,
            "count": line.count,
            "units": {unit: share.classes for unit, share in line.units.items()},
            "blame": [
                {"unit": unit, "class": cls, "place": where, "cycles": cycles}
                for unit, share in line.units.items()
                for (cls, where), cycles in share.blame.items()
            ],
        }
        for line in lines
    ]


def from_json(values: Any) -> list[Line]:
    """Lines of a JSON file; ValueError if it has none that `as_json` could have made."""
    try:
        lines = [
            Line(
                str(value["place"]),
                str(value["text"]),
                int(value["count"]),
                {
                    str(unit): Share({str(cls): int(cycles) for cls, cycles in classes.items()})
                    for unit, classes in value["units"].items()
                },
            )
            for value in values
        ]
        for line, value in zip(lines, values, strict=True):
            for one in value["blame"]:
                line.units[one["unit"]].blame[str(one["class"]), str(one["place"])] = int(one["cycles"])
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ValueError("its lines are not as `accel-sim run --json` writes them") from error
    return lines
