"""Whether instructions of different units touch the same rows or bytes while both are under way.

Only then can the order of single beats matter to the values. It is asked of programs that run without the checker; the question is
answered for whole extents, so the answer may be a cautious yes.
"""

from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record


@njit
def _conflict(rows: Record, first: Record, second: Record) -> bool:
    a, b = first.op, second.op
    for i in range(rows.accesses[a]):
        one = rows.access[a, i]
        low, high = first.low[i], first.high[i]
        if low > high:
            continue
        for j in range(rows.accesses[b]):
            other = rows.access[b, j]
            if (
                one[st.ACCESS_MEMORY] == other[st.ACCESS_MEMORY]
                and (one[st.ACCESS_WRITE] or other[st.ACCESS_WRITE])
                and max(low, second.low[j]) <= min(high, second.high[j])
            ):
                return True
    return False


@entry
def find(rows: Record, recent: Array, count: int, chunk: Array, new: int) -> int:
    """Test the `new` records of a chunk, in order of issue, against those still under way; -1 at a conflict, else how many of
    `recent` (which the records join) are under way afterwards. `recent` has room for every record that can be under way."""
    for index in range(new):
        record = chunk[index]
        kept = 0
        for place in range(count):
            if recent[place].c >= record.s:
                recent[kept] = recent[place]
                kept += 1
        count = kept
        for place in range(count):
            if rows.unit[recent[place].op] != rows.unit[record.op] and _conflict(rows, recent[place], record):
                return -1
        recent[count] = record
        count += 1
    return count
