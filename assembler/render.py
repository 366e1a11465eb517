"""Diagnostics as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accelkit.assembler.diagnostics import Diagnostic
from accelkit.assembler.substitution import argument_span, written_span
from accelkit.assembler.syntax import Line, Origin, Span
from accelkit.isa.messages import shortened

_MAX_WIDTH = 120  # columns of a line that are shown
_MAX_CHAIN = 8  # places of a chain of macro calls, repetitions and includes that are shown


def render(found: Diagnostic) -> str:
    """`file:line:column: error[code]: message`, the line with a caret range, help, notes, and the chain of calls that led there."""
    line, span = found.line, found.span
    parts = [f"{_place(line, span)}: {found.severity}[{found.code}]: {found.message}", *_excerpt(line, span)]
    parts += [f"  help: {text}" for text in found.help]
    for note in found.notes:
        parts += [f"{_place(note.line, note.span)}: note: {note.message}", *_excerpt(note.line, note.span)]
    for message, caller, where in chain(line, span):
        parts += [f"{_place(caller, where)}: note: {message}", *_excerpt(caller, where)]
    return "\n".join(parts)


def chain(line: Line, span: Span | None) -> Iterator[tuple[str, Line, Span]]:
    """How a line came to be where it is, from the innermost call outwards: message, line and columns of each call. As long as what
    stands in `span` came from an argument, these are the argument's."""
    calls: list[tuple[Origin, Span]] = []
    while line.origin is not None:
        span = argument_span(line, span) if span is not None else None
        calls.append((line.origin, span if span is not None else line.origin.span))
        line = line.origin.line
    left_out = len(calls) - _MAX_CHAIN
    for number, (origin, where) in enumerate(calls):
        if number < _MAX_CHAIN // 2 or number >= len(calls) - _MAX_CHAIN // 2 or left_out <= 0:
            yield shortened(_message(origin)), origin.line, where
        elif number == _MAX_CHAIN // 2:
            yield f"{shortened(_message(origin))} (and {left_out - 1} places more)", origin.line, where


def _message(origin: Origin) -> str:
    if origin.kind == "include":
        return f"'{origin.name}' is included here"
    if origin.kind == "repeat":
        return f"in {origin.name} of this .rept"
    return f"in this use of the macro '{origin.name}'"


def as_data(found: Diagnostic) -> dict[str, Any]:
    """A diagnostic for `--diagnostics json`: lines and columns count from 1, `end_column` is the one after the last."""
    data: dict[str, Any] = {"code": found.code, "severity": found.severity, "message": found.message}
    data |= _location(found.line, found.span)
    data["source"] = found.line.text
    data["help"] = list(found.help)
    data["notes"] = [{"message": note.message} | _location(note.line, note.span) for note in found.notes]
    data["notes"] += [{"message": message} | _location(line, span) for message, line, span in chain(found.line, found.span)]
    return data


def _location(line: Line, span: Span) -> dict[str, Any]:
    shown = written_span(line, span)
    end = max(shown.end, shown.start + 1)
    return {"file": line.file, "line": line.number, "column": shown.start + 1, "end_column": end + 1}


def _place(line: Line, span: Span) -> str:
    return f"{line.file}:{line.number}:{written_span(line, span).start + 1}"


def _excerpt(line: Line, span: Span) -> list[str]:
    """The source line and a caret range below it; tabs are kept, so that both lines shift alike.

    Of a macro or repetition the line after substitution: there the error can be seen. The place before the message says where it is
    written.
    """
    text, (start, end) = _window(line.text, span)
    before = "".join("\t" if character == "\t" else " " for character in text[:start])
    width = max(1, min(end, len(text)) - start)
    shown = "".join(character if character == "\t" or character.isprintable() else "\ufffd" for character in text)
    return [f"{line.number:5} | {shown}", " " * 6 + "| " + before + "^" + "~" * (width - 1)]


def _window(text: str, span: Span) -> tuple[str, Span]:
    """The part of a very long line that shows the columns."""
    if len(text) <= _MAX_WIDTH:
        return text, span
    first = max(0, min(span.start - _MAX_WIDTH // 4, len(text) - _MAX_WIDTH))
    last = first + _MAX_WIDTH
    shown = ("..." if first else "") + text[first:last] + ("..." if last < len(text) else "")
    shift = (3 if first else 0) - first
    return shown, Span(span.start + shift, min(span.end, last) + shift)
