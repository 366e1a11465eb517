"""The end of a launch: why it stops, and the classes of the cycles until then."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import issue
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record


@njit
def stop(timing: Record, status: int, pc: int, cycle: int, waiting: int) -> None:
    """Note why and where the sequencer stops, and what it waits for (-1: nothing)."""
    timing.status = status
    timing.fault_pc = pc
    timing.fault_cycle = cycle
    timing.waiting = waiting


@njit
def end(config: Config, rows: Record, timing: Record, ring: Array, posts: Array) -> int:
    """Account the cycles to the end; the final status."""
    for unit in range(st.UNITS):
        if timing.resolved[unit] < timing.dispatched[unit] and timing.status == st.HALTED:
            stop(timing, st.DEADLOCK, timing.pc, timing.last_event, -1)
    total = timing.last_event + 1
    for unit in range(st.UNITS):
        issue.account_rest(config, rows, timing, ring, posts, unit, total)
    after = min(total, timing.last + 1)
    if timing.status == st.DEADLOCK or timing.status == st.BOUND:
        bubble = min(total, timing.earliest, timing.max_cycles)
        timing.sequencer_class[g.SEQ_BRANCH] += max(0, bubble - after)
        after = max(after, bubble)
        if timing.waiting >= 0:
            until = total if timing.status == st.DEADLOCK else min(total, timing.max_cycles)
            timing.sequencer_class[timing.waiting] += max(0, until - after)
            after = max(after, until)
    timing.sequencer_class[g.SEQ_ENDED] += total - after
    return int(timing.status)
