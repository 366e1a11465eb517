"""Bit pictures of instruction words."""

from __future__ import annotations

from collections.abc import Sequence

from accelkit.isa.row import SLOT_LSB, Instruction
from accelkit.isa.table import OPCODE, BitField, fields

MAX_WIDTH = 110


def bit_picture(row: Instruction) -> list[str]:
    """Boxes from bit 127 down to bit 0, each with its bits above it; 0 marks reserved bits. Long words take several bands."""
    boxes = list(reversed(fields(row)))
    bands: list[list[BitField]] = [[]]
    for bits in boxes:
        is_full = sum(map(_width, bands[-1])) + _width(bits) >= MAX_WIDTH
        begins_low_half = bits.lsb < SLOT_LSB <= bands[-1][-1].lsb if bands[-1] else False
        if bands[-1] and (is_full or (begins_low_half and sum(map(_width, boxes)) >= MAX_WIDTH)):
            bands.append([])
        bands[-1].append(bits)
    return [line for band in bands for line in _band(band, row)]


def _band(band: Sequence[BitField], row: Instruction) -> list[str]:
    widths = [_width(bits) for bits in band]
    rule = "+" + "+".join("-" * (width - 1) for width in widths) + "+"
    numbers = "".join(f" {_numbers(bits):^{width - 1}}" for bits, width in zip(band, widths, strict=True))
    names = "|" + "|".join(f"{_name(bits, row):^{width - 1}}" for bits, width in zip(band, widths, strict=True)) + "|"
    return [numbers.rstrip(), rule, names, rule]


def _width(bits: BitField) -> int:
    """Characters of a box with its left border."""
    return max(len(bits.name or "0"), len(_numbers(bits))) + 3


def _numbers(bits: BitField) -> str:
    last = bits.lsb + bits.width - 1
    return f"{last}..{bits.lsb}" if bits.width > 1 else str(last)


def _name(bits: BitField, row: Instruction) -> str:
    return f"0x{row.opcode:02x}" if bits == OPCODE else bits.name or "0"
