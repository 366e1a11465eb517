"""The tools take the instruction set as a value: another table and another spelling need no change in them."""

from __future__ import annotations

import pytest

from accelkit.assembler import AssemblyError, assemble
from accelkit.isa.codec import Codec
from accelkit.isa.docs import isa_document
from accelkit.isa.grammar import default_grammar
from accelkit.isa.row import Access, Alias, Instruction, Kind, Memory, Operand
from accelkit.isa.table import TABLE, compose
from accelkit.isa.text import disassemble
from accelkit.isa.units import Port, Unit

RD, RS1 = Operand("rd", Kind.RD, "destination"), Operand("rs1", Kind.RS1, "source")
IMM = Operand("imm", Kind.IMMEDIATE, "a constant")
ROWS = (
    Instruction("neg", 0x01, Unit.SEQUENCER, (RD, RS1), "rd = -rs1", "scalar", "negate", "neg t0, t1"),
    Instruction("wide.add", 0x02, Unit.SEQUENCER, (RD, RS1, IMM), "rd = rs1 + imm", "scalar", "add", "wide.add t0, t1, 7"),
    Instruction(
        mnemonic="copy",
        opcode=0xC0,
        unit=Unit.VECTOR,
        operands=(
            Operand("to", Kind.SCRATCHPAD, "first row written"),
            Operand("from", Kind.SCRATCHPAD, "first row read"),
            Operand("length", Kind.COUNT, "rows", is_optional=True),
            Operand("backwards", Kind.FLAG, "last row first"),
        ),
        meaning="copies rows",
        cycles="copy",
        execute="vector.copy",
        example="copy sp[s0], from=sp[s1], length=t0 backwards wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(Access(Memory.SCRATCHPAD, True, "to"),),
    ),
)
OTHER = compose([(ROWS, (Alias("twice", "wide.add", ("rd", "rs1"), (("imm", 2),), "rd = rs1 + 2"),))])
SOURCE = """\
start:  neg t0, t1
        twice t0, t1
        wide.add t0, t1, start + 5
        copy sp[s0], from=sp[s1], length=t0 backwards wait(load.0) post(store.0)
"""


def test_other_instructions_assemble_and_disassemble() -> None:
    """Instructions, aliases, operands and flags of another table are read, encoded and written."""
    program = assemble(SOURCE, table=OTHER)
    codec = Codec(OTHER)
    texts = [disassemble(word, codec=codec) for word in program.words]
    assert texts == ["neg t0, t1", "twice t0, t1", "wide.add t0, t1, 5", ROWS[2].example]


def test_own_instructions_are_unknown_there() -> None:
    """Nothing of the default table is left, and messages name the other table's words."""
    with pytest.raises(AssemblyError) as caught:
        assemble("halt\nwide.ad t0, t1, 2\ncopy sp[s0], form=sp[s1]\ncopy sp[s0], from=sp[s1] backward", table=OTHER)
    text = str(caught.value)
    for expected in ("unknown instruction 'halt'", "did you mean 'wide.add'?", "did you mean 'from'?", "did you mean 'backwards'?"):
        assert expected in text


def test_other_grammar() -> None:
    """The grammar is a text that a caller may replace: here constants are declared by `define`."""
    grammar = default_grammar().replace(r"EQU.2: /\.equ(?![\w.])/", r"EQU.3: /define(?![\w.])/")
    program = assemble("define SIZE, 5\nwide.add t0, t1, SIZE", table=OTHER, grammar=grammar)
    assert program.words == assemble("wide.add t0, t1, 5", table=OTHER).words


def test_other_documentation() -> None:
    """The documentation of another table shows its instructions and aliases only."""
    text = isa_document(OTHER)
    assert "### copy" in text
    assert "`twice rd, rs1`" in text
    assert "### halt" not in text


def test_default_table_is_not_touched() -> None:
    """Using another table leaves the default one as it is."""
    assemble(SOURCE, table=OTHER)
    assert assemble("halt").words == (TABLE.by_mnemonic["halt"].opcode,)
