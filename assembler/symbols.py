"""Symbols of a program: labels, constants, argument indices and regions, with the place of each definition.

Each source has its own names; those it declares `.global` are visible to the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from accelkit.assembler.diagnostics import Diagnostic, Note, Reject, Unknown, did_you_mean
from accelkit.assembler.expressions import evaluate
from accelkit.assembler.syntax import Expression, Index, Line, LocalLabel, Name, Span, Word
from accelkit.isa.program import DATA_ARGUMENT, Region


class Definition:
    """One symbol. Constants are evaluated on first use, so that they can name what is defined further down.

    `value` is None until then, and for ever if something is wrong with it; `section` is "text", "data" or "abs". `kind` is "label",
    "constant", "argument" or "region", or "unknown" if the definition itself is broken.
    """

    __slots__ = (
        *("expression", "is_being_evaluated", "is_global", "is_used", "kind", "line", "position", "region", "section", "value", "word"),
    )

    def __init__(
        self,
        kind: str,
        word: Word,
        line: Line,
        section: str,
        value: int | None = None,
        expression: Expression | None = None,
        position: Position | None = None,
    ) -> None:
        self.kind = kind
        self.word = word
        self.line = line
        self.section = section
        self.value = value
        self.expression = expression
        self.position = position
        self.region: Region | None = None
        self.is_global = False
        self.is_used = False
        self.is_being_evaluated = False


class _LocalPlace(NamedTuple):
    order: int  # of statements and labels together
    section: str
    value: int


class Symbols:
    """All symbols. `by_name` has those of the source that is being read, in order of definition."""

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved
        self.scopes: list[dict[str, Definition]] = []
        self.by_name: dict[str, Definition] = {}
        self.globals: dict[str, Definition] = {}
        self.found: list[Diagnostic] = []
        self.is_complete = False
        self._local: dict[tuple[int, str], list[_LocalPlace]] = {}

    def open_scope(self) -> None:
        """Begin a source."""
        self.by_name = {}
        self.scopes.append(self.by_name)

    def all(self) -> Iterator[Definition]:
        """The definitions of all sources."""
        for scope in self.scopes:
            yield from scope.values()

    def define(self, definition: Definition) -> None:
        """Add a symbol. Reject if its name is taken or reserved."""
        name, span = definition.word.text, definition.word.span
        if name in self.reserved:
            raise Reject("E0303", f"'{name}' is a word of the instruction set and can't be a symbol", span)
        if first := self.by_name.get(name):
            note = Note(f"'{name}' is first defined here", first.line, first.word.span)
            raise Reject("E0302", f"'{name}' is defined twice", span, notes=[note])
        self.by_name[name] = definition

    def define_local(self, label: Word, order: int, section: str, value: int) -> None:
        """Add a label that is a number: there may be many of the same."""
        places = self._local.setdefault((len(self.scopes), label.text.lstrip("0") or "0"), [])
        places.append(_LocalPlace(order, section, value))

    def define_unknown(self, word: Word, line: Line) -> None:
        """A name whose definition is broken: using it is no further error."""
        self.by_name.setdefault(word.text, Definition("unknown", word, line, "abs"))

    def export(self, word: Word, line: Line, scope: dict[str, Definition]) -> None:
        """Make a name visible to other sources."""
        definition = self.find(Name(word.text, word.span), scope)
        first = self.globals.setdefault(word.text, definition)
        if first is not definition:
            note = Note(f"'{word.text}' of another source", first.line, first.word.span)
            raise Reject("E0302", f"two sources have a global '{word.text}'", word.span, notes=[note])
        definition.is_global = True

    def value_of(self, name: Name, depth: int, scope: dict[str, Definition]) -> int:
        """A symbol's value. Reject if it is undefined or not known yet; Unknown if its definition was reported as wrong."""
        definition = self.find(name, scope)
        definition.is_used = True
        if definition.value is not None:
            return definition.value
        if definition.is_being_evaluated:
            note = Note("its definition", definition.line, definition.word.span)
            raise Reject("E0304", f"'{name.text}' is defined in terms of itself", name.span, notes=[note])
        definition.value = self._evaluate(definition, name, depth)
        return definition.value

    def find(self, name: Name, scope: dict[str, Definition]) -> Definition:
        """The definition of a name that stands in a source."""
        definition = scope.get(name.text) or self.globals.get(name.text)
        if definition is None and not self.is_complete:
            help = ["its value is needed at once: move the definition up"]
            raise Reject("E0305", f"'{name.text}' is not defined above this line", name.span, help)
        if definition is None:
            raise Reject("E0301", f"undefined symbol '{name.text}'", name.span, self._help(name.text, scope))
        return definition

    def local_place(self, label: LocalLabel, scope_number: int, order: int) -> _LocalPlace:
        """Where the nearest label of a number stands, before or after a statement."""
        number, is_forward = label.text[:-1].lstrip("0") or "0", label.text[-1] == "f"
        places = self._local.get((scope_number, number), [])
        place = bisect_right(places, order, key=lambda known: known.order) - (not is_forward)
        if 0 <= place < len(places):
            return places[place]
        if is_forward and not self.is_complete:
            raise Reject("E0305", f"'{label.text}' is not known here", label.span)
        raise Reject("E0301", f"no label '{label.text[:-1]}:' {'follows' if is_forward else 'stands above'}", label.span)

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
        for scope in self.scopes:
            for definition in scope.values():
                if definition.value is None:
                    is_used = definition.is_used
                    with suppress(Unknown):
                        self.value_of(Name(definition.word.text, definition.word.span), 0, scope)
                    definition.is_used = is_used

    def _help(self, name: str, scope: dict[str, Definition]) -> tuple[str, ...]:
        if name == DATA_ARGUMENT:
            return ("the argument 'data' exists when the program has a .data section",)
        return did_you_mean(name, chain(scope, self.globals))


class Position:
    """Scope of an expression: the symbols of its source, the value of `.` (None where it means nothing), and its order."""

    __slots__ = ("_order", "_scope", "_scope_number", "location", "symbols")

    def __init__(self, symbols: Symbols, location: int | None, order: int) -> None:
        self.symbols = symbols
        self.location = location
        self._scope = symbols.by_name
        self._scope_number = len(symbols.scopes)
        self._order = order

    def value_of(self, name: Name, depth: int) -> int:
        """See Symbols.value_of."""
        return self.symbols.value_of(name, depth, self._scope)

    def find(self, name: str) -> Definition | None:
        """The definition of a name, if there is one."""
        return self._scope.get(name) or self.symbols.globals.get(name)

    def section_of(self, node: Expression) -> str:
        """The section of a label that an expression consists of, else "abs"."""
        if isinstance(node, LocalLabel):
            return self.symbols.local_place(node, self._scope_number, self._order).section
        definition = self.find(node.text) if isinstance(node, Name) else None
        return definition.section if definition is not None else "abs"

    def here(self, span: Span) -> int:
        """The value of `.`."""
        if self.location is None:
            raise Reject("E0305", "'.' means nothing here", span)
        return self.location

    def local_label(self, label: LocalLabel) -> int:
        """The place of the nearest label of a number."""
        return self.symbols.local_place(label, self._scope_number, self._order).value

    def row_of(self, node: Index, indices: Sequence[int]) -> int:
        """A row of a region."""
        definition = self.symbols.find(Name(*node.name), self._scope)
        definition.is_used = True
        if definition.kind == "unknown":
            raise Unknown
        region = definition.region
        if region is None:
            raise Reject("E0206", f"'{node.name.text}' is no region and has no index", node.name.span)
        if len(indices) > len(region.shape):
            message = f"region '{region.name}' takes {len(region.shape)} ind{'ex' if len(region.shape) == 1 else 'ices'}"
            raise Reject("E0604", message, node.indices[len(region.shape)].span)
        row, rows = region.first_row, region.rows
        for index, size, part in zip(indices, region.shape, node.indices, strict=False):
            rows //= size
            if not 0 <= index < size:
                raise Reject("E0604", f"index {index} is outside 0..{size - 1} of region '{region.name}'", part.span)
            row += index * rows
        return row
