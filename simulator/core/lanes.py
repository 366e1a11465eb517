"""Lanes of the vector unit, beat by beat: what they hold, take in and give out (docs/adr/0008).

Bulk execution and replay.py share this, so that an instruction that reads rows which it also writes is the same in both.
"""

import numpy as np

from accelkit.simulator.core import footprint, real, requantise
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Lanes, Memories
from accelkit.simulator.core.state import Array, Config, Record


@njit
def _is_pair(op: int) -> bool:
    return op == g.OP_ADD_B or op == g.OP_MULTIPLY_B


@njit
def shape(record: Record) -> tuple[int, int]:
    """Beats of the preface, and beats of each result."""
    values = record.values
    taps = 1
    if record.op <= g.OP_MAXIMUM:
        taps = footprint.taps(values)
    elif _is_pair(record.op):
        taps = 2
    results = values[g.SLOT_DEPTHWISE_ROWS] * values[g.SLOT_DEPTHWISE_PLANES]
    return record.e + 1 - record.s - results * taps, taps


@njit
def source_of(record: Record, plane: int, row: int, tap: int) -> int:
    """The source row that a beat of a result reads."""
    values = record.values
    if tap == 1 and _is_pair(record.op):
        return int(
            values[g.SLOT_ADD_B_RIGHT]
            + plane * values[g.SLOT_ADD_B_RIGHT_PLANE_STEP]
            + row * values[g.SLOT_ADD_B_RIGHT_STEP]
        )
    first = (
        values[g.SLOT_DEPTHWISE_SRC]
        + plane * values[g.SLOT_DEPTHWISE_SRC_PLANE_STEP]
        + row * values[g.SLOT_DEPTHWISE_SRC_STEP]
    )
    if tap == 0:
        return int(first)
    columns = values[g.SLOT_DEPTHWISE_COLUMNS]
    line, column = tap // columns, tap % columns
    return int(
        first + line * values[g.SLOT_DEPTHWISE_LINE_STEP] + column * values[g.SLOT_DEPTHWISE_COLUMN_STEP]
    )


@njit
def target_of(record: Record, plane: int, row: int) -> int:
    """The row that a result goes to."""
    values = record.values
    return int(
        values[g.SLOT_DEPTHWISE_SP]
        + plane * values[g.SLOT_DEPTHWISE_PLANE_STEP]
        + row * values[g.SLOT_DEPTHWISE_STEP]
    )


@njit
def _fetch(memories: Memories, row: int, is_unsigned: bool, taken: Array) -> None:
    """A scratchpad row as numbers."""
    if is_unsigned:
        for n in range(len(taken)):
            taken[n] = memories.scratchpad[row, n]
    else:
        for n in range(len(taken)):
            taken[n] = memories.scratchpad_signed[row, n]


@njit
def read_preface(config: Config, memories: Memories, lanes: Lanes, record: Record, beat: int) -> None:
    """One row of parameters, weights or a table."""
    op = record.op
    values = record.values
    width = config.lanes
    if op == g.OP_LOOKUP:
        v.copy(lanes.table, beat * width, memories.scratchpad, (values[g.SLOT_LOOKUP_TABLE] + beat) * width, width)
    elif beat < config.parameter_rows:
        v.copy(lanes.block, beat * width, memories.scratchpad, (values[g.SLOT_DEPTHWISE_PARAMS] + beat) * width, width)
    else:
        tap = beat - config.parameter_rows
        weights = lanes.weights[tap]
        is_unsigned = record.flag_bits & g.FLAG_DEPTHWISE_WEIGHTS_U8 != 0
        _fetch(memories, values[g.SLOT_DEPTHWISE_WEIGHTS] + tap, is_unsigned, weights)
        for n in range(len(weights)):
            weights[n] -= values[g.SLOT_DEPTHWISE_WEIGHTS_ZP]


@njit
def take(memories: Memories, lanes: Lanes, record: Record, row: int, tap: int) -> None:
    """One source row into the lanes."""
    op = record.op
    taken = lanes.taken
    sums = lanes.sums
    if op == g.OP_QUANTISE:
        v.copy(lanes.words, 0, memories.accumulator, row * 4 * len(lanes.words), 4 * len(lanes.words))
        return
    _fetch(memories, row, record.flag_bits & g.FLAG_DEPTHWISE_U8 != 0, taken)
    if tap == 0:
        sums[:] = -128 if op == g.OP_MAXIMUM else 0
    if op == g.OP_DEPTHWISE:
        zero_point = record.values[g.SLOT_DEPTHWISE_SRC_ZP]
        weights = lanes.weights[tap]
        for n in range(len(sums)):
            sums[n] += (taken[n] - zero_point) * weights[n]
    elif op == g.OP_AVERAGE:
        for n in range(len(sums)):
            sums[n] += taken[n]
    elif op == g.OP_MAXIMUM:
        for n in range(len(sums)):
            sums[n] = max(sums[n], taken[n])
    elif op == g.OP_LOOKUP:
        for n in range(len(sums)):
            sums[n] = lanes.table[taken[n] & 0xFF]
    elif tap == 0:
        for n in range(len(sums)):
            sums[n] = taken[n]


@njit
def give(lanes: Lanes, record: Record, target: Array) -> bool:
    """The result of the rows taken in, to the bytes of a row; True if a 32-bit sum wrapped."""
    op = record.op
    values = record.values
    if op > g.OP_LOOKUP:
        _give_real(lanes, record, target)
        return False
    if op == g.OP_DEPTHWISE:
        return requantise.requantise_row(
            lanes.block,
            lanes.sums,
            values[g.SLOT_DEPTHWISE_ZP],
            values[g.SLOT_DEPTHWISE_MIN],
            values[g.SLOT_DEPTHWISE_MAX],
            target,
        )
    if op == g.OP_AVERAGE:
        return requantise.requantise_row(
            lanes.block,
            lanes.sums,
            values[g.SLOT_AVERAGE_ZP],
            values[g.SLOT_AVERAGE_MIN],
            values[g.SLOT_AVERAGE_MAX],
            target,
        )
    low, high = 0, 255
    if op == g.OP_MAXIMUM:
        low, high = values[g.SLOT_MAXIMUM_MIN], values[g.SLOT_MAXIMUM_MAX]
    for n in range(len(lanes.sums)):
        target[n] = min(max(lanes.sums[n], low), high) & 0xFF
    return False


@njit
def _give_real(lanes: Lanes, record: Record, target: Array) -> None:
    """The same of instructions that compute in binary32."""
    op = record.op
    values = record.values
    scalars = lanes.scalars
    scales = scalars.view(np.float32)
    if op == g.OP_ADD_B:
        scalars[0] = values[g.SLOT_ADD_B_LEFT_SCALE]
        scalars[1] = values[g.SLOT_ADD_B_RIGHT_SCALE]
        scalars[2] = values[g.SLOT_ADD_B_OFFSET]
        low, high = values[g.SLOT_ADD_B_MIN], values[g.SLOT_ADD_B_MAX]
        real.add_row(lanes.sums, lanes.taken, scales, lanes.bits, low, high, target)
    elif op == g.OP_MULTIPLY_B:
        scalars[0] = values[g.SLOT_MULTIPLY_B_SCALE]
        for n in range(len(lanes.sums)):
            lanes.sums[n] -= values[g.SLOT_MULTIPLY_B_LEFT_ZP]
            lanes.taken[n] -= values[g.SLOT_MULTIPLY_B_RIGHT_ZP]
        low, high = values[g.SLOT_MULTIPLY_B_MIN], values[g.SLOT_MULTIPLY_B_MAX]
        zero_point = values[g.SLOT_MULTIPLY_B_ZP]
        real.multiply_row(lanes.sums, lanes.taken, scales[0], zero_point, low, high, target)
    elif op == g.OP_QUANTISE:
        scalars[0] = values[g.SLOT_QUANTISE_SCALE]
        low, high = values[g.SLOT_QUANTISE_MIN], values[g.SLOT_QUANTISE_MAX]
        zero_point = values[g.SLOT_QUANTISE_ZP]
        real.quantise_row(lanes.words.view(np.float32), scales[0], zero_point, low, high, target)
    else:
        scalars[0] = values[g.SLOT_DEQUANTISE_SCALE]
        real.dequantise_row(lanes.taken, values[g.SLOT_DEQUANTISE_ZP], scales[0], target)
