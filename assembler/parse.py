"""Pass 1: text to lines of syntax. A line that does not parse is reported, and a BrokenStatement takes its place."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from lark import Token, Transformer, UnexpectedInput, v_args

from accelkit.assembler import syntax
from accelkit.assembler.diagnostics import Diagnostic
from accelkit.assembler.parse_errors import explain, label_word
from accelkit.assembler.syntax import Line, Span, Word
from accelkit.isa.grammar import build_parser
from accelkit.isa.table import Table

if TYPE_CHECKING:
    from lark import Lark

_Value: TypeAlias = "syntax.Expression | syntax.Memory"


def parse(source: str, file: str, table: Table, grammar: str) -> tuple[list[Line], list[Diagnostic]]:
    """The lines of `source`, and what is wrong with their syntax."""
    parser = _parser(table, grammar)
    lines: list[Line] = []
    found: list[Diagnostic] = []
    for number, ended in enumerate(source.split("\n"), start=1):
        text = ended.removesuffix("\r")
        try:
            labels, statement = parser.parse(text)  # type: ignore[misc]  # Lark doesn't know what the transformer returns
        except UnexpectedInput as error:
            reject, labels, statement = explain(error, text, parser, table)
            found.append(reject.at(Line(file, number, text)))
        lines.append(Line(file, number, text, labels, statement))
    return lines, found


@lru_cache(maxsize=8)
def _parser(table: Table, grammar: str) -> Lark:
    return build_parser(table, grammar, _Builder())


def _span(token: Token) -> Span:
    assert token.start_pos is not None
    return Span(token.start_pos, token.start_pos + len(token))


def _word(token: Token) -> Word:
    return Word(str(token), _span(token))


def _cover(first: Span, last: Span) -> Span:
    return Span(first.start, last.end)


@v_args(inline=True)
class _Builder(Transformer):  # type: ignore[type-arg]
    """Builds the nodes of syntax.py; a method for each rule of the grammar."""

    def line(self, *parts: Token | syntax.Statement) -> tuple[tuple[Word, ...], syntax.Statement | None]:
        labels = tuple(label_word(part, part.start_pos or 0) for part in parts if isinstance(part, Token))
        statement = parts[-1] if len(parts) > len(labels) else None
        assert not isinstance(statement, Token)
        return labels, statement

    def instruction(self, mnemonic: Token, *items: syntax.Item) -> syntax.InstructionStatement:
        last = items[-1].span if items else _span(mnemonic)
        return syntax.InstructionStatement(_word(mnemonic), items, _cover(_span(mnemonic), last))

    def positional(self, value: _Value) -> syntax.Positional:
        return syntax.Positional(value, value.span)

    def named(self, name: Token, value: _Value) -> syntax.Named:
        return syntax.Named(_word(name), value, _cover(_span(name), value.span))

    def memory(self, memory: Token, index: syntax.Expression, end: Token) -> syntax.Memory:
        return syntax.Memory(str(memory), index, _cover(_span(memory), _span(end)))

    def flag(self, name: Token) -> syntax.Flag:
        return syntax.Flag(_word(name), _span(name))

    def wait(self, keyword: Token, *tokens: Token) -> syntax.Tokens:
        return syntax.Tokens(True, tuple(map(_word, tokens[:-1])), _cover(_span(keyword), _span(tokens[-1])))

    def post(self, keyword: Token, *tokens: Token) -> syntax.Tokens:
        return syntax.Tokens(False, tuple(map(_word, tokens[:-1])), _cover(_span(keyword), _span(tokens[-1])))

    def section(self, directive: Token) -> syntax.SectionStatement:
        return syntax.SectionStatement(directive.removeprefix("."), _span(directive))

    def equate(self, directive: Token, name: Token, value: syntax.Expression) -> syntax.EquateStatement:
        return syntax.EquateStatement(_word(name), value, _cover(_span(directive), value.span))

    def any_size(self, star: Token) -> syntax.AnySize:
        return syntax.AnySize(_span(star))

    def argument(
        self, directive: Token, name: Token, kind: Token, dtype: Token | None = None, *shape: syntax.Expression | syntax.AnySize | Token
    ) -> syntax.ArgumentStatement:
        end = shape[-1] if shape else kind
        assert isinstance(end, Token)
        sizes = tuple(size for size in shape if not isinstance(size, Token))
        return syntax.ArgumentStatement(
            _word(name), _word(kind), _word(dtype) if dtype is not None else None, sizes, _cover(_span(directive), _span(end))
        )

    def token(self, directive: Token, name: Token, producer: Token, consumer: Token) -> syntax.TokenStatement:
        return syntax.TokenStatement(_word(name), _word(producer), _word(consumer), _cover(_span(directive), _span(consumer)))

    def global_(self, directive: Token, *names: Token) -> syntax.GlobalStatement:
        return syntax.GlobalStatement(tuple(map(_word, names)), _cover(_span(directive), _span(names[-1])))

    def case(self, directive: Token, name: Token, *settings: syntax.Setting) -> syntax.CaseStatement:
        last = settings[-1].span if settings else _span(name)
        return syntax.CaseStatement(_word(name), settings, _cover(_span(directive), last))

    def setting(self, name: Token, value: syntax.Expression) -> syntax.Setting:
        return syntax.Setting(_word(name), value, _cover(_span(name), value.span))

    def machine(self, name: Token, value: Token) -> syntax.Setting:
        return syntax.Setting(_word(name), syntax.Text(str(value), _span(value)), _cover(_span(name), _span(value)))

    def data(self, directive: Token, *values: syntax.Expression | syntax.Text) -> syntax.DataStatement:
        return syntax.DataStatement(_word(directive), values, _cover(_span(directive), values[-1].span))

    def string(self, token: Token) -> syntax.Text:
        return syntax.Text(str(token), _span(token))

    def binary(self, left: syntax.Expression, operator: Token, right: syntax.Expression) -> syntax.Binary:
        return syntax.Binary(str(operator), left, right, _cover(left.span, right.span))

    def unary(self, operator: Token, operand: syntax.Expression) -> syntax.Unary:
        return syntax.Unary(str(operator), operand, _cover(_span(operator), operand.span))

    def number(self, token: Token) -> syntax.Number:
        return syntax.Number(str(token), _span(token))

    character = number

    def real(self, token: Token) -> syntax.Real:
        return syntax.Real(str(token), _span(token))

    def name(self, token: Token) -> syntax.Name:
        return syntax.Name(str(token), _span(token))

    def register(self, token: Token) -> syntax.Register:
        return syntax.Register(str(token), _span(token))

    def here(self, token: Token) -> syntax.Here:
        return syntax.Here(_span(token))
