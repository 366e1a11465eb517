"""Vector unit: rows through a pipeline, a scratchpad or accumulator row a cycle. Opcodes 0x80 to 0xBE are its space
(docs/adr/0001, 0008).

Operands up to the source's plane step are the same in all rows but `requantise`, so that one address generator serves them.
"""

from accelkit.isa.row import Access, Instruction, Kind, Level, Limit, Memory, Operand
from accelkit.isa.rows import common as c
from accelkit.isa.units import Port, Unit

MAX_TAPS = 64  # weight rows that depthwise holds in registers

_SRC_STEP = Operand("src_step", Kind.STEP, "source rows from one row to the next", is_optional=True)
_SRC_PLANE_STEP = Operand("src_plane_step", Kind.STEP, "source rows from one plane to the next", is_optional=True)
_ROW_OPERANDS = (
    c.SCRATCHPAD,
    Operand("src", Kind.SCRATCHPAD, "first source row"),
    c.ROWS,
    c.STEP,
    _SRC_STEP,
    c.PLANES,
    c.PLANE_STEP,
    _SRC_PLANE_STEP,
)
_WINDOW_OPERANDS = (
    *_ROW_OPERANDS,
    Operand("lines", Kind.COUNT, "lines of the window", is_optional=True),
    Operand("line_step", Kind.STEP, "source rows from one line of the window to the next", is_optional=True),
    Operand("columns", Kind.COUNT, "taps of a line", is_optional=True),
    Operand("column_step", Kind.STEP, "source rows from one tap of a line to the next", is_optional=True),
)
_PARAMS = Operand("params", Kind.SCRATCHPAD, "first scratchpad row of the parameter block")
_ZERO_POINT = Operand("zp", Kind.BYTE, "output zero point", is_optional=True)
_BOUNDS = (
    Operand("min", Kind.BYTE, "lower clamp bound (-128 for s8, 0 for u8)"),
    Operand("max", Kind.BYTE, "upper clamp bound (127 for s8, 255 for u8)"),
)
_U8 = Operand("u8", Kind.FLAG, "source bytes are unsigned (else signed)")

_READ_PARAMETERS = Access(
    Memory.SCRATCHPAD, False, "params", (Level("@parameters", "@one"),), hold_end="preface"
)
_READ_ROWS = Access(
    Memory.SCRATCHPAD, False, "src", (Level("planes", "src_plane_step"), Level("rows", "src_step"))
)
_READ_WINDOWS = Access(
    Memory.SCRATCHPAD,
    False,
    "src",
    (
        Level("planes", "src_plane_step"),
        Level("rows", "src_step"),
        Level("lines", "line_step"),
        Level("columns", "column_step"),
    ),
)
_WRITE_ROWS = Access(Memory.SCRATCHPAD, True, "sp", c.WALK_LEVELS, hold_end="complete")

_READ_SUMS = Access(
    Memory.ACCUMULATOR, False, "acc", (Level("planes", "acc_plane_step"), Level("rows", "acc_step"))
)

_SCALE = Operand("scale", Kind.WORD, "binary32 scale")
_ACC_STEP = Operand("acc_step", Kind.STEP, "accumulator rows from one row to the next", is_optional=True)
_ACC_PLANE_STEP = Operand(
    "acc_plane_step", Kind.STEP, "accumulator rows from one plane to the next", is_optional=True
)


def _side(name: str) -> tuple[Operand, Operand, Operand]:
    """The walk of the left or the right operand: base, steps; a step of 0 broadcasts."""
    return (
        Operand(name, Kind.SCRATCHPAD, f"first row of the {name} operand"),
        Operand(f"{name}_step", Kind.STEP, f"rows from one row of the {name} operand to the next", is_optional=True),
        Operand(
            f"{name}_plane_step",
            Kind.STEP,
            f"rows from one plane of the {name} operand to the next",
            is_optional=True,
        ),
    )


_LEFT, _LEFT_STEP, _LEFT_PLANE_STEP = _side("left")
_PAIR_OPERANDS = (
    c.SCRATCHPAD,
    _LEFT,
    c.ROWS,
    c.STEP,
    _LEFT_STEP,
    c.PLANES,
    c.PLANE_STEP,
    _LEFT_PLANE_STEP,
    *_side("right"),
)
_PAIR_ACCESSES = (
    *(
        Access(
            Memory.SCRATCHPAD, False, name, (Level("planes", f"{name}_plane_step"), Level("rows", f"{name}_step"))
        )
        for name in ("left", "right")
    ),
    _WRITE_ROWS,
)
_PAIR_TEXT = (
    " of the bytes of rows `left + plane * left_plane_step + row * left_step` and `right + plane * right_plane_step + row * right_step`,"
    " lane by lane, to row `sp + plane * plane_step + row * step`. "
)

_WINDOW_TEXT = (
    "Result row `sp + plane * plane_step + row * step` has the window whose tap (i, j) is source row"
    " `src + plane * src_plane_step + row * src_step + i * line_step + j * column_step`, with i < lines and j < columns."
)
_ORDER_NOTE = (
    "A result is written {stages} cycles after the last source row that it needs is read: an instruction that reads rows that it"
    " also writes sees the results that were written in earlier cycles."
)

ROWS = (
    Instruction(
        mnemonic="requantise",
        opcode=0x80,
        unit=Unit.VECTOR,
        operands=(
            c.SCRATCHPAD,
            c.ACCUMULATOR,
            _PARAMS,
            c.ROWS,
            c.STEP,
            _ACC_STEP,
            c.PLANES,
            c.PLANE_STEP,
            _ACC_PLANE_STEP,
            _ZERO_POINT,
            *_BOUNDS,
        ),
        meaning="Reads the parameter block (one 32-bit bias per lane, then one binary32 scale per lane, little-endian, in consecutive"
        " scratchpad rows), then turns accumulator rows into scratchpad rows: `v = f32(acc + bias)` (the sum wraps modulo 2^32, the"
        " checker reports it; the conversion rounds to nearest even), `p = v * scale` in binary32, result ="
        " `clamp(round_half_even(p) + zp, min, max)`, of which the low 8 bits are stored. An infinite p saturates, a NaN counts as 0.",
        cycles="requantise",
        execute="requantise.requantise",
        example="requantise sp[s5], acc[t4], params=sp[s9], rows=t0, zp=a4, min=a5, max=a6 wait(run.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(
            _READ_PARAMETERS,
            _READ_SUMS,
            _WRITE_ROWS,
        ),
        notes="Parameter rows first, then one row a cycle. Vector instructions do not overlap: each begins when the one before has"
        " completed. `min > max` is a value fault.",
    ),
    Instruction(
        mnemonic="depthwise",
        opcode=0x81,
        unit=Unit.VECTOR,
        operands=(
            *_WINDOW_OPERANDS,
            _PARAMS,
            Operand("weights", Kind.SCRATCHPAD, "first of lines x columns consecutive rows, a weight per lane each"),
            Operand("src_zp", Kind.ZERO_POINT, "zero point of the source", is_optional=True),
            Operand(
                "weights_zp",
                Kind.ZERO_POINT,
                "zero point of the weights",
                is_optional=True,
                unsigned_flag="weights_u8",
            ),
            _ZERO_POINT,
            *_BOUNDS,
            _U8,
            Operand("weights_u8", Kind.FLAG, "weights are unsigned (else signed)"),
        ),
        meaning="Reads the parameter block (as `requantise`) and the weight rows, then writes for each window, lane by lane, what"
        " `requantise` makes of the sum over its taps of `(byte - src_zp) * (weight - weights_zp)`, where tap (i, j) has weight row"
        f" `weights + i * columns + j`. {_WINDOW_TEXT}",
        cycles="depthwise",
        execute="vector.execute",
        limits=(Limit("@taps", MAX_TAPS),),
        example="depthwise sp[s5], src=sp[s3], rows=t0, src_step=t1, planes=t2, plane_step=t0, src_plane_step=t3, lines=t4,"
        " line_step=t5, columns=t4, params=sp[s9], weights=sp[s8], src_zp=a3, zp=a4, min=a5, max=a6 wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(
            _READ_PARAMETERS,
            Access(Memory.SCRATCHPAD, False, "weights", (Level("@taps", "@one"),), hold_end="preface"),
            _READ_WINDOWS,
            _WRITE_ROWS,
        ),
        notes=f"One tap a cycle, and at most {MAX_TAPS} taps. {_ORDER_NOTE.format(stages=7)}",
    ),
    Instruction(
        mnemonic="average",
        opcode=0x82,
        unit=Unit.VECTOR,
        operands=(*_WINDOW_OPERANDS, _PARAMS, _ZERO_POINT, *_BOUNDS, _U8),
        meaning="Reads the parameter block (as `requantise`), then writes for each window, lane by lane, what `requantise` makes of"
        f" the sum of its bytes: with n taps the bias holds `-n * zero point`, the scale that of the source over n. {_WINDOW_TEXT}",
        cycles="average",
        execute="vector.execute",
        example="average sp[s5], src=sp[s3], rows=t0, lines=t1, line_step=t2, columns=t1, params=sp[s9], zp=a4, min=a5, max=a6"
        " wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(_READ_PARAMETERS, _READ_WINDOWS, _WRITE_ROWS),
        notes=f"One tap a cycle. {_ORDER_NOTE.format(stages=7)}",
    ),
    Instruction(
        mnemonic="maximum",
        opcode=0x83,
        unit=Unit.VECTOR,
        operands=(*_WINDOW_OPERANDS, *_BOUNDS, _U8),
        meaning="Writes for each window, lane by lane, its largest byte, clamped to min..max, of which the low 8 bits are stored."
        f" {_WINDOW_TEXT}",
        cycles="maximum",
        execute="vector.execute",
        example="maximum sp[s5], src=sp[s3], rows=t0, src_step=t1, lines=t2, line_step=t3, columns=t2, min=a5, max=a6 u8"
        " wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(_READ_WINDOWS, _WRITE_ROWS),
        notes=f"One tap a cycle. {_ORDER_NOTE.format(stages=2)}",
    ),
    Instruction(
        mnemonic="lookup",
        opcode=0x84,
        unit=Unit.VECTOR,
        operands=(
            *_ROW_OPERANDS,
            Operand("table", Kind.SCRATCHPAD, "first row of the table: 256 bytes in consecutive rows"),
        ),
        meaning="Reads the table, then writes `table[byte]` for each byte of row `src + plane * src_plane_step + row * src_step` to"
        " row `sp + plane * plane_step + row * step`. A byte's 8 bits are the index: a table for signed bytes has -128 at place 128.",
        cycles="lookup",
        execute="vector.execute",
        example="lookup sp[s5], src=sp[s3], rows=t0, table=sp[s8] wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(
            Access(Memory.SCRATCHPAD, False, "table", (Level("@table", "@one"),), hold_end="preface"),
            _READ_ROWS,
            _WRITE_ROWS,
        ),
        notes=f"Rows of the table first, then one row a cycle. {_ORDER_NOTE.format(stages=2)}",
    ),
    Instruction(
        mnemonic="add.b",
        opcode=0x85,
        unit=Unit.VECTOR,
        operands=(
            *_PAIR_OPERANDS,
            Operand("left_scale", Kind.WORD, "binary32 scale of the left operand over that of the result"),
            Operand("right_scale", Kind.WORD, "the same of the right operand"),
            Operand("offset", Kind.WORD, "binary32 addend: all zero points", is_optional=True),
            *_BOUNDS,
            _U8,
        ),
        meaning=f"Writes the scaled sum{_PAIR_TEXT}`t = fma(right, right_scale, offset)`, `u = fma(left, left_scale, t)`, each with one"
        " rounding to binary32, result = `clamp(round_half_even(u), min, max)`, of which the low 8 bits are stored. An infinite u"
        " saturates, a NaN counts as 0.",
        cycles="add",
        execute="vector.execute",
        example="add.b sp[s5], left=sp[s3], rows=t0, right=sp[s4], left_scale=a3, right_scale=a4, offset=a2, min=a5, max=a6"
        " wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=_PAIR_ACCESSES,
        notes=f"Two cycles a row: left, then right. {_ORDER_NOTE.format(stages=8)}",
    ),
    Instruction(
        mnemonic="multiply.b",
        opcode=0x86,
        unit=Unit.VECTOR,
        operands=(
            *_PAIR_OPERANDS,
            Operand("left_zp", Kind.ZERO_POINT, "zero point of the left operand", is_optional=True),
            Operand("right_zp", Kind.ZERO_POINT, "zero point of the right operand", is_optional=True),
            _SCALE,
            _ZERO_POINT,
            *_BOUNDS,
            _U8,
        ),
        meaning=f"Writes the scaled product{_PAIR_TEXT}`p = f32((left - left_zp) * (right - right_zp)) * scale` and `u = p + f32(zp)` in"
        " binary32, result = `clamp(round_half_even(u), min, max)`, of which the low 8 bits are stored. An infinite u saturates, a NaN"
        " counts as 0.",
        cycles="multiply",
        execute="vector.execute",
        example="multiply.b sp[s5], left=sp[s3], rows=t0, right=sp[s4], right_step=t1, left_zp=a2, scale=a3, zp=a4, min=a5, max=a6"
        " wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=_PAIR_ACCESSES,
        notes=f"Two cycles a row: left, then right. {_ORDER_NOTE.format(stages=8)}",
    ),
    Instruction(
        mnemonic="quantise",
        opcode=0x87,
        unit=Unit.VECTOR,
        operands=(
            c.SCRATCHPAD,
            c.ACCUMULATOR,
            c.ROWS,
            c.STEP,
            _ACC_STEP,
            c.PLANES,
            c.PLANE_STEP,
            _ACC_PLANE_STEP,
            _SCALE,
            _ZERO_POINT,
            *_BOUNDS,
        ),
        meaning="Turns accumulator rows that hold binary32 numbers into scratchpad rows: `q = x / scale` in binary32, result ="
        " `clamp(round_half_even(q) + zp, min, max)`, of which the low 8 bits are stored. An infinite q saturates, a NaN becomes min.",
        cycles="quantise",
        execute="vector.execute",
        example="quantise sp[s5], acc[t4], rows=t0, scale=a3, zp=a4, min=a5, max=a6 wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(_READ_SUMS, _WRITE_ROWS),
        notes="One row a cycle; a result is written 30 cycles after its row is read.",
    ),
    Instruction(
        mnemonic="dequantise",
        opcode=0x88,
        unit=Unit.VECTOR,
        operands=(
            c.ACCUMULATOR,
            c.SCRATCHPAD,
            c.ROWS,
            _ACC_STEP,
            c.STEP,
            c.PLANES,
            _ACC_PLANE_STEP,
            c.PLANE_STEP,
            _SCALE,
            Operand("zp", Kind.ZERO_POINT, "zero point of the bytes", is_optional=True),
            _U8,
        ),
        meaning="Turns scratchpad rows into accumulator rows of binary32 numbers: `f32(byte - zp) * scale`. A NaN is 0x7fc00000.",
        cycles="dequantise",
        execute="vector.execute",
        example="dequantise acc[t4], sp[s5], rows=t0, scale=a3, zp=a4 u8 wait(load.0) post(store.0)",
        port=Port.VECTOR,
        accesses=(
            Access(Memory.SCRATCHPAD, False, "sp", c.WALK_LEVELS),
            Access(
                Memory.ACCUMULATOR,
                True,
                "acc",
                (Level("planes", "acc_plane_step"), Level("rows", "acc_step")),
                hold_end="complete",
            ),
        ),
        notes="One row a cycle; a result is written 4 cycles after its row is read.",
    ),
    c.sync_row(Unit.VECTOR, Port.VECTOR, 0xBF, "store.0", "array.0"),
)
