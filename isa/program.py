"""An assembled program: what the assembler makes, `elf.py` reads and writes, and the simulator runs."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class ArgumentKind(Enum):
    """What a launch passes in an argument word."""

    VALUE = "value"  # a 32-bit number
    IN = "in"  # address of a buffer that the kernel only reads
    OUT = "out"  # address of a buffer that the kernel writes
    INOUT = "inout"  # address of a buffer that the kernel reads and writes


DTYPES = {"s8": "int8", "u8": "uint8", "s32": "int32", "u32": "uint32", "f32": "float32"}
ANY_SIZE = "*"

DATA_ARGUMENT = (
    "data"  # the argument in which the loader passes the DRAM address of the program's data section
)


@dataclass(frozen=True)
class Argument:
    """One word of the argument memory.

    Buffers have a `dtype` (a key of DTYPES) and a `shape` whose dimensions are integers, names of value arguments, or `"*"` (input
    buffers only: as many as the caller gives). `range` is the lowest and highest value that a value argument may have.
    """

    name: str
    kind: ArgumentKind
    dtype: str = ""
    shape: tuple[int | str, ...] = ()
    range: tuple[int, int] | None = None


@dataclass(frozen=True)
class Symbol:
    """A name: of an instruction (`section` "text", value = instruction number), of a byte in the data section ("data") or of a
    constant ("abs"). `is_global` symbols are meant for others (`.global`)."""

    name: str
    section: str
    value: int
    is_global: bool = False


class SourceLine(NamedTuple):
    """Where an instruction was written; line and column count from 1. (There are many: a named tuple is made fastest.)"""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Region:
    """Rows of the scratchpad or accumulator that have a name (`.region`). `memory` is "sp" or "acc"; the first index of `shape` is the
    outermost. `over` names the region whose place it takes, if that is meant."""

    name: str
    memory: str
    first_row: int
    shape: tuple[int, ...]
    over: str = ""

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Token:
    """A name of a channel (`.token`); the channel is written `load->array.0`."""

    name: str
    channel: str


KEPT_SETTING = "kept"


@dataclass(frozen=True)
class Case:
    """Argument values and a machine with which a kernel is meant to run: the lint examines each (`.case`).

    `machine` is a preset's name or the path of a machine file, as written (`accelkit.isa.machine.load_machine` takes both); `values` has
    an entry for every value argument, in order of the arguments, and at the end perhaps KEPT_SETTING, which is no argument: 1 if rows of
    the scratchpad count as written before the launch, as they are after an earlier one.
    """

    name: str
    machine: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Allowance:
    """A comment `# lint: allow CODE reason`: findings with these codes at this line are meant. `line` is the one it speaks of: its own,
    or the next one with an instruction or directive if the comment stands alone."""

    file: str
    line: int
    codes: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Program:
    """Words and what is known of them. `lines` has one entry per word (None where unknown)."""

    name: str
    words: tuple[int, ...]
    lines: tuple[SourceLine | None, ...]
    symbols: tuple[Symbol, ...] = ()
    arguments: tuple[Argument, ...] = ()
    data: bytes = b""
    isa_version: tuple[int, int] = (1, 0)
    cases: tuple[Case, ...] = ()
    regions: tuple[Region, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    tokens: tuple[Token, ...] = ()

    def token_name(self, channel: object) -> str:
        """The first name that the sources give a channel (or its text); empty if it has none."""
        return next((token.name for token in self.tokens if token.channel == str(channel)), "")

    def channel_text(self, channel: object) -> str:
        """A channel (or its text) with its name: `load->array.0 (full)`."""
        name = self.token_name(channel)
        return f"{channel} ({name})" if name else str(channel)
