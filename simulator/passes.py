"""The passes of a launch: timing, which hands over instructions in order of issue, and execution of what it hands over.

With the checker, a program is executed instruction by instruction: it is stopped before a race could matter. Without it a first
timing pass finds out whether instructions of different units touch the same places at the same time; if so, the second one
executes beat by beat, as the RTL does.
"""

from collections.abc import Callable

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.units import Port
from accelkit.simulator import descriptors
from accelkit.simulator.core import cycles, dma, overlap, replay, timing
from accelkit.simulator.core import state as st
from accelkit.simulator.core.execute import execute
from accelkit.simulator.core.memories import Memories, Shadow
from accelkit.simulator.core.replay import Pipes

Consumer = Callable[[st.Array, int], bool]


def run(
    machine: Machine, code: st.Code, state: st.Timing, memories: Memories, shadow: Shadow, is_checking: bool
) -> tuple[int, st.Timing]:
    """Run a launch to its end: the status and the final timing state."""
    config, rows = descriptors.config(machine), descriptors.rows()

    def bulk(chunk: st.Array, count: int) -> bool:
        return execute(config, rows, memories, shadow, chunk, count, is_checking)

    if is_checking or not _has_overlap(config, rows, code, machine, state):
        return _timing_pass(config, rows, code, state, bulk)
    pipes = _pipes(machine)

    def by_beat(chunk: st.Array, count: int) -> bool:
        replay.replay(config, rows, memories, pipes, chunk, count)
        return False

    result = _timing_pass(config, rows, code, state, by_beat)
    replay.run_until(config, memories, pipes, int(pipes.scalar[replay.Q_END]) + 1)
    return result


def _timing_pass(
    config: st.Config, rows: st.Rows, code: st.Code, state: st.Timing, consume: Consumer
) -> tuple[int, st.Timing]:
    """Drive the timing pass; `consume` gets each chunk and may stop the launch by True."""
    while True:
        status = timing.advance(config, rows, code, state)
        if consume(state.chunk, int(state.scalar[st.S_CHUNK])):
            return status, state
        if status == st.POSTS_FULL:
            state = descriptors.enlarge_posts(state)
        elif status == st.TRACE_FULL:
            state = state._replace(trace=np.concatenate([state.trace, np.full_like(state.trace, -1)]))
        elif status != st.CHUNK_FULL:
            return status, state
        state.scalar[st.S_CHUNK] = 0


def _has_overlap(config: st.Config, rows: st.Rows, code: st.Code, machine: Machine, state: st.Timing) -> bool:
    max_cycles = int(state.scalar[st.S_MAX_CYCLES])
    scratch = descriptors.timing(machine, max_cycles, state.sequence.copy(), is_tracing=False)
    under_way = 4 * machine.queue_depth + 2 * machine.outstanding + machine.array_rows + machine.array_columns
    recent = np.zeros((under_way + len(scratch.chunk), st.RECORD), np.int64)
    count = 0

    def scan(chunk: st.Array, new: int) -> bool:
        nonlocal count
        count = overlap.find(config, rows, recent, count, chunk, new)
        return count < 0

    _timing_pass(config, rows, code, scratch, scan)
    return count < 0


def _pipes(machine: Machine) -> Pipes:
    latency = max(
        machine.dram_read_latency_cycles, machine.array_rows + machine.array_columns, cycles.REQUANTISE_STAGES
    )
    width = max(4 * machine.array_columns, machine.lanes, machine.bus_bytes)
    ports = len(Port)
    walk = np.zeros((2, dma.WALK), np.int64)
    walk[:, dma.W_OPEN] = -1
    scalar = np.zeros(3, np.int64)
    scalar[replay.Q_END] = -1
    return Pipes(
        scalar=scalar,
        current=np.zeros((ports, st.RECORD), np.int64),
        walk=walk,
        fetched=np.zeros(machine.bus_bytes, np.uint8),
        pending=np.zeros((ports, latency + 2, replay.PENDING), np.int64),
        data=np.zeros((ports, latency + 2, width), np.uint8),
        weights=np.zeros((replay.WEIGHT_VERSIONS, machine.array_rows, machine.array_columns), np.float32),
        parameters=np.zeros((machine.parameter_rows, machine.lanes), np.uint8),
    )
