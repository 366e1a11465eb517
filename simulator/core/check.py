"""The checker: races, unordered bank use, reads of what nothing wrote, DRAM outside buffers (docs/adr/0003).

Instructions come in order of issue. An earlier access of another port is ordered before this one exactly if its number on that port
is at most what the instruction knows to be complete at its issue (`R_CLOCK`); of each port only the latest access of a row matters,
for the completion of one implies that of all before it.
"""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Array, Config, Rows


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
def _is_other_unit(rows: Rows, port: int, other: int) -> bool:
    """Whether two ports belong to different units (preload and run are both the array's)."""
    of_array = (port == g.PORT_PRELOAD or port == g.PORT_RUN) and (
        other == g.PORT_PRELOAD or other == g.PORT_RUN
    )
    return port != other and not of_array


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
def _dram_rows(config: Config, op: int, access: Array, values: Array, number: int) -> int:
    """First byte of the number-th DRAM row of a walk, rows innermost."""
    inner, stride = footprint.level(config, op, access, values, 0)
    _, plane_stride = footprint.level(config, op, access, values, 1)
    return int(values[access[st.ACCESS_BASE]]) + number // inner * plane_stride + number % inner * stride


@njit
def _check_buffer(config: Config, shadow: Shadow, access: Array, record: Array, index: int) -> bool:
    op = record[st.R_OP]
    values = record[st.R_VALUES :]
    inner, _ = footprint.level(config, op, access, values, 0)
    planes, _ = footprint.level(config, op, access, values, 1)
    low, high = footprint.extent(config, op, access, values)
    whole = buffer_of(shadow, low, high)
    if whole >= 0 and (shadow.buffers[whole, 2] or not access[st.ACCESS_WRITE]):
        return False
    for number in range(inner * planes):
        first = _dram_rows(config, op, access, values, number)
        last = first + values[g.SLOT_LOAD_B_BYTES] - 1
        buffer = buffer_of(shadow, first, last)
        if buffer < 0 or (access[st.ACCESS_WRITE] and not shadow.buffers[buffer, 2]):
            return note(shadow, g.FAULT_BUFFER, index, first, last, buffer, -1, 0)
    return False


@njit
def _dram(config: Config, shadow: Shadow, access: Array, record: Array, index: int, test: int) -> bool:
    """One test of a DRAM access, byte by byte: UNINITIALISED, RACE, or (0) mark the bytes."""
    op = record[st.R_OP]
    values = record[st.R_VALUES :]
    is_write = access[st.ACCESS_WRITE] != 0
    inner, _ = footprint.level(config, op, access, values, 0)
    planes, _ = footprint.level(config, op, access, values, 1)
    known_store = record[st.R_CLOCK + g.PORT_STORE]
    known_load = record[st.R_CLOCK + g.PORT_LOAD]
    for number in range(inner * planes):
        first = _dram_rows(config, op, access, values, number)
        buffer = buffer_of(shadow, first, first + values[g.SLOT_LOAD_B_BYTES] - 1)
        if not shadow.buffers[buffer, 2]:
            continue
        start = shadow.buffers[buffer, 3] + first - shadow.buffers[buffer, 0]
        for place in range(start, start + values[g.SLOT_LOAD_B_BYTES]):
            if test == g.FAULT_UNINITIALISED:
                if not is_write and shadow.stored[place] < 0:
                    return note(shadow, test, index, first + place - start, 0, g.MEMORY_DRAM, -1, 0)
            elif test == g.FAULT_RACE:
                if is_write and shadow.loaded[place] > known_load:
                    return note(
                        shadow,
                        test,
                        index,
                        first + place - start,
                        0,
                        g.MEMORY_DRAM,
                        g.PORT_LOAD,
                        shadow.loaded[place],
                    )
                if not is_write and shadow.stored[place] > known_store:
                    return note(
                        shadow,
                        test,
                        index,
                        first + place - start,
                        0,
                        g.MEMORY_DRAM,
                        g.PORT_STORE,
                        shadow.stored[place],
                    )
            elif is_write:
                shadow.stored[place] = record[st.R_SEQUENCE]
            else:
                shadow.loaded[place] = record[st.R_SEQUENCE]
    return False


@njit
def _row_test(
    rows: Rows,
    written: Array,
    writes: Array,
    reads: Array,
    is_write: bool,
    record: Array,
    port: int,
    row: int,
    test: int,
) -> int:
    """Test or mark one on-chip row; -1 if all is well, else the port it collides with (or 0 for UNINITIALISED)."""
    if test == g.FAULT_UNINITIALISED:
        return 0 if not is_write and not written[row] else -1
    if test == g.FAULT_RACE:
        for other in range(writes.shape[0]):
            if _is_other_unit(rows, port, other):
                known = record[st.R_CLOCK + other]
                if writes[other, row] > known or (is_write and reads[other, row] > known):
                    return other
        return -1
    if is_write:
        writes[port, row] = record[st.R_SEQUENCE]
        written[row] = True
    else:
        reads[port, row] = record[st.R_SEQUENCE]
    return -1


@njit
def _walk(
    config: Config, rows: Rows, shadow: Shadow, access: Array, record: Array, index: int, test: int
) -> bool:
    """One test of an access, row by row (DRAM: byte by byte); test 0 marks."""
    memory = access[st.ACCESS_MEMORY]
    if memory == g.MEMORY_DRAM:
        return _dram(config, shadow, access, record, index, test)
    op = record[st.R_OP]
    values = record[st.R_VALUES :]
    is_write = access[st.ACCESS_WRITE] != 0
    if memory == g.MEMORY_SCRATCHPAD:
        written, writes, reads = shadow.scratchpad_written, shadow.scratchpad_write, shadow.scratchpad_read
    else:
        written, writes, reads = shadow.accumulator_written, shadow.accumulator_write, shadow.accumulator_read
    port = rows.port[op]
    levels = access[st.ACCESS_LEVELS]
    count0, step0 = footprint.level(config, op, access, values, 0)
    count1, step1 = footprint.level(config, op, access, values, 1) if levels > 1 else (1, 0)
    count2, step2 = footprint.level(config, op, access, values, 2) if levels > 2 else (1, 0)
    for i in range(count2):
        for j in range(count1):
            for k in range(count0):
                row = values[access[st.ACCESS_BASE]] + i * step2 + j * step1 + k * step0
                other = _row_test(rows, written, writes, reads, is_write, record, port, row, test)
                if other >= 0:
                    number = 0
                    if test == g.FAULT_RACE:
                        number = max(writes[other, row], reads[other, row] if is_write else 0)
                    return note(shadow, test, index, row, 0, memory, other, number)
    return False


@njit
def _bank_order(
    config: Config, rows: Rows, shadow: Shadow, access: Array, record: Array, index: int, is_marking: bool
) -> bool:
    memory = access[st.ACCESS_MEMORY]
    if memory == g.MEMORY_DRAM:
        return False
    op = record[st.R_OP]
    port = rows.port[op]
    write = access[st.ACCESS_WRITE]
    low, high = footprint.extent(config, op, access, record[st.R_VALUES :])
    per_bank = footprint.bank_rows(config, memory)
    for bank in range(low // per_bank, high // per_bank + 1):
        users = shadow.bank[memory, write, bank]
        if is_marking:
            users[port] = record[st.R_SEQUENCE]
            continue
        for other in range(users.shape[0]):
            if _is_other_unit(rows, port, other) and users[other] > record[st.R_CLOCK + other]:
                return note(shadow, g.FAULT_BANK_ORDER, index, bank, write, memory, other, users[other])
    return False


@njit
def check(config: Config, rows: Rows, shadow: Shadow, record: Array, index: int) -> bool:
    """Check one instruction before it executes, then mark its accesses; True (and noted in `shadow.fault`) if it is at fault."""
    op = record[st.R_OP]
    accesses = rows.access[op, : rows.accesses[op]]
    flags = record[st.R_FLAGS]
    for number in range(len(accesses)):
        access = accesses[number]
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM and _check_buffer(config, shadow, access, record, index):
            return True
    for test in (g.FAULT_UNINITIALISED, g.FAULT_RACE):
        for number in range(len(accesses)):
            if footprint.takes_place(accesses[number], flags) and _walk(
                config, rows, shadow, accesses[number], record, index, test
            ):
                return True
    for is_marking in (False, True):
        for number in range(len(accesses)):
            if footprint.takes_place(accesses[number], flags) and _bank_order(
                config, rows, shadow, accesses[number], record, index, is_marking
            ):
                return True
    for number in range(len(accesses)):
        if footprint.takes_place(accesses[number], flags):
            _walk(config, rows, shadow, accesses[number], record, index, 0)
    return False
