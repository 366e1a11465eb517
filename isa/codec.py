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
        for bits in self._fields[row.mnemonic]:
            value = (word & bits.mask) >> bits.lsb
            if not bits.name:
                if value:
                    raise IllegalWord(
                        f"{row.mnemonic}: reserved bits {bits.lsb}..{bits.lsb + bits.width - 1} hold {value:#x}, not 0"
                    )
            elif bits != self.table.opcode:
                values[bits.name] = (
                    value - (1 << bits.width) if bits.is_signed and value >> bits.width - 1 else value
                )
        return Decoded(row, values)



def _range(bits: BitField) -> tuple[int, int, int, int]:
    """Place, mask, lowest and highest value of a field."""
    mask = (1 << bits.width) - 1
    return (bits.lsb, mask, -(1 << bits.width - 1), mask >> 1) if bits.is_signed else (bits.lsb, mask, 0, mask)


CODEC = Codec()
