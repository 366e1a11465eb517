"""What one row of the instruction table says: operands, encoding, memory accesses, unit, meaning, cycle rule, faults, example."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cached_property

from accelkit.isa.faults import Fault
from accelkit.isa.units import Port, Unit

WORD_BITS = 128
MAX_COUNT = 65535
SLOT_LSB = 32  # tensor operands are 5-bit register numbers from this bit on, one slot after the other
SLOT_BITS = 5


class Kind(Enum):
    """What an operand is. The kind decides its text, its field, and the checks of its value at dispatch."""

    # scalar operands
    RD = "rd"  # destination register
    RS1 = "rs1"
    RS2 = "rs2"
    IMMEDIATE = "imm"  # 32-bit literal, signed or unsigned spelling
    TARGET = "target"  # branch target, a label; encoded as a signed distance in instructions
    FIELD = "field"  # a constant in the field of the operand's own name, for tables with other formats
    ARGUMENT = "args"  # args[rs1 + imm]: a word of the argument memory
    # tensor operands, each a register read at dispatch
    SCRATCHPAD = "sp"  # scratchpad row
    ACCUMULATOR = "acc"  # accumulator row
    DRAM = "dram"  # byte address
    COUNT = "count"  # 1..65535; x0 means 1
    STEP = "step"  # signed distance in rows; x0 means 1
    STRIDE = "stride"  # signed distance in bytes; x0 means 0 (broadcast)
    ZERO_POINT = "zero point"  # -128..127, with flag u8 0..255
    BYTE = "byte"  # -128..255, the low 8 bits are used
    WORD = "word"  # any 32 bits
    # bits
    FLAG = "flag"


MEMORY_KINDS = (Kind.SCRATCHPAD, Kind.ACCUMULATOR, Kind.DRAM)


@dataclass(frozen=True)
class Operand:
    """One operand. `name` is what the assembly text and the documentation call it, `doc` what it means and its unit.

    `is_optional` operands may be left out and are then `x0`. Memory operands are written as memory (`sp[s0]`), other register
    operands of tensor instructions as `name=register`, flags as the bare name.
    """

    name: str
    kind: Kind
    doc: str
    is_optional: bool = False
    unsigned_flag: str = "u8"  # of a zero point: the flag that makes its range 0..255


class Memory(IntEnum):
    """The three memories an instruction can touch."""

    SCRATCHPAD = 0  # rows of `lanes` bytes
    ACCUMULATOR = 1  # rows of `columns` 32-bit words
    DRAM = 2  # bytes


@dataclass(frozen=True)
class Level:
    """One level of a walk: `count` steps of `step`; both are operand names, or special counts.

    Special counts: `"@blocks"` is ceil(bytes / row width) column blocks of a DMA row, `"@parameters"` the rows of a parameter
    block (8 when the array is square), `"@table"` the rows of a table of 256 bytes, `"@taps"` lines x columns of a window. Special
    step `"@one"` is 1.
    """

    count: str
    step: str


@dataclass(frozen=True)
class Access:
    """A walk over one memory, from the outermost level to the innermost. For DRAM each step of the walk covers `bytes` bytes.

    `when` names a flag that must be set, or clear if it begins with `!`. `hold_end` says until when a bank port is held, as an
    event of the instruction: `"last"` (last beat), `"complete"` (completion), `"preface"` (end of the preface: all accesses that
    end there are read first, in their order) or
    `"accumulate"` (last read of a read-modify-write, one cycle before completion).
    """

    memory: Memory
    is_write: bool
    base: str
    levels: tuple[Level, ...] = ()
    hold_end: str = "last"
    when: str = ""


@dataclass(frozen=True)
class Limit:
    """A count (an operand's name, or `"@taps"`) that must be at most `most`, else SHAPE: a number, `"@rows"` or `"@columns"` of the
    array."""

    count: str
    most: int | str


_RANGE_FAULT = {
    Memory.SCRATCHPAD: Fault.SCRATCHPAD_RANGE,
    Memory.ACCUMULATOR: Fault.ACCUMULATOR_RANGE,
    Memory.DRAM: Fault.DRAM_RANGE,
}
_KIND_FAULT = {
    Kind.ARGUMENT: Fault.ARGUMENT,
    Kind.COUNT: Fault.COUNT,
    Kind.ZERO_POINT: Fault.VALUE,
    Kind.BYTE: Fault.VALUE,
}


@dataclass(frozen=True)
class Instruction:
    """One row of the table.

    Tensor instructions (`unit` other than SEQUENCER) carry waits and posts; `port` is the port on which they complete and post.
    `faults` are dispatch faults that do not follow from the kinds of the operands and from the accesses (see `dispatch_faults`).
    `cycles` names the function in `simulator/core/cycles.py` that gives the instruction's beats and latency, `execute` the one in
    `simulator/core/` that gives its effect. `example` is assembled by a test.
    """

    mnemonic: str
    opcode: int
    unit: Unit
    operands: tuple[Operand, ...]
    meaning: str
    cycles: str
    execute: str
    example: str
    port: Port | None = None
    accesses: tuple[Access, ...] = field(default=())
    faults: tuple[Fault, ...] = ()
    limits: tuple[Limit, ...] = ()
    notes: str = ""

    @property
    def is_tensor(self) -> bool:
        """True for instructions that go through a queue and carry waits and posts."""
        return self.unit is not Unit.SEQUENCER

    @cached_property
    def slots(self) -> tuple[Operand, ...]:
        """Register operands of a tensor instruction in slot order (the order of the row)."""
        return tuple(operand for operand in self.operands if self.is_tensor and operand.kind is not Kind.FLAG)

    @cached_property
    def positional(self) -> tuple[Operand, ...]:
        """Operands without a name in the text, in order: all of a scalar instruction; of a tensor instruction the first of each memory."""
        if not self.is_tensor:
            return self.operands
        firsts = {operand.kind: operand for operand in reversed(self.slots) if operand.kind in MEMORY_KINDS}
        return tuple(operand for operand in self.slots if operand in firsts.values())

    @cached_property
    def named(self) -> tuple[Operand, ...]:
        """Operands written `name=...`, in order."""
        return tuple(operand for operand in self.slots if operand not in self.positional)

    @cached_property
    def flags(self) -> tuple[Operand, ...]:
        """Flag operands in bit order."""
        return tuple(operand for operand in self.operands if operand.kind is Kind.FLAG)

    @property
    def dispatch_faults(self) -> tuple[Fault, ...]:
        """Every dispatch fault that the instruction can raise, in the order in which they are tested."""
        kinds = {operand.kind for operand in self.operands}
        found = set(self.faults) | {_RANGE_FAULT[access.memory] for access in self.accesses}
        found |= {fault for kind, fault in _KIND_FAULT.items() if kind in kinds}
        found |= {Fault.SHAPE} if self.limits else set()
        return tuple(sorted(found))

    def operand(self, name: str) -> Operand:
        """The operand called `name`; KeyError if the row has none."""
        for operand in self.operands:
            if operand.name == name:
                return operand
        raise KeyError(f"{self.mnemonic} has no operand {name!r}")


@dataclass(frozen=True)
class Alias:
    """A second spelling of an instruction with some operands fixed: `text` operands in order, `fixed` the others' values."""

    mnemonic: str
    target: str
    operands: tuple[str, ...]
    fixed: tuple[tuple[str, int], ...]
    meaning: str
