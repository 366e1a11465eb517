"""Syntax trees from what the grammar found: a method for each of its rules."""

from __future__ import annotations

from typing import TypeAlias

from accelkit.assembler import syntax
from accelkit.assembler.syntax import Span, Word

Parsed: TypeAlias = "tuple[tuple[Word, ...], syntax.Statement | None]"  # a line's labels and its statement
_Value: TypeAlias = "syntax.Expression | syntax.Memory"


def label_word(token: str, start: int) -> Word:
    """The name in a label token, whose text includes the colon."""
    name = token.rstrip(": \t")
    return Word(name, Span(start, start + len(name)))


def _cover(first: Word, last: Word | Span) -> Span:
    return Span(first.span.start, (last if isinstance(last, Span) else last.span).end)


class Builder:
    """The parser calls the method of a rule with what its symbols gave: words for tokens."""

    def line(self, *parts: Word | syntax.Statement) -> Parsed:
        labels = tuple(label_word(part.text, part.span.start) for part in parts if isinstance(part, Word))
        statement = parts[-1] if len(parts) > len(labels) else None
        assert not isinstance(statement, Word)
        return labels, statement

    # ---- instructions

    def instruction(self, mnemonic: Word, *items: syntax.Item) -> syntax.InstructionStatement:
        return syntax.InstructionStatement(mnemonic, items, _cover(mnemonic, items[-1].span if items else mnemonic))

    def positional(self, value: _Value) -> syntax.Positional:
        return syntax.Positional(value, value.span)

    def named(self, name: Word, value: _Value) -> syntax.Named:
        return syntax.Named(name, value, _cover(name, value.span))

    def memory(self, memory: Word, index: syntax.Expression, end: Word) -> syntax.Memory:
        return syntax.Memory(memory, index, _cover(memory, end))

    def flag(self, name: Word) -> syntax.Flag:
        return syntax.Flag(name, name.span)

    def wait(self, keyword: Word, *tokens: Word) -> syntax.Tokens:
        return syntax.Tokens(True, tokens[:-1], _cover(keyword, tokens[-1]))

    def post(self, keyword: Word, *tokens: Word) -> syntax.Tokens:
        return syntax.Tokens(False, tokens[:-1], _cover(keyword, tokens[-1]))

    # ---- directives

    def section(self, directive: Word) -> syntax.SectionStatement:
        return syntax.SectionStatement(directive, directive.span)

    def equate(self, directive: Word, name: Word, value: syntax.Expression) -> syntax.EquateStatement:
        return syntax.EquateStatement(name, value, _cover(directive, value.span))

    def any_size(self, star: Word) -> syntax.AnySize:
        return syntax.AnySize(star.span)

    def buffer(self, dtype: Word, *shape: syntax.Expression | syntax.AnySize | Word) -> tuple[Word, tuple[object, ...], Span]:
        assert isinstance(shape[-1], Word)
        return dtype, shape[:-1], shape[-1].span

    def range(self, low: syntax.Expression, high: syntax.Expression) -> tuple[syntax.Expression, syntax.Expression]:
        return low, high

    def argument(self, directive: Word, name: Word, kind: Word, *more: tuple[object, ...]) -> syntax.ArgumentStatement:
        match more:
            case [(Word() as dtype, shape, Span() as end)]:
                return syntax.ArgumentStatement(name, kind, dtype, shape, None, _cover(directive, end))  # type: ignore[arg-type]
            case [(low, high)]:
                return syntax.ArgumentStatement(name, kind, None, (), (low, high), _cover(directive, high.span))  # type: ignore[arg-type, attr-defined]
        return syntax.ArgumentStatement(name, kind, None, (), None, _cover(directive, kind))

    def token(self, directive: Word, name: Word, producer: Word, consumer: Word) -> syntax.TokenStatement:
        return syntax.TokenStatement(name, producer, consumer, _cover(directive, consumer))

    def region(
        self, directive: Word, name: Word, memory: Word, *rest: syntax.Expression | Word | syntax.Setting
    ) -> syntax.RegionStatement:
        settings = tuple(part for part in rest if isinstance(part, syntax.Setting))
        sizes = tuple(part for part in rest if not isinstance(part, Word | syntax.Setting))
        (end,) = (part for part in rest if isinstance(part, Word))
        last = settings[-1].span if settings else end
        return syntax.RegionStatement(name, memory, sizes, settings, _cover(directive, last))

    def global_(self, directive: Word, *names: Word) -> syntax.GlobalStatement:
        return syntax.GlobalStatement(names, _cover(directive, names[-1]))

    def case(self, directive: Word, name: Word, *settings: syntax.Setting) -> syntax.CaseStatement:
        return syntax.CaseStatement(name, settings, _cover(directive, settings[-1].span if settings else name))

    def setting(self, name: Word, value: syntax.Expression) -> syntax.Setting:
        return syntax.Setting(name, value, _cover(name, value.span))

    def machine(self, name: Word, value: Word) -> syntax.Setting:
        return syntax.Setting(name, syntax.Text(value.text, value.span), _cover(name, value))

    def data(self, directive: Word, *values: syntax.Expression | syntax.Text) -> syntax.DataStatement:
        return syntax.DataStatement(directive, values, _cover(directive, values[-1].span))

    def string(self, token: Word) -> syntax.Text:
        return syntax.Text(token.text, token.span)

    def assertion(self, directive: Word, condition: syntax.Expression, message: syntax.Text | None = None) -> syntax.AssertStatement:
        return syntax.AssertStatement(condition, message, _cover(directive, message.span if message else condition.span))

    # ---- what the expansion takes

    def text(self, *pieces: Word) -> Span:
        return _cover(pieces[0], pieces[-1])

    def parameter(self, name: Word, default: Span | None = None) -> syntax.Parameter:
        return syntax.Parameter(name, default, _cover(name, default if default is not None else name))

    def macro(self, directive: Word, name: Word, *parameters: syntax.Parameter) -> syntax.MacroStatement:
        return syntax.MacroStatement(name, parameters, _cover(directive, parameters[-1].span if parameters else name))

    def call(self, name: Word, *arguments: Span) -> syntax.CallStatement:
        return syntax.CallStatement(name, arguments, _cover(name, arguments[-1] if arguments else name))

    def repeat(self, directive: Word, count: syntax.Expression, counter: Word | None = None) -> syntax.RepeatStatement:
        return syntax.RepeatStatement(count, counter, _cover(directive, counter.span if counter else count.span))

    def local(self, directive: Word, *names: Word) -> syntax.LocalStatement:
        return syntax.LocalStatement(names, _cover(directive, names[-1]))

    def condition(self, directive: Word, condition: syntax.Expression) -> syntax.ConditionStatement:
        return syntax.ConditionStatement(directive, condition, _cover(directive, condition.span))

    def defined(self, directive: Word, name: Word) -> syntax.DefinedStatement:
        return syntax.DefinedStatement(directive, name, _cover(directive, name))

    def mark(self, directive: Word) -> syntax.MarkStatement:
        return syntax.MarkStatement(directive, directive.span)

    def include(self, directive: Word, file: syntax.Text) -> syntax.IncludeStatement:
        return syntax.IncludeStatement(file, _cover(directive, file.span))

    # ---- expressions

    def ternary(self, condition: syntax.Expression, first: syntax.Expression, second: syntax.Expression) -> syntax.Ternary:
        return syntax.Ternary(condition, first, second, Span(condition.span.start, second.span.end))

    def binary(self, left: syntax.Expression, operator: Word, right: syntax.Expression) -> syntax.Binary:
        return syntax.Binary(operator, left, right, Span(left.span.start, right.span.end))

    def unary(self, operator: Word, operand: syntax.Expression) -> syntax.Unary:
        return syntax.Unary(operator, operand, _cover(operator, operand.span))

    def number(self, token: Word) -> syntax.Number:
        return syntax.Number(token.text, token.span)

    character = number

    def real(self, token: Word) -> syntax.Real:
        return syntax.Real(token.text, token.span)

    def name(self, token: Word) -> syntax.Name:
        return syntax.Name(token.text, token.span)

    def index(self, name: Word, *rest: syntax.Expression | Word) -> syntax.Index:
        assert isinstance(rest[-1], Word)
        return syntax.Index(name, rest[:-1], _cover(name, rest[-1]))  # type: ignore[arg-type]

    def register(self, token: Word) -> syntax.Register:
        return syntax.Register(token.text, token.span)

    def here(self, token: Word) -> syntax.Here:
        return syntax.Here(token.span)

    def local_label(self, token: Word) -> syntax.LocalLabel:
        return syntax.LocalLabel(token.text, token.span)
