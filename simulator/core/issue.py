"""Issue: the events of queued instructions, as maxima of earlier events (docs/adr/0003), and the class of every cycle between."""

from accelkit.simulator.core import cycles, jitter
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.footprint import has_access
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record


@njit
def has_tokens(rows: Record, timing: Record, unit: int, wait: int) -> bool:
    """Whether every post that the waits of the unit's oldest unissued instruction take has been made."""
    bit = 0
    while wait >> bit:
        if wait >> bit & 1:
            channel = rows.wait_channel[unit, bit]
            if timing.waited[channel] >= timing.posted[channel]:
                return False
        bit += 1
    return True


@njit
def _scratchpad_banks(rows: Record, record: Record) -> tuple[int, int]:
    """First and last scratchpad bank that a preload or run reads."""
    op = record.op
    for number in range(rows.accesses[op]):
        if rows.access[op, number, st.ACCESS_MEMORY] == g.MEMORY_SCRATCHPAD and has_access(record, number):
            return int(record.first_bank[number]), int(record.last_bank[number])
    return -1, -1


@njit
def _own_port(rows: Record, timing: Record, unit: int, record: Record) -> int:
    """Earliest issue as far as the unit's own beats go. All cycles before are busy ones, so no class belongs to it."""
    if unit != g.UNIT_ARRAY:
        return int(timing.last_beat[unit]) + 1
    op = record.op
    earliest = int(timing.issue[unit]) + 1
    if op == g.OP_PRELOAD:
        low, high = _scratchpad_banks(rows, record)
        earliest = max(earliest, timing.preload_beat + 1)
        if low <= timing.run_high and timing.run_low <= high:
            earliest = max(earliest, timing.last_beat[unit] + 1)
        timing.preload_low = low
        timing.preload_high = high
    elif op == g.OP_RUN:
        low, high = _scratchpad_banks(rows, record)
        earliest = max(earliest, timing.last_beat[unit] + 1)
        if low <= timing.preload_high and timing.preload_low <= high:
            earliest = max(earliest, timing.preload_beat + 1)
        timing.run_low = low
        timing.run_high = high
    return earliest


@njit
def _stall(classes: Array, cursor: int, until: int, cls: int) -> int:
    """Give the cycles from cursor to until - 1 to a class; the new cursor."""
    if until > cursor:
        classes[cls] += until - cursor
        return until
    return cursor


@njit
def _take_tokens(
    rows: Record, timing: Record, posts: Array, unit: int, wait: int, cursor: int
) -> tuple[int, int]:
    """Take the posts that the waits stand for: order after them, account the cycles until they were there; (cursor, earliest
    issue). Wait bits are in the order of the classes."""
    earliest = 0
    bit = 0
    while wait >> bit:
        if wait >> bit & 1:
            channel = rows.wait_channel[unit, bit]
            post = posts[channel, timing.waited[channel] & (posts.shape[1] - 1)]
            timing.waited[channel] += 1
            for port in range(st.PORTS):
                timing.clock[unit, port] = max(timing.clock[unit, port], post.clock[port])
            cursor = _stall(
                timing.unit_class[unit], cursor, post.time + 1, g.CLASS_WAIT_LOAD + rows.producer[channel]
            )
            earliest = max(earliest, post.time + 1)
        bit += 1
    return cursor, earliest


@njit
def _beats(config: Config, timing: Record, record: Record) -> tuple[int, int, int]:
    """(e, c, page misses) of an instruction that issues at record.s, by the cycle rule of its row."""
    op = record.op
    s = record.s
    values = record.values
    misses = 0
    if op == g.OP_RUN:
        e, c = cycles.run(config, s, values[g.SLOT_RUN_ROWS], values[g.SLOT_RUN_PLANES])
    elif op == g.OP_PRELOAD:
        e, c = cycles.preload(config, s, record.flag_bits & g.FLAG_PRELOAD_TRANSPOSED != 0)
    elif op == g.OP_REQUANTISE:
        e, c = cycles.requantise(config, s, values[g.SLOT_REQUANTISE_ROWS], values[g.SLOT_REQUANTISE_PLANES])
    elif op > g.OP_REQUANTISE and op < g.OP_SYNC_VECTOR:
        e, c = cycles.vector(config, s, op, values)
    elif op == g.OP_LOAD_B:
        e, c, timing.open_read_page, misses = cycles.load_bytes(config, s, values, timing.open_read_page)
    elif op == g.OP_LOAD_W:
        e, c, timing.open_read_page, misses = cycles.load_words(config, s, values, timing.open_read_page)
    elif op == g.OP_STORE_B:
        e, c, timing.open_write_page, misses = cycles.store_bytes(config, s, values, timing.open_write_page)
    elif op == g.OP_STORE_W:
        e, c, timing.open_write_page, misses = cycles.store_words(config, s, values, timing.open_write_page)
    elif op == g.OP_FILL_B or op == g.OP_FILL_W:
        e, c = cycles.fill(config, s, values[g.SLOT_FILL_B_ROWS], values[g.SLOT_FILL_B_PLANES])
    else:
        e, c = cycles.sync(s)
    return e, c, misses


@njit
def _account_beats(config: Config, timing: Record, unit: int, record: Record, misses: int) -> None:
    """Give the cycles of the beats to BUSY, PAGE_MISS and (array, where no run streams beside) PRELOAD."""
    classes = timing.unit_class[unit]
    s = record.s
    e = record.e
    fresh = max(
        0, e - max(s - 1, timing.busy_until[unit])
    )  # cycles in which nothing of the unit has moved a beat yet
    if record.op == g.OP_PRELOAD:
        classes[g.CLASS_PRELOAD] += fresh
    else:
        lost = misses * config.page_miss
        classes[g.CLASS_PAGE_MISS] += lost
        classes[g.CLASS_BUSY] += e - s + 1 - lost
        classes[g.CLASS_PRELOAD] -= (
            e - s + 1 - fresh
        )  # a run took over cycles counted for the preload beside it
    timing.busy_until[unit] = max(timing.busy_until[unit], e)


@njit
def _post(rows: Record, timing: Record, posts: Array, unit: int, port: int, record: Record) -> None:
    """Make the instruction's posts: at its completion all that it knew at its issue, and its port's work so far, is complete."""
    bit = 0
    while record.post >> bit:
        if record.post >> bit & 1:
            channel = rows.post_channel[port, bit]
            post = posts[channel, timing.posted[channel] & (posts.shape[1] - 1)]
            timing.posted[channel] += 1
            post.time = record.c
            for other in range(st.PORTS):
                post.clock[other] = timing.clock[unit, other]
            post.clock[port] = timing.sequence[port]
            if port == g.PORT_RUN:  # a run completes after every preload before it
                post.clock[g.PORT_PRELOAD] = timing.sequence[g.PORT_PRELOAD]
        bit += 1


@njit
def resolve(
    config: Config, rows: Record, timing: Record, posts: Array, trace: Array, unit: int, record: Record
) -> None:
    """Give the unit's oldest unresolved instruction its events; its tokens are there (`has_tokens`)."""
    number = timing.resolved[unit]
    op = record.op
    port = rows.port[op]
    classes = timing.unit_class[unit]

    s = timing.issue[unit] + 1 if cycles.is_sync(op) else _own_port(rows, timing, unit, record)
    cursor = _stall(classes, timing.busy_until[unit] + 1, record.d + 1, g.CLASS_EMPTY)
    s = max(s, record.d + 1)
    if unit == g.UNIT_VECTOR or cycles.is_sync(op):
        cursor = _stall(classes, cursor, timing.complete[unit] + 1, g.CLASS_DRAIN)
        s = max(s, timing.complete[unit] + 1)
    if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:
        free = timing.complete_ring[unit, (number - config.outstanding) & (st.MAX_DEPTH - 1)] + 1
        cursor = _stall(classes, cursor, free, g.CLASS_OUTSTANDING)
        s = max(s, free)
    cursor, tokens = _take_tokens(rows, timing, posts, unit, record.wait, cursor)
    s = max(s, tokens)
    if timing.jitter:
        s += jitter.of_issue(timing, unit, number)
        _stall(classes, cursor, s, g.CLASS_BUSY)  # a slower unit
    record.s = s
    e, c, misses = _beats(config, timing, record)
    if timing.jitter and (unit == g.UNIT_LOAD or unit == g.UNIT_STORE) and not cycles.is_sync(op):
        c = jitter.completion(timing, unit, number, s, e, c)
    record.e = e
    record.c = c
    record.misses = misses
    _account_beats(config, timing, unit, record, misses)

    timing.sequence[port] += 1
    record.sequence = timing.sequence[port]
    for other in range(st.PORTS):
        record.clock[other] = timing.clock[unit, other]
    _post(rows, timing, posts, unit, port, record)
    timing.issue[unit] = s
    if op == g.OP_PRELOAD:
        timing.preload_beat = e
    else:
        timing.last_beat[unit] = e
    if c >= timing.complete[unit]:
        timing.complete[unit] = c
        timing.complete_pc[unit] = record.pc
    timing.last_event = max(timing.last_event, c)
    timing.issue_ring[unit, number & (st.MAX_DEPTH - 1)] = s
    timing.complete_ring[unit, number & (st.MAX_DEPTH - 1)] = c
    timing.resolved[unit] = number + 1
    if timing.committed[unit] == number:
        timing.head[unit] = s
        timing.next_issue = min(timing.next_issue, s)
    if timing.is_tracing:
        trace[record.number, 2] = s
        trace[record.number, 3] = e
        trace[record.number, 4] = c


@njit
def account_rest(
    config: Config, rows: Record, timing: Record, ring: Array, posts: Array, unit: int, total: int
) -> None:
    """Give the cycles after the unit's last beat to their classes: EMPTY, or in a deadlock what its oldest instruction waits for."""
    classes = timing.unit_class[unit]
    cursor = timing.busy_until[unit] + 1
    number = timing.resolved[unit]
    if number < timing.dispatched[unit]:
        record = ring[unit, number & (ring.shape[1] - 1)]
        cursor = _stall(classes, cursor, min(total, record.d + 1), g.CLASS_EMPTY)
        if unit == g.UNIT_VECTOR or cycles.is_sync(record.op):
            cursor = _stall(classes, cursor, min(total, timing.complete[unit] + 1), g.CLASS_DRAIN)
        if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:
            free = timing.complete_ring[unit, (number - config.outstanding) & (st.MAX_DEPTH - 1)] + 1
            cursor = _stall(classes, cursor, min(total, free), g.CLASS_OUTSTANDING)
        bit = 0
        while record.wait >> bit:
            if record.wait >> bit & 1:
                channel = rows.wait_channel[unit, bit]
                ready = total
                if timing.waited[channel] < timing.posted[channel]:
                    ready = min(total, posts[channel, timing.waited[channel] & (posts.shape[1] - 1)].time + 1)
                cursor = _stall(classes, cursor, ready, g.CLASS_WAIT_LOAD + rows.producer[channel])
            bit += 1
    _stall(classes, cursor, total, g.CLASS_EMPTY)
