"""Diagnostics: what was seen, what was expected, where, and the likely fix; collected over all passes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from accelkit.assembler.syntax import Line, Span

MAX_SHOWN = 20

CODES = {
    "E0101": "text that does not fit the syntax",
    "E0102": "string or character without its closing quote",
    "E0103": "malformed number",
    "E0104": "malformed escape or character in a string",
    "E0105": "expression nested too deep",
    "E0106": "unknown directive",
    "E0107": "unknown instruction",
    "E0108": "source that is no UTF-8 text",
    "E0201": "unknown register",
    "E0202": "operand missing",
    "E0203": "operand too many, or in the wrong place",
    "E0204": "unknown operand name or flag",
    "E0205": "operand, flag or channel given twice",
    "E0206": "operand of the wrong kind",
    "E0207": "unknown channel or token name",
    "E0208": "channel that this instruction can't wait for or post",
    "E0301": "undefined symbol",
    "E0302": "symbol defined twice",
    "E0303": "reserved name",
    "E0304": "definition in terms of itself",
    "E0305": "value needed before it is known",
    "E0401": "value outside its range",
    "E0402": "division by zero",
    "E0403": "value outside 64 bits, or a shift by a senseless amount",
    "E0404": "register or string in an expression that must be a constant",
    "E0501": "statement in the wrong section",
    "E0502": "malformed argument declaration",
    "E0503": "malformed token declaration",
    "E0504": "too much data, or a senseless alignment",
    "E0505": "malformed case",
    "E0506": "malformed comment for the lint",
}


@dataclass(frozen=True)
class Note:
    """A further place that explains a diagnostic."""

    message: str
    line: Line
    span: Span


@dataclass(frozen=True)
class Diagnostic:
    """One error (or warning: `severity`). `line.text` and the columns of `span` are shown below it; `help` lines follow."""

    code: str
    message: str
    line: Line
    span: Span
    help: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    severity: str = "error"

    def render(self) -> str:
        """The text for people: `file:line:column: error[code]: message`, the source line, a caret range, help and notes."""
        parts = [f"{_place(self.line, self.span)}: {self.severity}[{self.code}]: {self.message}", *_excerpt(self.line, self.span)]
        parts += [f"  help: {text}" for text in self.help]
        for note in self.notes:
            parts += [f"{_place(note.line, note.span)}: note: {note.message}", *_excerpt(note.line, note.span)]
        return "\n".join(parts)


class Reject(Exception):
    """Raised where a line turns out wrong; whoever walks the lines catches it, reports it and goes on."""

    def __init__(self, code: str, message: str, span: Span, help: Iterable[str] = (), notes: Iterable[Note] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.help = tuple(help)
        self.notes = tuple(notes)

    def at(self, line: Line) -> Diagnostic:
        """The diagnostic, for the line on which it was found."""
        return Diagnostic(self.code, self.message, line, self.span, self.help, self.notes)


class Unknown(Exception):
    """A value that depends on something already reported: no further error, but no value either."""


class Report:
    """Collects the diagnostics of a pass."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    @contextmanager
    def on(self, line: Line) -> Iterator[None]:
        """Record what is rejected within, as an error on this line, and go on after it."""
        try:
            yield
        except Reject as reject:
            self.found.append(reject.at(line))
        except Unknown:
            pass


class AssemblyError(ValueError):
    """The source has errors. `diagnostics` holds them all in order of the lines; the text shows the first 20."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda found: (found.line.number, found.span.start)))
        super().__init__(self.render())

    def render(self) -> str:
        """All diagnostics (at most MAX_SHOWN) and how many there are."""
        total = len(self.diagnostics)
        parts = [diagnostic.render() for diagnostic in self.diagnostics[:MAX_SHOWN]]
        shown = f", the first {MAX_SHOWN} shown" if total > MAX_SHOWN else ""
        return "\n".join([*parts, f"{total} error{'s' if total > 1 else ''}{shown}"])


def did_you_mean(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Help that names the nearest candidates, or none if nothing is near."""
    known = list(dict.fromkeys(candidates))
    if word.lower() in known:
        return (f"did you mean '{word.lower()}'?",)
    close = difflib.get_close_matches(word, known, n=2, cutoff=0.6)
    return (f"did you mean {' or '.join(repr(name) for name in close)}?",) if close else ()


def _place(line: Line, span: Span) -> str:
    return f"{line.file}:{line.number}:{span.start + 1}"


def _excerpt(line: Line, span: Span) -> list[str]:
    """The source line and a caret range below it; tabs are kept, so that both lines shift alike."""
    gutter = f"{line.number:5} | "
    before = "".join("\t" if character == "\t" else " " for character in line.text[: span.start])
    width = max(1, min(span.end, len(line.text)) - span.start)
    shown = "".join(character if character == "\t" or character.isprintable() else "\ufffd" for character in line.text)
    return [gutter + shown, " " * 6 + "| " + before + "^" + "~" * (width - 1)]
