"""Vector unit: instructions without windows 16 lanes at a time, under the same conditions as those of windows.py."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import real, requantise
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array
from accelkit.simulator.core.windows import source_of, taken, target_of


@njit_inline
def _right(values: Array, plane: int, row: int) -> int:
    """Row of the right operand."""
    return int(
        values[g.SLOT_ADD_B_RIGHT] + plane * values[g.SLOT_ADD_B_RIGHT_PLANE_STEP] + row * values[g.SLOT_ADD_B_RIGHT_STEP]
    )


@njit_inline
def _scale(value: int) -> v.Vector:
    """The binary32 number that a register holds."""
    return v.as_reals(v.number(value))


@njit
def lookup(memories: Memories, values: Array) -> None:
    """Entries of a table, which the workspace holds meanwhile."""
    scratchpad = memories.scratchpad
    lanes = scratchpad.shape[1]
    v.copy(memories.work, 0, scratchpad, values[g.SLOT_LOOKUP_TABLE] * lanes, 256)
    for plane in range(values[g.SLOT_LOOKUP_PLANES]):
        for row in range(values[g.SLOT_LOOKUP_ROWS]):
            source, target = source_of(values, plane, row), target_of(values, plane, row)
            for lane in range(lanes):
                scratchpad[target, lane] = memories.work[scratchpad[source, lane]]


@njit
def add(memories: Memories, flags: int, values: Array) -> None:
    """Scaled sums of two operands."""
    scratchpad = memories.scratchpad
    lanes = scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_ADD_B_U8 != 0
    low, high = values[g.SLOT_ADD_B_MIN], values[g.SLOT_ADD_B_MAX]
    left_scale, right_scale = _scale(values[g.SLOT_ADD_B_LEFT_SCALE]), _scale(values[g.SLOT_ADD_B_RIGHT_SCALE])
    offset = _scale(values[g.SLOT_ADD_B_OFFSET])
    for plane in range(values[g.SLOT_ADD_B_PLANES]):
        for row in range(values[g.SLOT_ADD_B_ROWS]):
            left, right = source_of(values, plane, row) * lanes, _right(values, plane, row) * lanes
            target = target_of(values, plane, row) * lanes
            for lane in range(0, lanes, v.WIDTH):
                x = v.to_reals(taken(memories, is_unsigned, left + lane))
                y = v.to_reals(taken(memories, is_unsigned, right + lane))
                total = v.fused(x, left_scale, v.fused(y, right_scale, offset))
                v.put_bytes(scratchpad, target + lane, requantise.to_bytes(total, 0, low, high))


@njit
def multiply(memories: Memories, flags: int, values: Array) -> None:
    """Scaled products of two operands."""
    scratchpad = memories.scratchpad
    lanes = scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_MULTIPLY_B_U8 != 0
    low, high = values[g.SLOT_MULTIPLY_B_MIN], values[g.SLOT_MULTIPLY_B_MAX]
    left_zero, right_zero = v.number(values[g.SLOT_MULTIPLY_B_LEFT_ZP]), v.number(values[g.SLOT_MULTIPLY_B_RIGHT_ZP])
    scale = _scale(values[g.SLOT_MULTIPLY_B_SCALE])
    zero_point = v.to_reals(v.number(values[g.SLOT_MULTIPLY_B_ZP]))
    for plane in range(values[g.SLOT_MULTIPLY_B_PLANES]):
        for row in range(values[g.SLOT_MULTIPLY_B_ROWS]):
            left, right = source_of(values, plane, row) * lanes, _right(values, plane, row) * lanes
            target = target_of(values, plane, row) * lanes
            for lane in range(0, lanes, v.WIDTH):
                x = taken(memories, is_unsigned, left + lane) - left_zero
                y = taken(memories, is_unsigned, right + lane) - right_zero
                total = v.to_reals(x * y) * scale + zero_point
                v.put_bytes(scratchpad, target + lane, requantise.to_bytes(total, 0, low, high))


@njit
def quantise(memories: Memories, values: Array) -> None:
    """binary32 numbers of the accumulator to bytes; the lower bound for a NaN."""
    lanes = memories.scratchpad.shape[1]
    zero_point = values[g.SLOT_QUANTISE_ZP]
    low, high = values[g.SLOT_QUANTISE_MIN], values[g.SLOT_QUANTISE_MAX]
    scale = _scale(values[g.SLOT_QUANTISE_SCALE])
    for plane in range(values[g.SLOT_QUANTISE_PLANES]):
        for row in range(values[g.SLOT_QUANTISE_ROWS]):
            source, target = source_of(values, plane, row) * lanes, target_of(values, plane, row) * lanes
            for lane in range(0, lanes, v.WIDTH):
                quotient = v.as_reals(v.words(memories.accumulator, 4 * (source + lane))) / scale
                result = requantise.to_bytes(quotient, zero_point, low - zero_point, high - zero_point)
                v.put_bytes(memories.scratchpad, target + lane, v.unless_nan(result, quotient, v.number(low)))


@njit
def dequantise(memories: Memories, flags: int, values: Array) -> None:
    """Bytes to binary32 numbers of the accumulator."""
    lanes = memories.scratchpad.shape[1]
    is_unsigned = flags & g.FLAG_DEQUANTISE_U8 != 0
    zero_point = v.number(values[g.SLOT_DEQUANTISE_ZP])
    scale = _scale(values[g.SLOT_DEQUANTISE_SCALE])
    for plane in range(values[g.SLOT_DEQUANTISE_PLANES]):
        for row in range(values[g.SLOT_DEQUANTISE_ROWS]):
            source, target = source_of(values, plane, row) * lanes, target_of(values, plane, row) * lanes
            for lane in range(0, lanes, v.WIDTH):
                number = v.to_reals(taken(memories, is_unsigned, source + lane) - zero_point) * scale
                result = v.unless_nan(v.as_words(number), number, v.number(real.NAN))
                v.put_words(memories.accumulator, 4 * (target + lane), result)
