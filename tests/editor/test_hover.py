"""What is shown of a word, and where its definition is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelkit.assembler import assemble
from accelkit.editor.definitions import NameKind, definitions, source_lines
from accelkit.editor.hover import definition_of, hover, instruction_text
from accelkit.isa.faults import FAULTS
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE
from accelkit.isa.text import form_of
from tests.editor.fixtures import VALID, name, text

SOURCE = """\
.token  loop = run -> load.0
.equ    ROW, 16        # bytes
loop:   addi t0, zero, ROW
        run  acc[t4], sp[s3], rows=t0 accumulate post(loop)
        load.b sp[t0], dram[a0], bytes=t0 wait(loop) post(array.1)
        j    loop
"""
LINES = source_lines(SOURCE)
KNOWN = definitions(LINES)


def shown(line: int, word: str) -> str:
    """What is shown of a word's first occurrence on a line (from 1)."""
    found = hover(LINES, line - 1, LINES[line - 1].index(word) + 1, KNOWN, {"ROW": 16})
    return found[1] if found else ""


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.mnemonic)
def test_instruction_is_documented_whole(row: Instruction) -> None:
    """The text holds form, meaning, every operand's meaning, the cycle rule, every fault's meaning and the example."""
    found = instruction_text(row.mnemonic)
    for part in (form_of(row.mnemonic), row.meaning[1:].rstrip("."), *(operand.doc for operand in row.operands), row.example):
        assert part in found
    assert (f"def {row.cycles}(" if row.is_tensor else "one dispatch cycle") in found
    for fault in row.dispatch_faults:
        assert f"`{fault.name}`: {FAULTS[fault].meaning}" in found


def test_alias_says_what_it_stands_for() -> None:
    """An alias shows its own form and the instruction behind it."""
    found = instruction_text("beqz")
    assert form_of("beqz") in found
    assert "Stands for `beq rs1, zero, target`" in found


@pytest.mark.parametrize(
    "line, word, part",
    [
        (3, "t0", "register `x10` = `t0`"),
        (3, "zero", "reads 0"),
        (3, "ROW", "constant `ROW` = 16, line 2"),
        (3, "loop", "label `loop`, line 3"),
        (4, "rows", "`rows` of `run`: "),
        (4, "accumulate", "`accumulate` of `run`: "),
        (4, "loop", "token `loop`, line 1"),
        (5, "array.1", "channel `load->array.1`"),
        (6, "loop", "label `loop`, line 3"),
        (2, "bytes", ""),
    ],
)
def test_words(line: int, word: str, part: str) -> None:
    """Registers, operands, flags, channels and names are explained; a token and a label of one name are told apart."""
    assert part in shown(line, word)
    assert bool(part) == bool(shown(line, word))


def test_first_definition_counts() -> None:
    """Of two definitions of one name the first is found, as the assembler takes it."""
    lines = ["a: halt", ".equ a, 1", "j a"]
    found = definition_of(lines, 2, 2, definitions(lines))
    assert found is not None
    assert (found.line, found.kind) == (0, NameKind.LABEL)


def test_unknown_name_has_no_definition() -> None:
    """A name that nothing defines, a register and white space lead nowhere."""
    for column in (0, 6, 8, 11):
        assert definition_of(["addi  t0, t0, missing"], 0, column, KNOWN) is None
    assert definition_of(["j missing"], 0, 4, KNOWN) is None


@pytest.mark.parametrize("path", VALID, ids=name)
def test_every_symbol_is_found(path: object) -> None:
    """The scan finds every symbol of a program that assembles, but for the argument that the assembler declares itself."""
    source = text(path)  # type: ignore[arg-type]
    symbols = {symbol.name for symbol in assemble(source).symbols} - {"data"}
    found = definitions(source_lines(source))
    assert symbols == {one.name for one in found.of(NameKind.LABEL, NameKind.CONSTANT, NameKind.ARGUMENT)}


LANGUAGE = """\
.macro  copy from, to, count=1
loop:   mv   \\to, \\from
.endm
1:      copy t0, t1
        j    1b
        j    1f
1:      halt
        .include "library.s"
        shared t0
"""


@pytest.mark.parametrize(
    "line, word, expected",
    [
        (4, "copy", (None, 0, 8)),
        (2, "\\from", (None, 0, 13)),
        (2, "\\to", (None, 0, 19)),
        (5, "1b", (None, 3, 0)),
        (6, "1f", (None, 6, 0)),
        (9, "shared", ("library.s", 1, 7)),
    ],
)
def test_macros_local_labels_and_includes(tmp_path: Path, line: int, word: str, expected: tuple[object, int, int]) -> None:
    """A call leads to the macro, also of an included file; a parameter to its declaration; `1b` and `1f` to the nearest label."""
    (tmp_path / "library.s").write_text('.include "library.s"\n.macro shared x\n.endm\n')
    lines = source_lines(LANGUAGE)
    known = definitions(lines, folder=tmp_path)
    found = definition_of(lines, line - 1, lines[line - 1].index(word) + 1, known)
    assert found is not None
    assert (found.path.name if found.path else None, found.line, found.start) == expected
