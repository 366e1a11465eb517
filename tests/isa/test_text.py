"""Disassembly: text that one would write, and that assembles to the same word."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given

from accelkit.assembler import assemble
from accelkit.isa.codec import CODEC, IllegalWord
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE
from accelkit.isa.text import disassemble, form_of
from tests.isa.words import any_words, valid_words


@given(valid_words())
@example(0x11)  # nop
@example(0x2000_0000_00 << 24 | 0x21)
def test_text_assembles_to_the_word(word: int) -> None:
    """assemble(disassemble(word)) is the word, for every valid word."""
    assert assemble(disassemble(word)).words == (word,)


@given(any_words())
def test_any_word_has_a_text_or_is_illegal(word: int) -> None:
    """Any 128 bits have a text that assembles to them, or raise IllegalWord."""
    try:
        text = disassemble(word)
    except IllegalWord:
        return
    assert assemble(text).words == (word,)


@pytest.mark.parametrize("row", [row for row in TABLE.rows if row.is_tensor], ids=lambda row: row.mnemonic)
def test_tensor_examples_are_what_the_disassembler_writes(row: Instruction) -> None:
    """The examples of the table are in the disassembler's spelling."""
    (word,) = assemble(row.example).words
    assert disassemble(word) == row.example


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("addi x0, x0, 0", "nop"),
        ("addi x10, x11, 0", "mv t0, t1"),
        ("addi x10, x11, -1", "addi t0, t1, -1"),
        ("jal x0, .-3", "j .-3"),
        ("jal x1, .", "call ."),
        ("jalr x0, x1, 0", "ret"),
        ("jalr x0, x1, 4", "jalr zero, ra, 4"),
        ("beq x10, x0, .+2", "beqz t0, .+2"),
        ("beq x0, x10, .+2", "beq zero, t0, .+2"),
        ("li t0, 65535", "li t0, 65535"),
        ("li t0, 65536", "li t0, 0x10000"),
        ("li t0, 0xffffffff", "li t0, -1"),
        ("li t0, 0x80000000", "li t0, -0x80000000"),
        ("larg a0, args[x0 + 3]", "larg a0, args[3]"),
        ("larg a0, args[t0 - 1]", "larg a0, args[t0 - 1]"),
        ("larg a0, args[t0 + 0]", "larg a0, args[t0]"),
        ("fill.b sp[x0], rows=x0, step=x0", "fill.b sp[zero]"),
        ("run acc[x0], sp[x20] accumulate u8", "run acc[zero], sp[s0] u8 accumulate"),
        ("sync.load post(vector.1, store.0)", "sync.load post(store.0, vector.1)"),
    ],
)
def test_text_is_what_one_would_write(written: str, shown: str) -> None:
    """Aliases where they fit, ABI names, no operand that is at its default, channels in the order of their bits."""
    (word,) = assemble(written).words
    assert disassemble(word) == shown


def test_targets_are_labels_where_there_are_any() -> None:
    """With a position and labels a target is shown by name; without, or where no label stands, as a distance."""
    (word,) = assemble("beq t0, t1, .-2").words
    assert disassemble(word, 5, {3: "loop"}) == "beq t0, t1, loop"
    assert disassemble(word, 6, {3: "loop"}) == "beq t0, t1, .-2"
    assert disassemble(word, None, {3: "loop"}) == "beq t0, t1, .-2"


def test_argument_words_are_shown_by_name() -> None:
    """An index without a register is shown as the argument's name, where there is one."""
    first, second = assemble("larg a0, args[1]\nlarg a0, args[t0 + 1]").words
    assert disassemble(first, arguments=["x", "y"]) == "larg a0, args[y]"
    assert disassemble(first, arguments=["x"]) == "larg a0, args[1]"
    assert disassemble(second, arguments=["x", "y"]) == "larg a0, args[t0 + 1]"


def test_illegal_words_say_why() -> None:
    """Unknown opcodes and reserved bits each have their message."""
    with pytest.raises(IllegalWord, match="no instruction has opcode 0x00"):
        disassemble(0)
    with pytest.raises(IllegalWord, match=re.escape("halt: reserved bits 8..127 hold 0x1, not 0")):
        disassemble(0x131)


@pytest.mark.parametrize("mnemonic", [*TABLE.by_mnemonic, *TABLE.alias_by_mnemonic])
def test_forms_name_every_operand(mnemonic: str) -> None:
    """The form in messages and documentation assembles once its placeholders are filled in and its brackets dropped."""
    text = form_of(mnemonic).replace("[wait(...)]", "").replace("[post(...)]", "").replace("args[index]", "args[1]")
    text = re.sub(r"\[reg\]", "[t0]", text).replace("=reg", "=t0")
    text = re.sub(r"\[, ([^\]]*)\]", lambda match: ", " + ", ".join(f"{name}t1" for name in match[1].split()), text)
    text = re.sub(r" \[(\w+)\]", r" \1", text)
    text = re.sub(r"\b(rd|rs1|rs2)\b", "t2", text).replace("imm", "3").replace("target", ".")
    (word,) = assemble(text).words
    alias = TABLE.alias_by_mnemonic.get(mnemonic)
    decoded = CODEC.decode(word)
    assert decoded.row.mnemonic == (alias.target if alias else mnemonic)
    slots = [decoded.values[operand.name] for operand in (*decoded.row.slots, *decoded.row.flags)]
    assert all(slots)
