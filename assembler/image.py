"""Pass 5: the program."""

from __future__ import annotations

from pathlib import PurePath

from accelkit.assembler.data import bytes_of
from accelkit.assembler.diagnostics import Diagnostic, Report
from accelkit.assembler.layout import Layout
from accelkit.isa.program import Program, Symbol, Token
from accelkit.isa.table import Table


def data_image(layout: Layout) -> tuple[bytes, list[Diagnostic]]:
    """The data section, and what is wrong with its values."""
    report = Report()
    image = bytearray(layout.data_bytes)
    for placed in layout.data:
        with report.on(placed.line):
            image[placed.offset : placed.offset + placed.size] = bytes_of(placed, report)
    return bytes(image), report.found


def program_image(file: str, layout: Layout, data: bytes, table: Table) -> Program:
    """The program of sources without errors."""
    return Program(
        name=PurePath(file).stem,
        words=tuple(layout.words),
        lines=tuple(layout.places),
        symbols=tuple(_symbols(layout)),
        arguments=tuple(layout.arguments),
        data=data,
        isa_version=table.version,
        cases=layout.cases,
        regions=tuple(placed.region for placed in layout.regions),
        allowances=tuple(layout.allowances),
        tokens=tuple(Token(token.word.text, str(token.channel)) for token in layout.tokens),
    )


def _symbols(layout: Layout) -> dict[Symbol, None]:
    """Symbols in order of definition; what all sources have alike (`-D`, `data`) stands once."""
    symbols: dict[Symbol, None] = {}
    for definition in layout.symbols.all():
        assert definition.value is not None
        symbols[Symbol(definition.word.text, definition.section, definition.value, definition.is_global)] = None
    return symbols
