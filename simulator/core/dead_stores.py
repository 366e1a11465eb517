"""Rows on chip that are written and never read: what the observer of dead stores keeps (simulator/sanitiser/dead_stores.py)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Config, Record

# Fields of a row's latest write that nothing has read yet, and of the first dead one of an instruction.
W_WRITER = 0  # pc + 1, 0 for none
W_CYCLE = 1  # issue
W_FIELDS = 2

D_WRITTEN = 0  # rows, each time
D_OVERWRITTEN = 1
D_MEMORY = 2  # of the first one
D_ROW = 3
D_CYCLE = 4
D_BY = 5
D_BY_CYCLE = 6
D_FIELDS = 7


@entry
def see(config: Config, rows: Record, chunk: Array, count: int, scratchpad: Array, accumulator: Array, dead: Array) -> None:
    """Note the reads, then the writes, of instructions in order of issue. `scratchpad`, `accumulator` [rows, W_FIELDS]; `dead`
    [words, D_FIELDS]."""
    for index in range(count):
        record = chunk[index]
        for is_write in range(2):
            for number in range(rows.accesses[record.op]):
                access = rows.access[record.op, number]
                memory = access[st.ACCESS_MEMORY]
                if (
                    memory != g.MEMORY_DRAM
                    and access[st.ACCESS_WRITE] == is_write
                    and footprint.takes_place(access, record.flag_bits)
                ):
                    _walk(config, record, access, scratchpad if memory == g.MEMORY_SCRATCHPAD else accumulator, dead)


@njit
def _walk(config: Config, record: Record, access: Array, latest: Array, dead: Array) -> None:
    n0, s0 = footprint.level_or_one(config, record, access, 0)
    n1, s1 = footprint.level_or_one(config, record, access, 1)
    n2, s2 = footprint.level_or_one(config, record, access, 2)
    n3, s3 = footprint.level_or_one(config, record, access, 3)
    is_write = access[st.ACCESS_WRITE] != 0
    base = record.values[access[st.ACCESS_BASE]]
    if is_write:
        dead[record.pc, D_WRITTEN] += n0 * n1 * n2 * n3
    for i3 in range(n3):
        for i2 in range(n2):
            for i1 in range(n1):
                row = base + i3 * s3 + i2 * s2 + i1 * s1
                for _ in range(n0):
                    if is_write:
                        _write(record, access[st.ACCESS_MEMORY], row, latest, dead)
                    else:
                        latest[row, W_WRITER] = 0
                    row += s0


@njit
def _write(record: Record, memory: int, row: int, latest: Array, dead: Array) -> None:
    """A write; that of another instruction that nothing has read since is dead."""
    writer, cycle = latest[row, W_WRITER] - 1, latest[row, W_CYCLE]
    if writer >= 0 and not (writer == record.pc and cycle == record.s):
        found = dead[writer]
        if found[D_OVERWRITTEN] == 0:
            found[D_MEMORY] = memory
            found[D_ROW] = row
            found[D_CYCLE] = cycle
            found[D_BY] = record.pc
            found[D_BY_CYCLE] = record.s
        found[D_OVERWRITTEN] += 1
    latest[row, W_WRITER] = record.pc + 1
    latest[row, W_CYCLE] = record.s
