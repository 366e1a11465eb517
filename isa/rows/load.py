"""Load DMA: DRAM to scratchpad or accumulator, and fills of a constant that travel the same pipeline."""

from accelkit.isa.faults import Fault
from accelkit.isa.row import Access, Instruction, Kind, Memory, Operand
from accelkit.isa.rows import common as c
from accelkit.isa.units import Port, Unit

_SHAPE = (
    "DRAM is read plane by plane, row by row, each row `bytes` bytes from `dram + plane * plane_stride + row * stride`. A row wider"
    " than an on-chip row is split into column blocks: block b of the row goes to on-chip row"
    " `base + plane * plane_step + row * step + b * block_step`."
)

ROWS = (
    Instruction(
        mnemonic="load.b",
        opcode=0x40,
        unit=Unit.LOAD,
        operands=(
            c.SCRATCHPAD,
            c.DRAM,
            c.BYTES,
            *c.DMA_OPERANDS,
            Operand("fill", Kind.BYTE, "byte for the lanes past the end of a row", is_optional=True),
        ),
        meaning=f"Loads bytes into whole scratchpad rows. {_SHAPE} Lanes past the last byte of a block take the low 8 bits of `fill`.",
        cycles="load_bytes",
        execute="load.load_bytes",
        example="load.b sp[s0], dram[a0], bytes=t0, rows=t1, stride=t2, block_step=t1, fill=s2 wait(run.0) post(array.0)",
        port=Port.LOAD,
        accesses=(
            Access(Memory.DRAM, False, "dram", c.DRAM_LEVELS),
            Access(Memory.SCRATCHPAD, True, "sp", c.DMA_LEVELS, hold_end="complete"),
        ),
        notes="One bus word a cycle, at least one cycle per scratchpad row; a word that the beat before fetched is not fetched again.",
    ),
    Instruction(
        mnemonic="load.w",
        opcode=0x41,
        unit=Unit.LOAD,
        operands=(
            c.ACCUMULATOR,
            c.DRAM,
            c.BYTES,
            *c.DMA_OPERANDS,
            Operand("fill", Kind.WORD, "word for the lanes past the end of a row", is_optional=True),
        ),
        meaning=f"Loads little-endian 32-bit words into whole accumulator rows. {_SHAPE} Address, bytes and strides are multiples of 4."
        " Lanes past the last word of a block take `fill`.",
        cycles="load_words",
        execute="load.load_words",
        faults=(Fault.ALIGNMENT,),
        example="load.w acc[s0], dram[a0], bytes=t0, rows=t1, stride=t2 post(array.0)",
        port=Port.LOAD,
        accesses=(
            Access(Memory.DRAM, False, "dram", c.DRAM_LEVELS),
            Access(Memory.ACCUMULATOR, True, "acc", c.DMA_LEVELS, hold_end="complete"),
        ),
    ),
    Instruction(
        mnemonic="fill.b",
        opcode=0x42,
        unit=Unit.LOAD,
        operands=(
            c.SCRATCHPAD,
            c.ROWS,
            c.STEP,
            c.PLANES,
            c.PLANE_STEP,
            Operand("fill", Kind.BYTE, "byte for every lane", is_optional=True),
        ),
        meaning="Writes scratchpad rows of one byte, row `sp + plane * plane_step + row * step`, one a cycle.",
        cycles="fill",
        execute="load.fill_bytes",
        example="fill.b sp[s0], rows=t0, step=t1, planes=t2, plane_step=t3, fill=s2",
        port=Port.LOAD,
        accesses=(Access(Memory.SCRATCHPAD, True, "sp", c.WALK_LEVELS, hold_end="complete"),),
        notes="Fills pass through the load pipeline, so that completions stay in order: the latency is the DRAM read latency.",
    ),
    Instruction(
        mnemonic="fill.w",
        opcode=0x43,
        unit=Unit.LOAD,
        operands=(
            c.ACCUMULATOR,
            c.ROWS,
            c.STEP,
            c.PLANES,
            c.PLANE_STEP,
            Operand("fill", Kind.WORD, "word for every lane", is_optional=True),
        ),
        meaning="Writes accumulator rows of one 32-bit word, row `acc + plane * plane_step + row * step`, one a cycle.",
        cycles="fill",
        execute="load.fill_words",
        example="fill.w acc[s0], rows=t0, fill=t1",
        port=Port.LOAD,
        accesses=(Access(Memory.ACCUMULATOR, True, "acc", c.WALK_LEVELS, hold_end="complete"),),
    ),
    c.sync_row(Unit.LOAD, Port.LOAD, 0x4F, "run.0", "array.0, array.1"),
)
