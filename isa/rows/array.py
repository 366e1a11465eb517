"""Systolic array: weight-stationary, double-buffered weights. A preload and a run share the in-order queue and may overlap."""

from accelkit.isa.faults import Fault
from accelkit.isa.row import Access, Instruction, Kind, Level, Limit, Memory, Operand
from accelkit.isa.rows import common as c
from accelkit.isa.units import Port, Unit

U8 = Operand("u8", Kind.FLAG, "the bytes are unsigned (else signed)")

ROWS = (
    Instruction(
        mnemonic="preload",
        opcode=0x60,
        unit=Unit.ARRAY,
        operands=(
            c.SCRATCHPAD,
            Operand("rows", Kind.COUNT, "valid rows of the array (K), at most the array's", is_optional=True),
            Operand(
                "columns", Kind.COUNT, "valid columns of the array (N), at most the array's", is_optional=True
            ),
            c.STEP,
            Operand("zp", Kind.ZERO_POINT, "weight zero point", is_optional=True),
            U8,
            Operand(
                "transposed",
                Kind.FLAG,
                "a scratchpad row holds one array column (w[n, k]), else one array row (w[k, n])",
            ),
        ),
        meaning="Loads the weights that the following runs use into the array's second weight buffer: PE(k, n) takes"
        " `byte - zp` of lane n of scratchpad row `sp + k * step`, or with `transposed` of lane k of row `sp + n * step`. PEs past"
        " the valid rows and columns take 0. Preloading twice before a run keeps the second.",
        cycles="preload",
        execute="array.preload",
        limits=(Limit("rows", "@rows"), Limit("columns", "@columns")),
        example="preload sp[s1], rows=t0, columns=t1, zp=a2 transposed wait(load.0) post(load.0)",
        port=Port.PRELOAD,
        accesses=(
            Access(Memory.SCRATCHPAD, False, "sp", (Level("rows", "step"),), when="!transposed"),
            Access(Memory.SCRATCHPAD, False, "sp", (Level("columns", "step"),), when="transposed"),
        ),
        notes="One array row (transposed: column) a cycle, always all of them. Weights move with the same wavefront as rows that"
        " stream, so that a run may issue in the cycle after its preload.",
    ),
    Instruction(
        mnemonic="run",
        opcode=0x61,
        unit=Unit.ARRAY,
        operands=(
            c.ACCUMULATOR,
            c.SCRATCHPAD,
            c.ROWS,
            c.STEP,
            c.PLANES,
            c.PLANE_STEP,
            Operand("acc_step", Kind.STEP, "accumulator rows from one row to the next", is_optional=True),
            Operand(
                "acc_plane_step", Kind.STEP, "accumulator rows from one plane to the next", is_optional=True
            ),
            Operand("zp", Kind.ZERO_POINT, "zero point of the streamed rows", is_optional=True),
            U8,
            Operand("accumulate", Kind.FLAG, "add to the accumulator rows, else overwrite them"),
        ),
        meaning="Streams scratchpad rows `sp + plane * plane_step + row * step` through the weights of the latest preload: accumulator"
        " row `acc + plane * acc_plane_step + row * acc_step` takes, in lane n, the sum over k of `(byte[k] - zp) * weight[k, n]`,"
        " added to what it holds if `accumulate`. 32-bit sums wrap; the checker reports it.",
        cycles="run",
        execute="array.run",
        faults=(Fault.NO_WEIGHTS,),
        example="run acc[t4], sp[s3], rows=t0, step=t1, planes=t2, plane_step=t3, acc_plane_step=t0, zp=a3 accumulate"
        " wait(load.1) post(vector.0)",
        port=Port.RUN,
        accesses=(
            Access(Memory.SCRATCHPAD, False, "sp", c.WALK_LEVELS),
            Access(
                Memory.ACCUMULATOR,
                False,
                "acc",
                (Level("planes", "acc_plane_step"), Level("rows", "acc_step")),
                hold_end="accumulate",
                when="accumulate",
            ),
            Access(
                Memory.ACCUMULATOR,
                True,
                "acc",
                (Level("planes", "acc_plane_step"), Level("rows", "acc_step")),
                hold_end="complete",
            ),
        ),
        notes="One row a cycle; a result is written array rows + array columns + 1 cycles after its row is read.",
    ),
    c.sync_row(Unit.ARRAY, Port.RUN, 0x6F, "vector.0", "load.0, load.1"),
)
