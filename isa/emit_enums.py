"""Emitter of `simulator/core/generated.py`: the table's numbers as plain constants that Numba can inline."""

from accelkit.isa.faults import Fault
from accelkit.isa.row import MAX_COUNT, Kind, Memory
from accelkit.isa.table import TABLE, Table
from accelkit.isa.units import CHANNELS, CycleClass, Port, SequencerClass, Unit

TENSOR_KINDS = (
    Kind.SCRATCHPAD,
    Kind.ACCUMULATOR,
    Kind.DRAM,
    Kind.COUNT,
    Kind.STEP,
    Kind.STRIDE,
    Kind.ZERO_POINT,
    Kind.BYTE,
    Kind.WORD,
)
"""Kinds of register operands; a kind's number is its place here plus 1 (0: the slot is not used)."""


def constant(name: str) -> str:
    """`load.b` as the constant's name `LOAD_B`."""
    return name.upper().replace(".", "_").replace(" ", "_")


def emit(table: Table = TABLE) -> str:
    """Source text of the module."""
    lines = ['"""Made from the instruction table by `python -m accelkit.isa.emit_enums`; don\'t edit."""', ""]
    lines += [
        f"MAX_COUNT = {MAX_COUNT}",
        f"SLOTS = {max(len(row.slots) for row in table.rows)}",
        f"CHANNELS = {len(CHANNELS)}",
        "",
    ]
    lines += [f"OP_{constant(row.mnemonic)} = 0x{row.opcode:02X}" for row in table.rows]
    for prefix, enum in (
        ("UNIT", Unit),
        ("PORT", Port),
        ("CLASS", CycleClass),
        ("SEQ", SequencerClass),
        ("FAULT", Fault),
        ("MEMORY", Memory),
    ):
        lines += ["", *(f"{prefix}_{member.name} = {member.value}" for member in enum)]
    lines += ["", *(f"KIND_{constant(kind.value)} = {number}" for number, kind in enumerate(TENSOR_KINDS, 1))]
    for row in table.rows:
        if row.slots or row.flags:
            lines.append("")
        lines += [
            f"SLOT_{constant(row.mnemonic)}_{constant(operand.name)} = {place}"
            for place, operand in enumerate(row.slots)
        ]
        lines += [
            f"FLAG_{constant(row.mnemonic)}_{constant(flag.name)} = {1 << place}"
            for place, flag in enumerate(row.flags)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(emit(), end="")
