"""Pass 4: the program."""

from __future__ import annotations

from pathlib import PurePath

from accelkit.assembler.data import bytes_of
from accelkit.assembler.diagnostics import Diagnostic, Report
from accelkit.assembler.resolve import Layout
from accelkit.assembler.symbols import Position
from accelkit.isa.program import Program, SourceLine, Symbol
from accelkit.isa.table import ISA_VERSION


def data_image(layout: Layout) -> tuple[bytes, list[Diagnostic]]:
    """The data section, and what is wrong with its values."""
    report = Report()
    image = bytearray(layout.data_bytes)
    for placed in layout.data:
        with report.on(placed.line):
            scope = Position(layout.symbols, placed.offset)
            image[placed.offset : placed.offset + placed.size] = bytes_of(placed.statement, placed.size, scope)
    return bytes(image), report.found


def program_image(file: str, words: list[int], layout: Layout, data: bytes) -> Program:
    """The program of a source without errors."""
    symbols = []
    for name, definition in layout.symbols.by_name.items():
        assert definition.value is not None
        symbols.append(Symbol(name, definition.section, definition.value, definition.is_global))
    return Program(
        name=PurePath(file).stem,
        words=tuple(words),
        lines=tuple(
            SourceLine(placed.line.file, placed.line.number, placed.statement.span.start + 1) for placed in layout.instructions
        ),
        symbols=tuple(symbols),
        arguments=tuple(layout.arguments),
        data=data,
        isa_version=ISA_VERSION,
        cases=layout.cases,
        allowances=layout.allowances,
    )
