"""Vector unit: windows 16 lanes at a time, for rows that are whole vectors and instructions that don't read what they write.

The beat by beat version in vector.py says what these do; here each result's window is summed in a register. The three walk it by the same
loops, written three times: a function for the body can't be passed to compiled code, and a test of the opcode in the innermost loop would
cost as much as the work there.
"""

from accelkit.simulator.core import footprint, requantise
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array

MOST_TAPS = 1 << 22  # sums of so many bytes fit 32 bits


@njit_inline
def taken(memories: Memories, is_unsigned: bool, offset: int) -> v.Vector:
    """16 bytes of the scratchpad from a byte offset on as numbers: of windows, weights and operands."""
    if is_unsigned:
        return v.unsigned_bytes(memories.scratchpad, offset)
    return v.signed_bytes(memories.scratchpad, offset)


@njit_inline
def source_of(values: Array, plane: int, row: int) -> int:
    """Row of the first tap of a window."""
    return int(
        values[g.SLOT_DEPTHWISE_SRC]
        + plane * values[g.SLOT_DEPTHWISE_SRC_PLANE_STEP]
        + row * values[g.SLOT_DEPTHWISE_SRC_STEP]
    )


@njit_inline
def target_of(values: Array, plane: int, row: int) -> int:
    """Row that a result goes to."""
    return int(
        values[g.SLOT_DEPTHWISE_SP] + plane * values[g.SLOT_DEPTHWISE_PLANE_STEP] + row * values[g.SLOT_DEPTHWISE_STEP]
    )


@njit
def depthwise(memories: Memories, flags: int, values: Array) -> bool:
    """Sums of products, requantised; True if a 32-bit sum wrapped."""
    lanes = memories.scratchpad.shape[1]
    taps = footprint.taps(values)
    is_unsigned = flags & g.FLAG_DEPTHWISE_U8 != 0
    zero_point = values[g.SLOT_DEPTHWISE_ZP]
    low, high = values[g.SLOT_DEPTHWISE_MIN] - zero_point, values[g.SLOT_DEPTHWISE_MAX] - zero_point
    line_step = values[g.SLOT_DEPTHWISE_LINE_STEP] * lanes
    column_step = values[g.SLOT_DEPTHWISE_COLUMN_STEP] * lanes
    wrapped = v.number(0)
    for lane in range(0, lanes, v.WIDTH):
        start = _unpack(memories, flags, values, taps, lane)
        bias, scale = _parameters(memories, values[g.SLOT_DEPTHWISE_PARAMS], lane)
        for plane in range(values[g.SLOT_DEPTHWISE_PLANES]):
            for row in range(values[g.SLOT_DEPTHWISE_ROWS]):
                sums = start
                offset = source_of(values, plane, row) * lanes + lane
                weight = 0
                for _ in range(values[g.SLOT_DEPTHWISE_LINES]):
                    place = offset
                    for _ in range(values[g.SLOT_DEPTHWISE_COLUMNS]):
                        sums = sums + taken(memories, is_unsigned, place) * v.words(memories.work, weight)
                        place += column_step
                        weight += v.WORD_BYTES
                    offset += line_step
                total = sums + bias
                wrapped = wrapped | ((sums ^ total) & (bias ^ total))
                result = requantise.to_bytes(v.to_reals(total) * scale, zero_point, low, high)
                v.put_bytes(memories.scratchpad, target_of(values, plane, row) * lanes + lane, result)
    return v.has_negative(wrapped)


@njit_inline
def _unpack(memories: Memories, flags: int, values: Array, taps: int, lane: int) -> v.Vector:
    """Weights, less their zero point, of 16 lanes to the workspace; what the zero point of the source adds to every sum."""
    lanes = memories.scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_DEPTHWISE_WEIGHTS_U8 != 0
    zero_point = v.number(values[g.SLOT_DEPTHWISE_WEIGHTS_ZP])
    total = v.number(0)
    for tap in range(taps):
        weight = taken(memories, is_unsigned, (values[g.SLOT_DEPTHWISE_WEIGHTS] + tap) * lanes + lane) - zero_point
        v.put_words(memories.work, tap * v.WORD_BYTES, weight)
        total = total + weight
    return total * v.number(-values[g.SLOT_DEPTHWISE_SRC_ZP])


@njit_inline
def _parameters(memories: Memories, row: int, lane: int) -> tuple[v.Vector, v.Vector]:
    """Biases and scales of 16 lanes."""
    lanes = memories.scratchpad.shape[1]
    bias = v.words(memories.scratchpad, row * lanes + 4 * lane)
    return bias, v.as_reals(v.words(memories.scratchpad, (row + 4) * lanes + 4 * lane))


@njit
def average(memories: Memories, flags: int, values: Array) -> bool:
    """Sums, requantised; True if a 32-bit sum wrapped."""
    lanes = memories.scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_AVERAGE_U8 != 0
    zero_point = values[g.SLOT_AVERAGE_ZP]
    low, high = values[g.SLOT_AVERAGE_MIN] - zero_point, values[g.SLOT_AVERAGE_MAX] - zero_point
    line_step = values[g.SLOT_AVERAGE_LINE_STEP] * lanes
    column_step = values[g.SLOT_AVERAGE_COLUMN_STEP] * lanes
    wrapped = v.number(0)
    for lane in range(0, lanes, v.WIDTH):
        bias, scale = _parameters(memories, values[g.SLOT_AVERAGE_PARAMS], lane)
        for plane in range(values[g.SLOT_AVERAGE_PLANES]):
            for row in range(values[g.SLOT_AVERAGE_ROWS]):
                sums = v.number(0)
                offset = source_of(values, plane, row) * lanes + lane
                for _ in range(values[g.SLOT_AVERAGE_LINES]):
                    place = offset
                    for _ in range(values[g.SLOT_AVERAGE_COLUMNS]):
                        sums = sums + taken(memories, is_unsigned, place)
                        place += column_step
                    offset += line_step
                total = sums + bias
                wrapped = wrapped | ((sums ^ total) & (bias ^ total))
                result = requantise.to_bytes(v.to_reals(total) * scale, zero_point, low, high)
                v.put_bytes(memories.scratchpad, target_of(values, plane, row) * lanes + lane, result)
    return v.has_negative(wrapped)


@njit
def maximum(memories: Memories, flags: int, values: Array) -> None:
    """The largest of each window."""
    lanes = memories.scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_MAXIMUM_U8 != 0
    low, high = v.number(values[g.SLOT_MAXIMUM_MIN]), v.number(values[g.SLOT_MAXIMUM_MAX])
    line_step = values[g.SLOT_MAXIMUM_LINE_STEP] * lanes
    column_step = values[g.SLOT_MAXIMUM_COLUMN_STEP] * lanes
    for lane in range(0, lanes, v.WIDTH):
        for plane in range(values[g.SLOT_MAXIMUM_PLANES]):
            for row in range(values[g.SLOT_MAXIMUM_ROWS]):
                largest = low
                offset = source_of(values, plane, row) * lanes + lane
                for _ in range(values[g.SLOT_MAXIMUM_LINES]):
                    place = offset
                    for _ in range(values[g.SLOT_MAXIMUM_COLUMNS]):
                        largest = v.larger(largest, taken(memories, is_unsigned, place))
                        place += column_step
                    offset += line_step
                result = v.smaller(largest, high)
                v.put_bytes(memories.scratchpad, target_of(values, plane, row) * lanes + lane, result)
