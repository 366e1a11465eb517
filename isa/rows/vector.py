"""Vector unit: one row a cycle through a pipeline. Opcodes 0x80 to 0xBE are its space (docs/adr/0001)."""

from accelkit.isa.row import Access, Instruction, Kind, Level, Memory, Operand
from accelkit.isa.rows import common as c
from accelkit.isa.units import Port, Unit

ROWS = (
    Instruction(
        mnemonic="requantise",
        opcode=0x80,
        unit=Unit.VECTOR,
        operands=(
            c.SCRATCHPAD,
            c.ACCUMULATOR,
            Operand("params", Kind.SCRATCHPAD, "first scratchpad row of the parameter block"),
            c.ROWS,
            c.STEP,
            Operand("acc_step", Kind.STEP, "accumulator rows from one row to the next", is_optional=True),
            c.PLANES,
            c.PLANE_STEP,
            Operand(
                "acc_plane_step", Kind.STEP, "accumulator rows from one plane to the next", is_optional=True
            ),
            Operand("zp", Kind.BYTE, "output zero point", is_optional=True),
            Operand("min", Kind.BYTE, "lower clamp bound (-128 for s8, 0 for u8)"),
            Operand("max", Kind.BYTE, "upper clamp bound (127 for s8, 255 for u8)"),
        ),
        meaning="Reads the parameter block (one 32-bit bias per lane, then one binary32 scale per lane, little-endian, in consecutive"
        " scratchpad rows), then turns accumulator rows into scratchpad rows: `v = f32(acc + bias)` (the sum wraps modulo 2^32, the"
        " checker reports it; the conversion rounds to nearest even), `p = v * scale` in binary32, result ="
        " `clamp(round_half_even(p) + zp, min, max)`, of which the low 8 bits are stored. An infinite p saturates, a NaN counts as 0.",
        cycles="requantise",
        execute="vector.requantise",
        example="requantise sp[s5], acc[t4], params=sp[s9], rows=t0, zp=a4, min=a5, max=a6 wait(run.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(
            Access(
                Memory.SCRATCHPAD, False, "params", (Level("@parameters", "@one"),), hold_end="parameters"
            ),
            Access(
                Memory.ACCUMULATOR,
                False,
                "acc",
                (Level("planes", "acc_plane_step"), Level("rows", "acc_step")),
            ),
            Access(Memory.SCRATCHPAD, True, "sp", c.WALK_LEVELS, hold_end="complete"),
        ),
        notes="Parameter rows first, then one row a cycle. Vector instructions do not overlap: each begins when the one before has"
        " completed. `min > max` is a value fault.",
    ),
    c.sync_row(Unit.VECTOR, Port.VECTOR, 0xBF, "store.0", "array.0"),
)
