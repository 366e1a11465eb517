"""Pass 1: a line of text to its syntax. A line that does not parse is reported, and a BrokenStatement takes its place."""

from __future__ import annotations

from functools import lru_cache

from accelkit.assembler.builder import Builder, Parsed
from accelkit.assembler.diagnostics import Reject
from accelkit.assembler.lalr import LalrParser, SyntaxFault
from accelkit.assembler.shapes import Shapes
from accelkit.isa.grammar import full_grammar, keywords, table_terminals
from accelkit.isa.parse_table import parse_table
from accelkit.isa.table import Table


class LineParser:
    """Parser of single lines, with a memory for their shapes."""

    def __init__(self, table: Table, grammar: str) -> None:
        self._parser = LalrParser(parse_table(full_grammar(table, grammar)), Builder())
        self._table = table
        terminals = table_terminals(table)
        words = {word for name, words in terminals.items() if name != "REGISTER" for word in words}
        words |= {operand.name for row in table.rows for operand in row.operands}
        self.shapes = Shapes(frozenset(words) | keywords(grammar), frozenset(terminals["REGISTER"]))

    def parse(self, text: str) -> tuple[str, Parsed, Reject | None]:
        """The shape of a line, its labels and statement, and what is wrong with it."""
        shape, holes = self.shapes.shape(text)
        template = self.shapes.get(shape)
        if template is not None and len(holes) == len(template.holes):  # else the text holds the marks themselves
            return shape, template.tree(text, holes), None
        try:
            parsed: Parsed = self._parser.parse(text)
        except SyntaxFault as fault:
            from accelkit.assembler.parse_errors import explain  # only who has an error needs it

            reject, labels, statement = explain(fault, text, self._parser, self._table)
            return shape, (labels, statement), reject
        self.shapes.learn(shape, text, parsed)
        return shape, parsed, None

    def remembers(self, shape: str) -> bool:
        """Whether the next line of this shape need not be parsed."""
        return self.shapes.get(shape) is not None


@lru_cache(maxsize=8)
def line_parser(table: Table, grammar: str) -> LineParser:
    """The parser of a table and a grammar, made once."""
    return LineParser(table, grammar)
