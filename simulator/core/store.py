"""Store DMA: what stores do to memory."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit
def store_bytes(memories: Memories, values: Array) -> None:
    """Bytes of scratchpad rows to DRAM."""
    rows, dram = memories.scratchpad, memories.dram
    lanes = rows.shape[1]
    row_bytes = values[g.SLOT_STORE_B_BYTES]
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
            for offset in range(0, row_bytes, lanes):
                for lane in range(min(lanes, row_bytes - offset)):
                    dram[address + offset + lane] = rows[source, lane]
                source += values[g.SLOT_STORE_B_BLOCK_STEP]


@njit
def store_words(memories: Memories, values: Array) -> None:
    """Words of accumulator rows to DRAM, little-endian."""
    rows, dram = memories.accumulator, memories.dram
    columns = rows.shape[1]
    words = values[g.SLOT_STORE_W_BYTES] >> 2
    for plane in range(values[g.SLOT_STORE_W_PLANES]):
        for row in range(values[g.SLOT_STORE_W_ROWS]):
            address = (
                values[g.SLOT_STORE_W_DRAM]
                + plane * values[g.SLOT_STORE_W_PLANE_STRIDE]
                + row * values[g.SLOT_STORE_W_STRIDE]
            )
            source = (
                values[g.SLOT_STORE_W_ACC]
                + plane * values[g.SLOT_STORE_W_PLANE_STEP]
                + row * values[g.SLOT_STORE_W_STEP]
            )
            for offset in range(0, words, columns):
                for lane in range(min(columns, words - offset)):
                    word = int(rows[source, lane])
                    for place in range(4):
                        dram[address + 4 * (offset + lane) + place] = (word >> 8 * place) & 0xFF
                source += values[g.SLOT_STORE_W_BLOCK_STEP]
