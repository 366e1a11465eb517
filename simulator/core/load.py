"""Load DMA: what loads and fills do to memory."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit_inline
def load_bytes(memories: Memories, values: Array) -> None:
    """DRAM bytes to whole scratchpad rows; lanes past the end of a row take the fill byte."""
    lanes = memories.scratchpad.shape[1]
    fill = values[g.SLOT_LOAD_B_FILL] & 0xFF
    for plane in range(values[g.SLOT_LOAD_B_PLANES]):
        group = _rows_at_a_time(lanes, values)
        for row in range(0, values[g.SLOT_LOAD_B_ROWS], group):
            last, count = _load_rows(memories, memories.scratchpad, lanes, values, plane, row, group)
            if count < lanes:
                for place in range(group):
                    at = last + place * values[g.SLOT_LOAD_B_STEP]
                    v.fill(memories.scratchpad, at * lanes + count, lanes - count, fill)


@njit_inline
def load_words(memories: Memories, values: Array) -> None:
    """DRAM words to whole accumulator rows; lanes past the end of a row take the fill word."""
    columns = memories.accumulator.shape[1]
    for plane in range(values[g.SLOT_LOAD_W_PLANES]):
        group = _rows_at_a_time(4 * columns, values)
        for row in range(0, values[g.SLOT_LOAD_W_ROWS], group):
            last, count = _load_rows(memories, memories.accumulator, 4 * columns, values, plane, row, group)
            for place in range(group):
                at = last + place * values[g.SLOT_LOAD_W_STEP]
                memories.accumulator[at, count >> 2 :] = values[g.SLOT_LOAD_W_FILL]


@njit_inline
def _rows_at_a_time(width: int, values: Array) -> int:
    """All rows of a plane where none of their pieces go to the same place, so that the order is free; else one. (Both kinds of load
    have their operands in the same slots.)"""
    rows, step = values[g.SLOT_LOAD_B_ROWS], values[g.SLOT_LOAD_B_STEP]
    has_one_block = values[g.SLOT_LOAD_B_BYTES] <= width
    is_free = step > 0 and (has_one_block or values[g.SLOT_LOAD_B_BLOCK_STEP] >= rows * step)
    return int(rows) if is_free else 1


@njit
def _load_rows(
    memories: Memories, rows: Array, width: int, values: Array, plane: int, row: int, group: int
) -> tuple[int, int]:
    """The bytes of some DRAM rows to rows of `width` bytes each, column block by column block: where the first of the last block went, and
    how many bytes it got."""
    step, stride = values[g.SLOT_LOAD_B_STEP], values[g.SLOT_LOAD_B_STRIDE]
    address = values[g.SLOT_LOAD_B_DRAM] + plane * values[g.SLOT_LOAD_B_PLANE_STRIDE] + row * stride
    target = values[g.SLOT_LOAD_B_SP] + plane * values[g.SLOT_LOAD_B_PLANE_STEP] + row * step
    left = values[g.SLOT_LOAD_B_BYTES]
    while True:
        count = min(left, width)
        if count == width and step == 1 and stride == width:
            v.copy(rows, target * width, memories.dram, address, group * width)
        else:
            for place in range(group):
                move(rows, (target + place * step) * width, memories.dram, address + place * stride, count)
        if left <= width:
            return target, count
        address += width
        left -= width
        target += values[g.SLOT_LOAD_B_BLOCK_STEP]


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
