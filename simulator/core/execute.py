"""The execution pass: values and checks of instructions in order of issue."""

from accelkit.simulator.core import array, check, finding, load, requantise, store, vector, weights
from accelkit.simulator.core import generated as g
from accelkit.simulator.core.again import Kept, renew
from accelkit.simulator.core.jit import entry, njit_inline
from accelkit.simulator.core.memories import Memories, Shadow
from accelkit.simulator.core.state import Array, Config, Record

# What `execute` does besides values, as bits.
CHECK_NOTHING = 0
CHECK_ORDER = 1  # all but overflow
CHECK_OVERFLOW = 2
CHECK_ALL = CHECK_ORDER | CHECK_OVERFLOW
NO_VALUES = 4


@njit_inline
def _execute(config: Config, rows: Record, memories: Memories, record: Record) -> bool:
    """One instruction's effect; True if a 32-bit sum wrapped."""
    op = record.op
    flags = record.flag_bits
    values = record.values
    if op == g.OP_RUN:
        return array.run(memories, flags, values)
    if op == g.OP_PRELOAD:
        weights.preload(memories, flags, values)
    elif op == g.OP_REQUANTISE:
        return requantise.requantise(memories, values)
    elif op > g.OP_REQUANTISE and op < g.OP_SYNC_VECTOR:
        return vector.execute(config, rows, memories, record)
    elif op == g.OP_LOAD_B:
        load.load_bytes(memories, values)
    elif op == g.OP_LOAD_W:
        load.load_words(memories, values)
    elif op == g.OP_FILL_B:
        load.fill_bytes(memories, values)
    elif op == g.OP_FILL_W:
        load.fill_words(memories, values)
    elif op == g.OP_STORE_B:
        store.store_bytes(memories, values)
    elif op == g.OP_STORE_W:
        store.store_words(memories, values)
    return False


@entry
def execute(
    config: Config,
    rows: Record,
    memories: Memories,
    shadow: Shadow,
    chunk: Array,
    count: int,
    checks: int,
    kept: Kept,
) -> bool:
    """Execute the first `count` records of a chunk; with instructions `kept`, these, whose forms are the chunk's records. True if the
    checker stopped (see `shadow.fault`)."""
    is_again = len(kept.numbers) > 0
    place = 0
    for index in range(max(count, len(kept.numbers))):
        record = chunk[kept.numbers[index] if is_again else index]
        if is_again:
            place = renew(rows, record, kept, place)
        if checks & CHECK_ORDER and check.check(config, rows, shadow, record, index):
            return True
        if checks & NO_VALUES:
            continue
        has_wrapped = _execute(config, rows, memories, record)
        if checks & CHECK_OVERFLOW and has_wrapped:
            return finding.note(shadow, g.FAULT_OVERFLOW, index, 0, 0, 0, -1, 0)
    return False
