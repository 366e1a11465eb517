"""What is proposed at a cursor, marked by `|` in the last line of a text."""

from __future__ import annotations

import pytest

from accelkit.assembler import AssemblyError, assemble
from accelkit.editor.completion import complete
from accelkit.editor.definitions import definitions, source_lines
from accelkit.isa.row import Instruction
from accelkit.isa.table import TABLE

HEAD = """\
.arg M, value
.arg x, in, s8[M]
.token full = load -> array.0
.token free = preload -> load.0
.token done = run -> load.0
.equ ROW, 16
loop:
"""


def proposals(line: str) -> list[str]:
    """The texts proposed at the `|` of a line that stands after HEAD."""
    column = line.index("|")
    lines = source_lines(HEAD + line.replace("|", ""))
    return [one.text for one in complete(lines[-1], column, definitions(lines))[1]]


# The texts that must be among the proposals, then those that must not.
CASES = {
    "|": (["load.b", "halt", "nop", ".equ", ".arg"], ["t0", "loop", "rows="]),
    "again: lo|": (["load.b", "larg"], ["t0"]),
    "load.b |": (["sp[", "dram[", "bytes=", "rows=", "wait(", "post("], ["acc[", "t0", "loop"]),
    "load.b sp[|": (["t0", "x31", "zero"], ["rows=", "M"]),
    "load.b sp[t0], |": (["dram[", "rows="], ["sp["]),
    "load.b sp[t0], dram[a0], rows=t0, |": (["bytes="], ["rows=", "dram["]),
    "load.b sp[t0], rows=|": (["t0"], ["rows="]),
    "load.b sp[t0], dram[a0] post(|": (["full", "array.0", "store.1"], ["free", "done", "load.0"]),
    "load.b sp[t0], dram[a0] wait(|": (["done", "run.0", "vector.1"], ["full", "array.0"]),
    "load.b sp[t0], dram[a0] wait(run.0) |": (["post("], ["wait("]),
    "run acc[t0], sp[t1] |": (["accumulate", "u8"], ["acc["]),
    "run acc[t0], sp[t1] accumulate |": (["u8"], ["accumulate"]),
    "requantise sp[t0], acc[t1], params=|": (["sp["], ["t0"]),
    "requantise sp[t0], acc[t1], params=sp[|": (["t0"], ["sp["]),
    "addi |": (["t0", "a0"], ["M", "loop"]),
    "addi t0, t0, |": (["ROW", "M", "loop"], ["t0", "full"]),
    "addi t0, t0, 1, |": ([], ["t0", "ROW"]),
    "li t0, |": (["ROW"], ["t0"]),
    "beq t0, t1, |": (["loop"], ["ROW", "t0"]),
    "larg a0, |": (["args["], ["t0", "M"]),
    "larg a0, args[|": (["M", "x", "ROW", "t0"], ["loop"]),
    ".token t = |": (["run", "preload", "load"], ["array.0"]),
    ".token t = run -> |": (["load.0", "vector.1"], ["array.0", "run"]),
    ".arg y, |": (["in", "out", "value"], ["s8"]),
    ".arg y, in, |": (["s8", "f32"], ["in"]),
    ".arg y, in, s8[|": (["M", "ROW"], ["loop", "s8"]),
    ".equ |": ([], ["ROW"]),
    ".equ TWO, 2 * |": (["ROW", "M", "loop"], ["t0"]),
    ".global |": (["loop"], ["full"]),
    "# lo|": ([], ["load.b"]),
    '.ascii "lo|': ([], ["loop"]),
    "nonsense |": ([], ["t0", "load.b"]),
}


@pytest.mark.parametrize("line", CASES)
def test_proposals(line: str) -> None:
    """What fits at the cursor is proposed, and what does not fit isn't."""
    wanted, unwanted = CASES[line]
    found = proposals(line)
    assert set(wanted) <= set(found)
    assert set(unwanted).isdisjoint(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("row", [row for row in TABLE.rows if row.is_tensor], ids=lambda row: row.mnemonic)
def test_everything_proposed_is_accepted(row: Instruction) -> None:
    """A tensor instruction written from proposals alone, all of them, assembles."""
    line = row.mnemonic + " "
    for _ in range(40):
        texts = [text for text in proposals(f"{line}|") if text not in ("wait(", "post(")]
        if not texts:
            break
        text = texts[0]
        if text.endswith("="):
            text += "sp[t0]" if proposals(f"{line}{text}|") == ["sp["] else "t0"
        line += (text + "t0]" if text.endswith("[") else text) + ("," if any("=" in one or "[" in one for one in texts[1:]) else " ")
    for keyword in ("wait", "post"):
        line += f" {keyword}({', '.join(proposals(f'{line} {keyword}(|'))})"
    try:
        assemble(HEAD + line)
    except AssemblyError as error:
        # A token's name beside the channel that it stands for is one channel given twice.
        assert {one.code for one in error.diagnostics} <= {"E0205"}, line + str(error)
