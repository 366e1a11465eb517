"""Decoded words, with the registers that they read and write."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.isa.row import Instruction


class Word(NamedTuple):
    """A decoded word: the registers it reads and writes as bit sets (x0 left out), those of its slots in order, and its fields."""

    row: Instruction
    reads: int
    writes: int
    rd: int
    rs1: int
    rs2: int
    imm: int
    slots: tuple[int, ...]
    values: dict[str, int]


def decode(words: Sequence[int]) -> list[Word | None]:
    """Every word once; None where there is no instruction."""
    return [_decode(word) for word in words]


@lru_cache(maxsize=1 << 14)  # programs repeat words, and a mutated or mended one shares nearly all with the one before
def _decode(word: int) -> Word | None:
    try:
        decoded = CODEC.decode(word)
    except IllegalWord:
        return None
    row, values = decoded.row, decoded.values
    slots = tuple(values[operand.name] for operand in row.slots)
    reads = {*slots} | {values[name] for name in ("rs1", "rs2") if name in values and not row.is_tensor}
    rd = 0 if row.is_tensor else values.get("rd", 0)
    return Word(
        row,
        sum(1 << register for register in reads if register),
        1 << rd & ~1,
        rd,
        values.get("rs1", 0),
        values.get("rs2", 0),
        values.get("imm", 0),
        slots,
        dict(values),
    )


Code = Sequence[Word | None]  # a program; None where a word is no instruction
