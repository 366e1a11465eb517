"""The checker's part for DRAM: accesses outside buffers, reads of what nothing wrote, races. Only the load unit reads DRAM, only the
store unit writes it. Inputs can't be written: they have no marks."""

from accelkit.simulator.core import finding, footprint, marks
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Shadow
from accelkit.simulator.core.state import Array, Config, Record

Walk = tuple[int, int, int, int, int]  # rows of a plane, their stride, planes, their stride, bytes of a row


@njit
def buffer_of(buffers: Array, low: int, high: int) -> int:
    """The declared buffer that holds all bytes from low to high, -1 if none does."""
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
def _walk(config: Config, access: Array, record: Record) -> Walk:
    rows, stride = footprint.level(config, record.op, access, record.values, 0)
    planes, plane_stride = footprint.level(config, record.op, access, record.values, 1)
    return rows, stride, planes, plane_stride, record.values[g.SLOT_LOAD_B_BYTES]


@njit
def _pieces(config: Config, access: Array, record: Record) -> Walk:
    """The walk, with rows that follow one another made one."""
    rows, stride, planes, plane_stride, nbytes = _walk(config, access, record)
    if rows == 1 or stride == nbytes:
        nbytes *= rows
        rows = 1
        if planes == 1 or plane_stride == nbytes:
            nbytes *= planes
            planes = 1
    return rows, stride, planes, plane_stride, nbytes


@njit
def buffer_fault(config: Config, shadow: Shadow, access: Array, record: Record, number: int, index: int) -> bool:
    """Whether a row is not in a buffer, or a row that is written not in a writable one; if so it is noted."""
    whole = buffer_of(shadow.buffers, record.low[number], record.high[number])
    if whole >= 0 and (shadow.buffers[whole, 2] or not access[st.ACCESS_WRITE]):
        return False
    return _row_fault(config, shadow, access, record, index)


@njit
def _row_fault(config: Config, shadow: Shadow, access: Array, record: Record, index: int) -> bool:
    rows, stride, planes, plane_stride, nbytes = _walk(config, access, record)
    base = record.values[access[st.ACCESS_BASE]]
    for plane in range(planes):
        for row in range(rows):
            first = base + plane * plane_stride + row * stride
            last = first + nbytes - 1
            buffer = buffer_of(shadow.buffers, first, last)
            if buffer < 0 or (access[st.ACCESS_WRITE] and not shadow.buffers[buffer, 2]):
                return finding.note(shadow, g.FAULT_BUFFER, index, first, last, buffer, -1, 0)
    return False


@njit
def _first_mark(shadow: Shadow, first: int, nbytes: int) -> int:
    """The place of the marks of bytes, which are in one buffer; -1 if that is an input."""
    buffer = buffer_of(shadow.buffers, first, first + nbytes - 1)
    if not shadow.buffers[buffer, 2]:
        return -1
    return int(shadow.buffers[buffer, 3] + first - shadow.buffers[buffer, 0])


@njit
def first_unwritten(config: Config, shadow: Shadow, access: Array, record: Record) -> int:
    """First byte of a walk that nothing has written, -1 if there is none."""
    rows, stride, planes, plane_stride, nbytes = _walk(config, access, record)
    base = record.values[access[st.ACCESS_BASE]]
    for plane in range(planes):
        for row in range(rows):
            first = base + plane * plane_stride + row * stride
            start = _first_mark(shadow, first, nbytes)
            place = marks.unmarked(shadow.stored, start, nbytes) if start >= 0 else -1
            if place >= 0:
                return int(first + place - start)
    return -1


@njit
def race(config: Config, shadow: Shadow, access: Array, record: Record) -> tuple[int, int, int]:
    """(byte, port, stamp) of an access of the other unit to the same byte that this one is not ordered after; byte -1 if there is none."""
    other = g.PORT_LOAD if access[st.ACCESS_WRITE] else g.PORT_STORE
    known = shadow.known[other]
    theirs = shadow.loaded if access[st.ACCESS_WRITE] else shadow.stored
    rows, stride, planes, plane_stride, nbytes = _walk(config, access, record)
    base = record.values[access[st.ACCESS_BASE]]
    for plane in range(planes):
        for row in range(rows):
            first = base + plane * plane_stride + row * stride
            start = _first_mark(shadow, first, nbytes)
            place = marks.above(theirs, start, nbytes, known) if start >= 0 else -1
            if place >= 0:
                return int(first + place - start), other, marks.stamp(theirs, place)
    return -1, -1, 0


@njit
def may_be_at_fault(config: Config, shadow: Shadow, access: Array, record: Record, number: int) -> bool:
    """Whether an access may read what nothing has written, or race."""
    whole = buffer_of(shadow.buffers, record.low[number], record.high[number])
    if whole < 0:
        return True
    if not shadow.buffers[whole, 2]:
        return False
    is_write = access[st.ACCESS_WRITE] != 0
    other = g.PORT_LOAD if is_write else g.PORT_STORE
    theirs = shadow.loaded if is_write else shadow.stored
    known = shadow.known[other]
    rows, stride, planes, plane_stride, nbytes = _pieces(config, access, record)
    start = shadow.buffers[whole, 3] + record.values[access[st.ACCESS_BASE]] - shadow.buffers[whole, 0]
    for plane in range(planes):
        first = start + plane * plane_stride
        if not is_write and not marks.are_rows_marked(shadow.stored, first, rows, stride, nbytes):
            return True
        if shadow.dram[other] > known and marks.may_rows_be_above(theirs, first, rows, stride, nbytes, known):
            return True
    return False


@njit
def mark(config: Config, shadow: Shadow, access: Array, record: Record, number: int) -> None:
    """Mark the bytes of an access."""
    is_write = access[st.ACCESS_WRITE] != 0
    shadow.dram[g.PORT_STORE if is_write else g.PORT_LOAD] = record.sequence
    whole = buffer_of(shadow.buffers, record.low[number], record.high[number])
    if whole < 0:
        _mark_each(config, shadow, access, record)
        return
    if not shadow.buffers[whole, 2]:
        return
    mine = shadow.stored if is_write else shadow.loaded
    rows, stride, planes, plane_stride, nbytes = _pieces(config, access, record)
    start = shadow.buffers[whole, 3] + record.values[access[st.ACCESS_BASE]] - shadow.buffers[whole, 0]
    for plane in range(planes):
        marks.mark_rows(mine, start + plane * plane_stride, rows, stride, nbytes, record.sequence)


@njit
def _mark_each(config: Config, shadow: Shadow, access: Array, record: Record) -> None:
    """Mark rows that are in several buffers."""
    mine = shadow.stored if access[st.ACCESS_WRITE] else shadow.loaded
    rows, stride, planes, plane_stride, nbytes = _walk(config, access, record)
    for plane in range(planes):
        for row in range(rows):
            first = record.values[access[st.ACCESS_BASE]] + plane * plane_stride + row * stride
            start = _first_mark(shadow, first, nbytes)
            if start >= 0:
                marks.mark(mine, start, nbytes, record.sequence)
