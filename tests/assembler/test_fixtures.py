"""Fixtures of tests/asm carry their own answers: words and bytes beside the lines of `ok`, the whole message below those of `err`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelkit.assembler import AssemblyError, analyse, assemble, assemble_file, assembled, read_source
from accelkit.assembler.codes import CODES
from accelkit.assembler.diagnostics import render_all
from accelkit.assembler.parse_errors import DIRECTIVES, FROM_GNU
from accelkit.isa.program import Program

FIXTURES = Path(__file__).parents[1] / "asm"
OK = sorted((FIXTURES / "ok").glob("*.s"))
ERR = sorted((FIXTURES / "err").glob("*.s"))
WARN = sorted((FIXTURES / "warn").glob("*.s"))
ANSWER = re.compile(r"; = ([0-9a-f ]+)$")
MESSAGE = re.compile(rb"^;\| ?(.*)$", re.MULTILINE)


def name(path: Path) -> str:
    """The fixture's name in reports."""
    return path.stem


def answers(path: Path) -> dict[int, str]:
    """The answers of a fixture by line number."""
    matches = ((number, ANSWER.search(line)) for number, line in enumerate(path.read_text().splitlines(), start=1))
    return {number: match[1] for number, match in matches if match}


def results(program: Program) -> dict[int, str]:
    """What each line of a program's instructions became, written as an answer."""
    words = zip(program.lines, program.words, strict=True)
    return {line.line: re.sub(r"(?<=.)(?=(?:.{8})+$)", " ", f"{word:032x}") for line, word in words if line}


@pytest.mark.parametrize("path", OK, ids=name)
def test_program_has_the_words_beside_its_lines(path: Path) -> None:
    """Every instruction assembles to the word beside it, and the data section is the bytes beside its lines, in order."""
    program = assemble_file(path)
    expected, actual = answers(path), results(program)
    assert {number: expected.get(number) for number in actual} == actual
    data = bytes.fromhex("".join(answer for number, answer in expected.items() if number not in actual))
    assert program.data == data


def compare(path: Path, message: str, is_updating_golden: bool) -> None:
    """Compare a message with the lines beginning `;|` of a fixture, or write them anew."""
    content = path.read_bytes()
    if is_updating_golden:
        source = content[: content.find(b";|")] if b";|" in content else content
        content = source + "".join(f";| {line}".rstrip() + "\n" for line in message.splitlines()).encode()
        path.write_bytes(content)
    assert [line.decode() for line in MESSAGE.findall(content)] == message.splitlines()


@pytest.mark.parametrize("path", ERR, ids=name)
def test_message_is_the_text_below_the_lines(path: Path, is_updating_golden: bool) -> None:
    """The whole text of the error is what the lines beginning `;|` hold."""
    with pytest.raises(AssemblyError) as caught:
        assembled([read_source(path, path.name)])
    compare(path, str(caught.value), is_updating_golden)


@pytest.mark.parametrize("path", WARN, ids=name)
def test_warnings_are_the_text_below_the_lines(path: Path, is_updating_golden: bool) -> None:
    """A source with warnings makes a program, and the whole text of the warnings is what the lines beginning `;|` hold."""
    analysis = analyse([read_source(path, path.name)])
    assert analysis.program is not None
    compare(path, render_all(analysis.diagnostics), is_updating_golden)


def test_every_code_has_a_fixture() -> None:
    """Each diagnostic code stands in the answer of some fixture, and no answer has a code that is not listed."""
    pattern = re.compile(r"^;\| \S+: (?:error|warning)\[([EW]\d+)\]", re.MULTILINE)
    shown = {code for path in (*ERR, *WARN) for code in pattern.findall(path.read_text(errors="replace"))}
    assert shown == set(CODES)


def test_directives_of_gnu_as_are_answered_by_ours() -> None:
    """Each directive of GNU as that has a hint isn't one of ours, and the hint begins with one that is."""
    assert {word for word in FROM_GNU if word in DIRECTIVES} == set()
    assert {hint.split()[0].rstrip(",") for hint in FROM_GNU.values()} <= set(DIRECTIVES)
    with pytest.raises(AssemblyError, match=r"unknown directive '\.set'(.|\n)*help: here that is \.equ NAME, value"):
        assemble(" .set N, 3\n halt\n")
