"""The timing pass: dispatch in program order, issue as soon as tokens are known, hand over in order of issue.

After each dispatch at cycle d every instruction that can be resolved is. What is still unresolved waits, directly or through
others, for a post of an instruction that has not dispatched yet, so whatever resolves later issues after d: instructions with
s <= d can be handed over in the order of (s, unit), the order in which port faults and the checker are defined.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import issue, ports, sequencer
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Code, Config, Rows, Timing

FOREVER = 1 << 62


@njit
def _resolve_all(config: Config, rows: Rows, timing: Timing) -> bool:
    """Resolve what can be resolved; False if a post ring is full (nothing is lost: the shell enlarges it and calls again)."""
    has_progress = True
    while has_progress:
        has_progress = False
        for unit in range(timing.dispatched.shape[0]):
            while timing.resolved[unit] < timing.dispatched[unit]:
                record = timing.ring[unit, timing.resolved[unit] % timing.ring.shape[1]]
                if not issue.has_tokens(rows, timing, unit, record[st.R_WAIT]):
                    break
                if record[st.R_POST] and not _has_room(
                    rows, timing, rows.port[record[st.R_OP]], record[st.R_POST]
                ):
                    return False
                issue.resolve(config, rows, timing, unit)
                has_progress = True
    return True


@njit
def _has_room(rows: Rows, timing: Timing, port: int, post: int) -> bool:
    for bit in range(rows.post_channel.shape[1]):
        if post >> bit & 1:
            channel = rows.post_channel[port, bit]
            if timing.posted[channel] - timing.waited[channel] >= timing.post_time.shape[1]:
                return False
    return True


@njit
def _hand_over(config: Config, rows: Rows, timing: Timing, until: int) -> int:
    """Move resolved instructions that issue at `until` or before to the chunk, in order of issue; RUNNING, CHUNK_FULL or
    PORT_FAULTED."""
    while True:
        first = -1
        first_s = FOREVER
        for unit in range(timing.committed.shape[0]):
            if timing.committed[unit] < timing.resolved[unit]:
                s = timing.ring[unit, timing.committed[unit] % timing.ring.shape[1], st.R_S]
                if s < first_s:
                    first = unit
                    first_s = s
        if first < 0 or first_s > until:
            return st.RUNNING
        if timing.scalar[st.S_CHUNK] == timing.chunk.shape[0]:
            return st.CHUNK_FULL
        record = timing.ring[first, timing.committed[first] % timing.ring.shape[1]]
        if ports.hold(config, rows, timing, record):
            return st.PORT_FAULTED
        timing.chunk[timing.scalar[st.S_CHUNK]] = record
        timing.scalar[st.S_CHUNK] += 1
        timing.committed[first] += 1


@njit
def _stop(timing: Timing, status: int, pc: int, cycle: int, waiting: int) -> None:
    scalar = timing.scalar
    scalar[st.S_STATUS] = status
    scalar[st.S_FAULT_PC] = pc
    scalar[st.S_FAULT_CYCLE] = cycle
    scalar[st.S_WAITING] = waiting


@njit
def _blocked_class(config: Config, rows: Rows, timing: Timing, op: int) -> int:
    """Sequencer class of an instruction whose dispatch waits for an issue or completion that is not known: -1 if there is none."""
    unit = rows.unit[op]
    if op == g.OP_FENCE:
        for other in range(timing.dispatched.shape[0]):
            if timing.resolved[other] < timing.dispatched[other]:
                return g.SEQ_FENCE
    elif (
        unit >= 0
        and unit != g.UNIT_SEQUENCER
        and timing.dispatched[unit] - timing.resolved[unit] >= config.queue_depth
    ):
        return g.SEQ_QUEUE_LOAD + int(unit)
    return -1


@njit
def _dispatch(config: Config, rows: Rows, code: Code, timing: Timing) -> None:
    """Dispatch one instruction, or stop the sequencer."""
    scalar = timing.scalar
    pc = scalar[st.S_PC]
    op = code.op[pc] if 0 <= pc < code.op.shape[0] else 0
    unit = rows.unit[op]
    is_tensor = unit >= 0 and unit != g.UNIT_SEQUENCER
    waiting = _blocked_class(config, rows, timing, op)
    if waiting >= 0:
        at_bound = scalar[st.S_LAST_EVENT] >= scalar[st.S_MAX_CYCLES]
        _stop(timing, st.BOUND if at_bound else st.DEADLOCK, pc, scalar[st.S_NEXT], waiting)
        return
    d = scalar[st.S_NEXT]
    if is_tensor and timing.dispatched[unit] >= config.queue_depth:
        waiting = g.SEQ_QUEUE_LOAD + unit
        d = max(d, timing.issue_ring[unit, timing.dispatched[unit] % config.queue_depth] + 1)
    elif op == g.OP_FENCE:
        waiting = g.SEQ_FENCE
        for other in range(timing.unit.shape[0]):
            d = max(d, timing.unit[other, st.U_COMPLETE] + 1)
    if d >= scalar[st.S_MAX_CYCLES]:
        _stop(timing, st.BOUND, pc, scalar[st.S_MAX_CYCLES], waiting)
        return
    if d > scalar[st.S_NEXT]:
        timing.sequencer_class[waiting] += d - scalar[st.S_NEXT]
    timing.sequencer_class[g.SEQ_DISPATCH] += 1
    timing.sequencer_class[g.SEQ_BRANCH] += scalar[st.S_NEXT] - scalar[st.S_LAST] - 1
    scalar[st.S_LAST] = d
    scalar[st.S_LAST_EVENT] = max(scalar[st.S_LAST_EVENT], d)
    if scalar[st.S_TRACING]:
        timing.trace[scalar[st.S_DISPATCHES], :] = -1
        timing.trace[scalar[st.S_DISPATCHES], 0] = pc
        timing.trace[scalar[st.S_DISPATCHES], 1] = d
    scalar[st.S_DISPATCHES] += 1
    if op == 0:
        is_outside = not 0 <= pc < code.op.shape[0]
        sequencer.fault(
            timing, g.FAULT_FETCH if is_outside else g.FAULT_ILLEGAL, pc, d, pc, code.op.shape[0], 0
        )
    elif is_tensor:
        _enqueue(config, rows, code, timing, pc, op, unit, d)
    else:
        if op == g.OP_FENCE:
            for other in range(timing.clock.shape[0]):
                timing.clock[other, :] = timing.sequence
        following, is_taken = sequencer.execute_scalar(code, timing, pc, op, d)
        scalar[st.S_PC] = following
        scalar[st.S_NEXT] = d + (2 if is_taken else 1)


@njit
def _enqueue(
    config: Config, rows: Rows, code: Code, timing: Timing, pc: int, op: int, unit: int, d: int
) -> None:
    scalar = timing.scalar
    record = timing.ring[unit, timing.dispatched[unit] % timing.ring.shape[1]]
    values = record[st.R_VALUES :]
    sequencer.capture(code, rows, timing, pc, op, values)
    if sequencer.dispatch_fault(config, rows, timing, pc, op, code.flags[pc], values, d):
        return
    if op == g.OP_PRELOAD:
        scalar[st.S_HAS_WEIGHTS] = 1
    record[st.R_OP] = op
    record[st.R_PC] = pc
    record[st.R_FLAGS] = code.flags[pc]
    record[st.R_WAIT] = code.wait[pc]
    record[st.R_POST] = code.post[pc]
    record[st.R_D] = d
    record[st.R_NUMBER] = scalar[st.S_DISPATCHES] - 1
    timing.dispatched[unit] += 1
    scalar[st.S_PC] = pc + 1
    scalar[st.S_NEXT] = d + 1


@njit
def advance(config: Config, rows: Rows, code: Code, timing: Timing) -> int:
    """Run until the launch ends or the shell is needed; the status (see state.py). Call again after CHUNK_FULL, POSTS_FULL and
    TRACE_FULL once the chunk is executed or the arrays are larger."""
    scalar = timing.scalar
    while True:
        if not _resolve_all(config, rows, timing):
            return st.POSTS_FULL
        has_ended = scalar[st.S_STATUS] != st.RUNNING
        status = _hand_over(config, rows, timing, FOREVER if has_ended else scalar[st.S_LAST])
        if status != st.RUNNING:
            return status
        if has_ended:
            return _end(config, rows, timing)
        if scalar[st.S_TRACING] and scalar[st.S_DISPATCHES] == timing.trace.shape[0]:
            return st.TRACE_FULL
        _dispatch(config, rows, code, timing)


@njit
def _end(config: Config, rows: Rows, timing: Timing) -> int:
    """Account the cycles to the end; the final status."""
    scalar = timing.scalar
    for unit in range(timing.dispatched.shape[0]):
        if timing.resolved[unit] < timing.dispatched[unit] and scalar[st.S_STATUS] == st.HALTED:
            _stop(timing, st.DEADLOCK, scalar[st.S_PC], scalar[st.S_LAST_EVENT], -1)
    total = scalar[st.S_LAST_EVENT] + 1
    for unit in range(timing.dispatched.shape[0]):
        issue.account_rest(config, rows, timing, unit, total)
    after = min(total, scalar[st.S_LAST] + 1)
    if scalar[st.S_STATUS] == st.DEADLOCK or scalar[st.S_STATUS] == st.BOUND:
        bubble = min(total, scalar[st.S_NEXT], scalar[st.S_MAX_CYCLES])
        timing.sequencer_class[g.SEQ_BRANCH] += max(0, bubble - after)
        after = max(after, bubble)
        if scalar[st.S_WAITING] >= 0:
            until = total if scalar[st.S_STATUS] == st.DEADLOCK else min(total, scalar[st.S_MAX_CYCLES])
            timing.sequencer_class[scalar[st.S_WAITING]] += max(0, until - after)
            after = max(after, until)
    timing.sequencer_class[g.SEQ_ENDED] += total - after
    return int(scalar[st.S_STATUS])
