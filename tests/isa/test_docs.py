"""docs/isa.md says what the table says, and what it shows assembles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelkit.assembler import assemble
from accelkit.isa.codec import CODEC
from accelkit.isa.docs import isa_document
from accelkit.isa.picture import bit_picture
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE, fields

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "isa.md"


def test_document_is_fresh(is_updating_golden: bool) -> None:
    """docs/isa.md is what the emitter makes of the table, the cycle rules and ADR 0003 of today."""
    cycles, timing = ROOT / "simulator/core/cycles.py", ROOT / "docs/adr/0003-timed-event-graph.md"
    text = isa_document(cycle_rules=cycles.read_text(), timing=timing.read_text())
    assert "**DMA beats.**" in text
    if is_updating_golden:
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_example_assembles_to_its_row(row: Instruction) -> None:
    """The example of a row assembles to one word, and that word is of this row."""
    (word,) = assemble(row.example).words
    assert CODEC.decode(word).row == row


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_document_describes_every_row(row: Instruction) -> None:
    """A row's section holds its meaning, each operand's meaning, each fault and the example."""
    section = re.split(r"^### ", DOCUMENT.read_text(), flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(f"{row.mnemonic}\n")]
    faults = [f"[{fault.name}]" for fault in row.dispatch_faults]
    for expected in (row.meaning[1:], *(f" {operand.doc} |" for operand in row.operands), *faults, row.example):
        assert expected in text


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_picture_shows_every_field(row: Instruction) -> None:
    """The bits above the boxes of a picture are exactly the fields of the word, from the highest to the lowest."""
    lines = bit_picture(row)
    shown = [tuple(map(int, numbers.split(".."))) for line in lines[0::4] for numbers in line.split()]
    assert shown == [
        (bits.lsb + bits.width - 1, bits.lsb) if bits.width > 1 else (bits.lsb,) for bits in reversed(fields(row))
    ]
    names = [name.strip() for line in lines[2::4] for name in line.strip("|").split("|")]
    special = {"": "0", "opcode": f"0x{row.opcode:02x}"}
    assert names == [special.get(bits.name, bits.name) for bits in reversed(fields(row))]


EXAMPLES = re.findall(r"```asm\n(.*?)```", (ROOT / "docs/assembly.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("block", EXAMPLES, ids=[f"example{number}" for number in range(1, len(EXAMPLES) + 1)])
def test_examples_of_the_text_form_assemble(block: str) -> None:
    """Every example of docs/assembly.md assembles as it stands."""
    assert assemble(block).words
