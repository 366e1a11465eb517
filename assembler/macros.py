"""Macros: their definitions, and what a call gives their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accelkit.assembler.diagnostics import Diagnostic, Note, Reject, Report, did_you_mean
from accelkit.assembler.syntax import CallStatement, Line, MacroStatement, Span, Word
from accelkit.isa.table import Table

_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=(?!=)\s*")


@dataclass(eq=False)
class Macro:
    """A macro. `parameters` maps names to defaults, None where an argument is needed; `body` holds its lines before they are parsed."""

    word: Word
    line: Line
    parameters: Mapping[str, str | None]
    body: Sequence[Any]
    is_used: bool = False


def define_macro(
    macros: dict[str, Macro], line: Line, statement: MacroStatement, body: Sequence[Any], table: Table
) -> Iterable[Diagnostic]:
    """Add a macro to those that are known; what is wrong with its definition."""
    report = Report()
    word, parameters = statement.name, {}
    for parameter in statement.parameters:
        with report.on(line):
            if parameter.name.text in parameters:
                raise Reject("E0701", f"parameter '{parameter.name.text}' is given twice", parameter.name.span)
            default = parameter.default
            parameters[parameter.name.text] = line.text[default.start : default.end] if default is not None else None
    with report.on(line):
        if word.text in table.by_mnemonic or word.text in table.alias_by_mnemonic:
            raise Reject("E0701", f"'{word.text}' is an instruction and can't be a macro", word.span)
        if first := macros.get(word.text):
            note = Note(f"'{word.text}' is first defined here", first.line, first.word.span)
            raise Reject("E0302", f"macro '{word.text}' is defined twice", word.span, notes=[note])
        macros[word.text] = Macro(word, line, parameters, body)
    return report.found


def replacements(macro: Macro, line: Line, call: CallStatement) -> tuple[dict[str, str], dict[str, Span]]:
    """What each parameter is replaced by: arguments in order, then `name=value` in any order, then defaults; and where those that are
    given stand in the line."""
    names = list(macro.parameters)
    given: dict[str, Span] = {}
    is_named = False
    for number, span in enumerate(call.arguments):
        text, value = line.text[span.start : span.end], span
        named = _NAMED.match(text)
        if named and named[1] in macro.parameters:
            is_named = True
            name, value = named[1], Span(span.start + named.end(), span.end)
        elif is_named:
            raise _wrong(macro, "an argument without a name follows one with a name", span, ())
        elif number >= len(names):
            near = did_you_mean(named[1], names) if named else ()
            raise _wrong(macro, f"macro '{macro.word.text}' takes {_count(len(names))}, this is one more", span, near)
        else:
            name = names[number]
        if name in given:
            raise _wrong(macro, f"'{name}' is given twice", span, ())
        given[name] = value
    missing = [name for name, default in macro.parameters.items() if default is None and name not in given]
    if missing:
        end = Span(call.span.end, call.span.end + 1)
        raise _wrong(macro, f"macro '{macro.word.text}' lacks {', '.join(missing)}", end, ())
    texts = {f"\\{name}": default or "" for name, default in macro.parameters.items()}
    places = {f"\\{name}": span for name, span in given.items()}
    return texts | {key: line.text[span.start : span.end] for key, span in places.items()}, places


def _wrong(macro: Macro, message: str, span: Span, help: Iterable[str]) -> Reject:
    shown = [name if default is None else f"{name}={default}" for name, default in macro.parameters.items()]
    form = f"form: {macro.word.text} {', '.join(shown)}".rstrip()
    note = Note(f"the macro '{macro.word.text}' is defined here", macro.line, macro.word.span)
    return Reject("E0702", message, span, [*help, form], [note])


def _count(number: int) -> str:
    return f"{number} argument{'s' if number != 1 else ''}"
