"""Operands, walks and rows that several units share."""

from accelkit.isa.row import Instruction, Kind, Level, Operand
from accelkit.isa.units import Port, Unit

SCRATCHPAD = Operand("sp", Kind.SCRATCHPAD, "first scratchpad row")
ACCUMULATOR = Operand("acc", Kind.ACCUMULATOR, "first accumulator row")
DRAM = Operand("dram", Kind.DRAM, "first byte in DRAM")
BYTES = Operand("bytes", Kind.COUNT, "bytes of one DRAM row")
ROWS = Operand("rows", Kind.COUNT, "rows (inner count)", is_optional=True)
PLANES = Operand("planes", Kind.COUNT, "planes (outer count)", is_optional=True)
STRIDE = Operand("stride", Kind.STRIDE, "bytes from one DRAM row to the next", is_optional=True)
PLANE_STRIDE = Operand("plane_stride", Kind.STRIDE, "bytes from one DRAM plane to the next", is_optional=True)
STEP = Operand("step", Kind.STEP, "on-chip rows from one row to the next", is_optional=True)
PLANE_STEP = Operand("plane_step", Kind.STEP, "on-chip rows from one plane to the next", is_optional=True)
BLOCK_STEP = Operand(
    "block_step", Kind.STEP, "on-chip rows from one column block of a DRAM row to the next", is_optional=True
)

PLANE_LEVEL = Level("planes", "plane_step")
ROW_LEVEL = Level("rows", "step")
BLOCK_LEVEL = Level("@blocks", "block_step")
DRAM_LEVELS = (Level("planes", "plane_stride"), Level("rows", "stride"))
DMA_LEVELS = (PLANE_LEVEL, ROW_LEVEL, BLOCK_LEVEL)
WALK_LEVELS = (PLANE_LEVEL, ROW_LEVEL)
DMA_OPERANDS = (ROWS, STRIDE, STEP, BLOCK_STEP, PLANES, PLANE_STRIDE, PLANE_STEP)


def sync_row(unit: Unit, port: Port, opcode: int, wait: str, post: str) -> Instruction:
    """`sync` of one unit: it waits and posts, and does nothing else."""
    name = unit.name.lower()
    return Instruction(
        mnemonic=f"sync.{name}",
        opcode=opcode,
        unit=unit,
        operands=(),
        meaning=f"Waits until all earlier {name} instructions have completed, takes its waits, gives its posts. It primes credits"
        " before a loop and drains tokens after it.",
        cycles="sync",
        execute="nothing",
        example=f"sync.{name} wait({wait}) post({post})",
        port=port,
    )
