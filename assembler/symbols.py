"""Symbols of a program: labels, constants and argument indices, with the place of each definition."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from accelkit.assembler.diagnostics import Diagnostic, Note, Reject, Unknown, did_you_mean
from accelkit.assembler.expressions import evaluate
from accelkit.assembler.syntax import Expression, Line, Name, Span, Word


@dataclass
class Definition:
    """One symbol. Constants are evaluated on first use, so that they can name what is defined further down.

    `value` is None until then, and for ever if something is wrong with it; `section` is "text", "data" or "abs".
    """

    word: Word
    line: Line
    section: str
    value: int | None = None
    expression: Expression | None = None
    position: Position | None = None
    is_global: bool = False
    is_being_evaluated: bool = False


@dataclass
class Symbols:
    """All symbols, in order of definition."""

    reserved: frozenset[str]
    by_name: dict[str, Definition] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    is_complete: bool = False

    def define(self, definition: Definition) -> None:
        """Add a symbol. Reject if its name is taken or reserved."""
        name, span = definition.word.text, definition.word.span
        if name in self.reserved:
            raise Reject("E0303", f"'{name}' is a word of the instruction set and can't be a symbol", span)
        if first := self.by_name.get(name):
            note = Note(f"'{name}' is first defined here", first.line, first.word.span)
            raise Reject("E0302", f"'{name}' is defined twice", span, notes=[note])
        self.by_name[name] = definition

    def define_unknown(self, word: Word, line: Line) -> None:
        """A name whose definition is broken: using it is no further error."""
        self.by_name.setdefault(word.text, Definition(word, line, "abs"))

    def value_of(self, name: Name, depth: int) -> int:
        """A symbol's value. Reject if it is undefined or not known yet; Unknown if its definition was reported as wrong."""
        definition = self.find(name)
        if definition.is_being_evaluated:
            note = Note("its definition", definition.line, definition.word.span)
            raise Reject("E0304", f"'{name.text}' is defined in terms of itself", name.span, notes=[note])
        if definition.value is None:
            definition.value = self._evaluate(definition, name, depth)
        return definition.value

    def find(self, name: Name) -> Definition:
        """The definition of a name."""
        definition = self.by_name.get(name.text)
        if definition is None and not self.is_complete:
            help = ["the size of data must be known at once: move the definition up"]
            raise Reject("E0305", f"'{name.text}' is not defined above this line", name.span, help)
        if definition is None:
            raise Reject("E0301", f"undefined symbol '{name.text}'", name.span, self._help(name.text))
        return definition

    def _evaluate(self, definition: Definition, name: Name, depth: int) -> int:
        if definition.expression is None or definition.position is None:
            raise Unknown
        definition.is_being_evaluated = True
        try:
            return evaluate(definition.expression, definition.position, depth + 1)
        except Reject as reject:
            if not self.is_complete:
                raise Reject("E0305", f"the value of '{name.text}' is not known here", name.span, [reject.message]) from None
            self.found.append(reject.at(definition.line))
            definition.expression = None
            raise Unknown from None
        finally:
            definition.is_being_evaluated = False

    def complete(self) -> None:
        """Every name is defined now: evaluate all constants, so that a wrong one is reported even if nothing uses it."""
        self.is_complete = True
        for definition in self.by_name.values():
            with suppress(Unknown):
                self.value_of(Name(definition.word.text, definition.word.span), 0)

    def _help(self, name: str) -> tuple[str, ...]:
        if name == "data":
            return ("the argument 'data' exists when the program has a .data section",)
        return did_you_mean(name, self.by_name)


@dataclass(frozen=True)
class Position:
    """Scope of an expression: the symbols, and the value of `.` (None where it means nothing)."""

    symbols: Symbols
    location: int | None

    def value_of(self, name: Name, depth: int) -> int:
        """See Symbols.value_of."""
        return self.symbols.value_of(name, depth)

    def here(self, span: Span) -> int:
        """The value of `.`."""
        if self.location is None:
            raise Reject("E0305", "'.' means nothing here", span)
        return self.location
