"""The parser's memory of shapes, and the short way of literal instructions, change nothing but the time."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.assembler import AssemblyError, Options, Source, analyse, assemble
from accelkit.assembler.parse import LineParser
from accelkit.assembler.shapes import Shapes
from accelkit.isa.grammar import default_grammar
from accelkit.isa.program import Program
from accelkit.isa.table import TABLE
from accelkit.isa.text import disassemble
from tests.isa.words import valid_words

SPACES = st.sampled_from(["", " ", "\t", "        "])
COMMENTS = st.sampled_from(["", "  # 5 t0", "// x", ';"'])
OTHERS = ["L{}: nop", ".equ N{}, {} + 1", "j L{}", "li t0, N{}", "li t{}, 1 ? {} : 0x{}", "frob {}", "li t0, '{}'"]
OTHERS += [".data", ".text", ".byte {}"]
LINES = st.one_of(
    st.builds(lambda before, word, after: before + disassemble(word) + after, SPACES, valid_words(), COMMENTS),
    st.builds(lambda text, number, after: text.replace("{}", str(number)) + after, st.sampled_from(OTHERS), st.integers(0, 12), COMMENTS),
)


def outcome(source: str, options: Options) -> Program | list[str]:
    """The program, or the messages."""
    analysis = analyse([Source(source)], options=options)
    return analysis.program or [found.render() for found in analysis.diagnostics]


@given(st.lists(LINES, max_size=12))
def test_every_way_leads_to_the_same_program(lines: list[str]) -> None:
    """The short way, the passes with trees from memory, and the passes with every line parsed give the same program or messages."""
    source = "\n".join(lines)
    short = outcome(source, Options())
    assert outcome(source, Options(keeps_lines=True)) == short
    with patch.object(Shapes, "get", lambda self, shape: None):
        assert outcome(source, Options(keeps_lines=True)) == short


@given(st.lists(LINES, min_size=2, max_size=12))
def test_trees_from_memory_are_those_of_the_parser(lines: list[str]) -> None:
    """A tree that is moved to another line of its shape is the tree that parsing that line gives, columns included."""
    parser = LineParser(TABLE, default_grammar())
    for line in lines:
        remembered = parser.parse(line)
        with patch.object(Shapes, "get", lambda self, shape: None):
            parsed = parser.parse(line)
        assert remembered[0] == parsed[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("add t0, t1, t2", "add \x01, t1, t2"),
        ("li t0, 5", "li t0, \x02"),
        ("li t0, 5", "li t0, 05"),
        ("li t0, 5", "li t0, 5x"),
        ("li t0, 5", "li t0, 1 << 40"),
        ("addi t0, t1, 5", "addi t0, t1, 4294967296"),
        ("addi t0, t1, -5", "addi t0, t1, -2147483649"),
        ("li t0, 0xf", "li t0, 0xfffffffff"),
        ("add t0, t1, t2", "add t0, t1, t10"),
        ("j x\nx:", "j y"),
        ("x: nop", "wait: nop"),
        ("li t0, 1 + 2", "li t0, 1 / 0"),
    ],
)
def test_lines_that_only_look_alike(first: str, second: str) -> None:
    """A line after one of a like shape is refused as it is alone."""
    with pytest.raises(AssemblyError) as alone:
        assemble(f"nop\n{second}")
    with pytest.raises(AssemblyError) as after:
        assemble(f"{first}\n{second}")
    shown = [(found.code, found.message, found.span) for found in alone.value.diagnostics]
    assert [(found.code, found.message, found.span) for found in after.value.diagnostics] == shown


@pytest.mark.parametrize("value", [0, 1, 5, 2**31 - 1, 2**31, 2**32 - 1, -1, -(2**31)])
def test_limits_of_the_short_way(value: int) -> None:
    """Values at the edges of the field come out the same after a line that has made the short way known."""
    expected = assemble(f"li t0, 0 + {value}").words[0]
    assert assemble(f"li t0, {'-' * (value < 0)}1\nli t0, {value}\nli t0, {value}").words[1:] == (expected, expected)
