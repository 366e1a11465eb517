"""What instructions move into and out of each memory, from their walks."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record


@njit
def add(config: Config, rows: Record, chunk: Array, count: int, moved: Array) -> None:
    """Add what `count` instructions move to `moved` [memory, write]: rows of the on-chip memories, bytes of DRAM.

    A row or byte that a walk touches several times counts each time.
    """
    for index in range(count):
        record = chunk[index]
        accesses = rows.access[record.op]
        for number in range(rows.accesses[record.op]):
            access = accesses[number]
            if not footprint.takes_place(access, record.flag_bits):
                continue
            amount = 1
            for depth in range(access[st.ACCESS_LEVELS]):
                amount *= footprint.level(config, record.op, access, record.values, depth)[0]
            if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
                amount *= record.values[g.SLOT_LOAD_B_BYTES]
            moved[access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]] += amount
