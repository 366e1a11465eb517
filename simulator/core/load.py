"""Load DMA: what loads and fills do to memory."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit_inline
def load_bytes(memories: Memories, values: Array) -> None:
    """DRAM bytes to whole scratchpad rows; lanes past the end of a row take the fill byte."""
    lanes = memories.scratchpad.shape[1]
    fill = values[g.SLOT_LOAD_B_FILL] & 0xFF
    for plane in range(values[g.SLOT_LOAD_B_PLANES]):
        for row in range(values[g.SLOT_LOAD_B_ROWS]):
            last, count = _load_row(memories, memories.scratchpad, lanes, values, plane, row)
            if count < lanes:
                v.fill(memories.scratchpad, last * lanes + count, lanes - count, fill)


@njit_inline
def load_words(memories: Memories, values: Array) -> None:
    """DRAM words to whole accumulator rows; lanes past the end of a row take the fill word."""
    columns = memories.accumulator.shape[1]
    for plane in range(values[g.SLOT_LOAD_W_PLANES]):
        for row in range(values[g.SLOT_LOAD_W_ROWS]):
            last, count = _load_row(memories, memories.accumulator, 4 * columns, values, plane, row)
            memories.accumulator[last, count >> 2 :] = values[g.SLOT_LOAD_W_FILL]


@njit_inline
def _load_row(
    memories: Memories, rows: Array, width: int, values: Array, plane: int, row: int
) -> tuple[int, int]:
    """The bytes of a DRAM row to rows of `width` bytes each (both kinds of load have their operands in the same slots): the last of
    them, and how many bytes it got."""
    address = (
        values[g.SLOT_LOAD_B_DRAM]
        + plane * values[g.SLOT_LOAD_B_PLANE_STRIDE]
        + row * values[g.SLOT_LOAD_B_STRIDE]
    )
    target = (
        values[g.SLOT_LOAD_B_SP] + plane * values[g.SLOT_LOAD_B_PLANE_STEP] + row * values[g.SLOT_LOAD_B_STEP]
    )
    left = values[g.SLOT_LOAD_B_BYTES]
    while left > width:
        move(rows, target * width, memories.dram, address, width)
        address += width
        left -= width
        target += values[g.SLOT_LOAD_B_BLOCK_STEP]
    move(rows, target * width, memories.dram, address, left)
    return target, left


@njit_inline
def move(target: Array, target_offset: int, source: Array, source_offset: int, count: int) -> None:
    """Bytes from one array to another. A count that the compiler knows needs no call: for the rows of the most usual array."""
    if count == v.WIDTH:
        v.copy(target, target_offset, source, source_offset, v.WIDTH)
    else:
        v.copy(target, target_offset, source, source_offset, count)


@njit_inline
def fill_bytes(memories: Memories, values: Array) -> None:
    """Scratchpad rows of one byte."""
    lanes = memories.scratchpad.shape[1]
    for plane in range(values[g.SLOT_FILL_B_PLANES]):
        for row in range(values[g.SLOT_FILL_B_ROWS]):
            target = (
                values[g.SLOT_FILL_B_SP]
                + plane * values[g.SLOT_FILL_B_PLANE_STEP]
                + row * values[g.SLOT_FILL_B_STEP]
            )
            v.fill(memories.scratchpad, target * lanes, lanes, values[g.SLOT_FILL_B_FILL] & 0xFF)


@njit_inline
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
