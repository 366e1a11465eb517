"""What the resolver finds: where everything stands, and what the program declares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from accelkit.assembler.symbols import Position, Symbols
from accelkit.assembler.syntax import DataStatement, InstructionStatement, Line, TokenStatement, Word
from accelkit.isa.program import Allowance, Argument, Case, Region, SourceLine
from accelkit.isa.units import Channel


class PlacedInstruction(NamedTuple):
    """An instruction, its number, and the scope of its expressions and tokens."""

    line: Line
    statement: InstructionStatement
    number: int
    position: Position
    tokens: dict[str, TokenName]


class PlacedData(NamedTuple):
    """A data directive, its offset in the section and its size in bytes."""

    line: Line
    statement: DataStatement
    offset: int
    size: int
    position: Position


class PlacedLine(NamedTuple):
    """A line for the listing: what stands at which place. `first` and `last` are instruction numbers or offsets in the section."""

    line: Line
    section: str
    first: int
    last: int


@dataclass(eq=False)
class TokenName:
    """A token name's declaration; `channel` is None until it is numbered, and for ever if something is wrong with it."""

    word: Word
    line: Line
    statement: TokenStatement | None = None
    channel: Channel | None = None


@dataclass(eq=False)
class PlacedRegion:
    """A region and its declaration."""

    region: Region
    word: Word
    line: Line


@dataclass(eq=False)
class Layout:
    """`words` holds a word for each instruction: 0 until it is encoded. `lines` is filled for who asks for it."""

    symbols: Symbols
    words: list[int] = field(default_factory=list)
    places: list[SourceLine | None] = field(default_factory=list)
    instructions: list[PlacedInstruction] = field(default_factory=list)
    data: list[PlacedData] = field(default_factory=list)
    data_bytes: int = 0
    arguments: list[Argument] = field(default_factory=list)
    tokens: list[TokenName] = field(default_factory=list)
    regions: list[PlacedRegion] = field(default_factory=list)
    cases: tuple[Case, ...] = ()
    allowances: list[Allowance] = field(default_factory=list)
    lines: list[PlacedLine] = field(default_factory=list)
