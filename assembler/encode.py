"""Pass 4: instructions to words. Every operand is checked against the row of the table, and every error of a line is reported."""

from __future__ import annotations

from accelkit.assembler import scalar, tensor
from accelkit.assembler.diagnostics import Diagnostic, Report
from accelkit.assembler.layout import Layout, PlacedInstruction
from accelkit.assembler.operands import Site
from accelkit.isa.codec import Codec


def encode(layout: Layout, codec: Codec) -> list[Diagnostic]:
    """Encode the instructions that have no word yet (it stays 0 where something is wrong); what is wrong."""
    report = Report()
    for placed in layout.instructions:
        layout.words[placed.number] = _word(placed, codec, report)
    return report.found


def _word(placed: PlacedInstruction, codec: Codec, report: Report) -> int:
    mnemonic = placed.statement.mnemonic.text
    alias = codec.table.alias_by_mnemonic.get(mnemonic)
    row = codec.table.by_mnemonic[alias.target if alias else mnemonic]
    errors_before = len(report.found)
    site = Site(row, placed, codec, report)
    if row.is_tensor:
        fields = tensor.fields_of(site)
    else:
        names = alias.operands if alias else tuple(operand.name for operand in row.operands)
        fields = dict(alias.fixed if alias else ()) | scalar.fields_of(site, [row.operand(name) for name in names])
    return codec.encode(row, fields) if len(report.found) == errors_before else 0
