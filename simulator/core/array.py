"""Systolic array: what preloads and runs do.

Products are summed in binary32, which is exact: a pass adds at most 256 products of two 9-bit numbers, 256 * 255 * 255 < 2^24.
"""

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import njit
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
    weights = memories.weights[memories.active[0]]
    accumulator = memories.accumulator
    depth, columns = weights.shape
    zero_point = values[g.SLOT_RUN_ZP]
    has_wrapped = False
    sums = np.zeros(columns, np.float32)
    for plane in range(values[g.SLOT_RUN_PLANES]):
        for row in range(values[g.SLOT_RUN_ROWS]):
            source = (
                values[g.SLOT_RUN_SP] + plane * values[g.SLOT_RUN_PLANE_STEP] + row * values[g.SLOT_RUN_STEP]
            )
            target = (
                values[g.SLOT_RUN_ACC]
                + plane * values[g.SLOT_RUN_ACC_PLANE_STEP]
                + row * values[g.SLOT_RUN_ACC_STEP]
            )
            sums[:] = 0
            for k in range(depth):
                activation = np.float32(int(scratchpad[source, k]) - zero_point)
                for n in range(columns):
                    sums[n] += activation * weights[k, n]
            if flags & g.FLAG_RUN_ACCUMULATE:
                for n in range(columns):
                    total = int(accumulator[target, n]) + int(sums[n])
                    wrapped = wrap(total)
                    has_wrapped |= wrapped != total
                    accumulator[target, n] = wrapped
            else:
                for n in range(columns):
                    accumulator[target, n] = int(sums[n])
    return has_wrapped


@njit
def wrap(value: int) -> int:
    """A sum modulo 2^32, as a signed 32-bit number."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
