"""Syntax trees from what the grammar found: a method for each of its rules."""

from __future__ import annotations

from typing import TypeAlias

from lark import Token, Transformer, v_args

from accelkit.assembler import syntax
from accelkit.assembler.syntax import Span, Word

Parsed: TypeAlias = "tuple[tuple[Word, ...], syntax.Statement | None]"  # a line's labels and its statement
_Value: TypeAlias = "syntax.Expression | syntax.Memory"


def span_of(token: Token) -> Span:
    """The columns of a token."""
    assert token.start_pos is not None
    return Span(token.start_pos, token.start_pos + len(token))


def label_word(token: str, start: int) -> Word:
    """The name in a label token, whose text includes the colon."""
    name = token.rstrip(": \t")
    return Word(name, Span(start, start + len(name)))


def _word(token: Token) -> Word:
    return Word(str(token), span_of(token))


def _cover(first: Token, last: Token | Span) -> Span:
    return Span(first.start_pos or 0, (last if isinstance(last, Span) else span_of(last)).end)


@v_args(inline=True)
class Builder(Transformer):  # type: ignore[type-arg]
    """Lark calls the method of a rule with what its symbols gave."""

    def line(self, *parts: Token | syntax.Statement) -> Parsed:
        labels = tuple(label_word(part, part.start_pos or 0) for part in parts if isinstance(part, Token))
        statement = parts[-1] if len(parts) > len(labels) else None
        assert not isinstance(statement, Token)
        return labels, statement

    # ---- instructions

    def instruction(self, mnemonic: Token, *items: syntax.Item) -> syntax.InstructionStatement:
        return syntax.InstructionStatement(_word(mnemonic), items, _cover(mnemonic, items[-1].span if items else mnemonic))

    def positional(self, value: _Value) -> syntax.Positional:
        return syntax.Positional(value, value.span)

    def named(self, name: Token, value: _Value) -> syntax.Named:
        return syntax.Named(_word(name), value, _cover(name, value.span))

    def memory(self, memory: Token, index: syntax.Expression, end: Token) -> syntax.Memory:
        return syntax.Memory(_word(memory), index, _cover(memory, end))

    def flag(self, name: Token) -> syntax.Flag:
        return syntax.Flag(_word(name), span_of(name))

    def wait(self, keyword: Token, *tokens: Token) -> syntax.Tokens:
        return syntax.Tokens(True, tuple(map(_word, tokens[:-1])), _cover(keyword, tokens[-1]))

    def post(self, keyword: Token, *tokens: Token) -> syntax.Tokens:
        return syntax.Tokens(False, tuple(map(_word, tokens[:-1])), _cover(keyword, tokens[-1]))

    # ---- directives

    def section(self, directive: Token) -> syntax.SectionStatement:
        return syntax.SectionStatement(_word(directive), span_of(directive))

    def equate(self, directive: Token, name: Token, value: syntax.Expression) -> syntax.EquateStatement:
        return syntax.EquateStatement(_word(name), value, _cover(directive, value.span))

    def any_size(self, star: Token) -> syntax.AnySize:
        return syntax.AnySize(span_of(star))

    def buffer(self, dtype: Token, *shape: syntax.Expression | syntax.AnySize | Token) -> tuple[Word, tuple[object, ...], Span]:
        assert isinstance(shape[-1], Token)
        return _word(dtype), shape[:-1], span_of(shape[-1])

    def range(self, low: syntax.Expression, high: syntax.Expression) -> tuple[syntax.Expression, syntax.Expression]:
        return low, high

    def argument(self, directive: Token, name: Token, kind: Token, *more: tuple[object, ...]) -> syntax.ArgumentStatement:
        match more:
            case [(Word() as dtype, shape, Span() as end)]:
                return syntax.ArgumentStatement(_word(name), _word(kind), dtype, shape, None, _cover(directive, end))  # type: ignore[arg-type]
            case [(low, high)]:
                return syntax.ArgumentStatement(_word(name), _word(kind), None, (), (low, high), _cover(directive, high.span))  # type: ignore[arg-type, attr-defined]
        return syntax.ArgumentStatement(_word(name), _word(kind), None, (), None, _cover(directive, kind))

    def token(self, directive: Token, name: Token, producer: Token, consumer: Token) -> syntax.TokenStatement:
        return syntax.TokenStatement(_word(name), _word(producer), _word(consumer), _cover(directive, consumer))

    def region(
        self, directive: Token, name: Token, memory: Token, *rest: syntax.Expression | Token | syntax.Setting
    ) -> syntax.RegionStatement:
        settings = tuple(part for part in rest if isinstance(part, syntax.Setting))
        sizes = tuple(part for part in rest if not isinstance(part, Token | syntax.Setting))
        (end,) = (part for part in rest if isinstance(part, Token))
        last = settings[-1].span if settings else end
        return syntax.RegionStatement(_word(name), _word(memory), sizes, settings, _cover(directive, last))

    def global_(self, directive: Token, *names: Token) -> syntax.GlobalStatement:
        return syntax.GlobalStatement(tuple(map(_word, names)), _cover(directive, names[-1]))

    def case(self, directive: Token, name: Token, *settings: syntax.Setting) -> syntax.CaseStatement:
        return syntax.CaseStatement(_word(name), settings, _cover(directive, settings[-1].span if settings else name))

    def setting(self, name: Token, value: syntax.Expression) -> syntax.Setting:
        return syntax.Setting(_word(name), value, _cover(name, value.span))

    def machine(self, name: Token, value: Token) -> syntax.Setting:
        return syntax.Setting(_word(name), syntax.Text(str(value), span_of(value)), _cover(name, value))

    def data(self, directive: Token, *values: syntax.Expression | syntax.Text) -> syntax.DataStatement:
        return syntax.DataStatement(_word(directive), values, _cover(directive, values[-1].span))

    def string(self, token: Token) -> syntax.Text:
        return syntax.Text(str(token), span_of(token))

    def assertion(self, directive: Token, condition: syntax.Expression, message: syntax.Text | None = None) -> syntax.AssertStatement:
        return syntax.AssertStatement(condition, message, _cover(directive, message.span if message else condition.span))

    # ---- what the expansion takes

    def text(self, *pieces: Token) -> Span:
        return _cover(pieces[0], pieces[-1])

    def parameter(self, name: Token, default: Span | None = None) -> syntax.Parameter:
        return syntax.Parameter(_word(name), default, _cover(name, default if default is not None else name))

    def macro(self, directive: Token, name: Token, *parameters: syntax.Parameter) -> syntax.MacroStatement:
        return syntax.MacroStatement(_word(name), parameters, _cover(directive, parameters[-1].span if parameters else name))

    def call(self, name: Token, *arguments: Span) -> syntax.CallStatement:
        return syntax.CallStatement(_word(name), arguments, _cover(name, arguments[-1] if arguments else name))

    def repeat(self, directive: Token, count: syntax.Expression, counter: Token | None = None) -> syntax.RepeatStatement:
        word = _word(counter) if counter is not None else None
        return syntax.RepeatStatement(count, word, _cover(directive, word.span if word else count.span))

    def local(self, directive: Token, *names: Token) -> syntax.LocalStatement:
        return syntax.LocalStatement(tuple(map(_word, names)), _cover(directive, names[-1]))

    def condition(self, directive: Token, condition: syntax.Expression) -> syntax.ConditionStatement:
        return syntax.ConditionStatement(_word(directive), condition, _cover(directive, condition.span))

    def defined(self, directive: Token, name: Token) -> syntax.DefinedStatement:
        return syntax.DefinedStatement(_word(directive), _word(name), _cover(directive, name))

    def mark(self, directive: Token) -> syntax.MarkStatement:
        return syntax.MarkStatement(_word(directive), span_of(directive))

    def include(self, directive: Token, file: syntax.Text) -> syntax.IncludeStatement:
        return syntax.IncludeStatement(file, _cover(directive, file.span))

    # ---- expressions

    def ternary(self, condition: syntax.Expression, first: syntax.Expression, second: syntax.Expression) -> syntax.Ternary:
        return syntax.Ternary(condition, first, second, Span(condition.span.start, second.span.end))

    def binary(self, left: syntax.Expression, operator: Token, right: syntax.Expression) -> syntax.Binary:
        return syntax.Binary(_word(operator), left, right, Span(left.span.start, right.span.end))

    def unary(self, operator: Token, operand: syntax.Expression) -> syntax.Unary:
        return syntax.Unary(_word(operator), operand, _cover(operator, operand.span))

    def number(self, token: Token) -> syntax.Number:
        return syntax.Number(str(token), span_of(token))

    character = number

    def real(self, token: Token) -> syntax.Real:
        return syntax.Real(str(token), span_of(token))

    def name(self, token: Token) -> syntax.Name:
        return syntax.Name(str(token), span_of(token))

    def index(self, name: Token, *rest: syntax.Expression | Token) -> syntax.Index:
        assert isinstance(rest[-1], Token)
        return syntax.Index(_word(name), rest[:-1], _cover(name, rest[-1]))  # type: ignore[arg-type]

    def register(self, token: Token) -> syntax.Register:
        return syntax.Register(str(token), span_of(token))

    def here(self, token: Token) -> syntax.Here:
        return syntax.Here(span_of(token))

    def local_label(self, token: Token) -> syntax.LocalLabel:
        return syntax.LocalLabel(str(token), span_of(token))
