"""Source texts, where they can be had: a program knows file and line of its instructions, an ELF file does not hold the text."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from accelkit.assembler.syntax import Line, Span
from accelkit.isa.codec import IllegalWord
from accelkit.isa.files import read_text_lines
from accelkit.isa.program import Program
from accelkit.isa.text import disassemble
from accelkit.lint.finding import Finding

_COMMENT = re.compile(r"\s*(?:#|;|//).*")
_NAME = re.compile(r"[\w.]+")
_TOKEN = re.compile(r"\s*(?:[\w.]+:\s*)*\.token\s+([A-Za-z_][\w.]*)\s*=")


class Sources:
    """Lines by file. Files that are not in `texts` are looked for in `folder`, then where the command runs."""

    def __init__(self, texts: Mapping[str, str] | None = None, folder: Path = Path()) -> None:
        self.texts = dict(texts or {})
        self.folder = folder
        self._lines: dict[str, list[str] | None] = {}

    def lines(self, file: str) -> list[str] | None:
        """The lines of a file, None if it can't be read."""
        if file not in self._lines:
            text = self.texts.get(file)
            lines = self._read(file) if text is None else text.split("\n")
            self._lines[file] = [line.rstrip("\r") for line in lines] if lines else None
        return self._lines[file]

    def _read(self, file: str) -> list[str] | None:
        found = (read_text_lines(path) for path in (self.folder / file, Path(file)))
        return next((lines for lines in found if lines is not None), None)

    def comment(self, file: str, number: int) -> tuple[Line, Span]:
        """A line and the span of its comment for the lint, or of its statement if that comment stands elsewhere."""
        line, span = self.at(file, number)
        match = _COMMENT.search(line.text) if "lint:" in line.text else None
        return line, Span(match.end() - len(match[0].lstrip()), match.end()) if match else span

    def at(self, file: str, number: int, column: int | None = None) -> tuple[Line, Span]:
        """A line and the span of its statement, which begins at `column`; the text is empty if it can't be had."""
        lines = self.lines(file) or []
        text = lines[number - 1] if 0 < number <= len(lines) else ""
        column = column or 1 + len(text) - len(text.lstrip())
        code = text[: match.start()] if (match := _COMMENT.search(text, column - 1)) else text.rstrip()
        return Line(file, number, text), Span(column - 1, max(column, len(code)))

    def instruction(self, program: Program, pc: int) -> tuple[Line, Span]:
        """Where an instruction stands; without its source, its disassembly stands there."""
        place = program.lines[pc] if 0 <= pc < len(program.lines) else None
        if place is not None:
            line, span = self.at(place.file, place.line, place.column)
            if line.text:
                return line, span
        try:
            text = disassemble(program.words[pc])
        except (IllegalWord, IndexError):
            text = "(no instruction)"
        indent = " " * (place.column - 1) if place else ""
        file, number = (place.file, place.line) if place else (program.name, pc)
        return Line(file, number, indent + text), Span(len(indent), len(indent) + len(text))


def unused_tokens(program: Program, sources: Sources) -> list[Finding]:
    """Token names that nothing but their declaration mentions, in the sources that can be read."""
    files = dict.fromkeys([*sources.texts, *(line.file for line in program.lines if line)])
    code = {file: sources.lines(file) or [] for file in files}
    declared = [
        (match[1], (file, number))
        for file, lines in code.items()
        for number, text in enumerate(lines, 1)
        if ".token" in text and (match := _TOKEN.match(text))
    ]
    if not declared:
        return []
    count = Counter(word for lines in code.values() for text in lines for word in _NAME.findall(_COMMENT.sub("", text)))
    unused = [(name, line) for name, line in declared if count[name] == 1]
    return [Finding("W0803", f"token '{name}' is declared and never used", None, line=line) for name, line in unused]
