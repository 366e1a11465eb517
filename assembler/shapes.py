"""Memory of the parser: two lines of the same shape have the same tree, but for what stands at their holes.

A line's shape is its text with numbers, names and registers (the holes) each replaced by a mark of its class, and without comment. Lark
parses the first line of a shape; the tree for another one is made by moving the columns and taking the texts from the line, which costs a
sixth of the time. Lines with errors have no shape: they are parsed, so that the grammar alone decides what is wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any, TypeAlias

from accelkit.assembler.builder import Parsed
from accelkit.assembler.syntax import Span

# As the grammar's terminals of these classes. Comments, strings and characters are tokens too: what stands within them is no hole.
# A string without an end ends with the line: else each further quote would begin another search to the end.
_TOKEN = re.compile(
    r"(?<![\w.])\.?[A-Za-z_][A-Za-z0-9_.]*|(?<![\w.])(?:0x[0-9a-fA-F]{1,16}|[1-9][0-9]{0,18}|0)(?![\w.])"
    r"""|"(?:\\.?+|[^"\\])*+(?:"|$)|'(?:\\.?+|[^'\\])*+(?:'|$)|(?:\#|;|//).*""",
    re.ASCII,
)
_MAX_DEPTH = 40  # of a tree that is kept
_MAX_LENGTH = 1000  # of a line whose tree is kept
_MAX_KNOWN = 4096  # lines that are kept: a server lives long, and so does what fuzzes the assembler
REGISTER, NUMBER, NAME = "\x01", "\x02", "\x03"

_Move: TypeAlias = Callable[[Sequence[int], str], Any]


class _TooDeep(Exception):
    """A tree that recursion had better not follow."""


class Shapes:
    """The shapes seen so far. `words` are the words that the grammar treats as themselves, `registers` the registers."""

    def __init__(self, words: frozenset[str], registers: frozenset[str]) -> None:
        self._marks = dict.fromkeys(words, "") | dict.fromkeys(registers, REGISTER)
        self._known: dict[str, Template] = {}
        self._holes: list[str] = []
        self._last: tuple[str, str, list[str]] = ("", "", [])

    def shape(self, text: str) -> tuple[str, list[str]]:
        """The shape of a line, and the texts of its holes."""
        if text != self._last[0]:  # what is no plain instruction is asked for twice
            self._holes = []
            self._last = text, _TOKEN.sub(self._mark, text).rstrip(), self._holes
        return self._last[1], self._last[2]

    def _mark(self, match: re.Match[str]) -> str:
        token = match[0]
        mark = self._marks.get(token)
        if mark is None:
            first = token[0]
            if first in "#;/":
                return ""
            if first in "\"'":
                return token
            mark = NUMBER if first.isdigit() else NAME
        if not mark:
            return token
        self._holes.append(token)
        return mark

    def get(self, shape: str) -> Template | None:
        """What is known of a shape."""
        return self._known.get(shape)

    def learn(self, shape: str, text: str, parsed: Parsed) -> None:
        """Keep the tree of a line for others of its shape, unless it is nested too deep or long."""
        if len(text) > _MAX_LENGTH:
            return
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        holes = [
            match.span()
            for match in _TOKEN.finditer(text)
            if match[0][0] not in "#;/\"'" and self._marks.get(match[0]) != ""
        ]
        with suppress(_TooDeep):
            self._known[shape] = Template(text, parsed, holes)


class Template:
    """A line's tree, ready to be moved to other lines of its shape."""

    def __init__(self, text: str, parsed: Parsed, holes: Sequence[tuple[int, int]]) -> None:
        self.text = text
        self.parsed = parsed
        self.holes = holes
        self.encoder: Any = None  # see literal.py
        self._ends = [end for _, end in holes]
        self._lengths = [end - start for start, end in holes]
        self._move = self._mover(parsed, 0)

    def tree(self, text: str, holes: Sequence[str]) -> Parsed:
        """The tree of a line of this shape with these holes."""
        shifts = [0, *accumulate(map(int.__sub__, map(len, holes), self._lengths))]
        result: Parsed = self._move(shifts, text)
        return result

    def _mover(self, node: Any, depth: int) -> _Move:
        """A function from shifts (of what stands after n holes) and text to the moved node."""
        if depth > _MAX_DEPTH:
            raise _TooDeep
        if isinstance(node, Span):
            return self._span_mover(node)
        if isinstance(node, tuple):
            make = type(node)
            if not any(isinstance(part, tuple | str) for part in node):
                return lambda shifts, text: node
            if make is tuple:
                movers = [self._mover(part, depth + 1) for part in node]
                return lambda shifts, text: tuple([move(shifts, text) for move in movers])
            return self._node_mover(node, make, depth)
        return lambda shifts, text: node

    def _span_mover(self, span: Span) -> _Move:
        start, end = span
        before, within = bisect_right(self._ends, start), bisect_right(self._ends, end)
        make = Span._make
        return lambda shifts, text: make((start + shifts[before], end + shifts[within]))

    def _node_mover(self, node: Any, make: Any, depth: int) -> _Move:
        """For a named tuple: its text, if it has one, is what stands in its columns."""
        names = node._fields
        if names[0] == "text":
            start, end = node.span
            before, within = bisect_right(self._ends, start), bisect_right(self._ends, end)

            def move_leaf(shifts: Sequence[int], text: str) -> Any:
                span = Span(start + shifts[before], end + shifts[within])
                return make(text[span[0] : span[1]], span)

            return move_leaf
        movers = [self._mover(part, depth + 1) for part in node]
        build = make._make
        return lambda shifts, text: build([move(shifts, text) for move in movers])
