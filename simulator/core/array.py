"""Systolic array: what preloads and runs do.

Products are summed in binary32, which is exact: a pass adds at most 256 products of two 9-bit numbers, 256 * 255 * 255 < 2^24.
"""

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit, njit_contract
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array


@njit
def preload(memories: Memories, flags: int, values: Array) -> None:
    """Weights, less their zero point, to the buffer that the latest run does not use; zero past the valid rows and columns."""
    memories.active[1] = 1
    weights = memories.weights[1 - memories.active[0]]
    weights[:, :] = 0
    zero_point = values[g.SLOT_PRELOAD_ZP]
    is_transposed = flags & g.FLAG_PRELOAD_TRANSPOSED != 0
    for k in range(values[g.SLOT_PRELOAD_ROWS]):
        for n in range(values[g.SLOT_PRELOAD_COLUMNS]):
            line, lane = (n, k) if is_transposed else (k, n)
            row = values[g.SLOT_PRELOAD_SP] + line * values[g.SLOT_PRELOAD_STEP]
            if flags & g.FLAG_PRELOAD_U8:
                byte = int(memories.scratchpad[row, lane])
            else:
                byte = int(memories.scratchpad_signed[row, lane])
            weights[k, n] = byte - zero_point


@njit
def run(memories: Memories, flags: int, values: Array) -> bool:
    """Stream rows through the weights into accumulator rows; True if a 32-bit sum wrapped."""
    if memories.active[1]:
        memories.active[0] = 1 - memories.active[0]
        memories.active[1] = 0
    if flags & g.FLAG_RUN_U8:
        return _stream(memories, memories.scratchpad, flags, values)
    return _stream(memories, memories.scratchpad_signed, flags, values)


@njit
def _stream(memories: Memories, scratchpad: Array, flags: int, values: Array) -> bool:
    """Four rows at a time, so that each weight is read once for four products."""
    weights = memories.weights[memories.active[0]]
    rows = values[g.SLOT_RUN_ROWS]
    total = rows * values[g.SLOT_RUN_PLANES]
    sums = np.empty((4, weights.shape[1]), np.float32)
    source = np.zeros(4, np.int64)
    has_wrapped = False
    for first in range(0, total, 4):
        count = min(4, total - first)
        for place in range(count):
            plane, row = (first + place) // rows, (first + place) % rows
            source[place] = (
                values[g.SLOT_RUN_SP] + plane * values[g.SLOT_RUN_PLANE_STEP] + row * values[g.SLOT_RUN_STEP]
            )
        _multiply(scratchpad, source, values[g.SLOT_RUN_ZP], weights, sums)
        for place in range(count):
            plane, row = (first + place) // rows, (first + place) % rows
            target = (
                values[g.SLOT_RUN_ACC]
                + plane * values[g.SLOT_RUN_ACC_PLANE_STEP]
                + row * values[g.SLOT_RUN_ACC_STEP]
            )
            is_first = flags & g.FLAG_RUN_ACCUMULATE == 0
            has_wrapped |= _accumulate(memories.accumulator[target], sums[place], is_first)
    return has_wrapped


@njit_contract
def _multiply(scratchpad: Array, source: Array, zero_point: int, weights: Array, sums: Array) -> None:
    """Four scratchpad rows, less the zero point, times the weights."""
    depth, columns = weights.shape
    zero = np.int32(zero_point)
    sums[:, :] = 0
    for k in range(depth):
        a = np.float32(np.int32(scratchpad[source[0], k]) - zero)
        b = np.float32(np.int32(scratchpad[source[1], k]) - zero)
        c = np.float32(np.int32(scratchpad[source[2], k]) - zero)
        d = np.float32(np.int32(scratchpad[source[3], k]) - zero)
        for n in range(columns):
            weight = weights[k, n]
            sums[0, n] += a * weight
            sums[1, n] += b * weight
            sums[2, n] += c * weight
            sums[3, n] += d * weight


@njit
def _accumulate(target: Array, sums: Array, is_first: bool) -> bool:
    """Add sums to an accumulator row, or overwrite it; True if one wrapped."""
    if is_first:
        for n in range(len(sums)):
            target[n] = np.int32(sums[n])
        return False
    has_wrapped = False
    for n in range(len(sums)):
        total = int(target[n]) + int(sums[n])
        wrapped = wrap(total)
        has_wrapped |= wrapped != total
        target[n] = wrapped
    return has_wrapped


@njit
def wrap(value: int) -> int:
    """A sum modulo 2^32, as a signed 32-bit number."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
