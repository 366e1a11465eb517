"""The parser of a line against Lark's own: same trees, same faults. And the tables that it runs, kept on disk."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Token, UnexpectedInput

from accelkit.assembler.builder import Builder
from accelkit.assembler.lalr import LalrParser, SyntaxFault
from accelkit.assembler.syntax import Span, Word
from accelkit.isa import parse_table as tables
from accelkit.isa.grammar import full_grammar
from tests.isa.marlann import MARLANN

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "tests" / "asm").rglob("*.s"), *(ROOT / "kernels" / "asm").glob("*.s"), *(ROOT / "examples").glob("*.s")])
PIECES = [*"()[]{},:=+-*/%!~.;#'\"\\@|&^<>? \t", "->", "..", "<<", "&&", "1:", "1b", "0x1f", "1.5", "1e3", "é", "wait(load.0)"]
PIECES += ["post(", "t0", "add", "load.b", "in", "machine=", ".equ", ".rept", ".if", "sp[", "accumulate", "name", ".name", "name@3"]
PIECES += ["'a'", '"text"', "2x"]

# What a grammar may also have: Nones for what is optional, templates, kept tokens, a literal that a pattern would take.
OTHER_GRAMMAR = """
line: [name "="] call ["!" name] | _pair{name, number}
call: name ["(" call (";" call)* ")"] "[" number? "]" -> called
!kept: "<" name ">"
?name: NAME | kept
number: NUMBER
_pair{a, b}: a "," b
NAME: /[a-z]+|=/
NUMBER: /[0-9]+/
%ignore " "
"""
OTHER_LINES = ("f[]", "x = f[1] ! y", "f(g[] ; h[2])[]", "<x> = f[]", "a, 5", "a = = f[]", "f(", "f[] ! 5", "= = f[]", "x, y", "", " ")


class Other:
    """Values of the other grammar: tuples."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in ("line", "called", "kept", "number"):
            raise AttributeError(name)
        return lambda *children: (name, *children)


class Adapter:
    """Lets Lark call a builder's methods: its tokens become words."""

    def __init__(self, builder: object) -> None:
        self.builder = builder

    def __getattr__(self, name: str) -> Callable[[list[Any]], Any]:
        method = getattr(self.builder, name)  # AttributeError for rules without one: Lark splices or passes them on
        return lambda children: method(*map(as_word, children))


def as_word(child: Any) -> Any:
    """A token as our parser makes it."""
    if isinstance(child, Token):
        assert child.start_pos is not None
        return Word(str(child), Span(child.start_pos, child.start_pos + len(child)))
    return child


@cache
def parsers(grammar: str, make: type = Builder) -> tuple[LalrParser, Lark]:
    """Ours and Lark's."""
    lark = Lark(grammar, parser="lalr", start="line", transformer=Adapter(make()))  # type: ignore[arg-type]  # all that Lark asks of it
    return LalrParser(tables.parse_table(grammar), make()), lark


def ours(text: str, parser: LalrParser) -> Any:
    """The value of a line, or what is wrong with it."""
    try:
        return parser.parse(text)
    except SyntaxFault as fault:
        return fault.where, fault.word, fault.expected


def larks(text: str, parser: Lark) -> Any:
    """The same of Lark."""
    try:
        return parser.parse(text)
    except UnexpectedInput as error:
        expected = frozenset(error.interactive_parser.accepts())
        token = getattr(error, "token", None)
        if token is None:
            return error.pos_in_stream, None, expected
        is_end = token.type == "$END"
        return (token.end_pos or 0, "", expected) if is_end else (token.start_pos, str(token), expected)


def lines() -> list[str]:
    """Every line of our sources, once."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in SOURCES]
    return list(dict.fromkeys(line for text in texts for line in text.split("\n")))


def test_lines_of_our_sources() -> None:
    """Each line has the tree, columns included, or the fault, with the same place, word and expectations, that Lark gives it."""
    parser, lark = parsers(full_grammar())
    for line in lines():
        assert ours(line, parser) == larks(line, lark), line


def test_damaged_lines() -> None:
    """So has each of 3,000 lines in which something is missing, doubled, or put in (seed 1)."""
    parser, lark = parsers(full_grammar())
    draw, known = random.Random(1), lines()
    faults = 0
    for _ in range(3000):
        line = draw.choice(known)
        for _ in range(draw.randrange(1, 4)):
            start = draw.randrange(len(line) + 1)
            end = min(len(line), start + draw.randrange(3))
            line = line[:start] + draw.choice(["", draw.choice(PIECES), line[start:end] * 2]) + line[end:]
        result = ours(line, parser)
        faults += isinstance(result[-1], frozenset)
        assert result == larks(line, lark), line
    assert 500 < faults < 2500  # both kinds are met


@pytest.mark.parametrize("text", ["", "Call 5", "x: MACC 3, 4", "MACC", "frob 1 2", "Execute 1 +"])
def test_another_table(text: str) -> None:
    """The same agreement with the words of another instruction set."""
    parser, lark = parsers(full_grammar(MARLANN))
    assert ours(text, parser) == larks(text, lark)


@pytest.mark.parametrize("text", OTHER_LINES)
def test_another_grammar(text: str) -> None:
    """The parser knows nothing of one grammar: it runs what Lark makes of any."""
    parser, lark = parsers(OTHER_GRAMMAR, Other)
    assert ours(text, parser) == larks(text, lark)


def kept(folder: Path) -> Path:
    """The file that holds the tables."""
    (file,) = folder.iterdir()
    return file


def damage_file(file: Path, damage: str) -> None:
    """Make of a whole file what it says."""
    whole = file.read_bytes()
    if damage in ("pipe", "folder", "device"):
        file.unlink()
        {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda file: file.symlink_to("/dev/zero")}[damage](file)
    else:
        file.write_bytes({"cut": whole[:-9], "flipped": whole[:99] + b"!" + whole[100:], "empty": b"", "none": whole}[damage])


@pytest.mark.parametrize("damage", ["cut", "flipped", "another grammar's", "empty", "none", "pipe", "folder", "device"])
def test_kept_tables(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file, one that another grammar has left under that name, and what is no file are not used and are replaced, except for
    a folder, beside which nothing can be kept; a whole file is used."""
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path))
    grammar = full_grammar()
    made = tables.parse_table(grammar)
    calls = []
    monkeypatch.setattr(tables, "lark_parser", lambda text, make=tables.lark_parser: calls.append(text) or make(text))
    file = kept(tmp_path)
    if damage == "another grammar's":
        tables._write(file, "another key", made)
    else:
        damage_file(file, damage)
    again = tables.parse_table(grammar)
    assert len(calls) == (damage != "none")
    assert again.states.keys() == made.states.keys()
    assert LalrParser(again, Builder()).parse("add t0, t1, t2") == LalrParser(made, Builder()).parse("add t0, t1, t2")
    calls.clear()
    tables.parse_table(grammar)
    assert len(calls) == (damage == "folder")
    assert kept(tmp_path) == file


def test_what_assembling_imports(tmp_path: Path) -> None:
    """With kept tables, a kernel without cases is assembled and linted without Lark, NumPy, or what reads machine files."""
    (tmp_path / "k.s").write_text(".arg n, value\nlarg a0, args[n]\nsync.load post(array.0)\nsync.array wait(load.0)\nhalt\n")
    program = (
        "import sys; from accelkit.cli.accel_as import main; main(['k.s', '-o', 'k.elf'], standalone_mode=False);"
        "print([name for name in ('lark', 'numpy', 'tomllib', 'accelkit.isa.machine') if name in sys.modules])"
    )
    tables.parse_table(full_grammar())
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert "no .case is declared" in done.stderr


def test_no_place_to_keep_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be kept, lines are parsed all the same."""
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ACCELKIT_CACHE", str(tmp_path / "file"))
    assert LalrParser(tables.parse_table(full_grammar()), Builder()).parse("halt")[1] is not None
