"""The checker's part for rows of the on-chip memories (memories.Shadow).

A walk without gaps is looked at from its lowest to its highest row, with no way out in the middle: many rows at a time. Views begin at
0, for the compiler can't know that another beginning is not negative. Other walks, and one that is at fault, go in their own order.
"""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit_bare
from accelkit.simulator.core.memories import GROUP_SHIFT
from accelkit.simulator.core.state import Array, Config, Record

Runs = tuple[int, int, int, int, int, int, int, int]


@njit_bare
def is_other_unit(port: int, other: int) -> bool:
    """Whether two ports belong to different units: run's follows preload's, and both are the array's."""
    return port - (port >= g.PORT_RUN) != other - (other >= g.PORT_RUN)


@njit_bare
def _runs(config: Config, access: Array, record: Record) -> Runs:
    """The four levels of an on-chip walk, counts and steps; the longest one first, so that most rows are in one loop."""
    n0, s0 = footprint.level_or_one(config, record, access, 0)
    n1, s1 = footprint.level_or_one(config, record, access, 1)
    n2, s2 = footprint.level_or_one(config, record, access, 2)
    n3, s3 = footprint.level_or_one(config, record, access, 3)
    if n1 > n0:
        n0, s0, n1, s1 = n1, s1, n0, s0
    if n2 > n0:
        n0, s0, n2, s2 = n2, s2, n0, s0
    if n3 > n0:
        n0, s0, n3, s3 = n3, s3, n0, s0
    return n0, s0, n1, s1, n2, s2, n3, s3


@njit_bare
def _run_count(runs: Runs) -> int:
    return runs[2] * runs[4] * runs[6]


@njit_bare
def _first_of_run(access: Array, record: Record, runs: Runs, number: int) -> int:
    """First row of the number-th run of equal steps."""
    _, _, n1, s1, n2, s2, _, s3 = runs
    outer = number // n1
    offset = number % n1 * s1 + outer % n2 * s2 + outer // n2 * s3
    return int(record.values[access[st.ACCESS_BASE]] + offset)


@njit_bare
def _are_all_written(written: Array) -> bool:
    missing = 0
    for place in range(len(written)):
        missing |= written[place] ^ 1
    return missing == 0


@njit_bare
def first_unwritten(config: Config, access: Array, record: Record, number: int, written: Array) -> int:
    """First row of a walk that nothing has written, -1 if there is none."""
    base = access[st.ACCESS_MEMORY] * (len(written) // 2)
    if record.dense >> number & 1 and _are_all_written(
        written[base + record.low[number] : base + record.high[number] + 1]
    ):
        return -1
    runs = _runs(config, access, record)
    for run in range(_run_count(runs)):
        first = _first_of_run(access, record, runs, run)
        for place in range(runs[0]):
            if not written[base + first + place * runs[1]]:
                return first + place * runs[1]
    return -1


@njit_bare
def _stamps_of(stamps: Array, memory: int, write: int, port: int) -> tuple[int, int]:
    """First place and end of the stamps of a port's reads or writes, by row."""
    span = len(stamps) // (4 * st.PORTS)
    first = ((memory * 2 + write) * st.PORTS + port) * span
    return first, first + span


@njit_bare
def _newest(stamps: Array) -> int:
    newest = 0
    for place in range(len(stamps)):
        newest = max(newest, stamps[place])
    return newest


@njit_bare
def is_unordered(access: Array, record: Record, number: int, port: int, groups: Array, bank: Array) -> bool:
    """Whether there may be anything to find: a use of the same bank port, or of rows near those of the access, by another unit that it
    is not ordered after."""
    memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
    is_found = False
    for place in range(record.first_bank[number], record.last_bank[number] + 1):
        for other in range(st.PORTS):
            is_found |= (bank[memory, write, place, other] > record.clock[other]) & is_other_unit(port, other)
    for kind in range(1 - write, 2):  # a read conflicts with writes, a write with both
        for group in range(record.low[number] >> GROUP_SHIFT, (record.high[number] >> GROUP_SHIFT) + 1):
            for other in range(st.PORTS):
                is_found |= (groups[memory, kind, group, other] > record.clock[other]) & is_other_unit(port, other)
    return is_found


@njit_bare
def race(
    config: Config, access: Array, record: Record, number: int, port: int, stamps: Array
) -> tuple[int, int, int]:
    """(row, port, stamp) of an access to the same row that this one is not ordered after; row -1 if there is none."""
    memory = access[st.ACCESS_MEMORY]
    for other in range(st.PORTS):
        if not is_other_unit(port, other):
            continue
        for kind in range(1 - access[st.ACCESS_WRITE], 2):  # earlier reads, earlier writes
            first, end = _stamps_of(stamps, memory, kind, other)
            theirs = stamps[first:end]
            row = _first_above(config, access, record, number, theirs, record.clock[other])
            if row >= 0:
                return row, other, theirs[row]
    return -1, -1, 0


@njit_bare
def _first_above(config: Config, access: Array, record: Record, number: int, stamps: Array, known: int) -> int:
    """The first row of the walk that has a stamp above `known`, -1 if there is none."""
    if record.dense >> number & 1 and _newest(stamps[record.low[number] : record.high[number] + 1]) <= known:
        return -1
    runs = _runs(config, access, record)
    for run in range(_run_count(runs)):
        first = _first_of_run(access, record, runs, run)
        for place in range(runs[0]):
            if stamps[first + place * runs[1]] > known:
                return first + place * runs[1]
    return -1


@njit_bare
def bank_order(access: Array, record: Record, number: int, port: int, bank: Array) -> tuple[int, int, int]:
    """(bank, port, stamp) of a use of the same port of a bank that this one is not ordered after; bank -1 if there is none."""
    memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
    for place in range(record.first_bank[number], record.last_bank[number] + 1):
        for other in range(st.PORTS):
            latest = bank[memory, write, place, other]
            if latest > record.clock[other] and is_other_unit(port, other):
                return place, other, latest
    return -1, -1, 0


@njit_bare
def mark(
    config: Config,
    access: Array,
    record: Record,
    number: int,
    port: int,
    bank: Array,
    groups: Array,
    stamps: Array,
    written: Array,
) -> None:
    """Mark what an access touches."""
    memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
    sequence = record.sequence
    for place in range(record.first_bank[number], record.last_bank[number] + 1):
        bank[memory, write, place, port] = sequence
    for group in range(record.low[number] >> GROUP_SHIFT, (record.high[number] >> GROUP_SHIFT) + 1):
        groups[memory, write, group, port] = sequence
    base = memory * (len(written) // 2)
    first, end = _stamps_of(stamps, memory, write, port)
    mine = stamps[first:end]
    if record.dense >> number & 1:
        low, end = record.low[number], record.high[number] + 1
        touched = mine[low:end]
        for place in range(len(touched)):
            touched[place] = sequence
        if write:
            fresh = written[base + low : base + end]
            for place in range(len(fresh)):
                fresh[place] = 1
        return
    runs = _runs(config, access, record)
    for run in range(_run_count(runs)):
        first = _first_of_run(access, record, runs, run)
        for place in range(runs[0]):
            mine[first + place * runs[1]] = sequence
        if write:
            for place in range(runs[0]):
                written[base + first + place * runs[1]] = 1
