"""The SystemVerilog constants against the table that they come from, and what the RTL assumes of the table."""

from __future__ import annotations

import re

import pytest

from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.isa.emit_sv import emit_isa, emit_machine
from accelkit.isa.machine import load_machine, presets
from accelkit.isa.row import Kind
from accelkit.isa.table import TABLE
from accelkit.isa.units import CHANNELS

ISA = emit_isa()


def constants(text: str) -> dict[str, int]:
    """Every number of a package by name."""
    found = re.findall(r"localparam (?:int|longint|logic \[\d+:0\]) (\w+) = (?:\d+'([dh]))?(\w+);", text)
    return {name: int(value, 16 if base == "h" else 10) for name, base, value in found}


def test_every_opcode_and_slot_is_emitted() -> None:
    """Opcodes, operand slots and flag bits of all rows stand in the package with the table's numbers."""
    seen = constants(ISA)
    for row in TABLE.rows:
        stem = row.mnemonic.replace(".", "_").upper()
        assert seen[f"OP_{stem}"] == row.opcode
        assert [seen[f"SLOT_{stem}_{slot.name.upper()}"] for slot in row.slots] == list(range(len(row.slots)))
        assert [seen[f"FLAG_{stem}_{flag.name.upper()}"] for flag in row.flags] == list(range(len(row.flags)))


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_reserved_bits_are_those_that_do_not_decode(row) -> None:  # type: ignore[no-untyped-def]
    """A word with one bit flipped decodes to its row if and only if the emitted mask does not reserve that bit."""
    stem = row.mnemonic.replace(".", "_").upper()
    match = re.search(rf"ROW_{stem} = {{\s+128'h(\w+),", ISA)
    assert match is not None
    reserved = int(match[1], 16)
    for place in range(8, 128):
        try:
            CODEC.decode(row.opcode | 1 << place)
            is_reserved = False
        except IllegalWord:
            is_reserved = True
        assert bool(reserved >> place & 1) == is_reserved, place


def test_channels_lead_where_the_table_says() -> None:
    """Each (port, post bit) gives its channel one-hot, and a consumer's channels are consecutive in the order of its wait bits."""
    cases = {
        (int(port), int(bit)): int(mask, 16)
        for port, bit, mask in re.findall(r"\{3'd(\d), 3'd(\d)\}: channel_posted = \d+'h(\w+);", ISA)
    }
    assert cases == {(c.producer.value, c.post_bit): 1 << c.number for c in CHANNELS}
    seen = constants(ISA)
    for channel in CHANNELS:
        assert channel.number == seen[f"FIRST_CHANNEL_{channel.consumer.name}"] + channel.wait_bit


def test_words_and_bytes_share_their_slots() -> None:
    """The DMA reads its operands by the slots of the `.b` form: the `.w` form has the same."""
    for stem in ("load", "store", "fill"):
        one, other = (TABLE.by_mnemonic[f"{stem}.{form}"] for form in "bw")
        renamed = [{"sp": "memory", "acc": "memory"}.get(slot.name, slot.name) for slot in one.slots]
        assert renamed == [
            {"sp": "memory", "acc": "memory"}.get(slot.name, slot.name) for slot in other.slots
        ]


def test_vector_instructions_share_slots() -> None:
    """RTL and core read operands that vector instructions have in common by the slots of `depthwise`; `requantise` has its own."""
    common = [slot.name for slot in TABLE.by_mnemonic["depthwise"].slots][:12]
    windows = ("average", "maximum")
    for names, count in ((windows, 12), (("lookup",), 8)):
        for name in names:
            assert [slot.name for slot in TABLE.by_mnemonic[name].slots][:count] == common[:count]
    renamed = {"add.b": ("left", "sp"), "multiply.b": ("left", "sp"), "quantise": ("acc", "sp"), "dequantise": ("", "acc")}
    for name, (source, target) in renamed.items():
        expected = [f"{source}_{slot}".strip("_") if "step" in slot else slot for slot in ("step", "plane_step")]
        found = [slot.name for slot in TABLE.by_mnemonic[name].slots]
        assert found[0] == target
        assert [found[4], found[7]] == expected
        assert (found[2], found[5]) == ("rows", "planes")
    assert [
        [slot.name for slot in TABLE.by_mnemonic[name].slots][8:11] for name in ("add.b", "multiply.b")
    ] == [["right", "right_step", "right_plane_step"]] * 2
    assert [flag.name for flag in TABLE.by_mnemonic["depthwise"].flags] == ["u8", "weights_u8"]
    names = (*windows, "add.b", "multiply.b", "dequantise")
    assert all(TABLE.by_mnemonic[name].flags[0].name == "u8" for name in names)


def test_zero_points_know_their_flag() -> None:
    """Rows with a zero-point operand of two ranges have the flag that chooses."""
    for row in TABLE.rows:
        flags = {flag.name for flag in row.flags}
        assert {slot.unsigned_flag for slot in row.slots if slot.kind is Kind.ZERO_POINT} <= flags


@pytest.mark.parametrize("name", presets())
def test_widths_hold_every_number(name: str) -> None:
    """Each width of a machine's package holds the largest number that it is for."""
    machine = load_machine(name)
    seen = constants(emit_machine(machine))
    for bits, values in (
        ("SP_ROW_BITS", machine.scratchpad_rows),
        ("ACC_ROW_BITS", machine.accumulator_rows),
        ("PC_BITS", machine.instruction_words),
        ("ARGUMENT_BITS", machine.argument_words),
    ):
        assert (values - 1).bit_length() <= seen[bits]
