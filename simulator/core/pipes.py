"""What is under way in an execution beat by beat (replay.py): instructions of each port, and writes that are to come."""

from typing import NamedTuple

import numpy as np

from accelkit.simulator.core import array
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Lanes, Memories
from accelkit.simulator.core.state import Array, Record

WEIGHT_VERSIONS = 16  # more than preloads can issue while a row is in the array

CLOCK = np.dtype(
    [
        ("time", np.int64),  # next cycle to execute
        ("end", np.int64),  # last cycle in which anything is under way
        ("preloads", np.int64),  # so far: the version of the latest, plus 1
    ]
)


class Pipes(NamedTuple):
    """What is under way."""

    clock: Record  # CLOCK
    current: Array  # RECORD [ports] the latest instruction of each port
    walk: Array  # [2, dma.WALK] beats of the load and of the store
    fetched: Array  # uint8 [bus bytes] the word that the load fetched last
    pending: Array  # [ports, ring, PENDING] writes of each port, by cycle modulo the ring
    data: Array  # uint8 [ports, ring, widest row] and their bytes (of a run: the row that streams)
    weights: Array  # float32 [WEIGHT_VERSIONS, rows, columns]
    lanes: Lanes  # of the vector unit


P_MEMORY = 0  # memory + 1; 0: no write
P_TARGET = 1  # row or byte address
P_FIRST = 2  # first byte of the row
P_COUNT = 3  # bytes
P_FLAGS = 4  # of a run: flags, zero point, weights' version
P_ZERO_POINT = 5
P_VERSION = 6
PENDING = 7


@njit
def plan(pipes: Pipes, port: int, t: int, memory: int, target: int, first: int, count: int) -> int:
    """A write of a port at cycle t; where in the ring its bytes are to be filled in."""
    place = t % pipes.pending.shape[1]
    pending = pipes.pending[port, place]
    pending[P_MEMORY] = memory + 1
    pending[P_TARGET] = target
    pending[P_FIRST] = first
    pending[P_COUNT] = count
    return int(place)


@njit
def write(memories: Memories, pipes: Pipes, pending: Array, data: Array) -> None:
    """Let a write that was planned take place."""
    target, first, end = pending[P_TARGET], pending[P_FIRST], pending[P_FIRST] + pending[P_COUNT]
    if pending[P_MEMORY] == g.MEMORY_DRAM + 1:
        v.copy(memories.dram, target, data, first, end - first)
    elif pending[P_MEMORY] == g.MEMORY_SCRATCHPAD + 1:
        v.copy(memories.scratchpad, target * memories.scratchpad.shape[1] + first, data, first, end - first)
    elif pending[P_VERSION] < 0:
        v.copy(memories.accumulator, target * 4 * memories.accumulator.shape[1] + first, data, first, end - first)
    else:
        _write_sums(memories, pipes, pending, data)


@njit
def _write_sums(memories: Memories, pipes: Pipes, pending: Array, data: Array) -> None:
    weights = pipes.weights[pending[P_VERSION]]
    row = memories.accumulator[pending[P_TARGET]]
    for n in range(len(row)):
        total = int(row[n]) if pending[P_FLAGS] & g.FLAG_RUN_ACCUMULATE else 0
        for k in range(weights.shape[0]):
            byte = int(data[k])
            if byte >= 128 and not pending[P_FLAGS] & g.FLAG_RUN_U8:
                byte -= 256
            total += (byte - pending[P_ZERO_POINT]) * int(weights[k, n])
        row[n] = array.wrap(total)
