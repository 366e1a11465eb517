"""The assembler as a library: what a program holds, and that no text makes it fail other than by AssemblyError."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.assembler import AssemblyError, assemble, assemble_file
from accelkit.assembler.codes import CODES
from accelkit.assembler.diagnostics import MAX_SHOWN
from accelkit.isa.elf import read_elf, write_elf
from accelkit.isa.grammar import table_terminals
from accelkit.isa.program import Argument, ArgumentKind, SourceLine, Symbol


def test_program_holds_everything() -> None:
    """Words, lines, symbols, arguments and data of a small source, in full."""
    source = """\
        .arg    M, value
        .arg    x, in, s8[M, N, *]
        .arg    y, inout, f32[N]
        .equ    N, 2 * 2
        .global loop
loop:   j       loop
        .data
        .byte   7
last:
"""
    program = assemble(source, "k.s")
    assert program.name == "k"
    assert program.words == (0x2E,)
    assert program.lines == (SourceLine("k.s", 6, 9),)
    assert program.data == b"\7"
    assert program.arguments == (
        Argument("M", ArgumentKind.VALUE),
        Argument("x", ArgumentKind.IN, "s8", ("M", 4, "*")),
        Argument("y", ArgumentKind.INOUT, "f32", (4,)),
        Argument("data", ArgumentKind.IN, "u8", (1,)),
    )
    assert set(program.symbols) == {
        *(Symbol(name, "abs", value) for name, value in {"M": 0, "x": 1, "y": 2, "N": 4, "data": 3}.items()),
        Symbol("loop", "text", 0, is_global=True),
        Symbol("last", "data", 1),
    }


@pytest.mark.parametrize("source", ["", "\n\n", "# nothing", "label:", ".text\n.data\n"])
def test_empty_sources_assemble(source: str) -> None:
    """A source without instructions is a program without instructions, and survives its file."""
    program = assemble(source)
    assert program.words == ()
    assert read_elf(write_elf(program), "empty.elf") == program


def test_line_ends_of_all_systems() -> None:
    """CR LF ends a line as LF does; a byte order mark is no text; form feeds and other separators don't count as lines."""
    assert assemble("halt\r\n\r\nhalt\r\n").lines == assemble("halt\n\nhalt\n").lines
    assert [line.line for line in assemble("halt # \x0b \x0c \u2028 \x85\nhalt").lines if line] == [1, 2]


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path stands in the program as it was given, an absolute one as its last part: bytes don't tell where a tree lies."""
    for folder in ("one", "two"):
        (tmp_path / folder / "sub").mkdir(parents=True)
        (tmp_path / folder / "sub" / "k.s").write_text("halt\n")
    monkeypatch.chdir(tmp_path / "one")
    relative = assemble_file("./sub/k.s")
    assert relative.lines == (SourceLine("sub/k.s", 1, 1),)
    monkeypatch.chdir(tmp_path / "two")
    assert write_elf(assemble_file(Path("sub/k.s"))) == write_elf(relative)
    absolute = [write_elf(assemble_file(tmp_path / folder / "sub" / "k.s")) for folder in ("one", "two")]
    assert absolute[0] == absolute[1]
    assert str(tmp_path).encode() not in absolute[0]


def test_all_passes_report_in_one_run() -> None:
    """A line that does not parse, a wrong symbol, a wrong operand and wrong data are all reported at once, in order of the lines."""
    with pytest.raises(AssemblyError) as caught:
        assemble(".data\n.byte 256\n.text\nadd t0\nfoo\nj nowhere\nli t0, (\nx: x: halt")
    places = [(found.line.number, found.code) for found in caught.value.diagnostics]
    assert places == [(2, "E0401"), (4, "E0202"), (5, "E0107"), (6, "E0301"), (7, "E0101"), (8, "E0302")]


def test_broken_lines_keep_their_place() -> None:
    """Labels of broken lines are defined, broken instructions count: what follows is checked as if they were right."""
    with pytest.raises(AssemblyError) as caught:
        assemble("a: add t0,\nb: frob\n.equ N, )\n.token full = load\nli t0, a + b + N\nsync.array wait(full)\n")
    assert [found.line.number for found in caught.value.diagnostics] == [1, 2, 3, 4]


def test_long_lists_are_cut() -> None:
    """All errors are kept, 20 are shown, and the last line says how many there are."""
    with pytest.raises(AssemblyError) as caught:
        assemble("frob\n" * 30)
    assert len(caught.value.diagnostics) == 30
    assert str(caught.value).count("error[E0107]") == MAX_SHOWN == 20
    assert str(caught.value).endswith("30 errors, the first 20 shown")


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "1" + ")" * 5000, "(" * 5000, "-" * 5000 + "1", "1" + "+1" * 5000, "a[" * 5000, "1 << " * 50 + "1", "9" * 5000],
    ids=["balanced", "open", "signs", "sum", "brackets", "shifts", "digits"],
)
def test_monstrous_expressions(text: str) -> None:
    """Long and deep expressions are assembled or refused, without a crash of the interpreter."""
    try:
        assemble(f"li t0, {text}\nlarg t0, args[{text}]\n")
    except AssemblyError as error:
        assert {found.code for found in error.diagnostics} <= CODES.keys()
        assert str(error)


def test_long_chains_of_constants() -> None:
    """Constants that build on the one before may be any number."""
    chain = "".join(f".equ c{number + 1}, c{number} + 1\n" for number in range(2000))
    assert assemble(f".equ c0, 0\n{chain}li t0, c2000\n").words == assemble("li t0, 2000").words


WORDS = [word for words in table_terminals().values() for word in words]
WORDS += [".text", ".data", ".equ", ".arg", ".token", ".global", ".byte", ".half", ".word", ".float", ".space", ".align", ".ascii"]
WORDS += ["wait", "post", "in", "out", "value", "s8", "N", "L:", "L", "0x1f", "12ab", "1.5", "'a'", '"s"', "é", "\t", "\n", "\n"]
WORDS += [*",[]()=+-*/%!~.;#'\"\\", "<<", ">>", "==", "->", "//"]


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", " "]))
def test_any_words_assemble_or_are_refused(words: list[str], separator: str) -> None:
    """Any sequence of words of the language assembles, or has errors whose codes are listed and whose places exist."""
    check(separator.join(words))


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.text(string.printable, max_size=60))
def test_any_text_assembles_or_is_refused(source: str) -> None:
    """So does any text at all."""
    check(source)


def check(source: str) -> None:
    """Assemble; if there are errors, each has a listed code and a place in the source."""
    try:
        program = assemble(source)
    except AssemblyError as error:
        lines = source.split("\n")
        for found in error.diagnostics:
            assert found.code in CODES
            assert found.line.text == lines[found.line.number - 1].removesuffix("\r")
            assert 0 <= found.span.start <= found.span.end
            assert found.span.start <= len(found.line.text)
        assert str(error)
    else:
        assert read_elf(write_elf(program), "any.elf").words == program.words
