"""Pass 2: sections, positions, symbols, arguments and token names. Afterwards every name has a value or a diagnostic."""

from __future__ import annotations

from dataclasses import dataclass, field

from accelkit.assembler import data
from accelkit.assembler.cases import Cases, allowances
from accelkit.assembler.declarations import argument_of, channel_of
from accelkit.assembler.diagnostics import Diagnostic, Note, Reject, Report
from accelkit.assembler.symbols import Definition, Position, Symbols
from accelkit.assembler.syntax import (
    ArgumentStatement,
    BrokenStatement,
    CaseStatement,
    DataStatement,
    EquateStatement,
    GlobalStatement,
    InstructionStatement,
    Line,
    Name,
    SectionStatement,
    Span,
    TokenStatement,
    Word,
)
from accelkit.isa.grammar import reserved_words
from accelkit.isa.program import DATA_ARGUMENT, Allowance, Argument, ArgumentKind, Case
from accelkit.isa.table import Table
from accelkit.isa.units import CHANNELS, Channel

_CHANNEL_TEXTS = {text for channel in CHANNELS for text in (channel.wait_text, channel.post_text)}


@dataclass(frozen=True)
class PlacedInstruction:
    """An instruction and its number."""

    line: Line
    statement: InstructionStatement
    number: int


@dataclass(frozen=True)
class PlacedData:
    """A data directive, its offset in the section and its size in bytes."""

    line: Line
    statement: DataStatement
    offset: int
    size: int


@dataclass(frozen=True)
class TokenName:
    """A token name's declaration; `channel` is None if something is wrong with it."""

    word: Word
    line: Line
    channel: Channel | None


@dataclass
class Layout:
    """What pass 2 found."""

    symbols: Symbols
    instructions: list[PlacedInstruction] = field(default_factory=list)
    data: list[PlacedData] = field(default_factory=list)
    data_bytes: int = 0
    arguments: list[Argument] = field(default_factory=list)
    tokens: dict[str, TokenName] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    allowances: tuple[Allowance, ...] = ()


def resolve(lines: list[Line], table: Table) -> tuple[Layout, list[Diagnostic]]:
    """The layout of a program, and what is wrong with it."""
    resolver = _Resolver(table)
    for line in lines:
        resolver.take(line)
    resolver.layout.allowances = allowances(lines, resolver.report)
    return resolver.finish(), resolver.report.found + resolver.layout.symbols.found


class _Resolver:
    def __init__(self, table: Table) -> None:
        self.layout = Layout(Symbols(reserved_words(table)))
        self.symbols = self.layout.symbols
        self.report = Report()
        self.section = "text"
        self.data_line: Line | None = None  # where the data section is first entered
        self.arguments: list[tuple[Line, ArgumentStatement]] = []
        self.globals: list[tuple[Line, GlobalStatement]] = []
        self.cases = Cases()
        self.instruction_count = 0

    def take(self, line: Line) -> None:
        """Place a line's labels and statement."""
        for label in line.labels:
            with self.report.on(line):
                self.symbols.define(Definition(label, line, self.section, self.location))
        with self.report.on(line):
            self._place(line)

    def finish(self) -> Layout:
        """Settle what needs all definitions: constants, argument shapes, `.global`."""
        layout, symbols = self.layout, self.symbols
        if self.data_line is not None:
            with self.report.on(self.data_line):
                statement = self.data_line.statement
                assert statement is not None
                symbols.define(Definition(Word(DATA_ARGUMENT, statement.span), self.data_line, "abs", len(self.arguments)))
        symbols.complete()
        values = {statement.name.text for _, statement in self.arguments if statement.kind.text == ArgumentKind.VALUE.value}
        for line, statement in self.arguments:
            with self.report.on(line):
                layout.arguments.append(argument_of(statement, values, Position(symbols, None)))
        if self.data_line is not None:
            layout.arguments.append(Argument(DATA_ARGUMENT, ArgumentKind.IN, "u8", (layout.data_bytes,)))
        layout.cases = self.cases.finish(layout.arguments, Position(symbols, None), self.report)
        for line, names in self.globals:
            for name in names.names:
                with self.report.on(line):
                    symbols.find(Name(name.text, name.span)).is_global = True
        return layout

    @property
    def location(self) -> int:
        """The value of `.`: an instruction number, or an offset in the data section."""
        return self.instruction_count if self.section == "text" else self.layout.data_bytes

    def _place(self, line: Line) -> None:
        position = Position(self.symbols, self.location)
        match line.statement:
            case InstructionStatement() as statement:
                self._need_section("text", f"instruction '{statement.mnemonic.text}'", statement.mnemonic.span)
                self.layout.instructions.append(PlacedInstruction(line, statement, self.instruction_count))
                self.instruction_count += 1
            case DataStatement() as statement:
                self._need_section("data", f"'{statement.directive.text}'", statement.directive.span)
                size = data.size_of(statement, self.layout.data_bytes, position)
                self.layout.data.append(PlacedData(line, statement, self.layout.data_bytes, size))
                self.layout.data_bytes += size
            case SectionStatement() as statement:
                self.section = statement.name
                if statement.name == "data" and self.data_line is None:
                    self.data_line = line
            case EquateStatement() as statement:
                self.symbols.define(Definition(statement.name, line, "abs", None, statement.value, position))
            case ArgumentStatement() as statement:
                self._declare_argument(line, statement)
            case TokenStatement() as statement:
                self._declare_token(line, statement)
            case GlobalStatement() as statement:
                self.globals.append((line, statement))
            case CaseStatement() as statement:
                self.cases.add(line, statement)
            case BrokenStatement() as statement:
                self._keep_remains(line, statement)

    def _need_section(self, section: str, what: str, span: Span) -> None:
        if self.section != section:
            raise Reject("E0501", f"{what} in the section .{self.section}", span, [f"put .{section} before it"])

    def _declare_argument(self, line: Line, statement: ArgumentStatement) -> None:
        if statement.name.text == DATA_ARGUMENT:
            help = [f"the assembler declares '{DATA_ARGUMENT}' itself: the address of the program's .data section"]
            raise Reject("E0303", f"'{DATA_ARGUMENT}' can't be declared as an argument", statement.name.span, help)
        self.symbols.define(Definition(statement.name, line, "abs", len(self.arguments)))
        self.arguments.append((line, statement))

    def _declare_token(self, line: Line, statement: TokenStatement) -> None:
        name, tokens = statement.name, self.layout.tokens
        if name.text in _CHANNEL_TEXTS:
            raise Reject("E0303", f"'{name.text}' is a channel and can't be a token's name", name.span)
        if first := tokens.get(name.text):
            note = Note(f"token '{name.text}' is first declared here", first.line, first.word.span)
            raise Reject("E0302", f"token '{name.text}' is declared twice", name.span, notes=[note])
        tokens[name.text] = TokenName(name, line, None)
        tokens[name.text] = TokenName(name, line, channel_of(statement))

    def _keep_remains(self, line: Line, statement: BrokenStatement) -> None:
        self.instruction_count += statement.is_instruction and self.section == "text"
        for name in statement.names:
            word = Word(name, statement.span)
            self.symbols.define_unknown(word, line)
            self.layout.tokens.setdefault(name, TokenName(word, line, None))
