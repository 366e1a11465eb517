"""Store DMA: what stores do to memory."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit_inline
from accelkit.simulator.core.load import move
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit_inline
def store_bytes(memories: Memories, values: Array) -> None:
    """Bytes of scratchpad rows to DRAM."""
    _store(memories, memories.scratchpad, memories.scratchpad.shape[1], values)


@njit_inline
def store_words(memories: Memories, values: Array) -> None:
    """Words of accumulator rows to DRAM, little-endian."""
    _store(memories, memories.accumulator, 4 * memories.accumulator.shape[1], values)


@njit_inline
def _store(memories: Memories, rows: Array, width: int, values: Array) -> None:
    """Rows of `width` bytes each to DRAM; both kinds of store have their operands in the same slots."""
    for plane in range(values[g.SLOT_STORE_B_PLANES]):
        for row in range(values[g.SLOT_STORE_B_ROWS]):
            address = (
                values[g.SLOT_STORE_B_DRAM]
                + plane * values[g.SLOT_STORE_B_PLANE_STRIDE]
                + row * values[g.SLOT_STORE_B_STRIDE]
            )
            source = (
                values[g.SLOT_STORE_B_SP]
                + plane * values[g.SLOT_STORE_B_PLANE_STEP]
                + row * values[g.SLOT_STORE_B_STEP]
            )
            left = values[g.SLOT_STORE_B_BYTES]
            while left > 0:
                count = min(left, width)
                move(memories.dram, address, rows, source * width, count)
                address += count
                left -= count
                source += values[g.SLOT_STORE_B_BLOCK_STEP]
