"""Syntax tree of a source file: one `Line` per line of text, and what stands on it.

Nodes carry the columns that they cover, never the line: equal text on two lines gives equal nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Span:
    """Columns of a line, from 0, `end` not included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A name or keyword as written."""

    text: str
    span: Span


# ---- expressions


@dataclass(frozen=True, slots=True)
class Number:
    """An integer literal or character, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Real:
    """A literal with point or exponent, as written: `.float` takes it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A constant or label."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Register:
    """A scalar register, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Here:
    """`.`: the number of this instruction, or the offset of this data."""

    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """A sign or complement."""

    operator: str
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and an operator."""

    operator: str
    left: Expression
    right: Expression
    span: Span


Expression: TypeAlias = Number | Real | Name | Register | Here | Unary | Binary


# ---- operands of instructions


@dataclass(frozen=True, slots=True)
class Memory:
    """`sp[...]`, `acc[...]`, `dram[...]`, `args[...]`."""

    memory: str
    index: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Positional:
    """An operand without a name."""

    value: Expression | Memory
    span: Span


@dataclass(frozen=True, slots=True)
class Named:
    """`name=value`."""

    name: Word
    value: Expression | Memory
    span: Span


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag, as a bare word."""

    name: Word
    span: Span


@dataclass(frozen=True, slots=True)
class Tokens:
    """`wait(...)` or `post(...)`."""

    is_wait: bool
    channels: tuple[Word, ...]
    span: Span


Item: TypeAlias = Positional | Named | Flag | Tokens


# ---- statements


@dataclass(frozen=True, slots=True)
class InstructionStatement:
    """A mnemonic and its operands."""

    mnemonic: Word
    items: tuple[Item, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SectionStatement:
    """`.text` or `.data`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class EquateStatement:
    """`.equ name, value`."""

    name: Word
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class AnySize:
    """The dimension `*`."""

    span: Span


@dataclass(frozen=True, slots=True)
class ArgumentStatement:
    """`.arg name, kind` or `.arg name, kind, dtype[dimensions]`."""

    name: Word
    kind: Word
    dtype: Word | None
    shape: tuple[Expression | AnySize, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TokenStatement:
    """`.token name = producer -> consumer`."""

    name: Word
    producer: Word
    consumer: Word
    span: Span


@dataclass(frozen=True, slots=True)
class GlobalStatement:
    """`.global name, ...`."""

    names: tuple[Word, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class DataStatement:
    """`.byte`, `.word`, `.space`, ...: a directive and its values."""

    directive: Word
    values: tuple[Expression | Text, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Setting:
    """`name=value` of a case. The value of `machine` is a text, a string literal or a bare path."""

    name: Word
    value: Expression | Text
    span: Span


@dataclass(frozen=True, slots=True)
class CaseStatement:
    """`.case name, machine=..., argument=value, ...`."""

    name: Word
    settings: tuple[Setting, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class BrokenStatement:
    """A statement that did not parse. `names` are names that it would have defined: using them is no further error."""

    is_instruction: bool
    names: tuple[str, ...]
    span: Span


Statement: TypeAlias = (
    InstructionStatement
    | SectionStatement
    | EquateStatement
    | ArgumentStatement
    | TokenStatement
    | GlobalStatement
    | DataStatement
    | CaseStatement
    | BrokenStatement
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of source: where it stands, its text, its labels and its statement. Numbers count from 1."""

    file: str
    number: int
    text: str
    labels: tuple[Word, ...] = field(default=())
    statement: Statement | None = None
