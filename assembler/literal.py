"""Instructions whose operands are all registers and numbers, straight from their line's shape to the word.

Generated code consists of such lines. The first of a shape goes through all passes; where its registers and numbers end up in the word is
found by encoding it with other ones. The rest costs no tree and no look-up. Whatever is not plain (a value that may not fit, a label, a
name) is left to the passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from accelkit.assembler.encode import encode
from accelkit.assembler.layout import Layout, PlacedInstruction
from accelkit.assembler.parse import LineParser
from accelkit.assembler.resolve import Resolver
from accelkit.assembler.shapes import Template
from accelkit.assembler.symbols import Position, Symbols
from accelkit.assembler.syntax import (
    InstructionStatement,
    Line,
    Memory,
    Named,
    Number,
    Positional,
    Register,
    Span,
    Unary,
)
from accelkit.isa.codec import Codec, codec_of
from accelkit.isa.program import SourceLine
from accelkit.isa.row import Kind
from accelkit.isa.table import Table


class Literals:
    """Takes plain instructions out of a file's lines."""

    def __init__(self, parser: LineParser, resolver: Resolver, table: Table) -> None:
        self._shapes = parser.shapes
        self._resolver = resolver
        self._codec = codec_of(table)

    def take(self, file: str, lines: Sequence[str], first: int) -> int:
        """Place the plain instructions from line `first` (from 0) on; the number of the first line that is something else."""
        if self._resolver.section != "text" or self._resolver.is_waiting:
            return first
        shape_of, known = self._shapes.shape, self._shapes.get
        add_word, add_place = self._resolver.layout.words.append, self._resolver.layout.places.append
        for number in range(first, len(lines)):
            text = lines[number]
            if "lint:" in text:
                return number
            shape, holes = shape_of(text)
            template = known(shape)
            if template is None:
                return number
            encoder = template.encoder
            if encoder is None:
                encoder = template.encoder = self._encoder(template)
            word = encoder.word(holes)
            if word is None:
                if shape:
                    return number
                continue  # nothing but space or comment
            add_word(word)
            add_place(SourceLine(file, number + 1, encoder.column))
        return len(lines)

    def _encoder(self, template: Template) -> Encoder:
        labels, statement = template.parsed
        if labels or not isinstance(statement, InstructionStatement):
            return Encoder.none()
        table = self._codec.table
        alias = table.alias_by_mnemonic.get(statement.mnemonic.text)
        row = table.by_mnemonic[alias.target if alias else statement.mnemonic.text]
        leaves = dict(_leaves(statement))
        if any(operand.kind is Kind.TARGET for operand in row.operands) or any(Span(*hole) not in leaves for hole in template.holes):
            return Encoder.none()
        is_register = [leaves[Span(*hole)] for hole in template.holes]
        zeros = ["x0" if register else "0" for register in is_register]
        ones = ["x1" if register else "1" for register in is_register]
        base = self._encode(template, zeros)
        parts = []
        for place, register in enumerate(is_register):
            word = self._encode(template, [*zeros[:place], ones[place], *zeros[place + 1 :]])
            if base is None or word is None or not (part := _part(base ^ word, register, self._codec, row)):
                return Encoder.none()
            parts.append(part)
        return Encoder(base, parts, statement.span.start + 1)

    def _encode(self, template: Template, holes: Sequence[str]) -> int | None:
        """The word of the template's line with other holes; None if there is something wrong with it."""
        pieces, position = [], 0
        for (start, end), hole in zip(template.holes, holes, strict=True):
            pieces += [template.text[position:start], hole]
            position = end
        changed = "".join([*pieces, template.text[position:]])
        statement = template.tree(changed, holes)[1]
        assert isinstance(statement, InstructionStatement)
        layout = Layout(Symbols(frozenset()))
        layout.words.append(0)
        layout.instructions.append(PlacedInstruction(Line("", 1, changed), statement, 0, Position(layout.symbols, 0, 0), {}))
        return None if encode(layout, self._codec) else layout.words[0]


class Encoder:
    """Adds up a word: a base, and for each hole its value at its place."""

    def __init__(self, base: int | None, parts: Sequence[Mapping[str, int] | tuple[int, int, int]], column: int) -> None:
        self.column = column
        self._base = base
        self._parts = parts

    @classmethod
    def none(cls) -> Encoder:
        """For lines that are no plain instruction."""
        return cls(None, (), 0)

    def word(self, holes: Sequence[str]) -> int | None:
        """The word; None if the line is not plain."""
        word = self._base
        if word is None or len(holes) != len(self._parts):
            return None
        for part, hole in zip(self._parts, holes, strict=True):
            if type(part) is tuple:
                lsb, limit, mask = part
                value = int(hole, 0)
                if value >= limit:
                    return None
                word |= (-value & mask if mask else value) << lsb
            else:
                word |= part[hole]  # type: ignore[call-overload]  # mypy does not narrow by type()
        return word


def _part(difference: int, is_register: bool, codec: Codec, row: Any) -> Mapping[str, int] | tuple[int, int, int] | None:
    """Where a hole lands, from the bits that change between 0 and 1: registers as a table, numbers as place, limit and a mask if they
    are negated. Half of a field's range is enough: larger numbers are for the passes, which know whether they are signed."""
    lsb = (difference & -difference).bit_length() - 1
    width = next((bits.width for bits in codec.fields_of(row) if bits.lsb == lsb), 0)
    if difference == 1 << lsb and width:
        if is_register:
            return {name: number << lsb for name, number in codec.table.registers.items()}
        return lsb, 1 << width - 1, 0
    if width and not is_register and difference == ((1 << width) - 1) << lsb:
        return lsb, (1 << width - 1) + 1, (1 << width) - 1
    return None


def _leaves(statement: InstructionStatement) -> Iterator[tuple[Span, bool]]:
    """Columns of the operands that are a register or a number, and whether each is a register."""
    for item in statement.items:
        if isinstance(item, Positional | Named):
            value: Any = item.value.place if isinstance(item.value, Memory) else item.value
            if isinstance(value, Unary) and value.operator.text == "-":
                value = value.operand
            if isinstance(value, Register | Number):
                yield value.span, isinstance(value, Register)
