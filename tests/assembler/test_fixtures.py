"""Fixtures of tests/asm carry their own answers: words and bytes beside the lines of `ok`, the whole message below those of `err`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelkit.assembler import AssemblyError, assemble, assemble_file
from accelkit.assembler.assemble import decode_source
from accelkit.assembler.diagnostics import CODES
from accelkit.isa.program import Program

FIXTURES = Path(__file__).parents[1] / "asm"
OK = sorted((FIXTURES / "ok").glob("*.s"))
ERR = sorted((FIXTURES / "err").glob("*.s"))
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


@pytest.mark.parametrize("path", ERR, ids=name)
def test_message_is_the_text_below_the_lines(path: Path, is_updating_golden: bool) -> None:
    """The whole text of the error is what the lines beginning `;|` hold."""
    content = path.read_bytes()
    with pytest.raises(AssemblyError) as caught:
        assemble(decode_source(content, path.name), path.name)
    if is_updating_golden:
        source = content[: content.find(b";|")] if b";|" in content else content
        content = source + "".join(f";| {line}".rstrip() + "\n" for line in str(caught.value).splitlines()).encode()
        path.write_bytes(content)
    assert [line.decode() for line in MESSAGE.findall(content)] == str(caught.value).splitlines()


def test_every_code_has_a_fixture() -> None:
    """Each diagnostic code stands in the answer of some fixture, and no answer has a code that is not listed."""
    shown = {code for path in ERR for code in re.findall(r"^;\| \S+: error\[(E\d+)\]", path.read_text(errors="replace"), re.MULTILINE)}
    assert shown == set(CODES)
