"""What the assembler says of a text: all its diagnostics, and the symbols' values if there are none."""

from __future__ import annotations

from dataclasses import dataclass, field

from accelkit.assembler import AssemblyError, assemble
from accelkit.assembler.diagnostics import Diagnostic


@dataclass(frozen=True)
class Checked:
    """Result of assembling a text. `values` are the symbols' values, empty if something is wrong."""

    diagnostics: tuple[Diagnostic, ...] = ()
    values: dict[str, int] = field(default_factory=dict)


def check(source: str, file: str) -> Checked:
    """Assemble `source`, which `file` names in the diagnostics."""
    try:
        program = assemble(source, file)
    except AssemblyError as error:
        return Checked(error.diagnostics)
    return Checked(values={symbol.name: symbol.value for symbol in program.symbols})
