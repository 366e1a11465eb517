"""Where the names of a source text are defined. A scan of its words, not a parse: it also serves while a line is half written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from accelkit.editor.lexicon import Category, Lexeme, scan
from accelkit.isa.table import TABLE, Table


class NameKind(Enum):
    """What a defined name is, in the words that people are shown."""

    LABEL = "label"
    CONSTANT = "constant"
    ARGUMENT = "argument"
    TOKEN = "token"


_KINDS = {".equ": NameKind.CONSTANT, ".arg": NameKind.ARGUMENT, ".token": NameKind.TOKEN}


@dataclass(frozen=True)
class Definition:
    """A name and the place that defines it: a line from 0, columns from 0. `text` is that line without comment and margin."""

    name: str
    kind: NameKind
    line: int
    start: int
    end: int
    text: str


@dataclass
class Definitions:
    """All definitions of a text, in order. Tokens have names of their own: one may be called like a label."""

    found: list[Definition] = field(default_factory=list)

    def find(self, name: str, is_token: bool) -> Definition | None:
        """The first definition of a name, which is the one that counts."""
        fits = (one for one in self.found if one.name == name and (one.kind is NameKind.TOKEN) == is_token)
        return next(fits, None)

    def of(self, *kinds: NameKind) -> list[Definition]:
        """The definitions of some kinds."""
        return [one for one in self.found if one.kind in kinds]


def source_lines(source: str) -> list[str]:
    """The lines of a text, split where the assembler splits them."""
    return [line.removesuffix("\r") for line in source.split("\n")]


def definitions(lines: Sequence[str], table: Table = TABLE) -> Definitions:
    """Everything that the lines define."""
    return Definitions([one for number, line in enumerate(lines) for one in _defined_on(number, line, table)])


def _defined_on(number: int, line: str, table: Table) -> Iterator[Definition]:
    words = scan(line, table)
    text = line[: words[-1].start] if words and words[-1].category is Category.COMMENT else line
    directive = ""
    for word in words:
        if word.category is Category.LABEL:
            name = label_name(word)
            yield Definition(name, NameKind.LABEL, number, word.start, word.start + len(name), text.strip())
        elif word.category is Category.DIRECTIVE:
            directive = word.text
        elif word.category is Category.DEFINITION and directive in _KINDS:
            yield Definition(word.text, _KINDS[directive], number, word.start, word.end, text.strip())


def label_name(label: Lexeme) -> str:
    """The name in a label, whose text includes the colon."""
    return label.text.rstrip(": \t")


def list_before(words: Sequence[Lexeme], column: int) -> str:
    """`wait` or `post` if `column` is inside the brackets that follow it, else nothing."""
    keyword = ""
    for word in words:
        if word.end > column:
            break
        if word.category is Category.KEYWORD:
            keyword = word.text
        elif word.text == ")":
            keyword = ""
    return keyword
