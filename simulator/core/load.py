"""Load DMA: what loads and fills do to memory."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit
def load_bytes(memories: Memories, values: Array) -> None:
    """DRAM bytes to whole scratchpad rows; lanes past the end of a row take the fill byte."""
    rows, dram = memories.scratchpad, memories.dram
    lanes = rows.shape[1]
    row_bytes = values[g.SLOT_LOAD_B_BYTES]
    fill = values[g.SLOT_LOAD_B_FILL] & 0xFF
    for plane in range(values[g.SLOT_LOAD_B_PLANES]):
        for row in range(values[g.SLOT_LOAD_B_ROWS]):
            address = (
                values[g.SLOT_LOAD_B_DRAM]
                + plane * values[g.SLOT_LOAD_B_PLANE_STRIDE]
                + row * values[g.SLOT_LOAD_B_STRIDE]
            )
            target = (
                values[g.SLOT_LOAD_B_SP]
                + plane * values[g.SLOT_LOAD_B_PLANE_STEP]
                + row * values[g.SLOT_LOAD_B_STEP]
            )
            for offset in range(0, row_bytes, lanes):
                count = min(lanes, row_bytes - offset)
                for lane in range(count):
                    rows[target, lane] = dram[address + offset + lane]
                for lane in range(count, lanes):
                    rows[target, lane] = fill
                target += values[g.SLOT_LOAD_B_BLOCK_STEP]


@njit
def load_words(memories: Memories, values: Array) -> None:
    """DRAM words to whole accumulator rows; lanes past the end of a row take the fill word."""
    rows, dram = memories.accumulator, memories.dram
    columns = rows.shape[1]
    words = values[g.SLOT_LOAD_W_BYTES] >> 2
    for plane in range(values[g.SLOT_LOAD_W_PLANES]):
        for row in range(values[g.SLOT_LOAD_W_ROWS]):
            address = (
                values[g.SLOT_LOAD_W_DRAM]
                + plane * values[g.SLOT_LOAD_W_PLANE_STRIDE]
                + row * values[g.SLOT_LOAD_W_STRIDE]
            )
            target = (
                values[g.SLOT_LOAD_W_ACC]
                + plane * values[g.SLOT_LOAD_W_PLANE_STEP]
                + row * values[g.SLOT_LOAD_W_STEP]
            )
            for offset in range(0, words, columns):
                count = min(columns, words - offset)
                for lane in range(count):
                    rows[target, lane] = word_at(dram, address + 4 * (offset + lane))
                for lane in range(count, columns):
                    rows[target, lane] = values[g.SLOT_LOAD_W_FILL]
                target += values[g.SLOT_LOAD_W_BLOCK_STEP]


@njit
def word_at(memory: Array, address: int) -> int:
    """The signed little-endian 32-bit word at a byte address."""
    word = 0
    for place in range(4):
        word |= int(memory[address + place]) << 8 * place
    return word - (1 << 32) if word >> 31 else word


@njit
def fill_bytes(memories: Memories, values: Array) -> None:
    """Scratchpad rows of one byte."""
    for plane in range(values[g.SLOT_FILL_B_PLANES]):
        for row in range(values[g.SLOT_FILL_B_ROWS]):
            target = (
                values[g.SLOT_FILL_B_SP]
                + plane * values[g.SLOT_FILL_B_PLANE_STEP]
                + row * values[g.SLOT_FILL_B_STEP]
            )
            memories.scratchpad[target, :] = values[g.SLOT_FILL_B_FILL] & 0xFF


@njit
def fill_words(memories: Memories, values: Array) -> None:
    """Accumulator rows of one word."""
    for plane in range(values[g.SLOT_FILL_W_PLANES]):
        for row in range(values[g.SLOT_FILL_W_ROWS]):
            target = (
                values[g.SLOT_FILL_W_ACC]
                + plane * values[g.SLOT_FILL_W_PLANE_STEP]
                + row * values[g.SLOT_FILL_W_STEP]
            )
            memories.accumulator[target, :] = values[g.SLOT_FILL_W_FILL]
