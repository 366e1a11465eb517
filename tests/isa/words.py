"""Strategies for instruction words, made from a table."""

from __future__ import annotations

from hypothesis import strategies as st

from accelkit.isa.row import WORD_BITS
from accelkit.isa.table import OPCODE, TABLE, Table, fields


@st.composite
def valid_words(draw: st.DrawFn, table: Table = TABLE) -> int:
    """A word of some row: any values in its fields, zeros in its reserved bits. Small field values are as likely as wide ones."""
    row = draw(st.sampled_from(table.rows))
    word = row.opcode
    for bits in fields(row):
        if bits.name and bits != OPCODE:
            value = draw(st.one_of(st.just(0), st.integers(0, (1 << bits.width) - 1)))
            word |= value << bits.lsb
    return word


def any_words(table: Table = TABLE) -> st.SearchStrategy[int]:
    """Any 128 bits; half of them begin with an opcode that exists, a part of those has few other bits set."""
    opcodes = st.sampled_from([row.opcode for row in table.rows])
    rest = st.one_of(st.integers(0, (1 << WORD_BITS - 8) - 1), st.integers(0, WORD_BITS - 9).map(lambda bit: 1 << bit))
    return st.one_of(st.integers(0, (1 << WORD_BITS) - 1), st.builds(lambda opcode, high: high << 8 | opcode, opcodes, rest))
