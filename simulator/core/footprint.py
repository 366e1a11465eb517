"""Footprints: the rows or bytes that an access of a captured instruction walks, from the table's descriptors."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record


@njit
def takes_place(access: Array, flags: int) -> bool:
    """Whether the access is one of this instruction with these flags."""
    return bool((flags & access[st.ACCESS_WHEN_MASK]) == access[st.ACCESS_WHEN_VALUE])


@njit
def has_access(record: Record, number: int) -> bool:
    """The same of an instruction on its way, whose extents say so."""
    return bool(record.low[number] <= record.high[number])


@njit
def row_width(config: Config, op: int) -> int:
    """Bytes of the on-chip rows that a DMA instruction moves."""
    if op == g.OP_LOAD_W or op == g.OP_STORE_W:
        return 4 * config.array_columns
    return config.lanes


@njit
def taps(values: Array) -> int:
    """Taps of a window: all instructions that have one have it in the same slots."""
    return int(values[g.SLOT_DEPTHWISE_LINES] * values[g.SLOT_DEPTHWISE_COLUMNS])


@njit
def level(config: Config, op: int, access: Array, values: Array, number: int) -> tuple[int, int]:
    """Count and step of one level, 0 being the innermost."""
    count = access[st.ACCESS_COUNT + number]
    step = access[st.ACCESS_STEP + number]
    if count == st.CODE_BLOCKS:
        width = row_width(config, op)
        n = (values[g.SLOT_LOAD_B_BYTES] + width - 1) // width
    elif count == st.CODE_PARAMETERS:
        n = config.parameter_rows
    elif count == st.CODE_TABLE:
        n = config.table_rows
    elif count == st.CODE_TAPS:
        n = taps(values)
    elif count == st.CODE_ONE:
        n = 1
    else:
        n = values[count]
    return n, 1 if step == st.CODE_ONE else values[step]


@njit
def level_or_one(config: Config, record: Record, access: Array, number: int) -> tuple[int, int]:
    """Count and step of a level, of one step if the walk has no such level."""
    if number >= access[st.ACCESS_LEVELS]:
        return 1, 0
    return level(config, record.op, access, record.values, number)


@njit
def extent(config: Config, op: int, access: Array, values: Array) -> tuple[int, int]:
    """Lowest and highest row (DRAM: byte) of the walk, both inclusive."""
    low = values[access[st.ACCESS_BASE]]
    high = low
    for number in range(access[st.ACCESS_LEVELS]):
        count, step = level(config, op, access, values, number)
        reach = (count - 1) * step
        if reach < 0:
            low += reach
        else:
            high += reach
    if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
        high += values[g.SLOT_LOAD_B_BYTES] - 1
    return low, high


@njit
def amount(config: Config, op: int, access: Array, values: Array) -> int:
    """Rows (DRAM: bytes) that the access moves; one that its walk touches several times counts each time."""
    total = 1
    for number in range(access[st.ACCESS_LEVELS]):
        total *= level(config, op, access, values, number)[0]
    if access[st.ACCESS_MEMORY] == g.MEMORY_DRAM:
        total *= values[g.SLOT_LOAD_B_BYTES]
    return int(total)


@njit
def is_dense(config: Config, op: int, access: Array, values: Array) -> bool:
    """Whether an on-chip walk touches every row of its extent: level after level, smallest steps first, each step must be at most
    what the levels before it cover without a gap."""
    covered = 1
    done = 0
    for _ in range(access[st.ACCESS_LEVELS]):
        best = -1
        best_step = st.FOREVER
        for number in range(access[st.ACCESS_LEVELS]):
            step = abs(level(config, op, access, values, number)[1])
            if not done >> number & 1 and step < best_step:
                best, best_step = number, step
        done |= 1 << best
        count = level(config, op, access, values, best)[0]
        if count > 1:
            if best_step > covered:
                return False
            covered += (count - 1) * best_step
    return True


@njit
def size(config: Config, memory: int) -> int:
    """Rows (DRAM: bytes) of a memory."""
    if memory == g.MEMORY_SCRATCHPAD:
        return config.scratchpad_rows
    if memory == g.MEMORY_ACCUMULATOR:
        return config.accumulator_rows
    return config.dram_bytes


@njit
def bank_rows(config: Config, memory: int) -> int:
    """Rows of one bank of an on-chip memory."""
    return config.scratchpad_bank_rows if memory == g.MEMORY_SCRATCHPAD else config.accumulator_bank_rows


@njit
def preface(config: Config, rows: Record, record: Record) -> int:
    """Beats before the first row of the walks: rows of parameters, weights or a table."""
    beats = 0
    for number in range(rows.accesses[record.op]):
        access = rows.access[record.op, number]
        if access[st.ACCESS_HOLD] == st.HOLD_PREFACE:
            beats += level(config, record.op, access, record.values, 0)[0]
    return beats


@njit
def hold_end(config: Config, rows: Record, access: Array, record: Record) -> int:
    """Last cycle in which the access holds its bank ports."""
    hold = access[st.ACCESS_HOLD]
    if hold == st.HOLD_COMPLETE:
        return int(record.c)
    if hold == st.HOLD_ACCUMULATE:
        return int(record.c) - 1
    if hold == st.HOLD_PREFACE:
        return int(record.s) + preface(config, rows, record) - 1
    return int(record.e)
