"""A second instruction set through the same tools: MARLANN's, as a table. Its own assembler lets wrong operands and names pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.assembler import AssemblyError, Source, analyse, assemble
from accelkit.assembler.listing import listing
from accelkit.isa.codec import Codec, IllegalWord
from accelkit.isa.elf import read_elf, write_elf
from accelkit.isa.listing import instruction_lines
from accelkit.isa.row import Instruction
from accelkit.isa.text import disassemble
from tests.isa.marlann import MARLANN, ROWS

CODEC = Codec(MARLANN)

# Words worked out by hand from the description: opcode, caddr or arg << 6, maddr or len << 15.
SOURCE = """\
        .equ    IMAGE, 0x1000
        .macro  product at, coefficients
        MACCZ_FIRST \\at, \\coefficients
        .endm
        .macro  MACCZ_FIRST at, coefficients
        MMACZ   \\at, \\coefficients
        .endm
main:   LoadCode IMAGE, 0
        ContinueLoad 511
        SetLBP  0x1ffff
        product IMAGE + 2, 7
        .rept   2, i
        MACC    \\i * 8, \\i
        .endr
        Execute 5, 512
        ReLU0   IMAGE, 3
        Sync
        Call    main
        Return
"""
WORDS = (
    4 | 0x1000 << 15,
    7 | 511 << 6,
    8 | 0x1FFFF << 15,
    42 | 7 << 6 | 0x1002 << 15,
    40,
    40 | 1 << 6 | 8 << 15,
    3 | 5 << 6 | 512 << 15,
    21 | 3 << 6 | 0x1000 << 15,
    0,
    1,
    2,
)


def test_table_is_sound() -> None:
    """All 37 named instructions of the description's diagram: 36 with opcodes 0 to 43, and MMAXN (45). No opcode twice, every bit in one
    field.

    The diagram prints CADDR for both operands of MMAXN, where the text and the fields' widths say MADDR and CADDR, as for MMAX.
    """
    assert MARLANN.problems() == []
    assert len(ROWS) == 37
    assert [row.mnemonic for row in ROWS if row.opcode > 43] == ["MMAXN"]
    unnamed = {14, 15, *range(19, 40, 4), 44}
    assert {row.opcode for row in ROWS} == set(range(46)) - unnamed


def test_source_assembles() -> None:
    """Macros, repetitions, constants and labels work as they do for our own instruction set, and give the words of the description."""
    assert assemble(SOURCE, table=MARLANN).words == WORDS


def test_words_and_files_come_back() -> None:
    """The disassembly of a program assembles again; the ELF file holds words of 32 bits."""
    program = assemble(SOURCE, "m.s", table=MARLANN)
    text = "\n".join(disassemble(word, codec=CODEC) for word in program.words)
    assert assemble(text, table=MARLANN).words == WORDS
    image = write_elf(program, MARLANN)
    assert WORDS[0].to_bytes(4, "little") + WORDS[1].to_bytes(4, "little") in image
    again = read_elf(image, "m.elf", MARLANN)
    assert (again.words, again.lines) == (program.words, program.lines)
    assert next(iter(instruction_lines(program, CODEC))) == "main:"
    analysis = analyse([Source(SOURCE)], table=MARLANN)
    assert analysis.program is not None
    assert all(line for line in listing([Source(SOURCE)], analysis.layout, analysis.program, MARLANN.word_bits) if "Return" in line)


@given(st.sampled_from(ROWS), st.data())
def test_any_operands_come_back(row: Instruction, data: st.DataObject) -> None:
    """Every instruction with any operands decodes to what was encoded, and its text assembles to its word."""
    fields = [bits for bits in MARLANN.fields(row) if bits.name not in ("", "opcode")]
    values = {bits.name: data.draw(st.integers(0, (1 << bits.width) - 1)) for bits in fields}
    word = CODEC.encode(row, values)
    assert CODEC.decode(word).values == values
    assert assemble(disassemble(word, codec=CODEC), table=MARLANN).words == (word,)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("MACC 0x20000, 0", "E0401"),
        ("MACC 0, 512", "E0401"),
        ("MACC -2, 0", "E0401"),
        ("Execute 0, 1024", "E0401"),
        ("a: Sync\na: Sync", "E0302"),
        (".equ a, 1\n.equ a, 2", "E0302"),
        ("MACC 0", "E0202"),
        ("Sync 0", "E0203"),
        ("MACD 0, 0", "E0107"),
        ("MACC nowhere, 0", "E0301"),
        (".token a = load -> array", "E0503"),
        ("halt", "E0107"),
    ],
)
def test_wrong_sources_are_refused(source: str, code: str) -> None:
    """What its own assembler takes in silence (operands out of range, symbols defined twice) is an error here."""
    with pytest.raises(AssemblyError) as caught:
        assemble(source, table=MARLANN)
    assert [found.code for found in caught.value.diagnostics] == [code]


@pytest.mark.parametrize("word", [14, 63, 1 << 6, 2 | 1 << 31, 44])
def test_reserved_words_are_illegal(word: int) -> None:
    """Reserved opcodes, and bits that an instruction does not use, are no instruction."""
    with pytest.raises(IllegalWord):
        CODEC.decode(word)
