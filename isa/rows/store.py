"""Store DMA: scratchpad or accumulator to DRAM."""

from accelkit.isa.faults import Fault
from accelkit.isa.row import Access, Instruction, Memory
from accelkit.isa.rows import common as c
from accelkit.isa.units import Port, Unit

_SHAPE = (
    "DRAM is written plane by plane, row by row, exactly `bytes` bytes from `dram + plane * plane_stride + row * stride`; column block"
    " b of a row comes from on-chip row `base + plane * plane_step + row * step + b * block_step`."
)

ROWS = (
    Instruction(
        mnemonic="store.b",
        opcode=0x50,
        unit=Unit.STORE,
        operands=(c.DRAM, c.SCRATCHPAD, c.BYTES, *c.DMA_OPERANDS),
        meaning=f"Stores bytes of scratchpad rows. {_SHAPE}",
        cycles="store_bytes",
        execute="store.store_bytes",
        example="store.b dram[a1], sp[s0], bytes=t0, rows=t1, stride=t2 wait(vector.0) post(vector.0)",
        port=Port.STORE,
        accesses=(
            Access(Memory.SCRATCHPAD, False, "sp", c.DMA_LEVELS),
            Access(Memory.DRAM, True, "dram", c.DRAM_LEVELS),
        ),
        notes="One bus word a cycle; each column block costs the words it touches.",
    ),
    Instruction(
        mnemonic="store.w",
        opcode=0x51,
        unit=Unit.STORE,
        operands=(c.DRAM, c.ACCUMULATOR, c.BYTES, *c.DMA_OPERANDS),
        meaning=f"Stores 32-bit words of accumulator rows, little-endian. {_SHAPE} Address, bytes and strides are multiples of 4.",
        cycles="store_words",
        execute="store.store_words",
        faults=(Fault.ALIGNMENT,),
        example="store.w dram[a1], acc[s0], bytes=t0, rows=t1, stride=t2 wait(run.0)",
        port=Port.STORE,
        accesses=(
            Access(Memory.ACCUMULATOR, False, "acc", c.DMA_LEVELS),
            Access(Memory.DRAM, True, "dram", c.DRAM_LEVELS),
        ),
    ),
    c.sync_row(Unit.STORE, Port.STORE, 0x5F, "vector.0", "load.0"),
)
