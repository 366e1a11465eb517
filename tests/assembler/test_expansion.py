"""Macros, repetitions, conditions, includes and regions: each source means what a plain one does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from accelkit.assembler import (
    AssemblyError,
    Options,
    Source,
    analyse,
    assemble,
    assemble_file,
    assembled,
    limits,
)
from accelkit.assembler.diagnostics import Diagnostic
from accelkit.assembler.limits import MAX_DEPTH
from accelkit.isa.elf import read_elf, write_elf
from accelkit.isa.program import Argument, ArgumentKind, Region, SourceLine

PAIRS = {
    "macro": (".macro twice r\nadd \\r, \\r, \\r\n.endm\ntwice t0\ntwice x5", "add t0, t0, t0\nadd x5, x5, x5"),
    "default": (
        ".macro put r, v=1 + 2, w=(7, 8)\nli \\r, \\v\n.endm\nput t0\nput t1, 5\nput v=6, r=t2",
        "li t0, 3\nli t1, 5\nli t2, 6",
    ),
    "bracket": (".macro sync2 c\nsync.array \\c\n.endm\nsync2 wait(load.0, load.1)", "sync.array wait(load.0, load.1)"),
    "equals is no name": (".macro m text\nli t0, \\text\n.endm\nm 1==1", "li t0, 1"),
    "separator": (".macro m n\nL\\n\\()x: j L\\n\\()x\n.endm\nm 1\nm 2", "j .\nj ."),
    "number of the expansion": (".macro m\nL\\@: j L\\@\n.endm\nm\nm", "j .\nj ."),
    "strings stay": (
        ".macro m n\n.ascii \"\\n\"\n.byte '\\n', \\n\n.endm\n.data\nm 7\n.text\nlarg t0, args[data]",
        '.data\n.ascii "\\n"\n.byte 10, 7\n.text\nlarg t0, args[data]',
    ),
    "local names": (
        ".macro spin r\n.local again\nagain: addi \\r, \\r, -1\nbnez \\r, again\n.endm\nagain: spin t0\nspin t1\nj again",
        "a: addi t0, t0, -1\nbnez t0, a\nb: addi t1, t1, -1\nbnez t1, b\nj a",
    ),
    "local names of nested macros": (
        ".macro inner target\n.local end\nbeqz t0, \\target\nj end\nend: nop\n.endm\n"
        ".macro outer\n.local end\ninner end\nend: halt\n.endm\nouter\nouter",
        "beqz t0, a\nj b\nb: nop\na: halt\nbeqz t0, c\nj d\nd: nop\nc: halt",
    ),
    "macro that makes a macro": (".macro make n, v\n.macro get\\n\nli t0, \\v\n.endm\n.endm\nmake A, 5\ngetA", "li t0, 5"),
    "macro calls itself": (
        ".macro count n\n.if \\n\nli t0, \\n\ncount (\\n - 1)\n.endif\n.endm\ncount 3",
        "li t0, 3\nli t0, 2\nli t0, 1",
    ),
    "label before a macro": (".macro two\nnop\nnop\n.endm\nx: two\nj x", "nop\nnop\nj .-2"),
    "repetition": (".rept 3, i\nli t\\i, \\i * 10\n.endr", "li t0, 0\nli t1, 10\nli t2, 20"),
    "repetition in repetition": (".rept 2, i\n.rept 2, j\nli t0, \\i * 2 + \\j\n.endr\n.endr", "li t0, 0\nli t0, 1\nli t0, 2\nli t0, 3"),
    "local names of a repetition": (".rept 2\n.local x\nx: j x\n.endr", "j .\nj ."),
    "repetition in a macro": (".macro fill n\n.rept \\n, i\nli t0, \\i\n.endr\n.endm\nfill 2", "li t0, 0\nli t0, 1"),
    "no repetition": (".rept 0\nfrob\n.endr\nhalt", "halt"),
    "condition": (".equ A, 2\n.if A == 1\nfrob\n.elif A == 2\nnop\n.elif 1\nfrob\n.else\nfrob\n.endif\nhalt", "nop\nhalt"),
    "else": (".if 0\nfrob\n.else\nnop\n.endif", "nop"),
    "nested conditions": (".if 0\n.if 1\nfrob\n.else\nfrob\n.endif\nfrob\n.else\n.if 1\nnop\n.endif\n.endif", "nop"),
    "skipped blocks": (".if 0\n.macro m\n.endif\n.endm\n.rept 2\n.endr\n.endif\nhalt", "halt"),
    "defined": (".ifdef N\nfrob\n.endif\n.ifndef N\n.equ N, 4\n.endif\n.ifndef N\nfrob\n.endif\nli t0, N", "li t0, 4"),
    "labels count in conditions": ("nop\nx: nop\n.if x == 1 && . == 2\nhalt\n.endif", "nop\nnop\nhalt"),
    "local labels": ("1: j 1b\nj 1f\n1: j 1b\n01: j 1b\nj 2f\n2:", "j .\nj .+1\nj .\nj .\nj .+1"),
    "ternary": ("li t0, 1 ? 2 : 3\nli t1, 0 ? 1/0 : 0 ? 4 : 5", "li t0, 2\nli t1, 5"),
    "unread side": ("li t0, 1 || 1 / 0\nli t1, 0 && 1 / 0", "li t0, 1\nli t1, 0"),
    "regions": (
        ".region a, sp[2, 4, 8]\n.region b, sp[16]\n.region c, acc[4]\n.region d, sp[8], over=a\n.region e, sp[1], at=500\n"
        "li t0, a\nli t1, b\nli t2, c\nli t3, d\nli t4, e\n"
        "li t5, a[1]\nli t6, a[1, 2]\nli t7, a[1, 2, 3]\nli t8, b[15] + a.rows\nli t9, b.rows",
        "li t0, 0\nli t1, 64\nli t2, 0\nli t3, 0\nli t4, 500\nli t5, 32\nli t6, 48\nli t7, 51\nli t8, 143\nli t9, 16",
    ),
    "tokens": (
        ".token a = load -> array\n.token b = load -> array\n.token c = run -> vector.1\n.token d = run -> vector\n"
        "preload sp[s0] wait(a, b)\nrun acc[t0], sp[s0] post(d)\nrun acc[t0], sp[s0] post(c)",
        "preload sp[s0] wait(load.0, load.1)\nrun acc[t0], sp[s0] post(vector.0)\nrun acc[t0], sp[s0] post(vector.1)",
    ),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_source_means_what_the_plain_one_does(pair: tuple[str, str]) -> None:
    """Words and data are those of a source without what is being tested."""
    program, plain = assemble(pair[0]), assemble(pair[1])
    assert (program.words, program.data) == (plain.words, plain.data)


def test_lines_of_macros_are_where_they_are_written() -> None:
    """The line table names the macro's own lines; a repetition's instructions all have the same."""
    program = assemble(".macro m\n  nop\n.endm\nm\n.rept 2\n   halt\n.endr\n", "k.s")
    assert program.lines == (SourceLine("k.s", 2, 3), SourceLine("k.s", 6, 4), SourceLine("k.s", 6, 4))


def test_includes(tmp_path: Path) -> None:
    """A file is found beside the one that includes it, then in the folders of -I in order; each stands under its own name."""
    for path, text in {
        "sub/k.s": '.include "near.inc"\n.include "far.inc"\nuse\n',
        "sub/near.inc": '.include "deep/far.inc"\n.equ N, 5\n',
        "sub/deep/far.inc": "nop\n",
        "one/other.inc": "halt\n",
        "two/far.inc": ".macro use\nli t0, N\n.endm\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    source = Source((tmp_path / "sub/k.s").read_text(), "sub/k.s", tmp_path / "sub")
    program = assembled([source], options=Options(folders=(tmp_path / "one", tmp_path / "two")))
    assert program.words == assemble("nop\nli t0, 5").words
    assert program.lines == (SourceLine("sub/deep/far.inc", 1, 1), SourceLine("far.inc", 2, 1))


def test_constants_of_the_command_line() -> None:
    """-D defines a constant in every source; what is wrong with it is said of the command line."""
    options = Options(defines=(("N", "3 + 4"), ("M", "1")))
    program = assembled([Source("li t0, N * M"), Source("li t1, N")], options=options)
    assert program.words == assemble("li t0, 7\nli t1, 7").words
    with pytest.raises(AssemblyError, match=r"^<command line>:1:13: error\[E0402\]") as caught:
        assembled([Source("li t0, N")], options=Options(defines=(("N", "1 / 0"),)))
    assert len(caught.value.diagnostics) == 1


def test_several_sources_share_global_names() -> None:
    """Sources follow each other; names are a source's own unless they are global; all count arguments, tokens and data together."""
    main = ".arg x, in, s8[4]\n.token a = load -> array\nstart: call helper\nlarg t0, args[y]\nend: halt\n.data\nd: .byte 1\n"
    other = ".global helper, y\n.arg y, value\n.token a = load -> array\nhelper: preload sp[s0] wait(a)\nend: ret\n"
    other += ".data\n.byte 2\nd: .byte 3\n"
    program = assembled([Source(main, "main.s"), Source(other, "other.s")])
    assert program.words == assemble("call .+3\nlarg t0, args[1]\nhalt\npreload sp[s0] wait(load.1)\nret").words
    assert program.data == bytes([1, 2, 3])
    assert [argument.name for argument in program.arguments] == ["x", "y", "data"]
    assert sorted(symbol.value for symbol in program.symbols if symbol.name == "end") == [2, 4]
    with pytest.raises(AssemblyError, match=r"main\.s:2:3: error\[E0301\]: undefined symbol 'b'"):
        assembled([Source("a:\nj b", "main.s"), Source("b: nop", "other.s")])
    with pytest.raises(AssemblyError, match="two sources have a global 'a'"):
        assembled([Source(".global a\na: nop", "main.s"), Source(".global a\na: nop", "other.s")])


def test_declarations_survive_the_file() -> None:
    """Ranges of arguments and regions are in the program and in its ELF file."""
    program = assemble(".arg M, value in 1 .. 64\n.region a, sp[2, 4]\n.region b, sp[2], over=a\n.region c, acc[8]\nhalt")
    assert program.arguments == (Argument("M", ArgumentKind.VALUE, range=(1, 64)),)
    assert program.regions == (Region("a", "sp", 0, (2, 4)), Region("b", "sp", 0, (2,), "a"), Region("c", "acc", 0, (8,)))
    again = read_elf(write_elf(program), "k.elf")
    assert (again.arguments, again.regions) == (program.arguments, program.regions)


def test_depth_is_bounded() -> None:
    """Nesting up to the limit works, whatever does it."""
    macros = "".join(f".macro m{n + 1}\nm{n}\n.endm\n" for n in range(MAX_DEPTH - 1))
    assert assemble(f".macro m0\nhalt\n.endm\n{macros}m{MAX_DEPTH - 1}\n").words == assemble("halt").words
    with pytest.raises(AssemblyError, match="E0703"):
        assemble(f".macro m0\nhalt\n.endm\n{macros}.macro top\nm{MAX_DEPTH - 1}\n.endm\ntop\n")


def test_file_on_any_path_gives_the_same_bytes(tmp_path: Path) -> None:
    """Includes don't tell where the tree lies."""
    images = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.s").write_text('.include "k.inc"\n')
        (tmp_path / folder / "k.inc").write_text("halt\n")
        images.append(write_elf(assemble_file(tmp_path / folder / "k.s")))
    assert images[0] == images[1]


def test_files_that_include_each_other_twice_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty files, each of which includes the next one twice, would be a million: what is read again counts as an expansion."""
    monkeypatch.setattr(limits, "MAX_EXPANDED_LINES", 1000)
    for number in range(20):
        (tmp_path / f"{number}.inc").write_text(f'.include "{number + 1}.inc"\n' * 2)
    (tmp_path / "20.inc").write_text("nop\n")
    with pytest.raises(AssemblyError, match=r"E0703\]: macros, repetitions and includes make more than 1000 lines"):
        assemble_file(tmp_path / "0.inc")


@pytest.mark.parametrize(
    "source",
    [
        ".data\n.rept 16384\n.byte " + "0," * 8000 + "0\n.endr\n",
        ".macro m " + ",".join(f"p{n}=1" for n in range(2500)) + "\nnop\n.endm\n.rept 8000\nm\n.endr\n",
        ".macro m\n" + "".join(f".local x{n}\nx{n}: nop\n" for n in range(8000)) + ".endm\nm\n",
        ".macro m x\n.if \\x\nm \\x-1\nm \\x-1\n.endif\n.endm\nm 40\n",
    ],
    ids=["values", "parameters", "local names", "conditions"],
)
def test_tables_and_texts_of_expansions_are_bounded(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few lines that would take gigabytes or minutes end with a message, whatever grows: values, parameters, local names, conditions."""
    monkeypatch.setattr(limits, "MAX_EXPANDED_CHARACTERS", 1 << 15)
    with pytest.raises(AssemblyError, match=r"E0703\]: macros, repetitions and includes make more than 32768 characters"):
        assemble(source)


def test_suggestions_are_bounded() -> None:
    """The first of very many misspelt names have suggestions, the last ones don't: comparing them all would take minutes."""
    names = "".join(f".equ name_number_{n}, 1\n" for n in range(500))
    found: Sequence[Diagnostic] = analyse([Source(names + "".join(f"li t0, nam_number_{n}\n" for n in range(200)))]).diagnostics
    found = [one for one in found if one.severity == "error"]
    assert (len(found), bool(found[0].help), bool(found[-1].help)) == (200, True, False)
    assert analyse([Source(names + "li t0, nam_number_1")]).diagnostics[-1].help  # of a new run
