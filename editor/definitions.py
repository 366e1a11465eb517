"""Where the names of a source text are defined. A scan of its words, not a parse: it also serves while a line is half written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from accelkit.editor.lexicon import Category, Lexeme, scanner
from accelkit.isa.table import TABLE, Table


class NameKind(Enum):
    """What a defined name is, in the words that people are shown."""

    LABEL = "label"
    CONSTANT = "constant"
    ARGUMENT = "argument"
    REGION = "region"
    TOKEN = "token"
    MACRO = "macro"
    PARAMETER = "parameter"


SYMBOLS = (NameKind.LABEL, NameKind.CONSTANT, NameKind.ARGUMENT, NameKind.REGION)  # these share one space of names
_KINDS = {
    ".equ": NameKind.CONSTANT,
    ".arg": NameKind.ARGUMENT,
    ".token": NameKind.TOKEN,
    ".region": NameKind.REGION,
    ".macro": NameKind.MACRO,
}
_LOCAL_LABEL = re.compile(r"([0-9]+)([bf])")


@dataclass(frozen=True)
class Definition:
    """A name and the place that defines it: a line from 0, columns from 0. `text` is that line without comment and margin.

    `path` is the file, None for the text itself.
    """

    name: str
    kind: NameKind
    line: int
    start: int
    end: int
    text: str
    path: Path | None = None


@dataclass
class Definitions:
    """All definitions of a text and of the files that it includes, in order."""

    found: list[Definition] = field(default_factory=list)

    def find(self, name: str, *kinds: NameKind) -> Definition | None:
        """The first definition of a name as one of some kinds: of several, that is the one that counts."""
        return next((one for one in self.of(*kinds) if one.name == name), None)

    def parameter(self, name: str, line: int) -> Definition | None:
        """The parameter of the macro in whose body a line stands."""
        above = [one for one in self.of(NameKind.PARAMETER) if one.name == name and one.line <= line and one.path is None]
        return above[-1] if above else None

    def local_label(self, text: str, line: int) -> Definition | None:
        """The label that `1b` or `1f` on a line means: the nearest before or behind it. None if the text is nothing such."""
        if not (reference := _LOCAL_LABEL.fullmatch(text)):
            return None
        labels = [one for one in self.of(NameKind.LABEL) if one.name == reference[1] and one.path is None]
        if reference[2] == "f":
            return next((one for one in labels if one.line > line), None)
        return next((one for one in reversed(labels) if one.line <= line), None)

    def of(self, *kinds: NameKind) -> list[Definition]:
        """The definitions of some kinds."""
        return [one for one in self.found if one.kind in kinds]


def source_lines(source: str) -> list[str]:
    """The lines of a text, split where the assembler splits them."""
    return [line.removesuffix("\r") for line in source.split("\n")]


def definitions(lines: Sequence[str], table: Table = TABLE, folder: Path | None = None) -> Definitions:
    """Everything that the lines define, and the files that they include, which are looked for in `folder`."""
    return Definitions(list(_defined(lines, table, folder, None, set())))


def _defined(lines: Sequence[str], table: Table, folder: Path | None, path: Path | None, seen: set[Path]) -> Iterator[Definition]:
    scan = scanner(table)
    for number, line in enumerate(lines):
        words = scan(line)
        yield from _defined_on(number, line, words, path)
        included = _included(words, folder)
        if included is None or included in seen:
            continue
        try:
            text = included.read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            continue  # the assembler says so
        yield from _defined(source_lines(text), table, included.parent, included, seen | {included})


def _included(words: Sequence[Lexeme], folder: Path | None) -> Path | None:
    """The file that a line includes."""
    if folder is None or [word.category for word in words[:2]] != [Category.DIRECTIVE, Category.STRING]:
        return None
    return folder / words[1].text[1:-1] if words[0].text == ".include" and "\0" not in words[1].text else None


def _defined_on(number: int, line: str, words: Sequence[Lexeme], path: Path | None) -> Iterator[Definition]:
    text = (line[: words[-1].start] if words and words[-1].category is Category.COMMENT else line).strip()
    directive = ""
    for place, word in enumerate(words):
        if word.category is Category.LABEL:
            name = label_name(word)
            yield Definition(name, NameKind.LABEL, number, word.start, word.start + len(name), text, path)
        elif word.category is Category.DIRECTIVE:
            directive = word.text
        elif word.category is Category.DEFINITION and directive in _KINDS:
            yield Definition(word.text, _KINDS[directive], number, word.start, word.end, text, path)
        elif directive == ".macro" and word.category is Category.NAME and _is_parameter(words[place - 1]):
            yield Definition(word.text, NameKind.PARAMETER, number, word.start, word.end, text, path)


def _is_parameter(before: Lexeme) -> bool:
    """Whether a name on the line of `.macro` is a parameter, from the word before it: defaults come after `=`."""
    return before.category is Category.DEFINITION or before.text == ","


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
