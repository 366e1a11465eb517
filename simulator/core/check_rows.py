"""The checker's part for rows of the on-chip memories (memories.Shadow).

What is asked of every access is asked of whole banks, lines and vectors of rows; the walk's own order matters only where one is at
fault.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import marks, runs
from accelkit.simulator.core import state as st
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import PORT_PLACES, Marks, Shadow
from accelkit.simulator.core.state import Array, Config, Record


@njit
def is_other_unit(port: int, other: int) -> bool:
    """Whether two ports belong to different units: run's follows preload's, and both are the array's."""
    return port - (port >= g.PORT_RUN) != other - (other >= g.PORT_RUN)


@njit
def know(shadow: Shadow, record: Record, port: int) -> None:
    """What the instruction in hand is ordered after."""
    for other in range(st.PORTS):
        shadow.known[other] = record.clock[other] if is_other_unit(port, other) else st.FOREVER


@njit
def _span(shadow: Shadow) -> int:
    """Places that each on-chip memory has in arrays of rows."""
    return len(shadow.written) >> 1


@njit
def _first_row(shadow: Shadow, memory: int) -> int:
    """Where the marks of a memory's rows begin in `written`."""
    return memory * _span(shadow)


@njit
def _first_place(shadow: Shadow, memory: int, write: int, port: int) -> int:
    """Where the stamps of a port's reads or writes of a memory begin."""
    return ((memory * 2 + write) * st.PORTS + port) * _span(shadow)


# What nothing has written


@njit
def may_be_unwritten(config: Config, shadow: Shadow, access: Array, record: Record, number: int) -> bool:
    """Whether nothing has written some row of a walk."""
    first = _first_row(shadow, access[st.ACCESS_MEMORY])
    if record.dense >> number & 1:
        low = record.low[number]
        return not _are_written(shadow.written, first + low, record.high[number] + 1 - low)
    n0, s0, n1, s1, n2, s2, n3, s3 = runs.closest(config, access, record)
    first += record.values[access[st.ACCESS_BASE]]
    are_written = True
    for i3 in range(n3):
        for i2 in range(n2):
            for i1 in range(n1):
                are_written &= _is_run_written(shadow.written, first + i3 * s3 + i2 * s2 + i1 * s1, n0, s0)
    return not are_written


@njit
def _is_run_written(written: Array, first: int, count: int, step: int) -> bool:
    if step == 1:
        return _are_written(written, first, count)
    missing = 0
    for place in range(count):
        missing |= written[first + place * step] ^ 1
    return missing == 0


@njit
def _are_written(written: Array, first: int, count: int) -> bool:
    """Whether all of some rows, which follow one another, have been written."""
    last = first + count - v.WIDTH
    if last < first:
        few = written[first : first + count]
        missing = 0
        for place in range(len(few)):
            missing |= few[place] ^ 1
        return missing == 0
    are = v.unsigned_bytes(written, last)
    for place in range(first, last, v.WIDTH):
        are = are & v.unsigned_bytes(written, place)
    return not v.has_negative(are - v.number(1))


@njit
def first_unwritten(config: Config, shadow: Shadow, access: Array, record: Record) -> int:
    """First row of a walk that nothing has written, -1 if there is none."""
    base = _first_row(shadow, access[st.ACCESS_MEMORY])
    walk = runs.longest(config, access, record)
    for run in range(runs.count(walk)):
        first = runs.first_row(access, record, walk, run)
        for place in range(walk[0]):
            if not shadow.written[base + first + place * walk[1]]:
                return first + place * walk[1]
    return -1


# Order


@njit
def may_be_unordered(shadow: Shadow, access: Array, record: Record, number: int) -> bool:
    """Whether there may be anything to find: another unit's use, which the instruction is not ordered after, of the same port of a bank,
    or of another one and of rows near those of the access."""
    memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
    for bank in range(record.first_bank[number], record.last_bank[number] + 1):
        is_late = False
        for other in range(PORT_PLACES):
            is_late |= shadow.bank[memory, bank, other] > shadow.known[other]
            is_late |= shadow.bank[memory, bank, PORT_PLACES + other] > shadow.known[other]
        if is_late and _are_near(shadow, memory, write, bank, record.low[number], record.high[number]):
            return True
    return False


@njit
def _are_near(shadow: Shadow, memory: int, write: int, bank: int, low: int, high: int) -> bool:
    """Whether a use of a bank that is not ordered is one of its same port, or of rows from low to high or their neighbours."""
    for kind in range(2):  # a read conflicts with writes, a write with both
        for other in range(st.PORTS):
            if shadow.bank[memory, bank, PORT_PLACES * kind + other] <= shadow.known[other]:
                continue
            first = _first_place(shadow, memory, kind, other)
            if kind == write or marks.may_be_above(shadow.rows, first + low, high + 1 - low, shadow.known[other]):
                return True
    return False


@njit
def race(config: Config, shadow: Shadow, access: Array, record: Record, number: int) -> tuple[int, int, int]:
    """(row, port, stamp) of an access to the same row that this one is not ordered after; row -1 if there is none."""
    memory = access[st.ACCESS_MEMORY]
    for other in range(st.PORTS):
        if shadow.known[other] == st.FOREVER:
            continue
        for kind in range(1 - access[st.ACCESS_WRITE], 2):  # earlier reads, earlier writes
            first = _first_place(shadow, memory, kind, other)
            row = _first_above(config, shadow, access, record, number, first, shadow.known[other])
            if row >= 0:
                return row, other, marks.stamp(shadow.rows, first + row)
    return -1, -1, 0


@njit
def _first_above(config: Config, shadow: Shadow, access: Array, record: Record, number: int, first: int, known: int) -> int:
    """The first row of the walk whose stamp, in those that begin at `first`, is above `known`; -1 if there is none."""
    low = record.low[number]
    if not marks.may_be_above(shadow.rows, first + low, record.high[number] + 1 - low, known):
        return -1
    walk = runs.longest(config, access, record)
    for run in range(runs.count(walk)):
        row = runs.first_row(access, record, walk, run)
        for place in range(walk[0]):
            if marks.stamp(shadow.rows, first + row + place * walk[1]) > known:
                return row + place * walk[1]
    return -1


@njit
def bank_order(shadow: Shadow, access: Array, record: Record, number: int) -> tuple[int, int, int]:
    """(bank, port, stamp) of a use of the same port of a bank that this one is not ordered after; bank -1 if there is none."""
    uses = PORT_PLACES * access[st.ACCESS_WRITE]
    for bank in range(record.first_bank[number], record.last_bank[number] + 1):
        for other in range(st.PORTS):
            latest = shadow.bank[access[st.ACCESS_MEMORY], bank, uses + other]
            if latest > shadow.known[other]:
                return bank, other, latest
    return -1, -1, 0


# Marks


@njit
def mark(config: Config, shadow: Shadow, access: Array, record: Record, number: int, port: int) -> None:
    """Mark what an access touches."""
    memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
    for bank in range(record.first_bank[number], record.last_bank[number] + 1):
        shadow.bank[memory, bank, PORT_PLACES * write + port] = record.sequence
    stamps = _first_place(shadow, memory, write, port)
    if record.dense >> number & 1:
        low = record.low[number]
        count = record.high[number] + 1 - low
        marks.mark(shadow.rows, stamps + low, count, record.sequence)
        if write:
            v.fill(shadow.written, _first_row(shadow, memory) + low, count, 1)
        return
    base = record.values[access[st.ACCESS_BASE]]
    n0, s0, n1, s1, n2, s2, n3, s3 = runs.closest(config, access, record)
    for i3 in range(n3):
        for i2 in range(n2):
            for i1 in range(n1):
                row = base + i3 * s3 + i2 * s2 + i1 * s1
                _mark_run(shadow.rows, stamps + row, n0, s0, record.sequence)
                if write:
                    _write_run(shadow.written, _first_row(shadow, memory) + row, n0, s0)


@njit
def _mark_run(rows: Marks, first: int, count: int, step: int, sequence: int) -> None:
    if step == 1:
        marks.mark(rows, first, count, sequence)
        return
    for place in range(count):
        marks.mark_one(rows, first + place * step, sequence)


@njit
def _write_run(written: Array, first: int, count: int, step: int) -> None:
    if step == 1:
        v.fill(written, first, count, 1)
        return
    for place in range(count):
        written[first + place * step] = 1
