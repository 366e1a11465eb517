"""Encoding: every bit of a word is covered once, no two encodings overlap, words and values convert both ways."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.isa.row import WORD_BITS, Instruction, Kind, Operand
from accelkit.isa.table import OPCODE, TABLE, Table, compose, fields
from tests.isa.words import any_words, valid_words


def test_table_has_no_problems() -> None:
    """Names, opcodes, fields, accesses and aliases of the table fit together."""
    assert TABLE.problems() == []


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_every_bit_is_covered_once(row: Instruction) -> None:
    """The fields of a row, reserved ones included, lie side by side from bit 0 to bit 127."""
    covered = [bit for bits in fields(row) for bit in range(bits.lsb, bits.lsb + bits.width)]
    assert covered == list(range(WORD_BITS))


def test_encodings_do_not_overlap() -> None:
    """All rows tell themselves apart by the opcode, which no two share and which is never the illegal 0."""
    opcodes = [row.opcode for row in TABLE.rows]
    assert len(set(opcodes)) == len(opcodes)
    assert all(0 < opcode < 1 << OPCODE.width for opcode in opcodes)


ROW = TABLE.by_mnemonic["load.b"]
WIDE = tuple(Operand(f"operand{i}", Kind.COUNT, "") for i in range(20))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (dataclasses.replace(ROW, mnemonic="copy"), "copy and load.b share opcode 0x40"),
        (dataclasses.replace(ROW, opcode=0xC0), "mnemonic load.b stands twice"),
        (dataclasses.replace(ROW, mnemonic="copy", opcode=0), "copy: opcode 0 does not fit"),
        (dataclasses.replace(ROW, mnemonic="copy", opcode=0x100), "copy: opcode 256 does not fit"),
        (dataclasses.replace(ROW, mnemonic="copy", opcode=0xC0, operands=WIDE, accesses=()), "are in no field"),
        (dataclasses.replace(ROW, mnemonic="copy", opcode=0xC0, operands=ROW.operands[1:]), "an access names sp, which is no operand"),
    ],
    ids=["opcode taken", "mnemonic taken", "illegal opcode", "opcode too wide", "operands past bit 127", "unknown operand"],
)
def test_wrong_rows_are_refused(row: Instruction, complaint: str) -> None:
    """A table that does not fit together is refused with what is wrong."""
    with pytest.raises(ValueError, match=complaint):
        compose([(TABLE.rows, TABLE.aliases), ((row,), ())])


@given(valid_words())
def test_words_survive_decode_and_encode(word: int) -> None:
    """encode(decode(word)) is the word, for every valid word."""
    decoded = CODEC.decode(word)
    assert CODEC.encode(decoded.row, decoded.values) == word


@given(any_words())
def test_any_word_decodes_or_is_illegal(word: int) -> None:
    """Any 128 bits either are one instruction that encodes back to them, or are illegal: nothing is ignored."""
    try:
        decoded = CODEC.decode(word)
    except IllegalWord:
        row = TABLE.by_opcode.get(word & 0xFF)
        reserved = sum(bits.mask for bits in fields(row) if not bits.name) if row else 0
        assert row is None or word & reserved
    else:
        assert CODEC.encode(decoded.row, decoded.values) == word


@given(st.data())
def test_values_outside_a_field_are_refused(data: st.DataObject) -> None:
    """encode refuses a value that its field can't hold, instead of cutting it off."""
    row = data.draw(st.sampled_from(TABLE.rows))
    named = [bits for bits in fields(row) if bits.name and bits != OPCODE]
    if not named:
        return
    bits = data.draw(st.sampled_from(named))
    low, high = (-(1 << bits.width - 1), (1 << bits.width - 1) - 1) if bits.is_signed else (0, (1 << bits.width) - 1)
    value = data.draw(st.one_of(st.integers(max_value=low - 1), st.integers(min_value=high + 1)))
    with pytest.raises(ValueError, match=f"{bits.name} = {value} is outside {low}..{high}"):
        CODEC.encode(row, {bits.name: value})


def test_unknown_fields_are_refused() -> None:
    """encode names the field that a row does not have, and those that it has."""
    with pytest.raises(ValueError, match="halt has no field 'rd'"):
        CODEC.encode(TABLE.by_mnemonic["halt"], {"rd": 1})


def test_a_table_is_a_value() -> None:
    """Tables of equal rows are equal and hash alike, so that tools can be kept by table."""
    again = Table(TABLE.rows, TABLE.aliases)
    assert again == TABLE
    assert hash(again) == hash(TABLE)
