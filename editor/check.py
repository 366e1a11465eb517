"""What the assembler says of a text: all its errors and warnings, and the symbols' values if there are no errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from accelkit.assembler import Source, analyse
from accelkit.assembler.diagnostics import Diagnostic


@dataclass(frozen=True)
class Checked:
    """Result of assembling a text. `values` are the symbols' values, empty if something is wrong."""

    diagnostics: tuple[Diagnostic, ...] = ()
    values: dict[str, int] = field(default_factory=dict)


def check(source: str, path: Path) -> Checked:
    """Assemble `source`, the text of `path`; files that it includes are read from the disk."""
    found = analyse([Source(source, path.name, path.parent)])
    values = {symbol.name: symbol.value for symbol in found.program.symbols} if found.program else {}
    return Checked(found.diagnostics, values)
