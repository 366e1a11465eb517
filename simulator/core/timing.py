"""The timing pass: dispatch in program order, issue as soon as tokens are known, hand over in order of issue.

After each dispatch at cycle d every instruction that can be resolved is. What is still unresolved waits, directly or through
others, for a post of an instruction that has not dispatched yet, so whatever resolves later issues after d: instructions with
s <= d can be handed over in the order of (s, unit), the order in which port faults and the checker are defined.
"""

from accelkit.simulator.core import capture, ending, issue, ports, sequencer
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.footprint import has_access
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Config, Record

SLICE = 1 << 22  # dispatches, a fraction of a second


@njit
def _resolve_all(
    config: Config, rows: Record, timing: Record, ring: Array, posts: Array, trace: Array
) -> bool:
    """Resolve what can be resolved; False if the posts are full (nothing is lost: the shell enlarges them and calls again)."""
    has_posts = True
    while has_posts:  # only a post can let an instruction go that has been looked at
        has_posts = False
        for unit in range(st.UNITS):
            while timing.resolved[unit] < timing.dispatched[unit]:
                record = ring[unit, timing.resolved[unit] & (ring.shape[1] - 1)]
                if record.wait and not issue.has_tokens(rows, timing, unit, record.wait):
                    break
                if record.post:
                    if not _has_room(rows, timing, rows.port[record.op], record.post, posts.shape[1]):
                        return False
                    has_posts = True
                issue.resolve(config, rows, timing, posts, trace, unit, record)
    return True


@njit
def _has_room(rows: Record, timing: Record, port: int, post: int, capacity: int) -> bool:
    bit = 0
    while post >> bit:
        if post >> bit & 1:
            channel = rows.post_channel[port, bit]
            if timing.posted[channel] - timing.waited[channel] >= capacity:
                return False
        bit += 1
    return True


@njit
def _hand_over(config: Config, rows: Record, timing: Record, ring: Array, chunk: Array, until: int) -> int:
    """Move resolved instructions that issue at `until` or before to the chunk, if there is one, in order of issue; RUNNING, CHUNK_FULL
    (at the one that fills it: nothing has been done for the next one) or PORT_FAULTED."""
    while timing.next_issue <= until:
        first = 0
        for unit in range(1, st.UNITS):
            if timing.head[unit] < timing.head[first]:
                first = unit
        record = ring[first, timing.committed[first] & (ring.shape[1] - 1)]
        if ports.hold(config, rows, timing, record):
            return st.PORT_FAULTED
        _count(rows, timing, record)
        timing.committed[first] += 1
        timing.head[first] = st.FOREVER
        if timing.committed[first] < timing.resolved[first]:
            timing.head[first] = ring[first, timing.committed[first] & (ring.shape[1] - 1)].s
        timing.next_issue = min(min(timing.head[0], timing.head[1]), min(timing.head[2], timing.head[3]))
        if len(chunk):
            chunk[timing.chunk_count] = record
            timing.chunk_count += 1
            if timing.chunk_count == len(chunk):
                return st.CHUNK_FULL
    return st.RUNNING


@njit
def _count(rows: Record, timing: Record, record: Record) -> None:
    """Count what the instruction moves."""
    for number in range(rows.accesses[record.op]):
        if has_access(record, number):
            access = rows.access[record.op, number]
            timing.moved[access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]] += record.amount[number]


@njit
def _blocked_class(config: Config, rows: Record, timing: Record, op: int) -> int:
    """Sequencer class of an instruction whose dispatch waits for an issue or completion that is not known: -1 if there is none."""
    unit = rows.unit[op]
    if op == g.OP_FENCE:
        for other in range(st.UNITS):
            if timing.resolved[other] < timing.dispatched[other]:
                return g.SEQ_FENCE
    elif 0 <= unit < st.UNITS and timing.dispatched[unit] - timing.resolved[unit] >= config.queue_depth:
        return g.SEQ_QUEUE_LOAD + int(unit)
    return -1


@njit
def _note(
    timing: Record, ring: Array, log: Array, pc: int, unit: int, d: int, waiting: int, queue_depth: int
) -> None:
    """Add a dispatch to the log, before its cycles are accounted."""
    entry = log[timing.log_count]
    timing.log_count += 1
    waited = d - timing.earliest
    entry[st.LOG_PC] = pc
    entry[st.LOG_CYCLE] = d
    entry[st.LOG_BUBBLE] = timing.earliest - timing.last - 1
    entry[st.LOG_CLASS] = waiting if waited > 0 else -1
    entry[st.LOG_WAITED] = waited
    entry[st.LOG_BLAME] = -1
    if waited > 0 and waiting == g.SEQ_FENCE:
        for other in range(st.UNITS):
            if timing.complete[other] == d - 1:
                entry[st.LOG_BLAME] = timing.complete_pc[other]
    elif waited > 0:  # for the issue of the instruction that had the place in the queue
        entry[st.LOG_BLAME] = ring[unit, (timing.dispatched[unit] - queue_depth) & (ring.shape[1] - 1)].pc


@njit
def _dispatch(
    config: Config, rows: Record, code: Array, arguments: Array, timing: Record, shapes: Array, ring: Array, trace: Array, log: Array
) -> bool:
    """Dispatch one instruction, or stop the sequencer; True if there is one more at the head of a unit's queue: it may be resolved."""
    pc = timing.pc
    op = code[pc].op if 0 <= pc < len(code) else 0
    unit = rows.unit[op]
    is_tensor = 0 <= unit < st.UNITS
    waiting = _blocked_class(config, rows, timing, op)
    if waiting >= 0:
        is_at_bound = timing.last_event >= timing.max_cycles
        ending.stop(timing, st.BOUND if is_at_bound else st.DEADLOCK, pc, timing.earliest, waiting)
        return False
    d = timing.earliest
    if is_tensor and timing.dispatched[unit] >= config.queue_depth:
        waiting = g.SEQ_QUEUE_LOAD + unit
        d = max(d, timing.issue_ring[unit, (timing.dispatched[unit] - config.queue_depth) & (st.MAX_DEPTH - 1)] + 1)
    elif op == g.OP_FENCE:
        waiting = g.SEQ_FENCE
        for other in range(st.UNITS):
            d = max(d, timing.complete[other] + 1)
    if d >= timing.max_cycles:
        ending.stop(timing, st.BOUND, pc, timing.max_cycles, waiting)
        return False
    if len(log) and (timing.logs_scalars or d > timing.earliest):
        _note(timing, ring, log, pc, unit, d, waiting, config.queue_depth)
    if d > timing.earliest:
        timing.sequencer_class[waiting] += d - timing.earliest
    timing.sequencer_class[g.SEQ_DISPATCH] += 1
    timing.sequencer_class[g.SEQ_BRANCH] += timing.earliest - timing.last - 1
    timing.last = d
    timing.last_event = max(timing.last_event, d)
    if timing.is_tracing:
        trace[timing.dispatches, :] = -1
        trace[timing.dispatches, 0] = pc
        trace[timing.dispatches, 1] = d
    timing.dispatches += 1
    if op == 0:
        is_outside = not 0 <= pc < len(code)
        sequencer.fault(timing, g.FAULT_FETCH if is_outside else g.FAULT_ILLEGAL, pc, d, pc, len(code), 0)
        return False
    if is_tensor:
        record = ring[unit, timing.dispatched[unit] & (ring.shape[1] - 1)]
        is_queued = _enqueue(config, rows, code[pc], timing, shapes[pc], record, pc, unit, d)
        return is_queued and timing.dispatched[unit] - timing.resolved[unit] == 1
    if op == g.OP_FENCE:
        for other in range(st.UNITS):
            for port in range(st.PORTS):
                timing.clock[other, port] = timing.sequence[port]
    following, is_taken = sequencer.execute_scalar(timing, code[pc], arguments, pc, d)
    timing.pc = following
    timing.earliest = d + (2 if is_taken else 1)
    return False


@njit
def _enqueue(
    config: Config, rows: Record, word: Record, timing: Record, shape: Record, record: Record, pc: int, unit: int, d: int
) -> bool:
    if not capture.capture(config, rows, timing, word, shape, record, pc, d):
        return False
    if word.op == g.OP_PRELOAD:
        timing.has_weights = 1
    record.op = word.op
    record.pc = pc
    record.flag_bits = word.flag_bits
    record.wait = word.wait
    record.post = word.post
    record.d = d
    record.number = timing.dispatches - 1
    timing.dispatched[unit] += 1
    timing.pc = pc + 1
    timing.earliest = d + 1
    return True


@entry
def advance(
    config: Config,
    rows: Record,
    timing: Record,
    code: Array,
    arguments: Array,
    shapes: Array,
    ring: Array,
    posts: Array,
    trace: Array,
    chunk: Array,
    log: Array,
) -> int:
    """Run until the launch ends or the shell is needed; the status (see state.py). Call again after CHUNK_FULL, POSTS_FULL and
    TRACE_FULL once the chunk is executed or the arrays are larger."""
    has_new = True
    is_watched = timing.is_tracing != 0 or timing.logs_scalars != 0
    end = timing.dispatches + SLICE
    while True:
        if has_new and not _resolve_all(config, rows, timing, ring, posts, trace):
            return st.POSTS_FULL
        has_ended = timing.status != st.RUNNING
        status = _hand_over(config, rows, timing, ring, chunk, st.FOREVER - 1 if has_ended else timing.last)
        if status != st.RUNNING:
            return status
        if has_ended:
            return ending.end(config, rows, timing, ring, posts)
        if timing.is_tracing and timing.dispatches == len(trace):
            return st.TRACE_FULL
        if timing.dispatches >= end:
            return (
                st.CHUNK_FULL
            )  # however little there is in it: while compiled code runs, Python sees no Ctrl-C
        if len(log) and timing.log_count == len(log):
            return st.CHUNK_FULL
        before = timing.dispatches
        if not is_watched:
            sequencer.run_scalars(timing, code, arguments, end)
        has_new = timing.dispatches == before and _dispatch(config, rows, code, arguments, timing, shapes, ring, trace, log)
