"""The checker: races, unordered bank use, reads of what nothing wrote, DRAM outside buffers (docs/adr/0003).

Instructions come in order of issue. An earlier access of another port is ordered before this one exactly if its number on that port
is at most what the instruction knows to be complete at its issue (`record.clock`); of each port only the latest access of a place
matters, for the completion of one implies that of all before it. The latest use of a bank, and of rows in groups of 64, says at once
when no row needs a look.
"""

from accelkit.simulator.core import check_dram, check_rows
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit_bare
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Config, Record


@njit_bare
def check(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    """Check one instruction before it executes, then mark its accesses; True (and noted in `shadow.fault`) if it is at fault."""
    accesses = rows.access[record.op]
    count = rows.accesses[record.op]
    port = rows.port[record.op]
    for number in range(count):
        on_dram = accesses[number, st.ACCESS_MEMORY] == g.MEMORY_DRAM
        if on_dram and check_dram.buffer_fault(config, shadow, accesses[number], record, index):
            return True
    if _is_uninitialised(config, rows, shadow, record, index):
        return True
    if _is_unordered(rows, shadow, record) and _is_race(config, rows, shadow, record, index):
        return True
    for number in range(count):
        access = accesses[number]
        if record.low[number] > record.high[number]:
            continue
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
            check_dram.mark(config, shadow, access, record, number)
        else:
            check_rows.mark(
                config, access, record, number, port, shadow.bank, shadow.groups, shadow.stamps, shadow.written
            )
    return False


@njit_bare
def _is_uninitialised(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if access[st.ACCESS_WRITE] or record.low[number] > record.high[number]:
            continue
        memory = access[st.ACCESS_MEMORY]
        if memory == g.MEMORY_DRAM:
            if check_dram.test(config, shadow, access, record, number, index, g.FAULT_UNINITIALISED):
                return True
            continue
        row = check_rows.first_unwritten(config, access, record, number, shadow.written)
        if row >= 0:
            return check_dram.note(shadow, g.FAULT_UNINITIALISED, index, row, 0, memory, -1, 0)
    return False


@njit_bare
def _is_unordered(rows: Record, shadow: Shadow, record: Record) -> bool:
    """Whether another unit's use of a bank or of nearby rows, or of DRAM, is unordered with the instruction: only then is there
    anything to find."""
    port = rows.port[record.op]
    is_unordered = False
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if record.low[number] > record.high[number]:
            continue
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
            other = g.PORT_STORE if port == g.PORT_LOAD else g.PORT_LOAD
            is_unordered |= shadow.dram[other] > record.clock[other]
        else:
            is_unordered |= check_rows.is_unordered(access, record, number, port, shadow.groups, shadow.bank)
    return is_unordered


@njit_bare
def _is_race(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    """Races of all accesses, then banks used in no order."""
    port = rows.port[record.op]
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        memory = access[st.ACCESS_MEMORY]
        if record.low[number] > record.high[number]:
            continue
        if memory == g.MEMORY_DRAM:
            if check_dram.test(config, shadow, access, record, number, index, g.FAULT_RACE):
                return True
            continue
        row, other, stamp = check_rows.race(config, access, record, number, port, shadow.stamps)
        if row >= 0:
            return check_dram.note(shadow, g.FAULT_RACE, index, row, 0, memory, other, stamp)
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
        if memory == g.MEMORY_DRAM or record.low[number] > record.high[number]:
            continue
        bank, other, stamp = check_rows.bank_order(access, record, number, port, shadow.bank)
        if bank >= 0:
            return check_dram.note(shadow, g.FAULT_BANK_ORDER, index, bank, write, memory, other, stamp)
    return False
