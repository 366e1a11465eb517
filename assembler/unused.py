"""Names that nothing uses: warnings for who asks for them (`-W unused`)."""

from __future__ import annotations

from collections.abc import Iterable

from accelkit.assembler.diagnostics import Diagnostic, Report
from accelkit.assembler.layout import Layout
from accelkit.assembler.macros import Macro

_KINDS = ("constant", "region")  # a label may stand for the reader, an argument for the caller


def unused_names(layout: Layout, macros: Iterable[Macro]) -> list[Diagnostic]:
    """A warning for each constant, region and macro that is neither used nor global. (Tokens are the lint's.)"""
    report = Report()
    for definition in layout.symbols.all():
        if definition.kind in _KINDS and not definition.is_used and not definition.is_global and definition.line.file != "<command line>":
            report.warn("W0101", f"{definition.kind} '{definition.word.text}' is never used", definition.line, definition.word.span)
    for macro in macros:
        if not macro.is_used:
            report.warn("W0101", f"macro '{macro.word.text}' is never used", macro.line, macro.word.span)
    return report.found
