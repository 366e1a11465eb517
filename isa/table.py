"""The instruction table: rows composed from modules, and the encoding that follows from a row.

A table is a value: tools take it as an argument, so that another ISA can bring its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from accelkit.isa.registers import REGISTER_NUMBERS
from accelkit.isa.row import SLOT_BITS, SLOT_LSB, WORD_BITS, Alias, Instruction, Kind
from accelkit.isa.rows import array, load, sequencer, store, vector
from accelkit.isa.units import CHANNELS, Channel, channels_posted, channels_waited

ISA_VERSION = (1, 1)  # major: an old program no longer means the same; minor: instructions were added


@dataclass(frozen=True)
class BitField:
    """Bits `lsb` to `lsb + width - 1` of the word. A field without a name is reserved and must be zero."""

    name: str
    lsb: int
    width: int
    is_signed: bool = False

    @property
    def mask(self) -> int:
        """The field's bits, in place."""
        return ((1 << self.width) - 1) << self.lsb


OPCODE = BitField("opcode", 0, 8)
RD = BitField("rd", 8, 5)
RS1 = BitField("rs1", 13, 5)
RS2 = BitField("rs2", 18, 5)
IMM = BitField("imm", 32, 32)
IMM_SIGNED = BitField("imm", 32, 32, is_signed=True)
WAIT = BitField("wait", 8, 8)
POST = BitField("post", 16, 6)
FLAG_LSB = 22

_SCALAR_FIELDS: Mapping[Kind, tuple[BitField, ...]] = {
    Kind.RD: (RD,),
    Kind.RS1: (RS1,),
    Kind.RS2: (RS2,),
    Kind.IMMEDIATE: (IMM,),
    Kind.TARGET: (IMM_SIGNED,),
    Kind.ARGUMENT: (RS1, IMM),
}


def fields(instruction: Instruction) -> tuple[BitField, ...]:
    """All fields of an instruction's word from bit 0 up, reserved ones included: every bit is covered exactly once."""
    return complete(_own_fields(instruction), WORD_BITS)


def _own_fields(instruction: Instruction) -> list[BitField]:
    used = [OPCODE]
    if instruction.is_tensor:
        assert instruction.port is not None
        used.append(BitField("wait", WAIT.lsb, len(channels_waited(instruction.unit))))
        used.append(BitField("post", POST.lsb, len(channels_posted(instruction.port))))
        used += [BitField(flag.name, FLAG_LSB + place, 1) for place, flag in enumerate(instruction.flags)]
        used += [
            BitField(operand.name, SLOT_LSB + SLOT_BITS * place, SLOT_BITS)
            for place, operand in enumerate(instruction.slots)
        ]
    else:
        for operand in instruction.operands:
            used += _SCALAR_FIELDS[operand.kind]
    return used


def complete(used: Iterable[BitField], word_bits: int) -> tuple[BitField, ...]:
    """Fields in order of their bits, with reserved ones where there are gaps."""
    found: list[BitField] = []
    position = 0
    for bits in [*sorted(used, key=lambda bits: bits.lsb), BitField("", word_bits, 0)]:
        if bits.lsb > position:
            found.append(BitField("", position, bits.lsb - position))
        if bits.width:
            found.append(bits)
        position = bits.lsb + bits.width
    return tuple(found)


@dataclass(frozen=True)
class Table:
    """Rows and aliases with the look-ups that the tools need.

    What follows the aliases describes the encoding, for an instruction set of another kind: its version, its word, the field of its
    opcode, its registers, whether it has channels, and the fields of a row's word (a function like `fields`).
    """

    rows: tuple[Instruction, ...]
    aliases: tuple[Alias, ...]
    version: tuple[int, int] = ISA_VERSION
    word_bits: int = WORD_BITS
    opcode: BitField = OPCODE
    is_zero_legal: bool = False
    registers: Mapping[str, int] = field(default_factory=lambda: REGISTER_NUMBERS, hash=False)
    channels: tuple[Channel, ...] = CHANNELS
    fields: Callable[[Instruction], tuple[BitField, ...]] = fields

    @cached_property
    def by_mnemonic(self) -> Mapping[str, Instruction]:
        """Rows by mnemonic."""
        return {row.mnemonic: row for row in self.rows}

    @cached_property
    def by_opcode(self) -> Mapping[int, Instruction]:
        """Rows by opcode."""
        return {row.opcode: row for row in self.rows}

    @cached_property
    def alias_by_mnemonic(self) -> Mapping[str, Alias]:
        """Aliases by mnemonic."""
        return {alias.mnemonic: alias for alias in self.aliases}

    def problems(self) -> list[str]:
        """What is wrong with the table, a line each: bits covered twice or not, encodings that overlap, dangling names."""
        found: list[str] = []
        seen: dict[int, str] = {}
        names = [row.mnemonic for row in self.rows] + [alias.mnemonic for alias in self.aliases]
        found += [
            f"mnemonic {name} stands twice"
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        for row in self.rows:
            if row.opcode in seen:
                found.append(f"{row.mnemonic} and {seen[row.opcode]} share opcode 0x{row.opcode:02x}")
            seen[row.opcode] = row.mnemonic
            if not (0 if self.is_zero_legal else 1) <= row.opcode < 1 << self.opcode.width:
                found.append(f"{row.mnemonic}: opcode {row.opcode} does not fit, or is the illegal 0")
            found += _coverage_problems(row, self)
            found += _access_problems(row)
        for alias in self.aliases:
            target = self.by_mnemonic.get(alias.target)
            if target is None:
                found.append(f"alias {alias.mnemonic} names no instruction: {alias.target}")
            elif {operand.name for operand in target.operands} != {
                *alias.operands,
                *(name for name, _ in alias.fixed),
            }:
                found.append(f"alias {alias.mnemonic} does not give every operand of {alias.target}")
        return found


def _coverage_problems(row: Instruction, table: Table) -> list[str]:
    covered = 0
    found = []
    for bits in table.fields(row):
        if covered & bits.mask:
            found.append(f"{row.mnemonic}: field {bits.name or 'reserved'} overlaps another")
        covered |= bits.mask
    if covered != (1 << table.word_bits) - 1:
        found.append(f"{row.mnemonic}: bits {((1 << table.word_bits) - 1) ^ covered:#x} are in no field")
    return found


def _access_problems(row: Instruction) -> list[str]:
    names = {operand.name for operand in row.operands} | {"@blocks", "@parameters", "@table", "@taps", "@one", ""}
    used = {
        name
        for access in row.accesses
        for name in (
            access.base,
            access.when.removeprefix("!"),
            *(n for level in access.levels for n in (level.count, level.step)),
        )
    }
    return [f"{row.mnemonic}: an access names {name}, which is no operand" for name in sorted(used - names)]


def compose(row_modules: Sequence[tuple[tuple[Instruction, ...], tuple[Alias, ...]]]) -> Table:
    """A table from modules of rows; ValueError with every problem if they do not fit together."""
    table = Table(
        rows=tuple(row for rows, _ in row_modules for row in rows),
        aliases=tuple(alias for _, aliases in row_modules for alias in aliases),
    )
    if found := table.problems():
        raise ValueError("instruction table: " + "; ".join(found))
    return table


TABLE = compose(
    [
        (sequencer.ROWS, sequencer.ALIASES),
        (load.ROWS, ()),
        (store.ROWS, ()),
        (array.ROWS, ()),
        (vector.ROWS, ()),
    ]
)
