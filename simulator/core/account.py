"""Cycles of every unit by instruction, class and the instruction to blame, worked out from the events of what was issued.

It reads the same events as the timing pass, but from outside and afterwards: a launch that nobody watches pays nothing, and that
its sums equal the timing pass's classes is a test of both. Instructions come in order of issue, dispatches in their own order.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.cells import add, has_room
from accelkit.simulator.core.cycles import is_sync
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record

ACCOUNT = st.record_type(
    words=1,  # of the program
    cells=1,  # that are in use
    spans=1,
    last_pc=1,  # of the latest dispatch
    preload_pc=1,  # of the latest preload
    busy_until=st.UNITS,
    complete=st.UNITS,  # largest completion
    complete_pc=st.UNITS,  # and whose it is
    issued=st.UNITS,
    complete_ring=(st.UNITS, st.MAX_DEPTH),
    pc_ring=(st.UNITS, st.MAX_DEPTH),
    posted=g.CHANNELS,
    waited=g.CHANNELS,
    sequencer=8,  # cycles of its classes
)

POST_TIME = 0
POST_PC = 1
POST_FIELDS = 2

# Fields of a stall: cycles from FIRST to UNTIL - 1 before the issue of the instruction with that number of dispatch.
SPAN_UNIT = 0
SPAN_NUMBER = 1
SPAN_PC = 2
SPAN_CLASS = 3
SPAN_BLAME = 4
SPAN_FIRST = 5
SPAN_UNTIL = 6
SPAN_FIELDS = 7

MOST_SPANS = 12  # of one instruction


@entry
def dispatched(account: Record, keys: Array, cycles: Array, log: Array, first: int, count: int) -> int:
    """Account dispatches `first` to `count - 1` of the log; the first one that found no room for its cells."""
    for number in range(first, count):
        if not has_room(account, keys):
            return number
        entry = log[number]
        pc = entry[st.LOG_PC]
        add(account, keys, cycles, st.UNITS, pc, g.SEQ_DISPATCH, -1, 1)
        account.sequencer[g.SEQ_DISPATCH] += 1
        if entry[st.LOG_BUBBLE]:
            add(account, keys, cycles, st.UNITS, account.last_pc, g.SEQ_BRANCH, -1, entry[st.LOG_BUBBLE])
            account.sequencer[g.SEQ_BRANCH] += entry[st.LOG_BUBBLE]
        if entry[st.LOG_CLASS] >= 0:
            blame = entry[st.LOG_BLAME]
            add(account, keys, cycles, st.UNITS, pc, entry[st.LOG_CLASS], blame, entry[st.LOG_WAITED])
            account.sequencer[entry[st.LOG_CLASS]] += entry[st.LOG_WAITED]
        account.last_pc = pc
    return count


@njit
def _stall(
    account: Record,
    keys: Array,
    cycles: Array,
    spans: Array,
    record: Record,
    unit: int,
    cursor: int,
    until: int,
    cls: int,
    blame: int,
) -> int:
    """Give the cycles from cursor to until - 1 to a class; the new cursor."""
    if until <= cursor:
        return cursor
    add(account, keys, cycles, unit, record.pc, cls, blame, until - cursor)
    if len(spans):
        span = spans[account.spans]
        span[SPAN_UNIT] = unit
        span[SPAN_NUMBER] = record.number
        span[SPAN_PC] = record.pc
        span[SPAN_CLASS] = cls
        span[SPAN_BLAME] = blame
        span[SPAN_FIRST] = cursor
        span[SPAN_UNTIL] = until
        account.spans += 1
    return until


@njit
def _waits(
    rows: Record,
    account: Record,
    posts: Array,
    keys: Array,
    cycles: Array,
    spans: Array,
    record: Record,
    unit: int,
    cursor: int,
    total: int,
) -> int:
    """Stalls up to the posts that an instruction takes (to `total` for one that was never made); the new cursor."""
    bit = 0
    while record.wait >> bit:
        if record.wait >> bit & 1:
            channel = rows.wait_channel[unit, bit]
            ready, blame = total, -1
            if account.waited[channel] < account.posted[channel]:
                post = posts[channel, account.waited[channel] % posts.shape[1]]
                ready, blame = min(total, post[POST_TIME] + 1), post[POST_PC]
                account.waited[channel] += 1
            cls = g.CLASS_WAIT_LOAD + rows.producer[channel]
            cursor = _stall(account, keys, cycles, spans, record, unit, cursor, ready, cls, blame)
        bit += 1
    return cursor


@njit
def _until_issue(
    config: st.Config,
    rows: Record,
    account: Record,
    posts: Array,
    keys: Array,
    cycles: Array,
    spans: Array,
    record: Record,
    total: int,
) -> int:
    """All stalls before an instruction's issue, in the order of priority of docs/adr/0003, none of them beyond `total`."""
    unit = rows.unit[record.op]
    cursor = account.busy_until[unit] + 1
    until = min(total, record.d + 1)
    cursor = _stall(account, keys, cycles, spans, record, unit, cursor, until, g.CLASS_EMPTY, -1)
    if unit == g.UNIT_VECTOR or is_sync(record.op):
        until = min(total, account.complete[unit] + 1)
        blame = account.complete_pc[unit]
        cursor = _stall(account, keys, cycles, spans, record, unit, cursor, until, g.CLASS_DRAIN, blame)
    if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:  # completions of the ring are -1 at first
        place = account.issued[unit] % config.outstanding
        until = min(total, account.complete_ring[unit, place] + 1)
        blame = account.pc_ring[unit, place]
        cls = g.CLASS_OUTSTANDING
        cursor = _stall(account, keys, cycles, spans, record, unit, cursor, until, cls, blame)
    return _waits(rows, account, posts, keys, cycles, spans, record, unit, cursor, total)


@njit
def _beats(config: st.Config, account: Record, keys: Array, cycles: Array, record: Record, unit: int) -> None:
    """Cycles of the beats. A run takes over what a preload beside it has counted from the run's issue on."""
    s, e, pc = record.s, record.e, record.pc
    fresh = max(0, e - max(s - 1, account.busy_until[unit]))
    if record.op == g.OP_PRELOAD:
        add(account, keys, cycles, unit, pc, g.CLASS_PRELOAD, -1, fresh)
        account.preload_pc = pc
    else:
        lost = record.misses * config.page_miss
        if lost:
            add(account, keys, cycles, unit, pc, g.CLASS_PAGE_MISS, -1, lost)
        add(account, keys, cycles, unit, pc, g.CLASS_BUSY, -1, e - s + 1 - lost)
        if e - s + 1 > fresh:
            add(account, keys, cycles, unit, account.preload_pc, g.CLASS_PRELOAD, -1, fresh - (e - s + 1))
    account.busy_until[unit] = max(account.busy_until[unit], e)


@njit
def _has_room_for_posts(rows: Record, account: Record, posts: Array, record: Record) -> bool:
    bit = 0
    while record.post >> bit:
        if record.post >> bit & 1:
            channel = rows.post_channel[rows.port[record.op], bit]
            if account.posted[channel] - account.waited[channel] >= posts.shape[1]:
                return False
        bit += 1
    return True


@entry
def issued(
    config: st.Config,
    rows: Record,
    account: Record,
    posts: Array,
    keys: Array,
    cycles: Array,
    spans: Array,
    chunk: Array,
    first: int,
    count: int,
) -> int:
    """Account instructions `first` to `count - 1` of a chunk; the first one that found no room for cells or posts. There
    is room for spans."""
    for index in range(first, count):
        record = chunk[index]
        if not has_room(account, keys) or not _has_room_for_posts(rows, account, posts, record):
            return index
        unit = rows.unit[record.op]
        cursor = _until_issue(config, rows, account, posts, keys, cycles, spans, record, record.s)
        _stall(account, keys, cycles, spans, record, unit, cursor, record.s, g.CLASS_BUSY, -1)  # jitter
        _beats(config, account, keys, cycles, record, unit)
        bit = 0
        while record.post >> bit:
            if record.post >> bit & 1:
                channel = rows.post_channel[rows.port[record.op], bit]
                post = posts[channel, account.posted[channel] % posts.shape[1]]
                post[POST_TIME] = record.c
                post[POST_PC] = record.pc
                account.posted[channel] += 1
            bit += 1
        if record.c >= account.complete[unit]:
            account.complete[unit] = record.c
            account.complete_pc[unit] = record.pc
        place = account.issued[unit] % config.outstanding
        account.complete_ring[unit, place] = record.c
        account.pc_ring[unit, place] = record.pc
        account.issued[unit] += 1
    return count


@entry
def rest(
    config: st.Config,
    rows: Record,
    account: Record,
    posts: Array,
    keys: Array,
    cycles: Array,
    spans: Array,
    timing: Record,
    ring: Array,
    total: int,
) -> None:
    """Account what is left up to `total`: what the oldest unissued instructions wait for, then empty queues. There is room."""
    for unit in range(st.UNITS):
        cursor = account.busy_until[unit] + 1
        number = timing.resolved[unit]
        if number < timing.dispatched[unit]:
            record = ring[unit, number % ring.shape[1]]
            cursor = _until_issue(config, rows, account, posts, keys, cycles, spans, record, total)
        if cursor < total:
            add(account, keys, cycles, unit, -1, g.CLASS_EMPTY, -1, total - cursor)
