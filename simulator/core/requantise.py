"""Vector unit: `requantise`, and what other instructions do to their sums as it does (exactness.md's rule for QLinearConv;
IEEE binary32, round half to even)."""

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.array import wrap
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit_inline
def requantise(memories: Memories, values: Array) -> bool:
    """Accumulator rows to bytes of scratchpad rows; True if a 32-bit sum with the bias wrapped."""
    columns = memories.accumulator.shape[1]
    block = memories.work[: 8 * columns]
    v.copy(memories.work, 0, memories.scratchpad, values[g.SLOT_REQUANTISE_PARAMS] * columns, 8 * columns)
    if columns % v.WIDTH == 0:
        return _requantise_vectors(memories, values)
    has_wrapped = False
    for plane in range(values[g.SLOT_REQUANTISE_PLANES]):
        for row in range(values[g.SLOT_REQUANTISE_ROWS]):
            has_wrapped |= requantise_row(
                block,
                memories.accumulator[_source(values, plane) + row * values[g.SLOT_REQUANTISE_ACC_STEP]],
                values[g.SLOT_REQUANTISE_ZP],
                values[g.SLOT_REQUANTISE_MIN],
                values[g.SLOT_REQUANTISE_MAX],
                memories.scratchpad[_target(values, plane) + row * values[g.SLOT_REQUANTISE_STEP]],
            )
    return has_wrapped


@njit_inline
def _source(values: Array, plane: int) -> int:
    return int(values[g.SLOT_REQUANTISE_ACC] + plane * values[g.SLOT_REQUANTISE_ACC_PLANE_STEP])


@njit_inline
def _target(values: Array, plane: int) -> int:
    return int(values[g.SLOT_REQUANTISE_SP] + plane * values[g.SLOT_REQUANTISE_PLANE_STEP])


@njit_inline
def _requantise_vectors(memories: Memories, values: Array) -> bool:
    """The same, 16 columns at a time; the parameter block is in the workspace."""
    accumulator, scratchpad = memories.accumulator, memories.scratchpad
    columns = accumulator.shape[1]
    zero_point = values[g.SLOT_REQUANTISE_ZP]
    low, high = values[g.SLOT_REQUANTISE_MIN] - zero_point, values[g.SLOT_REQUANTISE_MAX] - zero_point
    wrapped = v.number(0)
    for column in range(0, columns, v.WIDTH):
        bias = v.words(memories.work, 4 * column)
        scale = v.as_reals(v.words(memories.work, 4 * (columns + column)))
        for plane in range(values[g.SLOT_REQUANTISE_PLANES]):
            source = 4 * (_source(values, plane) * columns + column)
            target = _target(values, plane) * columns + column
            for _ in range(values[g.SLOT_REQUANTISE_ROWS]):
                sums = v.words(accumulator, source)
                total = sums + bias
                wrapped = wrapped | ((sums ^ total) & (bias ^ total))
                v.put_bytes(scratchpad, target, to_bytes(v.to_reals(total) * scale, zero_point, low, high))
                source += 4 * columns * values[g.SLOT_REQUANTISE_ACC_STEP]
                target += columns * values[g.SLOT_REQUANTISE_STEP]
    return v.has_negative(wrapped)


@njit_inline
def to_bytes(product: v.Vector, zero_point: int, low: int, high: int) -> v.Vector:
    """As `round_and_clamp`; the bounds are less the zero point here."""
    finite = v.unless_nan(product, product, v.real(0))
    clamped = v.larger(v.smaller(finite, v.real(high)), v.real(low))
    return v.to_words(v.whole(clamped)) + v.number(zero_point)


@njit
def requantise_row(block: Array, sums: Array, zero_point: int, low: int, high: int, target: Array) -> bool:
    """Sums to bytes, with the bytes of a parameter block; True if a sum with its bias wrapped."""
    columns = len(block) // 8
    biases = block[: 4 * columns].view(np.int32)
    scales = block[4 * columns : 8 * columns].view(np.float32)
    has_wrapped = False
    for n in range(columns):
        total = int(sums[n]) + int(biases[n])
        wrapped = wrap(total)
        has_wrapped |= wrapped != total
        product = np.float32(np.float32(wrapped) * scales[n])
        target[n] = round_and_clamp(product, zero_point, low, high) & 0xFF
    return has_wrapped


@njit
def round_and_clamp(product: np.float32, zero_point: int, low: int, high: int) -> int:
    """`clamp(round_half_even(product) + zero_point, low, high)`; a NaN counts as 0. The clamp comes first, where it is exact:
    an infinite product has no integer."""
    if np.isnan(product):
        return min(max(zero_point, low), high)
    if product < low - zero_point:
        return low
    if product > high - zero_point:
        return high
    return int(np.rint(product)) + zero_point
