"""What a source says to the lint: cases (`.case`), and comments that allow a finding (`# lint: allow CODE reason`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from accelkit.assembler.declarations import VALUE_RANGE
from accelkit.assembler.diagnostics import Note, Reject, Report, did_you_mean
from accelkit.assembler.expressions import evaluate, string_bytes
from accelkit.assembler.fits import MachineUse
from accelkit.assembler.symbols import Position
from accelkit.assembler.syntax import CaseStatement, Line, Setting, Span, Text, Word
from accelkit.isa.program import KEPT_SETTING, Allowance, Argument, ArgumentKind, Case

MACHINE_SETTING = "machine"
_FORM = "form: .case name, machine=preset or path, argument=value, ..."


@dataclass
class _Open:
    """A case whose settings are being collected: a further `.case` of the same name goes on with it."""

    word: Word
    line: Line
    folder: Path  # of the source
    settings: dict[str, tuple[Line, Setting, Position]] = field(default_factory=dict)


class Cases:
    """The cases of a program."""

    def __init__(self) -> None:
        self.folder = Path()  # where the source that is being read looks for machine files
        self._open: dict[str, _Open] = {}

    def add(self, line: Line, statement: CaseStatement, position: Position) -> None:
        """Take a `.case` line. Reject if one of its settings has been given before."""
        case = self._open.setdefault(statement.name.text, _Open(statement.name, line, self.folder))
        for setting in statement.settings:
            if first := case.settings.get(setting.name.text):
                note = Note("it is first given here", first[0], first[1].span)
                raise Reject("E0505", f"'{setting.name.text}' is given twice", setting.span, notes=[note])
            case.settings[setting.name.text] = (line, setting, position)

    def finish(self, arguments: Sequence[Argument], report: Report) -> tuple[Case, ...]:
        """All cases, their values known; what is wrong goes to the report."""
        ranges = {argument.name: argument.range or VALUE_RANGE for argument in arguments if argument.kind is ArgumentKind.VALUE}
        known = ranges if KEPT_SETTING in ranges else ranges | {KEPT_SETTING: (0, 1)}
        cases = []
        for case in self._open.values():
            values = _values(case, known, report)
            with report.on(case.line):
                missing = [name for name in (MACHINE_SETTING, *ranges) if name not in case.settings]
                if missing:
                    message = f"case '{case.word.text}' lacks {', '.join(f'{name}=...' for name in missing)}"
                    raise Reject("E0505", message, case.word.span, [_FORM])
                cases.append(Case(case.word.text, _machine(case), tuple((name, values[name]) for name in known if name in values)))
        return tuple(cases)

    def machines(self) -> Iterator[MachineUse]:
        """The machines that the cases name, with their places."""
        for case in self._open.values():
            if found := case.settings.get(MACHINE_SETTING):
                line, setting, _ = found
                with suppress(Reject):  # reported already
                    yield MachineUse(_machine(case), case.folder, line, setting.value.span)


def _machine(case: _Open) -> str:
    value = case.settings[MACHINE_SETTING][1].value
    assert isinstance(value, Text)
    text = string_bytes(value).decode(errors="replace") if value.text.startswith('"') else value.text
    if not text.isprintable():
        raise Reject("E0505", "the name of a machine holds a character that can't be printed", value.span)
    return text


def _values(case: _Open, ranges: Mapping[str, tuple[int, int]], report: Report) -> dict[str, int]:
    values = {}
    for name, (line, setting, position) in case.settings.items():
        if isinstance(setting.value, Text):
            continue
        with report.on(line):
            if name not in ranges:
                raise Reject("E0505", f"no value argument is called '{name}'", setting.name.span, did_you_mean(name, ranges))
            value, (low, high) = evaluate(setting.value, position), ranges[name]
            if not low <= value <= high:
                raise Reject("E0401", f"value {value} is outside {low}..{high}", setting.value.span)
            values[name] = value
    return values


_COMMENT = re.compile(r"""(?:[^"'#;/]|"(?:\\.?+|[^"\\])*+(?:"|$)|'(?:\\.?+|[^'\\])*+(?:'|$)|/(?!/))*?(?:#|;|//)""")
_MARK = re.compile(r"\s*lint:\s*")
_ALLOW = re.compile(r"allow\s+([A-Z]\d{4}(?:\s*,\s*[A-Z]\d{4})*)\s+(\S.*)")
_ALLOW_FORM = "form: # lint: allow CODE reason, or several codes with commas between"


def allowance_of(line: Line) -> Allowance | None:
    """What the comment of a line allows. Reject if it can't be understood."""
    comment = _COMMENT.match(line.text)
    mark = _MARK.match(line.text, comment.end()) if comment else None
    if mark is None:
        return None
    allow = _ALLOW.match(line.text, mark.end())
    if allow is None:
        span = Span(mark.end(), max(mark.end() + 1, len(line.text.rstrip())))
        raise Reject("E0506", "this is no comment that the lint understands", span, [_ALLOW_FORM])
    codes = tuple(code.strip() for code in allow[1].split(","))
    return Allowance(line.file, line.number, codes, allow[2].rstrip())
