"""Issue: the events of queued instructions, as maxima of earlier events (docs/adr/0003), and the class of every cycle between."""

from accelkit.simulator.core import cycles, footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Rows, Timing


@njit
def has_tokens(rows: Rows, timing: Timing, unit: int, wait: int) -> bool:
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
def _is_sync(op: int) -> bool:
    return op == g.OP_SYNC_LOAD or op == g.OP_SYNC_STORE or op == g.OP_SYNC_ARRAY or op == g.OP_SYNC_VECTOR


@njit
def _scratchpad_banks(config: Config, rows: Rows, record: Array) -> tuple[int, int]:
    """First and last scratchpad bank that a preload or run reads."""
    op = record[st.R_OP]
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        if access[st.ACCESS_MEMORY] == g.MEMORY_SCRATCHPAD and footprint.takes_place(
            access, record[st.R_FLAGS]
        ):
            low, high = footprint.extent(config, op, access, record[st.R_VALUES :])
            return low // config.scratchpad_bank_rows, high // config.scratchpad_bank_rows
    return -1, -1


@njit
def _own_port(config: Config, rows: Rows, timing: Timing, unit: int, record: Array) -> int:
    """Earliest issue as far as the unit's own beats go. All cycles before are busy ones, so no class belongs to it."""
    of = timing.unit[unit]
    if unit != g.UNIT_ARRAY:
        return int(of[st.U_LAST_BEAT]) + 1
    op = record[st.R_OP]
    earliest = int(of[st.U_ISSUE]) + 1
    if op == g.OP_PRELOAD:
        low, high = _scratchpad_banks(config, rows, record)
        earliest = max(earliest, of[st.U_PRELOAD_BEAT] + 1)
        if low <= of[st.U_RUN_HIGH] and of[st.U_RUN_LOW] <= high:
            earliest = max(earliest, of[st.U_LAST_BEAT] + 1)
        of[st.U_PRELOAD_LOW] = low
        of[st.U_PRELOAD_HIGH] = high
    elif op == g.OP_RUN:
        low, high = _scratchpad_banks(config, rows, record)
        earliest = max(earliest, of[st.U_LAST_BEAT] + 1)
        if low <= of[st.U_PRELOAD_HIGH] and of[st.U_PRELOAD_LOW] <= high:
            earliest = max(earliest, of[st.U_PRELOAD_BEAT] + 1)
        of[st.U_RUN_LOW] = low
        of[st.U_RUN_HIGH] = high
    return earliest


@njit
def _stall(classes: Array, cursor: int, until: int, cls: int) -> int:
    """Give the cycles from cursor to until - 1 to a class; the new cursor."""
    if until > cursor:
        classes[cls] += until - cursor
        return until
    return cursor


@njit
def _take_tokens(rows: Rows, timing: Timing, unit: int, wait: int, cursor: int) -> tuple[int, int]:
    """Take the posts that the waits stand for: order after them, account the cycles until they were there; (cursor, earliest issue)."""
    earliest = 0
    for port in range(timing.clock.shape[1]):
        ready = 0
        for bit in range(rows.wait_channel.shape[1]):
            if wait >> bit & 1:
                channel = rows.wait_channel[unit, bit]
                if rows.channel_producer[channel] == port:
                    place = timing.waited[channel] % timing.post_time.shape[1]
                    timing.waited[channel] += 1
                    ready = max(ready, timing.post_time[channel, place] + 1)
                    for other in range(timing.clock.shape[1]):
                        known = timing.post_clock[channel, place, other]
                        timing.clock[unit, other] = max(timing.clock[unit, other], known)
        cursor = _stall(timing.unit_class[unit], cursor, ready, g.CLASS_WAIT_LOAD + port)
        earliest = max(earliest, ready)
    return cursor, earliest


@njit
def _beats(config: Config, timing: Timing, record: Array) -> tuple[int, int, int]:
    """(e, c, page misses) of an instruction that issues at record[R_S], by the cycle rule of its row."""
    op = record[st.R_OP]
    s = record[st.R_S]
    values = record[st.R_VALUES :]
    scalar = timing.scalar
    misses = 0
    if op == g.OP_RUN:
        e, c = cycles.run(config, s, values[g.SLOT_RUN_ROWS], values[g.SLOT_RUN_PLANES])
    elif op == g.OP_PRELOAD:
        e, c = cycles.preload(config, s, record[st.R_FLAGS] & g.FLAG_PRELOAD_TRANSPOSED != 0)
    elif op == g.OP_REQUANTISE:
        e, c = cycles.requantise(config, s, values[g.SLOT_REQUANTISE_ROWS], values[g.SLOT_REQUANTISE_PLANES])
    elif op == g.OP_LOAD_B:
        e, c, scalar[st.S_OPEN_READ_PAGE], misses = cycles.load_bytes(
            config, s, values, scalar[st.S_OPEN_READ_PAGE]
        )
    elif op == g.OP_LOAD_W:
        e, c, scalar[st.S_OPEN_READ_PAGE], misses = cycles.load_words(
            config, s, values, scalar[st.S_OPEN_READ_PAGE]
        )
    elif op == g.OP_STORE_B:
        e, c, scalar[st.S_OPEN_WRITE_PAGE], misses = cycles.store_bytes(
            config, s, values, scalar[st.S_OPEN_WRITE_PAGE]
        )
    elif op == g.OP_STORE_W:
        e, c, scalar[st.S_OPEN_WRITE_PAGE], misses = cycles.store_words(
            config, s, values, scalar[st.S_OPEN_WRITE_PAGE]
        )
    elif op == g.OP_FILL_B or op == g.OP_FILL_W:
        e, c = cycles.fill(config, s, values[g.SLOT_FILL_B_ROWS], values[g.SLOT_FILL_B_PLANES])
    else:
        e, c = cycles.sync(s)
    return e, c, misses


@njit
def _account_beats(config: Config, timing: Timing, unit: int, record: Array, misses: int) -> None:
    """Give the cycles of the beats to BUSY, PAGE_MISS and (array, where no run streams beside) PRELOAD."""
    classes = timing.unit_class[unit]
    of = timing.unit[unit]
    s = record[st.R_S]
    e = record[st.R_E]
    fresh = max(
        0, e - max(s - 1, of[st.U_BUSY_UNTIL])
    )  # cycles in which nothing of the unit has moved a beat yet
    if record[st.R_OP] == g.OP_PRELOAD:
        classes[g.CLASS_PRELOAD] += fresh
    else:
        lost = misses * config.page_miss
        classes[g.CLASS_PAGE_MISS] += lost
        classes[g.CLASS_BUSY] += e - s + 1 - lost
        classes[g.CLASS_PRELOAD] -= (
            e - s + 1 - fresh
        )  # a run took over cycles counted for the preload beside it
    of[st.U_BUSY_UNTIL] = max(of[st.U_BUSY_UNTIL], e)


@njit
def _post(rows: Rows, timing: Timing, unit: int, port: int, record: Array) -> None:
    """Make the instruction's posts: at its completion everything known at its issue, and its port's work so far, is complete."""
    post = record[st.R_POST]
    for bit in range(rows.post_channel.shape[1]):
        if post >> bit & 1:
            channel = rows.post_channel[port, bit]
            place = timing.posted[channel] % timing.post_time.shape[1]
            timing.posted[channel] += 1
            timing.post_time[channel, place] = record[st.R_C]
            known = timing.post_clock[channel, place]
            for other in range(timing.clock.shape[1]):
                known[other] = timing.clock[unit, other]
            known[port] = timing.sequence[port]
            if port == g.PORT_RUN:
                known[g.PORT_PRELOAD] = timing.sequence[
                    g.PORT_PRELOAD
                ]  # a run completes after every preload before it


@njit
def resolve(config: Config, rows: Rows, timing: Timing, unit: int) -> None:
    """Give the unit's oldest unresolved instruction its events; its tokens are there (`has_tokens`)."""
    number = timing.resolved[unit]
    record = timing.ring[unit, number % timing.ring.shape[1]]
    op = record[st.R_OP]
    port = rows.port[op]
    of = timing.unit[unit]
    classes = timing.unit_class[unit]

    s = of[st.U_ISSUE] + 1 if _is_sync(op) else _own_port(config, rows, timing, unit, record)
    cursor = _stall(classes, of[st.U_BUSY_UNTIL] + 1, record[st.R_D] + 1, g.CLASS_EMPTY)
    s = max(s, record[st.R_D] + 1)
    if unit == g.UNIT_VECTOR or _is_sync(op):
        cursor = _stall(classes, cursor, of[st.U_COMPLETE] + 1, g.CLASS_DRAIN)
        s = max(s, of[st.U_COMPLETE] + 1)
    if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:
        free = timing.complete_ring[unit, number % config.outstanding] + 1
        cursor = _stall(classes, cursor, free, g.CLASS_OUTSTANDING)
        s = max(s, free)
    cursor, tokens = _take_tokens(rows, timing, unit, record[st.R_WAIT], cursor)
    s = max(s, tokens)
    record[st.R_S] = s
    e, c, misses = _beats(config, timing, record)
    record[st.R_E] = e
    record[st.R_C] = c
    _account_beats(config, timing, unit, record, misses)

    timing.sequence[port] += 1
    record[st.R_SEQUENCE] = timing.sequence[port]
    for other in range(timing.clock.shape[1]):
        record[st.R_CLOCK + other] = timing.clock[unit, other]
    _post(rows, timing, unit, port, record)
    of[st.U_ISSUE] = s
    if op == g.OP_PRELOAD:
        of[st.U_PRELOAD_BEAT] = e
    else:
        of[st.U_LAST_BEAT] = e
    of[st.U_COMPLETE] = max(of[st.U_COMPLETE], c)
    timing.scalar[st.S_LAST_EVENT] = max(timing.scalar[st.S_LAST_EVENT], c)
    timing.issue_ring[unit, number % config.queue_depth] = s
    timing.complete_ring[unit, number % config.outstanding] = c
    timing.resolved[unit] = number + 1
    if timing.scalar[st.S_TRACING]:
        timing.trace[record[st.R_NUMBER], 2] = s
        timing.trace[record[st.R_NUMBER], 3] = e
        timing.trace[record[st.R_NUMBER], 4] = c


@njit
def account_rest(config: Config, rows: Rows, timing: Timing, unit: int, total: int) -> None:
    """Give the cycles after the unit's last beat to their classes: EMPTY, or in a deadlock what its oldest instruction waits for."""
    classes = timing.unit_class[unit]
    of = timing.unit[unit]
    cursor = of[st.U_BUSY_UNTIL] + 1
    number = timing.resolved[unit]
    if number < timing.dispatched[unit]:
        record = timing.ring[unit, number % timing.ring.shape[1]]
        cursor = _stall(classes, cursor, min(total, record[st.R_D] + 1), g.CLASS_EMPTY)
        if unit == g.UNIT_VECTOR or _is_sync(record[st.R_OP]):
            cursor = _stall(classes, cursor, min(total, of[st.U_COMPLETE] + 1), g.CLASS_DRAIN)
        if unit == g.UNIT_LOAD or unit == g.UNIT_STORE:
            free = timing.complete_ring[unit, number % config.outstanding] + 1
            cursor = _stall(classes, cursor, min(total, free), g.CLASS_OUTSTANDING)
        for port in range(timing.clock.shape[1]):
            ready = _known_until(rows, timing, unit, record[st.R_WAIT], port, total)
            cursor = _stall(classes, cursor, min(total, ready), g.CLASS_WAIT_LOAD + port)
    _stall(classes, cursor, total, g.CLASS_EMPTY)


@njit
def _known_until(rows: Rows, timing: Timing, unit: int, wait: int, port: int, total: int) -> int:
    """First cycle in which no wait on the port is unmet; `total` if one stays so."""
    ready = 0
    for bit in range(rows.wait_channel.shape[1]):
        if wait >> bit & 1:
            channel = rows.wait_channel[unit, bit]
            if rows.channel_producer[channel] == port:
                if timing.waited[channel] >= timing.posted[channel]:
                    return total
                ready = max(
                    ready, timing.post_time[channel, timing.waited[channel] % timing.post_time.shape[1]] + 1
                )
    return ready
