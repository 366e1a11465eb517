"""The checker: races, unordered bank use, reads of what nothing wrote, DRAM outside buffers (docs/adr/0003).

Instructions come in order of issue. An earlier access of another port is ordered before this one exactly if its number on that port
is at most what the instruction knows to be complete at its issue (`record.clock`); of each port only the latest access of a place
matters, for the completion of one implies that of all before it. The latest use of a bank by a port says at once when none of its
rows need a look.
"""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Array, Config, Record


@njit
def note(
    shadow: Shadow, cls: int, index: int, value: int, limit: int, place: int, port: int, number: int
) -> bool:
    """Note a checker fault; always True."""
    fault = shadow.fault
    fault[mem.F_CLASS] = cls
    fault[mem.F_INDEX] = index
    fault[mem.F_VALUE] = value
    fault[mem.F_LIMIT] = limit
    fault[mem.F_PLACE] = place
    fault[mem.F_OTHER_PORT] = port
    fault[mem.F_OTHER_NUMBER] = number
    return True


@njit
def check(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    """Check one instruction before it executes, then mark its accesses; True (and noted in `shadow.fault`) if it is at fault."""
    accesses = rows.access[record.op]
    count = rows.accesses[record.op]
    for number in range(count):
        on_dram = accesses[number, st.ACCESS_MEMORY] == g.MEMORY_DRAM
        if on_dram and _buffer_fault(config, shadow, accesses[number], record, index):
            return True
    for number in range(count):
        access = accesses[number]
        is_read = not access[st.ACCESS_WRITE] and footprint.takes_place(access, record.flag_bits)
        if is_read and _unwritten(config, shadow, access, record, index):
            return True
    for number in range(count):
        access = accesses[number]
        if footprint.takes_place(access, record.flag_bits) and _race(
            config, rows, shadow, access, record, index
        ):
            return True
    for number in range(count):
        access = accesses[number]
        on_chip = access[st.ACCESS_MEMORY] != g.MEMORY_DRAM and footprint.takes_place(
            access, record.flag_bits
        )
        if on_chip and _bank_order(config, rows, shadow, access, record, index):
            return True
    for number in range(count):
        access = accesses[number]
        if footprint.takes_place(access, record.flag_bits):
            _mark(config, rows, shadow, access, record)
    return False


@njit
def _is_other_unit(rows: Record, port: int, other: int) -> bool:
    """Whether two ports belong to different units (preload and run are both the array's)."""
    of_array = (port == g.PORT_PRELOAD or port == g.PORT_RUN) and (
        other == g.PORT_PRELOAD or other == g.PORT_RUN
    )
    return port != other and not of_array


# On-chip rows: stamps are [ports, rows]; runs of equal steps are looked at in one loop each.


@njit
def _above(stamps: Array, first: int, count: int, step: int, known: int) -> int:
    """First row of a run of rows with a stamp above `known`, -1 if there is none."""
    for place in range(count):
        if stamps[first + place * step] > known:
            return first + place * step
    return -1


@njit
def _unwritten_row(written: Array, first: int, count: int, step: int) -> int:
    """First row of a run of rows that has not been written, -1 if there is none."""
    for place in range(count):
        if not written[first + place * step]:
            return first + place * step
    return -1


Runs = tuple[int, int, int, int, int, int, int, int]


@njit
def _level(config: Config, access: Array, record: Record, number: int) -> tuple[int, int]:
    """Count and step of a level, of one step if the walk has no such level."""
    if number >= access[st.ACCESS_LEVELS]:
        return 1, 0
    return footprint.level(config, record.op, access, record.values, number)


@njit
def _runs(config: Config, access: Array, record: Record) -> Runs:
    """The four levels of an on-chip walk, counts and steps; the longest one first, so that most rows are in one loop."""
    n0, s0 = _level(config, access, record, 0)
    n1, s1 = _level(config, access, record, 1)
    n2, s2 = _level(config, access, record, 2)
    n3, s3 = _level(config, access, record, 3)
    if n1 > n0:
        n0, s0, n1, s1 = n1, s1, n0, s0
    if n2 > n0:
        n0, s0, n2, s2 = n2, s2, n0, s0
    if n3 > n0:
        n0, s0, n3, s3 = n3, s3, n0, s0
    return n0, s0, n1, s1, n2, s2, n3, s3


@njit
def _run_count(runs: Runs) -> int:
    return runs[2] * runs[4] * runs[6]


@njit
def _first_of_run(access: Array, record: Record, runs: Runs, number: int) -> int:
    """First row of the number-th run of equal steps."""
    _, _, n1, s1, n2, s2, _, s3 = runs
    outer = number // n1
    offset = number % n1 * s1 + outer % n2 * s2 + outer // n2 * s3
    return int(record.values[access[st.ACCESS_BASE]] + offset)


@njit
def _unwritten(config: Config, shadow: Shadow, access: Array, record: Record, index: int) -> bool:
    memory = access[st.ACCESS_MEMORY]
    if memory == g.MEMORY_DRAM:
        return _dram(config, shadow, access, record, index, g.FAULT_UNINITIALISED)
    written = shadow.scratchpad_written if memory == g.MEMORY_SCRATCHPAD else shadow.accumulator_written
    runs = _runs(config, access, record)
    count, step = runs[0], runs[1]
    for number in range(_run_count(runs)):
        row = _unwritten_row(written, _first_of_run(access, record, runs, number), count, step)
        if row >= 0:
            return note(shadow, g.FAULT_UNINITIALISED, index, row, 0, memory, -1, 0)
    return False


@njit
def _race(config: Config, rows: Record, shadow: Shadow, access: Array, record: Record, index: int) -> bool:
    memory = access[st.ACCESS_MEMORY]
    if memory == g.MEMORY_DRAM:
        return _dram(config, shadow, access, record, index, g.FAULT_RACE)
    port = rows.port[record.op]
    low, high = footprint.extent(config, record.op, access, record.values)
    per_bank = footprint.bank_rows(config, memory)
    first_bank, last_bank = low // per_bank, high // per_bank
    on_scratchpad = memory == g.MEMORY_SCRATCHPAD
    writes = shadow.scratchpad_write if on_scratchpad else shadow.accumulator_write
    reads = shadow.scratchpad_read if on_scratchpad else shadow.accumulator_read
    for other in range(st.PORTS):
        if not _is_other_unit(rows, port, other):
            continue
        known = record.clock[other]
        for kind in range(2):  # earlier reads, earlier writes
            if kind == 0 and not access[st.ACCESS_WRITE]:
                continue
            latest = 0
            for bank in range(first_bank, last_bank + 1):
                latest = max(latest, shadow.bank[memory, kind, bank, other])
            if latest > known:
                stamps = writes[other] if kind else reads[other]
                row = _race_row(config, access, record, stamps, known)
                if row >= 0:
                    return note(shadow, g.FAULT_RACE, index, row, 0, memory, other, stamps[row])
    return False


@njit
def _race_row(config: Config, access: Array, record: Record, stamps: Array, known: int) -> int:
    """The first row of the walk that has a stamp above `known`, -1 if there is none."""
    runs = _runs(config, access, record)
    count, step = runs[0], runs[1]
    for number in range(_run_count(runs)):
        row = _above(stamps, _first_of_run(access, record, runs, number), count, step, known)
        if row >= 0:
            return row
    return -1


@njit
def _bank_order(
    config: Config, rows: Record, shadow: Shadow, access: Array, record: Record, index: int
) -> bool:
    memory = access[st.ACCESS_MEMORY]
    write = access[st.ACCESS_WRITE]
    port = rows.port[record.op]
    low, high = footprint.extent(config, record.op, access, record.values)
    per_bank = footprint.bank_rows(config, memory)
    for bank in range(low // per_bank, high // per_bank + 1):
        for other in range(st.PORTS):
            latest = shadow.bank[memory, write, bank, other]
            if latest > record.clock[other] and _is_other_unit(rows, port, other):
                return note(shadow, g.FAULT_BANK_ORDER, index, bank, write, memory, other, latest)
    return False


@njit
def _mark(config: Config, rows: Record, shadow: Shadow, access: Array, record: Record) -> None:
    memory = access[st.ACCESS_MEMORY]
    if memory == g.MEMORY_DRAM:
        _dram(config, shadow, access, record, 0, 0)
        return
    port = rows.port[record.op]
    write = access[st.ACCESS_WRITE]
    low, high = footprint.extent(config, record.op, access, record.values)
    per_bank = footprint.bank_rows(config, memory)
    for bank in range(low // per_bank, high // per_bank + 1):
        shadow.bank[memory, write, bank, port] = record.sequence
    on_scratchpad = memory == g.MEMORY_SCRATCHPAD
    written = shadow.scratchpad_written if on_scratchpad else shadow.accumulator_written
    if write:
        stamps = shadow.scratchpad_write[port] if on_scratchpad else shadow.accumulator_write[port]
    else:
        stamps = shadow.scratchpad_read[port] if on_scratchpad else shadow.accumulator_read[port]
    runs = _runs(config, access, record)
    count, step = runs[0], runs[1]
    for number in range(_run_count(runs)):
        first = _first_of_run(access, record, runs, number)
        for place in range(count):
            stamps[first + place * step] = record.sequence
        if write:
            for place in range(count):
                written[first + place * step] = True


# DRAM: only the load unit reads it, only the store unit writes it.


@njit
def buffer_of(shadow: Shadow, low: int, high: int) -> int:
    """The declared buffer that holds all bytes from low to high, -1 if none does."""
    buffers = shadow.buffers
    first, last = 0, buffers.shape[0]
    while first < last:
        middle = (first + last) // 2
        if buffers[middle, 0] <= low:
            first = middle + 1
        else:
            last = middle
    if first == 0 or high >= buffers[first - 1, 1]:
        return -1
    return first - 1


@njit
def _dram_row(config: Config, access: Array, record: Record, number: int) -> int:
    """First byte of the number-th DRAM row of a walk, rows innermost."""
    inner, stride = footprint.level(config, record.op, access, record.values, 0)
    _, plane_stride = footprint.level(config, record.op, access, record.values, 1)
    base = int(record.values[access[st.ACCESS_BASE]])
    return base + number // inner * plane_stride + number % inner * stride


@njit
def _dram_rows(config: Config, access: Array, record: Record) -> int:
    inner, _ = footprint.level(config, record.op, access, record.values, 0)
    planes, _ = footprint.level(config, record.op, access, record.values, 1)
    return inner * planes


@njit
def _buffer_fault(config: Config, shadow: Shadow, access: Array, record: Record, index: int) -> bool:
    low, high = footprint.extent(config, record.op, access, record.values)
    whole = buffer_of(shadow, low, high)
    if whole >= 0 and (shadow.buffers[whole, 2] or not access[st.ACCESS_WRITE]):
        return False
    for number in range(_dram_rows(config, access, record)):
        first = _dram_row(config, access, record, number)
        last = first + record.values[g.SLOT_LOAD_B_BYTES] - 1
        buffer = buffer_of(shadow, first, last)
        if buffer < 0 or (access[st.ACCESS_WRITE] and not shadow.buffers[buffer, 2]):
            return note(shadow, g.FAULT_BUFFER, index, first, last, buffer, -1, 0)
    return False


@njit
def _dram(config: Config, shadow: Shadow, access: Array, record: Record, index: int, test: int) -> bool:
    """One test of a DRAM access, row by row: UNINITIALISED, RACE, or (0) mark the bytes. Inputs can't be written: no look needed."""
    is_write = access[st.ACCESS_WRITE] != 0
    stamps = shadow.loaded if is_write else shadow.stored  # of the other unit
    port = g.PORT_LOAD if is_write else g.PORT_STORE
    nbytes = record.values[g.SLOT_LOAD_B_BYTES]
    low, high = footprint.extent(config, record.op, access, record.values)
    whole = buffer_of(shadow, low, high)
    if whole >= 0 and not shadow.buffers[whole, 2]:
        return False
    for number in range(_dram_rows(config, access, record)):
        first = _dram_row(config, access, record, number)
        buffer = whole if whole >= 0 else buffer_of(shadow, first, first + nbytes - 1)
        if not shadow.buffers[buffer, 2]:
            continue
        start = shadow.buffers[buffer, 3] + first - shadow.buffers[buffer, 0]
        if test == 0:
            mine = shadow.stored if is_write else shadow.loaded
            for place in range(start, start + nbytes):
                mine[place] = record.sequence
            continue
        if test == g.FAULT_RACE:
            place = _above(stamps, start, nbytes, 1, record.clock[port])
        else:
            place = _never_stored(shadow.stored, start, nbytes)
        if place >= 0:
            number_of_other = stamps[place] if test == g.FAULT_RACE else 0
            other = port if test == g.FAULT_RACE else -1
            return note(shadow, test, index, first + place - start, 0, g.MEMORY_DRAM, other, number_of_other)
    return False


@njit
def _never_stored(stored: Array, first: int, count: int) -> int:
    """First byte of a range that has not been written, -1 if there is none."""
    for place in range(first, first + count):
        if stored[place] == 0:
            return place
    return -1
