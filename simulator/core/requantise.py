"""Vector unit: `requantise`, and what other instructions do to their sums as it does (exactness.md's rule for QLinearConv;
IEEE binary32, round half to even)."""

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.array import wrap
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit
def requantise(memories: Memories, values: Array) -> bool:
    """Accumulator rows to bytes of scratchpad rows; True if a 32-bit sum with the bias wrapped."""
    columns = memories.accumulator.shape[1]
    lanes = memories.scratchpad.shape[1]
    first = values[g.SLOT_REQUANTISE_PARAMS]
    block = memories.scratchpad[first : first + 8 * columns // lanes].copy().reshape(-1)
    has_wrapped = False
    for plane in range(values[g.SLOT_REQUANTISE_PLANES]):
        for row in range(values[g.SLOT_REQUANTISE_ROWS]):
            source = (
                values[g.SLOT_REQUANTISE_ACC]
                + plane * values[g.SLOT_REQUANTISE_ACC_PLANE_STEP]
                + row * values[g.SLOT_REQUANTISE_ACC_STEP]
            )
            target = (
                values[g.SLOT_REQUANTISE_SP]
                + plane * values[g.SLOT_REQUANTISE_PLANE_STEP]
                + row * values[g.SLOT_REQUANTISE_STEP]
            )
            has_wrapped |= requantise_row(
                block,
                memories.accumulator[source],
                values[g.SLOT_REQUANTISE_ZP],
                values[g.SLOT_REQUANTISE_MIN],
                values[g.SLOT_REQUANTISE_MAX],
                memories.scratchpad[target],
            )
    return has_wrapped


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
