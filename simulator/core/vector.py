"""Vector unit: whole instructions other than `requantise`, with the order of reads and writes that the pipeline has."""

import numpy as np

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import lanes
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array, Config, Record

RING = 64  # more than any pipeline's stages


@njit
def execute(config: Config, memories: Memories, record: Record) -> bool:
    """A beat after the other; a result is written as many beats after its last read as the pipeline has stages, after the reads of
    that beat. True if a 32-bit sum wrapped."""
    registers = lanes.make(config)
    results = np.zeros((RING, max(config.lanes, 4 * config.array_columns)), np.uint8)
    targets = np.full(RING, -1, np.int64)
    preface, taps = lanes.shape(record)
    for beat in range(preface):
        lanes.read_preface(config, memories, registers, record, beat)
    stages = record.c - record.e
    beat = 0
    has_wrapped = False
    for plane in range(record.values[g.SLOT_DEPTHWISE_PLANES]):
        for row in range(record.values[g.SLOT_DEPTHWISE_ROWS]):
            for tap in range(taps):
                source = lanes.source_of(record, plane, row, tap)
                lanes.take(memories, registers, record, source, tap)
                _write(memories, record.op, results, targets, beat)
                beat += 1
            place = (beat - 1 + stages) % RING
            has_wrapped |= lanes.give(registers, record, results[place])
            targets[place] = lanes.target_of(record, plane, row)
    for _ in range(stages):
        _write(memories, record.op, results, targets, beat)
        beat += 1
    return has_wrapped


@njit
def _write(memories: Memories, op: int, results: Array, targets: Array, beat: int) -> None:
    """The write of a beat, if it has one."""
    place = beat % RING
    if targets[place] < 0:
        return
    if op == g.OP_DEQUANTISE:
        row = memories.accumulator[targets[place]].view(np.uint8)
        row[:] = results[place, : len(row)]
    else:
        row = memories.scratchpad[targets[place]]
        row[:] = results[place, : len(row)]
    targets[place] = -1
