"""Syntax tree of a source file: one `Line` per line of text, and what stands on it.

Nodes carry the columns that they cover, never the line: equal text on two lines gives equal nodes. A node's `text` is always what stands
in these columns, so that a tree can be moved to another line of the same shape (shapes.py).

They are named tuples, because a file makes many of them and each class costs start-up time: a dataclass takes five times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """Columns of a line, from 0, `end` not included."""

    start: int
    end: int


class Word(NamedTuple):
    """A name or keyword as written."""

    text: str
    span: Span


# ---- expressions


class Number(NamedTuple):
    """An integer literal or character, as written."""

    text: str
    span: Span


class Real(NamedTuple):
    """A literal with point or exponent, as written: `.float` takes it."""

    text: str
    span: Span


class Name(NamedTuple):
    """A constant or label."""

    text: str
    span: Span


class Register(NamedTuple):
    """A scalar register, as written."""

    text: str
    span: Span


class Here(NamedTuple):
    """`.`: the number of this instruction, or the offset of this data."""

    span: Span


class LocalLabel(NamedTuple):
    """`1b` or `1f`: the nearest label `1:` before or after."""

    text: str
    span: Span


class Index(NamedTuple):
    """`region[index, ...]`: a row of a region."""

    name: Word
    indices: tuple[Expression, ...]
    span: Span


class Unary(NamedTuple):
    """A sign or complement."""

    operator: Word
    operand: Expression
    span: Span


class Binary(NamedTuple):
    """Two operands and an operator."""

    operator: Word
    left: Expression
    right: Expression
    span: Span


class Ternary(NamedTuple):
    """`condition ? first : second`."""

    condition: Expression
    first: Expression
    second: Expression
    span: Span


Expression: TypeAlias = Number | Real | Name | Register | Here | LocalLabel | Index | Unary | Binary | Ternary


# ---- operands of instructions


class Memory(NamedTuple):
    """`sp[...]`, `acc[...]`, `dram[...]`, `args[...]`."""

    memory: Word
    place: Expression
    span: Span


class Positional(NamedTuple):
    """An operand without a name."""

    value: Expression | Memory
    span: Span


class Named(NamedTuple):
    """`name=value`."""

    name: Word
    value: Expression | Memory
    span: Span


class Flag(NamedTuple):
    """A flag, as a bare word."""

    name: Word
    span: Span


class Tokens(NamedTuple):
    """`wait(...)` or `post(...)`."""

    is_wait: bool
    channels: tuple[Word, ...]
    span: Span


Item: TypeAlias = Positional | Named | Flag | Tokens


# ---- statements


class InstructionStatement(NamedTuple):
    """A mnemonic and its operands."""

    mnemonic: Word
    items: tuple[Item, ...]
    span: Span


class SectionStatement(NamedTuple):
    """`.text` or `.data`."""

    directive: Word
    span: Span


class EquateStatement(NamedTuple):
    """`.equ name, value`."""

    name: Word
    value: Expression
    span: Span


class AnySize(NamedTuple):
    """The dimension `*`."""

    span: Span


class ArgumentStatement(NamedTuple):
    """`.arg name, kind`, `.arg name, kind in low .. high` or `.arg name, kind, dtype[dimensions]`."""

    name: Word
    kind: Word
    dtype: Word | None
    shape: tuple[Expression | AnySize, ...]
    range: tuple[Expression, Expression] | None
    span: Span


class TokenStatement(NamedTuple):
    """`.token name = producer -> consumer`."""

    name: Word
    producer: Word
    consumer: Word
    span: Span


class GlobalStatement(NamedTuple):
    """`.global name, ...`."""

    names: tuple[Word, ...]
    span: Span


class Text(NamedTuple):
    """A string literal, as written."""

    text: str
    span: Span


class DataStatement(NamedTuple):
    """`.byte`, `.word`, `.space`, ...: a directive and its values."""

    directive: Word
    values: tuple[Expression | Text, ...]
    span: Span


class Setting(NamedTuple):
    """`name=value` of a case. The value of `machine` is a text, a string literal or a bare path."""

    name: Word
    value: Expression | Text
    span: Span


class CaseStatement(NamedTuple):
    """`.case name, machine=..., argument=value, ...`."""

    name: Word
    settings: tuple[Setting, ...]
    span: Span


class RegionStatement(NamedTuple):
    """`.region name, memory[sizes], at=..., over=...`."""

    name: Word
    memory: Word
    sizes: tuple[Expression, ...]
    settings: tuple[Setting, ...]
    span: Span


class AssertStatement(NamedTuple):
    """`.assert condition, "message"`."""

    condition: Expression
    message: Text | None
    span: Span


# ---- statements that the expansion takes; what stands between the first and the last line of a block is kept as text


class Parameter(NamedTuple):
    """A macro's parameter; `default` covers the text after `=`."""

    name: Word
    default: Span | None
    span: Span


class MacroStatement(NamedTuple):
    """`.macro name parameter, ...`."""

    name: Word
    parameters: tuple[Parameter, ...]
    span: Span


class CallStatement(NamedTuple):
    """A macro's name and its arguments, as columns of their text; or an instruction that nobody knows."""

    name: Word
    arguments: tuple[Span, ...]
    span: Span


class RepeatStatement(NamedTuple):
    """`.rept count, counter`."""

    times: Expression
    counter: Word | None
    span: Span


class LocalStatement(NamedTuple):
    """`.local name, ...`: names that differ from expansion to expansion."""

    names: tuple[Word, ...]
    span: Span


class ConditionStatement(NamedTuple):
    """`.if` and `.elif` with their condition."""

    directive: Word
    condition: Expression
    span: Span


class DefinedStatement(NamedTuple):
    """`.ifdef name` and `.ifndef name`."""

    directive: Word
    name: Word
    span: Span


class MarkStatement(NamedTuple):
    """`.else`, `.endif`, `.endm`, `.endr`."""

    directive: Word
    span: Span


class IncludeStatement(NamedTuple):
    """`.include "file"`."""

    file: Text
    span: Span


class BrokenStatement(NamedTuple):
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
    | RegionStatement
    | AssertStatement
    | MacroStatement
    | CallStatement
    | RepeatStatement
    | LocalStatement
    | ConditionStatement
    | DefinedStatement
    | MarkStatement
    | IncludeStatement
    | BrokenStatement
)


# ---- lines


class Line(NamedTuple):
    """A line of source: where it stands, its text, its labels and its statement. Numbers count from 1.

    `text` is what was parsed: for a line of a macro or repetition the text after substitution, while `file` and `number` say where it is
    written; `origin` then says how it came here, as it does for the lines of an included file. `order` counts all lines of a run.
    """

    file: str
    number: int
    text: str
    labels: tuple[Word, ...] = ()
    statement: Statement | None = None
    origin: Origin | None = None
    order: int = 0


class Origin(NamedTuple):
    """Why a line stands where it does: the call of a macro, a repetition, or an include.

    `line` and `span` are of the call, `definition` is the macro's. `written` is the line before substitution, `replaced` what its
    parameters and local names were replaced by; `arguments` has the columns of the call in which such a text stands, by parameter.
    """

    kind: str
    name: str
    line: Line
    span: Span
    definition: tuple[Line, Span] | None = None
    written: str = ""
    replaced: Mapping[str, str] = {}  # never changed
    arguments: Mapping[str, Span] = {}  # never changed
