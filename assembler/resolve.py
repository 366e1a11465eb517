"""Pass 3: sections, positions, symbols, arguments, regions, tokens. Afterwards every name has a value or a diagnostic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from accelkit.assembler import data
from accelkit.assembler.cases import Cases, allowance_of
from accelkit.assembler.declarations import argument_of
from accelkit.assembler.diagnostics import Diagnostic, Reject, Report
from accelkit.assembler.expressions import evaluate, string_bytes
from accelkit.assembler.layout import (
    Layout,
    PlacedData,
    PlacedInstruction,
    PlacedLine,
    PlacedRegion,
    TokenName,
)
from accelkit.assembler.regions import Regions, check_overlaps
from accelkit.assembler.symbols import Definition, Position, Symbols
from accelkit.assembler.syntax import (
    ArgumentStatement,
    AssertStatement,
    BrokenStatement,
    CaseStatement,
    DataStatement,
    EquateStatement,
    GlobalStatement,
    InstructionStatement,
    Line,
    RegionStatement,
    SectionStatement,
    Span,
    TokenStatement,
    Word,
)
from accelkit.assembler.tokens import declare_token, number_tokens
from accelkit.isa.grammar import reserved_words
from accelkit.isa.program import DATA_ARGUMENT, Allowance, Argument, ArgumentKind, SourceLine
from accelkit.isa.table import Table


class Resolver:
    """Takes lines in order, source after source, and finishes when all have been seen."""

    def __init__(self, table: Table, keeps_lines: bool) -> None:
        self.symbols = Symbols(reserved_words(table))
        self.layout = Layout(self.symbols)
        self.report = Report()
        self.section = "text"
        self.tokens: dict[str, TokenName] = {}  # of this source
        self._table = table
        self._keeps_lines = keeps_lines
        self._data_line: Line | None = None  # where the data section is first entered
        self._arguments: list[tuple[Line, ArgumentStatement, Position]] = []
        self._globals: list[tuple[Line, GlobalStatement, dict[str, Definition]]] = []
        self._asserts: list[tuple[Line, AssertStatement, Position]] = []
        self._regions = Regions()
        self.cases = Cases()
        self._waiting: list[Allowance] = []  # on lines of their own, until the next statement
        self._order = 0

    def open_source(self, folder: Path) -> None:
        """Begin a source: names are its own, and it starts in .text."""
        self.symbols.open_scope()
        self.section = "text"
        self.tokens = {}
        self.cases.folder = folder

    def take(self, line: Line) -> None:
        """Place a line's labels and statement."""
        first = self.location
        for label in line.labels:
            with self.report.on(line):
                self._order += 1
                if label.text[0].isdigit():
                    self.symbols.define_local(label, self._order, self.section, first)
                else:
                    self.symbols.define(Definition("label", label, line, self.section, first))
        statement = line.statement
        self._order += 1
        if "lint:" in line.text or (self._waiting and statement is not None):
            self._allow(line)
        if statement is not None:
            with self.report.on(line):
                self._PLACE[type(statement)](self, line, statement)
        if self._keeps_lines:
            self.layout.lines.append(PlacedLine(line, self.section, first, self.location))

    def finish(self) -> list[Diagnostic]:
        """Settle what needs all definitions: constants, argument shapes, `.global`, tokens, cases. All that was found wrong."""
        layout, symbols = self.layout, self.symbols
        self._declare_data()
        symbols.is_complete = True
        for line, names, scope in self._globals:
            for name in names.names:
                with self.report.on(line):
                    symbols.export(name, line, scope)
        symbols.complete()
        values = {statement.name.text for _, statement, _ in self._arguments if statement.kind.text == ArgumentKind.VALUE.value}
        for line, statement, position in self._arguments:
            with self.report.on(line):
                layout.arguments.append(argument_of(statement, values, position))
        if self._data_line is not None:
            layout.arguments.append(Argument(DATA_ARGUMENT, ArgumentKind.IN, "u8", (layout.data_bytes,)))
        number_tokens(layout.tokens, self._table.channels, self.report)
        layout.cases = self.cases.finish(layout.arguments, self.report)
        check_overlaps(layout.regions, self.report)
        for line, assertion, position in self._asserts:
            with self.report.on(line):
                _check_assertion(assertion, position)
        return self.report.found + symbols.found

    @property
    def location(self) -> int:
        """The value of `.`: an instruction number, or an offset in the data section."""
        return len(self.layout.words) if self.section == "text" else self.layout.data_bytes

    def position(self, has_location: bool = True) -> Position:
        """Scope of an expression of the line that is being placed."""
        return Position(self.symbols, self.location if has_location else None, self._order)

    @property
    def is_waiting(self) -> bool:
        """Whether a comment for the lint still looks for its line."""
        return bool(self._waiting)

    # ---- statements

    def _place_instruction(self, line: Line, statement: InstructionStatement) -> None:
        if self.section != "text":
            self._wrong_section(f"instruction '{statement.mnemonic.text}'", "text", statement.mnemonic.span)
        layout = self.layout
        number = len(layout.words)
        layout.instructions.append(PlacedInstruction(line, statement, number, self.position(), self.tokens))
        layout.words.append(0)
        layout.places.append(SourceLine(line.file, line.number, statement.span.start + 1))

    def _place_data(self, line: Line, statement: DataStatement) -> None:
        if self.section != "data":
            self._wrong_section(f"'{statement.directive.text}'", "data", statement.directive.span)
        layout, position = self.layout, self.position()
        size = data.size_of(statement, layout.data_bytes, position)
        if layout.data_bytes + size > data.MAX_DATA_BYTES:
            raise Reject("E0504", f"the section .data holds at most {data.MAX_DATA_BYTES} bytes", statement.span)
        layout.data.append(PlacedData(line, statement, layout.data_bytes, size, position))
        layout.data_bytes += size

    def _enter_section(self, line: Line, statement: SectionStatement) -> None:
        self.section = statement.directive.text.removeprefix(".")
        if self.section == "data" and self._data_line is None:
            self._data_line = line

    def _define_constant(self, line: Line, statement: EquateStatement) -> None:
        self.symbols.define(Definition("constant", statement.name, line, "abs", None, statement.value, self.position()))

    def _declare_argument(self, line: Line, statement: ArgumentStatement) -> None:
        if statement.name.text == DATA_ARGUMENT:
            help = [f"the assembler declares '{DATA_ARGUMENT}' itself: the address of the program's .data section"]
            raise Reject("E0303", f"'{DATA_ARGUMENT}' can't be declared as an argument", statement.name.span, help)
        self.symbols.define(Definition("argument", statement.name, line, "abs", len(self._arguments)))
        self._arguments.append((line, statement, self.position(has_location=False)))

    def _declare_token(self, line: Line, statement: TokenStatement) -> None:
        self.layout.tokens.append(declare_token(line, statement, self.tokens))

    def _declare_region(self, line: Line, statement: RegionStatement) -> None:
        definition = Definition("region", statement.name, line, "abs")
        rows = Definition("constant", Word(f"{statement.name.text}.rows", statement.name.span), line, "abs")
        self.symbols.define(definition)
        self.symbols.define(rows)
        rows.is_used = True  # nobody wrote it
        region = self._regions.declare(statement, self.position())
        definition.value, definition.region, rows.value = region.first_row, region, region.rows
        self.layout.regions.append(PlacedRegion(region, statement.name, line))

    def _declare_global(self, line: Line, statement: GlobalStatement) -> None:
        self._globals.append((line, statement, self.symbols.by_name))

    def _declare_case(self, line: Line, statement: CaseStatement) -> None:
        self.cases.add(line, statement, self.position(has_location=False))

    def _assert(self, line: Line, statement: AssertStatement) -> None:
        self._asserts.append((line, statement, self.position()))

    def _keep_remains(self, line: Line, statement: BrokenStatement) -> None:
        """Of a line that did not parse: an instruction still takes its place, a definition still defines its name."""
        if statement.is_instruction and self.section == "text":
            self.layout.words.append(0)
            self.layout.places.append(None)
        for name in statement.names:
            word = Word(name, statement.span)
            self.symbols.define_unknown(word, line)
            self.tokens.setdefault(name, TokenName(word, line))

    _PLACE: dict[type, Callable[[Any, Line, Any], None]] = {  # noqa: RUF012  # never changed
        InstructionStatement: _place_instruction,
        DataStatement: _place_data,
        SectionStatement: _enter_section,
        EquateStatement: _define_constant,
        ArgumentStatement: _declare_argument,
        TokenStatement: _declare_token,
        RegionStatement: _declare_region,
        GlobalStatement: _declare_global,
        CaseStatement: _declare_case,
        AssertStatement: _assert,
        BrokenStatement: _keep_remains,
    }

    # ---- the rest

    def _wrong_section(self, what: str, needed: str, span: Span) -> None:
        raise Reject("E0501", f"{what} in the section .{self.section}", span, [f"put .{needed} before it"])

    def _allow(self, line: Line) -> None:
        """Comments that allow findings: one on a line of its own speaks of the next line that holds a statement."""
        has_statement = line.statement is not None
        if self._waiting and has_statement:
            self.layout.allowances += [Allowance(line.file, line.number, one.codes, one.reason) for one in self._waiting]
            self._waiting = []
        with self.report.on(line):
            if allowance := allowance_of(line):
                (self.layout.allowances if has_statement else self._waiting).append(allowance)

    def _declare_data(self) -> None:
        if self._data_line is None:
            return
        assert self._data_line.statement is not None
        word = Word(DATA_ARGUMENT, self._data_line.statement.span)
        definition = Definition("argument", word, self._data_line, "abs", len(self._arguments))
        for scope in self.symbols.scopes:
            with self.report.on(self._data_line):
                self.symbols.by_name = scope
                self.symbols.define(definition)


def _check_assertion(statement: AssertStatement, position: Position) -> None:
    if not evaluate(statement.condition, position):
        message = "static assertion does not hold"
        if statement.message is not None:
            text = string_bytes(statement.message).decode(errors="replace")
            message += ": " + "".join(character if character.isprintable() else "\ufffd" for character in text)
        raise Reject("E0705", message, statement.condition.span)
