"""Pass 3: instructions to words. Every operand is checked against the row of the table, and every error of a line is reported."""

from __future__ import annotations

from accelkit.assembler import scalar, tensor
from accelkit.assembler.diagnostics import Diagnostic, Report
from accelkit.assembler.operands import Site
from accelkit.assembler.resolve import Layout, PlacedInstruction
from accelkit.isa.codec import Codec


def encode(layout: Layout, codec: Codec) -> tuple[list[int], list[Diagnostic]]:
    """A word per instruction (0 where something is wrong), and what is wrong."""
    report = Report()
    return [_word(placed, layout, codec, report) for placed in layout.instructions], report.found


def _word(placed: PlacedInstruction, layout: Layout, codec: Codec, report: Report) -> int:
    mnemonic = placed.statement.mnemonic.text
    alias = codec.table.alias_by_mnemonic.get(mnemonic)
    row = codec.table.by_mnemonic[alias.target if alias else mnemonic]
    errors_before = len(report.found)
    site = Site(row, placed, layout, codec.table, report)
    if row.is_tensor:
        fields = tensor.fields_of(site)
    else:
        names = alias.operands if alias else tuple(operand.name for operand in row.operands)
        fields = dict(alias.fixed if alias else ()) | scalar.fields_of(site, [row.operand(name) for name in names])
    return codec.encode(row, fields) if len(report.found) == errors_before else 0
