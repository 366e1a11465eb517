"""The checker's part for DRAM: accesses outside buffers, reads of what nothing wrote, races. Only the load unit reads DRAM, only the
store unit writes it."""

from accelkit.simulator.core import footprint, marks
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit_bare
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Array, Config, Record


@njit_bare
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


@njit_bare
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


@njit_bare
def _dram_row(config: Config, access: Array, record: Record, number: int) -> int:
    """First byte of the number-th DRAM row of a walk, rows innermost."""
    inner, stride = footprint.level(config, record.op, access, record.values, 0)
    _, plane_stride = footprint.level(config, record.op, access, record.values, 1)
    base = int(record.values[access[st.ACCESS_BASE]])
    return base + number // inner * plane_stride + number % inner * stride


@njit_bare
def _dram_rows(config: Config, access: Array, record: Record) -> int:
    inner, _ = footprint.level(config, record.op, access, record.values, 0)
    planes, _ = footprint.level(config, record.op, access, record.values, 1)
    return inner * planes


@njit_bare
def buffer_fault(config: Config, shadow: Shadow, access: Array, record: Record, index: int) -> bool:
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


@njit_bare
def mark(config: Config, shadow: Shadow, access: Array, record: Record, number: int) -> None:
    """Mark the bytes of an access."""
    shadow.dram[g.PORT_STORE if access[st.ACCESS_WRITE] else g.PORT_LOAD] = record.sequence
    test(config, shadow, access, record, number, 0, 0)


@njit_bare
def test(
    config: Config, shadow: Shadow, access: Array, record: Record, number: int, index: int, kind: int
) -> bool:
    """One test of an access, row by row: UNINITIALISED, RACE, or (0) mark the bytes. Inputs can't be written: no look needed."""
    is_write = access[st.ACCESS_WRITE] != 0
    port = g.PORT_LOAD if is_write else g.PORT_STORE  # of the other unit
    if kind == g.FAULT_RACE and shadow.dram[port] <= record.clock[port]:
        return False
    theirs = shadow.loaded if is_write else shadow.stored
    mine = shadow.stored if is_write else shadow.loaded
    nbytes = record.values[g.SLOT_LOAD_B_BYTES]
    low, high = record.low[number], record.high[number]
    whole = buffer_of(shadow, low, high)
    if whole >= 0 and not shadow.buffers[whole, 2]:
        return False
    count = _dram_rows(config, access, record)
    if whole >= 0 and high - low + 1 == count * nbytes and _is_in_one_piece(config, access, record, nbytes):
        count, nbytes = 1, high - low + 1
    for row in range(count):
        first = _dram_row(config, access, record, row)
        buffer = whole if whole >= 0 else buffer_of(shadow, first, first + nbytes - 1)
        if not shadow.buffers[buffer, 2]:
            continue
        start = shadow.buffers[buffer, 3] + first - shadow.buffers[buffer, 0]
        if kind == 0:
            marks.mark(mine, start, nbytes, record.sequence)
            continue
        other = -1
        stamp = 0
        if kind == g.FAULT_RACE:
            place = marks.above(theirs, start, nbytes, record.clock[port])
            if place >= 0:
                other, stamp = port, marks.stamp(theirs, place)
        else:
            place = marks.unmarked(shadow.stored, start, nbytes)
        if place >= 0:
            return note(shadow, kind, index, first + place - start, 0, g.MEMORY_DRAM, other, stamp)
    return False


@njit_bare
def _is_in_one_piece(config: Config, access: Array, record: Record, nbytes: int) -> bool:
    """Whether each DRAM row of a walk, whose rows fill its extent, begins where the one before ends."""
    inner, stride = footprint.level(config, record.op, access, record.values, 0)
    planes, plane_stride = footprint.level(config, record.op, access, record.values, 1)
    return (inner == 1 or stride == nbytes) and (planes == 1 or plane_stride == inner * nbytes)
