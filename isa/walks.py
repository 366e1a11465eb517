"""Special counts and limits of a row, resolved for an instruction's values and a machine."""

from __future__ import annotations

from collections.abc import Mapping

from accelkit.isa.machine import Machine
from accelkit.isa.row import Instruction, Limit, Memory


def level_count(row: Instruction, name: str, values: Mapping[str, int], machine: Machine) -> int:
    """Steps of a level whose count is `name`: an operand of `values`, or one of the special counts of `Level`."""
    if name == "@parameters":
        return machine.parameter_rows
    if name == "@table":
        return machine.table_rows
    if name == "@taps":
        return values["lines"] * values["columns"]
    if name == "@blocks":
        return -(-values["bytes"] // row_bytes(row, machine))
    return values[name]


def row_bytes(row: Instruction, machine: Machine) -> int:
    """Bytes of the on-chip rows that a DMA instruction moves."""
    return 4 * machine.array_columns if moves_words(row) else machine.lanes


def moves_words(row: Instruction) -> bool:
    """Whether an instruction moves 32-bit words between DRAM and accumulator, so that its addresses are aligned."""
    memories = {access.memory for access in row.accesses}
    return {Memory.DRAM, Memory.ACCUMULATOR} <= memories


def most_of(limit: Limit, machine: Machine) -> int:
    """The number that a limit stands for on a machine."""
    if isinstance(limit.most, int):
        return limit.most
    return {"@rows": machine.array_rows, "@columns": machine.array_columns}[limit.most]


def limited_counts(limit: Limit) -> tuple[str, ...]:
    """The operands whose product a limit bounds."""
    return ("lines", "columns") if limit.count == "@taps" else (limit.count,)
