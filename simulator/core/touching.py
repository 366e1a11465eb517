"""Which instructions touch a range of a memory: the first look of those who search a launch's history (simulator/sanitiser/history.py)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry
from accelkit.simulator.core.state import Array, Config, Record


@entry
def find(config: Config, rows: Record, chunk: Array, first: int, count: int, memory: int, low: int, high: int) -> int:
    """Index of the first record from `first` on with a walk of a memory that reaches into low..high (both inclusive), `count` if there is
    none. Whole extents are compared: what steps over the range is found too."""
    for index in range(first, count):
        record = chunk[index]
        for number in range(rows.accesses[record.op]):
            access = rows.access[record.op, number]
            if access[st.ACCESS_MEMORY] == memory and footprint.takes_place(access, record.flag_bits):
                least, most = footprint.extent(config, record.op, access, record.values)
                if least <= high and low <= most:
                    return index
    return count
