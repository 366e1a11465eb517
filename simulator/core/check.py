"""The checker: races, unordered bank use, reads of what nothing wrote, DRAM outside buffers (docs/adr/0003).

Instructions come in order of issue. An earlier access of another port is ordered before this one exactly if its number on that port
is at most what the instruction knows to be complete at its issue (`record.clock`); of each port only the latest access of a place
matters, for the completion of one implies that of all before it. The latest use of a bank, and of lines of rows, says at once when
there is nothing to find; only else are rows looked at one by one, in the order of the classes.
"""

from accelkit.simulator.core import check_dram, check_rows, finding
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.footprint import has_access
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Config, Record


@njit
def check(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    """Check one instruction before it executes, then mark its accesses; True (and noted in `shadow.fault`) if it is at fault."""
    port = rows.port[record.op]
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM and check_dram.buffer_fault(config, shadow, access, record, number, index):
            return True
    check_rows.know(shadow, record, port)
    if _may_be_at_fault(config, rows, shadow, record) and (
        _is_uninitialised(config, rows, shadow, record, index)
        or _is_race(config, rows, shadow, record, index)
        or _is_bank_order(rows, shadow, record, index)
    ):
        return True
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if not has_access(record, number):
            continue
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
            check_dram.mark(config, shadow, access, record, number)
        else:
            check_rows.mark(config, shadow, access, record, number, port)
    return False


@njit
def _may_be_at_fault(config: Config, rows: Record, shadow: Shadow, record: Record) -> bool:
    """Whether a closer look may find anything."""
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if not has_access(record, number):
            continue
        if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
            if check_dram.may_be_at_fault(config, shadow, access, record, number):
                return True
            continue
        is_read = access[st.ACCESS_WRITE] == 0
        if is_read and check_rows.may_be_unwritten(config, shadow, access, record, number):
            return True
        if check_rows.may_be_unordered(shadow, access, record, number):
            return True
    return False


@njit
def _is_uninitialised(config: Config, rows: Record, shadow: Record, record: Record, index: int) -> bool:
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if access[st.ACCESS_WRITE] or not has_access(record, number):
            continue
        memory = access[st.ACCESS_MEMORY]
        if memory == g.MEMORY_DRAM:
            place = check_dram.first_unwritten(config, shadow, access, record)
        else:
            place = check_rows.first_unwritten(config, shadow, access, record)
        if place >= 0:
            return finding.note(shadow, g.FAULT_UNINITIALISED, index, place, 0, memory, -1, 0)
    return False


@njit
def _is_race(config: Config, rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        memory = access[st.ACCESS_MEMORY]
        if not has_access(record, number):
            continue
        if memory == g.MEMORY_DRAM:
            place, other, stamp = check_dram.race(config, shadow, access, record)
        else:
            place, other, stamp = check_rows.race(config, shadow, access, record, number)
        if place >= 0:
            return finding.note(shadow, g.FAULT_RACE, index, place, 0, memory, other, stamp)
    return False


@njit
def _is_bank_order(rows: Record, shadow: Shadow, record: Record, index: int) -> bool:
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
        if memory == g.MEMORY_DRAM or not has_access(record, number):
            continue
        bank, other, stamp = check_rows.bank_order(shadow, access, record, number)
        if bank >= 0:
            return finding.note(shadow, g.FAULT_BANK_ORDER, index, bank, write, memory, other, stamp)
    return False
