"""Pass 2: macros, repetitions, conditions and includes. What is left goes to the resolver line by line, because conditions depend on
what has been defined so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from accelkit.assembler.diagnostics import AssemblyError, Reject, Unknown
from accelkit.assembler.expressions import evaluate, string_bytes
from accelkit.assembler.limits import MAX_DEPTH, MAX_EXPANDED_LINES, Limits, TooMuch
from accelkit.assembler.literal import Literals
from accelkit.assembler.macros import Macro, define_macro, replacements
from accelkit.assembler.parse import LineParser
from accelkit.assembler.resolve import Resolver
from accelkit.assembler.source import Source, find_include, read_source, split_lines
from accelkit.assembler.substitution import substitute
from accelkit.assembler.syntax import (
    BrokenStatement,
    CallStatement,
    ConditionStatement,
    DefinedStatement,
    IncludeStatement,
    Line,
    LocalStatement,
    MacroStatement,
    MarkStatement,
    Origin,
    RepeatStatement,
    Span,
    Statement,
)
from accelkit.isa.table import Table

_KEYWORD = re.compile(r"\s*(?:[.\w@]+[ \t]*:\s*)*(\.\w+)")
_NAME = re.compile(r"\.?[A-Za-z_][A-Za-z0-9_.]*")
_OPENERS = {".if": ".endif", ".ifdef": ".endif", ".ifndef": ".endif", ".macro": ".endm", ".rept": ".endr"}


class _Raw(NamedTuple):
    """A line before it is parsed."""

    source: Source
    number: int
    text: str
    origin: Origin | None


class _Block(NamedTuple):
    """An open condition: where it was opened, whether a branch of it has been taken, and whether this one is."""

    line: Line
    was_taken: bool
    is_taken: bool
    has_else: bool = False


class Expander:
    """Reads sources and feeds a resolver."""

    def __init__(self, parser: LineParser, table: Table, resolver: Resolver, folders: Iterable[Path] = (), is_fast: bool = True) -> None:
        self.parser = parser
        self.resolver = resolver
        self.all_macros: list[Macro] = []  # of all sources
        self._table = table
        self._folders = tuple(folders)
        self._is_fast = is_fast
        self._is_plain = is_fast  # no block is open, and the next line is no part of one
        self._literals = Literals(parser, resolver, table)
        self._macros: dict[str, Macro] = {}
        self._open_files: list[Path] = []
        self._order = 0
        self._expansions = 0
        self._limits = Limits()
        self._included: dict[Path, Source] = {}

    @property
    def files(self) -> list[Path]:
        """What was included, in order."""
        return list(self._included)

    def read(self, source: Source, defines: Iterable[tuple[str, str]] = ()) -> None:
        """Read a source, with constants that the command line defines."""
        self.resolver.open_source(source.folder)
        self._macros = {}
        self._open_files = []
        for name, value in defines:
            self._run([_Raw(Source("", "<command line>"), 1, f".equ {name}, {value}", None)], 1)
        try:
            self._run(self._lines(source, split_lines(source.text)), 0)
        except TooMuch as error:
            self.resolver.report.found.append(error.found)
        self.all_macros += self._macros.values()

    def _lines(self, source: Source, lines: list[str]) -> Iterator[_Raw]:
        """Lines of a file, but for those of literal operands only, which go to their place at once where no block is open."""
        number = 0
        while True:
            if self._is_plain:
                number = self._literals.take(source.file, lines, number)
            if number == len(lines):
                return
            yield _Raw(source, number + 1, lines[number], None)
            number += 1

    # ---- lines

    def _run(self, raws: Iterable[_Raw], depth: int) -> None:
        """Read lines that belong together: a file, a macro's body, a repetition's. Blocks end where they begin."""
        blocks: list[_Block] = []
        iterator = iter(raws)
        report = self.resolver.report
        for raw in iterator:
            self._is_plain = False
            if blocks and not blocks[-1].is_taken and not self._turns(raw.text, iterator):
                continue
            line = self._parse(raw)
            with report.on(line):
                self._take(line, raw, iterator, blocks, depth)
            self._is_plain = self._is_fast and not depth and (not blocks or blocks[-1].is_taken)
        for block in blocks:
            with report.on(block.line):
                assert block.line.statement is not None
                keyword = _keyword(block.line.text)
                raise Reject("E0109", f"'{keyword}' without '.endif'", block.line.statement.span)

    def _parse(self, raw: _Raw) -> Line:
        form, (labels, statement), reject = self.parser.parse(raw.text)
        if raw.origin is not None and raw.origin.kind != "include":
            self._limits.take_form(form, self.parser.remembers(form), raw.text, raw.origin)
        self._order += 1
        line = Line(raw.source.file, raw.number, raw.text, labels, statement, raw.origin, self._order)
        if reject is not None:
            self.resolver.report.found.append(reject.at(line))
        return line

    def _take(self, line: Line, raw: _Raw, rest: Iterator[_Raw], blocks: list[_Block], depth: int) -> None:
        statement = line.statement
        match statement:
            case CallStatement():
                self._place_labels(line)
                self._call(line, statement, depth, raw.source)
            case MacroStatement():
                self._place_labels(line)
                body = self._body(rest, line, statement)
                self.resolver.report.found += define_macro(self._macros, line, statement, body, self._table)
            case RepeatStatement():
                self._place_labels(line)
                self._repeat(line, statement, self._body(rest, line, statement), depth)
            case ConditionStatement() | DefinedStatement() | MarkStatement():
                self._place_labels(line)
                self._condition(line, statement, blocks)
            case IncludeStatement():
                self._place_labels(line)
                self._include(line, statement, raw.source, depth)
            case BrokenStatement() if _keyword(line.text) in _OPENERS:
                self.resolver.take(line)
                self._skip_broken(line, rest, blocks)
            case LocalStatement():
                raise Reject("E0701", "'.local' stands in macros and repetitions, before what uses its names", statement.span)
            case _:
                self.resolver.take(line)

    def _place_labels(self, line: Line) -> None:
        self.resolver.take(line._replace(statement=None))

    # ---- conditions

    def _turns(self, text: str, rest: Iterator[_Raw]) -> bool:
        """In a branch that isn't taken: does this line end it? Blocks within are skipped."""
        keyword = _keyword(text)
        if keyword in _OPENERS:
            _skip(rest, _OPENERS[keyword])
        return keyword in (".elif", ".else", ".endif")

    def _condition(self, line: Line, statement: ConditionStatement | DefinedStatement | MarkStatement, blocks: list[_Block]) -> None:
        keyword = statement.directive.text
        if keyword in (".endm", ".endr"):
            raise Reject("E0109", f"'{keyword}' without '{'.macro' if keyword == '.endm' else '.rept'}'", statement.span)
        if keyword in (".if", ".ifdef", ".ifndef"):
            is_true = self._holds(line, statement)
            # Of a condition that is wrong no branch is taken: whatever it was to choose between would only make more errors.
            blocks.append(_Block(line, is_true is not False, is_true is True))
            return
        if not blocks:
            raise Reject("E0109", f"'{keyword}' without '.if'", statement.span)
        block = blocks.pop()
        if keyword == ".endif":
            return
        blocks.append(block._replace(was_taken=True, is_taken=False))
        if block.has_else:
            raise Reject("E0109", f"'{keyword}' after '.else'", statement.span)
        is_true = (keyword == ".else" or self._holds(line, statement)) if not block.was_taken else False
        blocks[-1] = _Block(block.line, block.was_taken or is_true is not False, is_true is True, keyword == ".else")

    def _holds(self, line: Line, statement: Statement) -> bool | None:
        """Whether a condition holds; None if that can't be said."""
        position = self.resolver.position()
        if isinstance(statement, DefinedStatement):
            name = statement.name.text
            definition = position.find(name)
            if definition is not None:
                definition.is_used = True
            return (definition is not None or name in self._macros) == (statement.directive.text == ".ifdef")
        assert isinstance(statement, ConditionStatement)
        result: list[bool] = []
        with self.resolver.report.on(line):
            result.append(evaluate(statement.condition, position) != 0)
        return result[0] if result else None

    # ---- blocks of text

    def _body(self, rest: Iterator[_Raw], line: Line, statement: MacroStatement | RepeatStatement) -> list[_Raw]:
        """The lines up to the end of a block."""
        opener = ".macro" if isinstance(statement, MacroStatement) else ".rept"
        body, is_closed = _collect(rest, opener, _OPENERS[opener])
        if not is_closed:
            raise Reject("E0109", f"'{opener}' without '{_OPENERS[opener]}'", statement.span)
        return body

    def _skip_broken(self, line: Line, rest: Iterator[_Raw], blocks: list[_Block]) -> None:
        """After a block's first line that does not parse: its body is no further error."""
        keyword = _keyword(line.text)
        if _OPENERS[keyword] == ".endif":
            blocks.append(_Block(line, was_taken=True, is_taken=False))
        else:
            _collect(rest, keyword, _OPENERS[keyword])

    def _repeat(self, line: Line, statement: RepeatStatement, body: list[_Raw], depth: int) -> None:
        count = evaluate(statement.times, self.resolver.position())
        if not 0 <= count <= MAX_EXPANDED_LINES:
            raise Reject("E0401", f"count {count} is outside 0..{MAX_EXPANDED_LINES}", statement.times.span)
        self._check_depth(depth, statement.span)
        counter = statement.counter.text if statement.counter else None
        for turn in range(count if body else 0):
            replaced = {f"\\{counter}": str(turn)} if counter else {}
            what = f"repetition {turn + 1} of {count}" + (f" ({counter} = {turn})" if counter else "")
            self._expand(body, Origin("repeat", what, line, statement.span), replaced, depth)

    def _call(self, line: Line, statement: CallStatement, depth: int, source: Source) -> None:
        macro = self._macros.get(statement.name.text)
        if macro is None:
            from accelkit.assembler.parse_errors import unknown_statement  # only who has an error needs it

            reject = unknown_statement(statement, line.text, self._macros, self._table)
            self.resolver.take(line._replace(labels=(), statement=_remains(statement, line.text)))
            raise reject
        self._check_depth(depth, statement.span)
        macro.is_used = True
        replaced, places = replacements(macro, line, statement)
        origin = Origin("macro", macro.word.text, line, statement.span, (macro.line, macro.word.span), arguments=places)
        self._expand(macro.body, origin, replaced, depth)

    def _expand(self, body: Iterable[_Raw], origin: Origin, replaced: Mapping[str, str], depth: int) -> None:
        """Read a body after substitution. `.local` names within get the number of the expansion."""
        self._expansions += 1
        number = self._expansions
        self._limits.take_characters(len(replaced), origin.line, origin.span)
        table = {"\\@": str(number), "\\()": "", **replaced}  # \() ends a name where a letter follows it
        self._run(self._substituted(body, origin, table, number), depth + 1)

    def _substituted(self, body: Iterable[_Raw], origin: Origin, table: dict[str, str], number: int) -> Iterator[_Raw]:
        nested = 0
        for raw in body:
            text = substitute(raw.text, table)
            self._limits.take_line(text, origin, len(self.resolver.report.found))
            keyword = _keyword(text) if "." in text else ""
            nested += (keyword in (".macro", ".rept")) - (keyword in (".endm", ".endr"))
            if keyword == ".local" and not nested:
                self._limits.take_characters(len(table), origin.line, origin.span)
                table = self._with_locals(raw, text, origin, table, number)
                continue
            yield _Raw(raw.source, raw.number, text, origin._replace(written=raw.text, replaced=table))

    def _with_locals(self, raw: _Raw, text: str, origin: Origin, table: dict[str, str], number: int) -> dict[str, str]:
        line = self._parse(_Raw(raw.source, raw.number, text, origin))
        self._place_labels(line)
        if not isinstance(line.statement, LocalStatement):
            return table
        return table | {word.text: f"{word.text}@{number}" for word in line.statement.names if "@" not in word.text}

    def _check_depth(self, depth: int, span: Span) -> None:
        if depth >= MAX_DEPTH:
            raise Reject("E0703", f"macros, repetitions and includes are nested more than {MAX_DEPTH} deep", span)

    # ---- includes

    def _include(self, line: Line, statement: IncludeStatement, includer: Source, depth: int) -> None:
        name = string_bytes(statement.file).decode(errors="replace")
        self._check_depth(depth, statement.span)
        try:
            found = find_include(name, includer, self._folders) if name and "\0" not in name else None
            if found is None:
                places = " or the folders of -I" if self._folders else ""
                help = [f"it is looked for beside {includer.file}{places}; -I names further folders"]
                raise Reject("E0704", f"no file '{name}'", statement.file.span, help)
            path, file = found
            if any(path.samefile(other) for other in self._open_files):
                raise Reject("E0704", f"'{name}' includes itself", statement.file.span)
            is_again = path in self._included
            source = self._included[path] if is_again else read_source(path, file)
        except OSError as error:
            raise Reject("E0704", f"'{name}' can't be read: {error.strerror}", statement.file.span) from None
        except AssemblyError as error:
            origin = Origin("include", name, line, statement.span)
            for one in error.diagnostics:
                self.resolver.report.found.append(one._replace(line=one.line._replace(origin=origin, order=line.order)))
            raise Unknown from None
        self._included[path] = source
        origin = Origin("include", name, line, statement.span)
        self._open_files.append(path)
        self._run(self._included_lines(source, origin, is_again), depth + 1)
        self._open_files.pop()

    def _included_lines(self, source: Source, origin: Origin, is_again: bool) -> Iterator[_Raw]:
        for number, text in enumerate(split_lines(source.text), 1):
            if is_again:
                self._limits.take_line(text, origin, len(self.resolver.report.found))
            yield _Raw(source, number, text, origin)


def _keyword(text: str) -> str:
    """The directive of a line, read before the line is parsed."""
    match = _KEYWORD.match(text)
    return match[1] if match else ""


def _collect(rest: Iterator[_Raw], opener: str, closer: str) -> tuple[list[_Raw], bool]:
    """The lines up to the one that closes a block, and whether there is one."""
    body: list[_Raw] = []
    depth = 1
    for raw in rest:
        keyword = _keyword(raw.text) if "." in raw.text else ""
        depth += (keyword == opener) - (keyword == closer)
        if not depth:
            return body, True
        body.append(raw)
    return body, False


def _skip(rest: Iterator[_Raw], closer: str) -> None:
    """Pass over a block and the blocks of its kind within it."""
    openers = [opener for opener, known in _OPENERS.items() if known == closer]
    depth = 1
    for raw in rest:
        keyword = _keyword(raw.text) if "." in raw.text else ""
        depth += (keyword in openers) - (keyword == closer)
        if not depth:
            return


def _remains(call: CallStatement, text: str) -> BrokenStatement:
    """What an unknown statement leaves behind: an instruction's place, or the name that a directive would have defined."""
    if not call.name.text.startswith("."):
        return BrokenStatement(True, (), call.span)
    names = _NAME.match(text, call.arguments[0].start) if call.arguments else None
    return BrokenStatement(False, (names[0],) if names else (), call.span)
