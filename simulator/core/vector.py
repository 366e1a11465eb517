"""Vector unit: whole instructions other than `requantise`.

Where one doesn't read rows that it writes, order is free: vectors of 16 lanes, if rows are made of them. Else it goes beat by beat, with
the order of reads and writes that the pipeline has.
"""

from accelkit.simulator.core import footprint, lanes, pointwise, windows
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import STAGES, Memories
from accelkit.simulator.core.state import Array, Config, Record


@njit
def execute(config: Config, rows: Record, memories: Memories, record: Record) -> bool:
    """An instruction's effect; True if a 32-bit sum wrapped."""
    if config.lanes % v.WIDTH or _reads_own_results(config, rows, record) or _is_long(record):
        return by_beat(config, memories, record)
    return in_vectors(memories, record)


@njit
def _reads_own_results(config: Config, rows: Record, record: Record) -> bool:
    """Whether it may read a row that it writes: judged by whole extents."""
    op = record.op
    for i in range(rows.accesses[op]):
        write = rows.access[op, i]
        if not write[st.ACCESS_WRITE]:
            continue
        low, high = footprint.extent(config, op, write, record.values)
        for j in range(rows.accesses[op]):
            read = rows.access[op, j]
            if not read[st.ACCESS_WRITE] and read[st.ACCESS_MEMORY] == write[st.ACCESS_MEMORY]:
                first, last = footprint.extent(config, op, read, record.values)
                if first <= high and low <= last:
                    return True
    return False


@njit
def _is_long(record: Record) -> bool:
    """Whether sums of a window could leave 32 bits before the bias comes."""
    return bool(record.op == g.OP_AVERAGE and footprint.taps(record.values) > windows.MOST_TAPS)


@njit
def in_vectors(memories: Memories, record: Record) -> bool:
    """An instruction that reads nothing that it writes, 16 lanes at a time; True if a 32-bit sum wrapped."""
    op, flags, values = record.op, record.flag_bits, record.values
    if op == g.OP_DEPTHWISE:
        return windows.depthwise(memories, flags, values)
    if op == g.OP_AVERAGE:
        return windows.average(memories, flags, values)
    if op == g.OP_MAXIMUM:
        windows.maximum(memories, flags, values)
    elif op == g.OP_LOOKUP:
        pointwise.lookup(memories, values)
    elif op == g.OP_ADD_B:
        pointwise.add(memories, flags, values)
    elif op == g.OP_MULTIPLY_B:
        pointwise.multiply(memories, flags, values)
    elif op == g.OP_QUANTISE:
        pointwise.quantise(memories, values)
    else:
        pointwise.dequantise(memories, flags, values)
    return False


@njit
def by_beat(config: Config, memories: Memories, record: Record) -> bool:
    """A beat after the other; a result is written as many beats after its last read as the pipeline has stages, after the reads of
    that beat. True if a 32-bit sum wrapped."""
    registers = memories.lanes
    results, targets = registers.results, registers.targets
    preface, taps = lanes.shape(record)
    for beat in range(preface):
        lanes.read_preface(config, memories, registers, record, beat)
    stages = record.c - record.e
    beat = 0
    has_wrapped = False
    for plane in range(record.values[g.SLOT_DEPTHWISE_PLANES]):
        for row in range(record.values[g.SLOT_DEPTHWISE_ROWS]):
            for tap in range(taps):
                source = lanes.source_of(record, plane, row, tap)
                lanes.take(memories, registers, record, source, tap)
                _write(memories, record.op, results, targets, beat)
                beat += 1
            place = (beat - 1 + stages) % STAGES
            has_wrapped |= lanes.give(registers, record, results[place])
            targets[place] = lanes.target_of(record, plane, row)
    for _ in range(stages):
        _write(memories, record.op, results, targets, beat)
        beat += 1
    return has_wrapped


@njit
def _write(memories: Memories, op: int, results: Array, targets: Array, beat: int) -> None:
    """The write of a beat, if it has one."""
    place = beat % STAGES
    if targets[place] < 0:
        return
    if op == g.OP_DEQUANTISE:
        width = 4 * memories.accumulator.shape[1]
        v.copy(memories.accumulator, targets[place] * width, results, place * results.shape[1], width)
    else:
        width = memories.scratchpad.shape[1]
        v.copy(memories.scratchpad, targets[place] * width, results, place * results.shape[1], width)
    targets[place] = -1
