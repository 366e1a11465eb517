"""Pygments lexer of the assembly text, which Sphinx and others find by its entry point (extra `pygments`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from accelkit.editor.lexicon import Category, scan

TOKENS: dict[Category, _TokenType] = {
    Category.COMMENT: Comment.Single,
    Category.LABEL: Name.Label,
    Category.DIRECTIVE: Keyword.Declaration,
    Category.DEFINITION: Name.Constant,
    Category.MNEMONIC: Name.Function,
    Category.CALL: Name.Function.Magic,
    Category.PARAMETER: Name.Variable.Magic,
    Category.OPERAND: Name.Attribute,
    Category.TYPE: Keyword.Type,
    Category.PORT: Name.Entity,
    Category.KEYWORD: Keyword.Reserved,
    Category.CHANNEL: Name.Property,
    Category.REGISTER: Name.Builtin,
    Category.MEMORY: Name.Namespace,
    Category.FLAG: Name.Decorator,
    Category.FLOAT: Number.Float,
    Category.NUMBER: Number.Integer,
    Category.CHARACTER: String.Char,
    Category.STRING: String.Double,
    Category.NAME: Name.Variable,
    Category.HERE: Literal,
    Category.OPERATOR: Operator,
    Category.PUNCTUATION: Punctuation,
}


class AccelkitLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """Lexer of accelkit assembly. Characters that belong to nothing come out as errors, as Pygments has it."""

    name = "accelkit assembly"
    aliases: ClassVar[list[str]] = ["accelkit", "accel-as"]
    filenames: ClassVar[list[str]] = []  # *.s is GNU as: who means this one says so
    url = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """(offset, token, text) of everything in `text`. Lines stand for themselves, as for the assembler."""
        offset = 0
        for line in re.findall(r"[^\n]*\n|[^\n]+", text):
            position = 0
            for word in scan(line):
                yield from _between(line, position, word.start, offset)
                yield offset + word.start, TOKENS[word.category], word.text
                position = word.end
            yield from _between(line, position, len(line), offset)
            offset += len(line)


def _between(line: str, start: int, end: int, offset: int) -> Iterator[tuple[int, _TokenType, str]]:
    for match in re.finditer(r"\s+|\S", line[start:end]):
        yield offset + start + match.start(), Whitespace if match[0].isspace() else Error, match[0]
