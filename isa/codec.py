"""Words to decoded instructions and back, generic over the table's fields. A word that no row covers does not decode."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from accelkit.isa.row import WORD_BITS, Instruction
from accelkit.isa.table import TABLE, BitField, Table

WORD_BYTES = WORD_BITS // 8


class IllegalWord(ValueError):
    """A word that is no instruction: unknown opcode, or reserved bits set."""


@dataclass(frozen=True)
class Decoded:
    """An instruction and the value of every named field (registers as numbers, masks and flags as integers)."""

    row: Instruction
    values: Mapping[str, int]

    def __hash__(self) -> int:
        return hash((self.row.mnemonic, tuple(sorted(self.values.items()))))


class Codec:
    """Encoder and decoder of a table."""

    def __init__(self, table: Table = TABLE) -> None:
        self.table = table

    @cached_property
    def _ranges(self) -> Mapping[str, Mapping[str, tuple[int, int, int, int]]]:
        """By mnemonic and field: place, mask, lowest and highest value."""
        return {
            mnemonic: {bits.name: _range(bits) for bits in found if bits.name and bits != self.table.opcode}
            for mnemonic, found in self._fields.items()
        }

    @cached_property
    def _fields(self) -> Mapping[str, tuple[BitField, ...]]:
        return {row.mnemonic: self.table.fields(row) for row in self.table.rows}

    @cached_property
    def _layouts(self) -> Mapping[str, tuple[tuple[str, int, int, bool], ...]]:
        """By mnemonic: name, place, width and sign of every field but the opcode."""
        return {
            mnemonic: tuple((bits.name, bits.lsb, bits.width, bits.is_signed) for bits in found if bits != self.table.opcode)
            for mnemonic, found in self._fields.items()
        }

    def fields_of(self, row: Instruction) -> tuple[BitField, ...]:
        """The fields of a row's word (see table.fields)."""
        return self._fields[row.mnemonic]

    def range_of(self, row: Instruction, name: str) -> tuple[int, int]:
        """The lowest and highest value of a field."""
        return self._ranges[row.mnemonic][name][2:]

    def encode(self, row: Instruction, values: Mapping[str, int]) -> int:
        """The word of `row`; fields not in `values` are 0. ValueError if a value does not fit its field or names none."""
        word = row.opcode << self.table.opcode.lsb
        known = self._ranges[row.mnemonic]
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"{row.mnemonic} has no field {name!r}; it has {', '.join(sorted(known))}")
            lsb, mask, low, high = known[name]
            if not low <= value <= high:
                raise ValueError(f"{row.mnemonic}: {name} = {value} is outside {low}..{high}")
            word |= (value & mask) << lsb
        return word

    def decode(self, word: int) -> Decoded:
        """The instruction of a word; IllegalWord (with what is wrong) if it is none."""
        if not 0 <= word < 1 << self.table.word_bits:
            raise ValueError(f"{word:#x} is no {self.table.word_bits}-bit word")
        opcode = (word & self.table.opcode.mask) >> self.table.opcode.lsb
        row = self.table.by_opcode.get(opcode)
        if row is None:
            raise IllegalWord(f"no instruction has opcode 0x{opcode:02x}")
        values: dict[str, int] = {}
        for name, lsb, width, is_signed in self._layouts[row.mnemonic]:
            value = word >> lsb & (1 << width) - 1
            if name:
                values[name] = value - (1 << width) if is_signed and value >> width - 1 else value
            elif value:
                raise IllegalWord(f"{row.mnemonic}: reserved bits {lsb}..{lsb + width - 1} hold {value:#x}, not 0")
        return Decoded(row, values)


def _range(bits: BitField) -> tuple[int, int, int, int]:
    """Place, mask, lowest and highest value of a field."""
    mask = (1 << bits.width) - 1
    return (bits.lsb, mask, -(1 << bits.width - 1), mask >> 1) if bits.is_signed else (bits.lsb, mask, 0, mask)


CODEC = Codec()


def codec_of(table: Table) -> Codec:
    """A codec of a table; that of the usual one is made once."""
    return CODEC if table is TABLE else Codec(table)
