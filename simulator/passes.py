"""The passes of a launch: timing, which hands over instructions in order of issue, and execution of what it hands over.

With the checker, a program is executed instruction by instruction: it is stopped before a race could matter. Without it a first
timing pass finds out whether instructions of different units touch the same places at the same time; if so, the second one
executes beat by beat, as the RTL does.
"""

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.units import CHANNELS, Port
from accelkit.simulator import descriptors
from accelkit.simulator.core import cycles, dma, overlap, replay, timing
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.core.again import NOTHING
from accelkit.simulator.core.execute import CHECK_ALL, CHECK_NOTHING, CHECK_ORDER, NO_VALUES, execute
from accelkit.simulator.core.jitter import MOST
from accelkit.simulator.core.memories import Memories, Shadow
from accelkit.simulator.core.pipes import CLOCK, PENDING, WEIGHT_VERSIONS, Pipes
from accelkit.simulator.threads import overlapped

_GOES_ON = (st.CHUNK_FULL, st.POSTS_FULL, st.TRACE_FULL)
MOST_TOKENS = 1 << 20  # of one channel that the simulator keeps; the machine itself has no limit


class Mode(Enum):
    """What launches are for. FULL: all. TIMING: cycles alone, no memory is read or written, nothing is checked. VALUES: memories alone,
    without checks; of a program with races, any that the machine could leave."""

    FULL = "full"
    TIMING = "timing"
    VALUES = "values"


class Ran(NamedTuple):
    """A launch that has ended: its status and final state, and whether it was executed by whole instructions in order of issue.

    Where the checker stopped it, `stopped` is the number of the instruction at fault in order of issue, else -1; of the state only the
    chunk, with that instruction, is of use then (see `until`).
    """

    status: int
    launch: st.Launch
    is_whole: bool
    stopped: int = -1


Consumer = Callable[[st.Array, int], bool]
Watch = Callable[[st.Launch], None]


def run(
    machine: Machine,
    launch: st.Launch,
    memories: Memories,
    shadow: Shadow,
    is_checking: bool,
    watch: Watch | None = None,
    mode: Mode = Mode.FULL,
    threads: int = 1,
) -> Ran:
    """Run a launch to its end.

    `watch` is shown the launch whenever there are dispatches or issued instructions to see.
    """
    config, rows = descriptors.config(machine), descriptors.rows()
    before, stopped = 0, -1  # instructions before the chunk, and the one at fault

    def bulk(chunk: st.Array, count: int) -> bool:
        nonlocal before, stopped
        if execute(config, rows, memories, shadow, chunk, count, CHECK_ALL if is_checking else CHECK_NOTHING, NOTHING):
            stopped = before + int(shadow.fault[mem.F_INDEX])
        before += count
        return stopped >= 0

    def no_values(chunk: st.Array, count: int) -> bool:
        return False

    if mode is Mode.TIMING:
        return Ran(*_timing_pass(config, launch, no_values, watch), is_whole=True)
    if is_checking or mode is Mode.VALUES or not _has_overlap(config, machine, launch):
        if threads > 1 and watch is None and not launch.timing.is_tracing:
            ran = overlapped(config, launch, bulk, _with_room)
        else:
            ran = _timing_pass(config, launch, bulk, watch)
        return Ran(*ran, is_whole=True, stopped=stopped)
    under_way = pipes(machine, int(launch.timing.jitter))

    def by_beat(chunk: st.Array, count: int) -> bool:
        replay.replay(config, rows, memories, under_way, chunk, count)
        return False

    result = _timing_pass(config, launch, by_beat, watch)
    replay.run_until(config, memories, under_way, int(under_way.clock.end) + 1)
    return Ran(*result, is_whole=False)


def overflow(machine: Machine, launch: st.Launch, memories: Memories, shadow: Shadow, last: int) -> Ran:
    """End a launch, executed already, at the overflow of its `last` instruction in order of issue: as `run` would have done."""
    config, rows = descriptors.config(machine), descriptors.rows()
    before, stopped = 0, -1  # instructions before the chunk, and the one at fault

    def check_alone(chunk: st.Array, count: int) -> bool:
        nonlocal before, stopped
        index = last - before
        if execute(config, rows, memories, shadow, chunk, min(count, index + 1), CHECK_ORDER | NO_VALUES, NOTHING):
            stopped = before + int(shadow.fault[mem.F_INDEX])
        elif index < count:
            shadow.fault[: mem.F_COUNT] = 0
            shadow.fault[[mem.F_CLASS, mem.F_INDEX, mem.F_OTHER_PORT]] = Fault.OVERFLOW, index, -1
            stopped = last
        before += count
        return stopped >= 0

    return Ran(*_timing_pass(config, launch, check_alone), is_whole=True, stopped=stopped)


def until(machine: Machine, launch: st.Launch, number: int) -> st.Launch:
    """A launch that has not begun, as it is when the timing pass has handed over instruction `number` in order of issue, which there is.

    So far has a launch come that the checker stops there. Passes that execute are further ahead, by what fits their arrays.
    """
    config, rows, chunk = descriptors.config(machine), descriptors.rows(), launch.chunk
    left = number + 1
    while left:
        launch = launch._replace(chunk=chunk[:left])
        launch.timing["chunk_count"] = 0
        status = timing.advance(config, rows, *launch)
        left -= int(launch.timing["chunk_count"])
        assert left == 0 or status in _GOES_ON
        launch = _with_room(status, launch)
    return launch


def retrace(machine: Machine, launch: st.Launch, see: Consumer) -> None:
    """The timing pass alone, of a launch that has not begun: `see` is shown its instructions in order of issue, and may end it by True."""
    _timing_pass(descriptors.config(machine), launch, see)


def _timing_pass(
    config: st.Config, launch: st.Launch, consume: Consumer, watch: Watch | None = None
) -> tuple[int, st.Launch]:
    """Drive the timing pass; `consume` gets each chunk and may stop the launch by True."""
    rows, state = descriptors.rows(), launch.timing
    while True:
        status = timing.advance(config, rows, *launch)
        if watch is not None:
            watch(launch)
            state["log_count"] = 0
        if consume(launch.chunk, int(state["chunk_count"])):
            return status, launch
        if status not in _GOES_ON:
            return status, launch
        launch = _with_room(status, launch)
        state["chunk_count"] = 0


def _with_room(status: int, launch: st.Launch) -> st.Launch:
    """With larger arrays, where the timing pass needs them; ValueError where a program only ever posts, before memory ends."""
    if status == st.TRACE_FULL:
        return launch._replace(trace=np.concatenate([launch.trace, np.full_like(launch.trace, -1)]))
    if status != st.POSTS_FULL:
        return launch
    if launch.posts.shape[1] >= MOST_TOKENS:
        fullest = CHANNELS[int(np.argmax(launch.timing.posted - launch.timing.waited))]
        raise ValueError(
            f"over {MOST_TOKENS:,} tokens on {fullest} that nothing waits for; likely fix: wait for each token that is posted"
        )
    return descriptors.enlarge_posts(launch)


def _has_overlap(config: st.Config, machine: Machine, launch: st.Launch) -> bool:
    scratch = descriptors.launch(
        machine,
        launch.code,
        launch.arguments.tolist(),
        int(launch.timing.max_cycles),
        launch.timing.sequence,
        is_tracing=False,
        jitter=int(launch.timing.jitter),
    )
    under_way = 4 * machine.queue_depth + 2 * machine.outstanding + machine.array_rows + machine.array_columns
    recent = descriptors.records(st.RECORD, under_way + len(scratch.chunk))
    count = 0

    def scan(chunk: st.Array, new: int) -> bool:
        nonlocal count
        count = overlap.find(descriptors.rows(), recent, count, chunk, new)
        return count < 0

    _timing_pass(config, scratch, scan)
    return count < 0


def pipes(machine: Machine, jitter: int = 0) -> Pipes:
    """Empty pipes for an execution beat by beat from cycle 0, of a launch with that seed of delays."""
    latency = max(
        machine.dram_read_latency_cycles, machine.array_rows + machine.array_columns, cycles.MOST_STAGES
    )
    if jitter:
        latency += MOST
    width = max(4 * machine.array_columns, machine.lanes, machine.bus_bytes)
    ports = len(Port)
    walk = np.zeros((2, dma.WALK), np.int64)
    walk[:, dma.W_OPEN] = -1
    clock = descriptors.record(CLOCK)
    clock.end = -1
    return Pipes(
        clock=clock,
        current=descriptors.records(st.RECORD, ports),
        walk=walk,
        fetched=np.zeros(machine.bus_bytes, np.uint8),
        pending=np.zeros((ports, latency + 2, PENDING), np.int64),
        data=np.zeros((ports, latency + 2, width), np.uint8),
        weights=np.zeros((WEIGHT_VERSIONS, machine.array_rows, machine.array_columns), np.float32),
        lanes=mem.make_lanes(descriptors.config(machine)),
    )
