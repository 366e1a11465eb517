"""Execution beat by beat, in the order of the RTL: for racy programs that run without the checker.

In every cycle all reads come before all writes. A load samples DRAM at the beat and writes on chip its latency later; a
store reads on chip at the beat and writes DRAM in the next cycle; a run reads a row at the beat and adds its sums to the accumulator
rows + columns + 1 cycles later (no other unit can write that bank meanwhile: the array holds its port); the vector unit writes as
many cycles after it reads as its pipeline has stages.
"""

from accelkit.simulator.core import dma, lanes, requantise
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.pipes import (
    P_FLAGS,
    P_MEMORY,
    P_VERSION,
    P_ZERO_POINT,
    WEIGHT_VERSIONS,
    Pipes,
    plan,
    write,
)
from accelkit.simulator.core.state import Array, Config, Record


@entry
def replay(config: Config, rows: Record, memories: Memories, pipes: Pipes, chunk: Array, count: int) -> None:
    """Execute up to the issue of the last of `count` records, which come in order of issue."""
    for index in range(count):
        record = chunk[index]
        run_until(config, memories, pipes, record.s)
        _begin(config, pipes, rows.port[record.op], record)
        pipes.clock.end = max(pipes.clock.end, record.c)


@entry
def run_until(config: Config, memories: Memories, pipes: Pipes, time: int) -> None:
    """Execute all cycles before `time`; those after the last one with anything under way are skipped."""
    while pipes.clock.time < time and pipes.clock.time <= pipes.clock.end:
        _step(config, memories, pipes, pipes.clock.time)
        pipes.clock.time += 1
    pipes.clock.time = max(pipes.clock.time, time)


@njit
def _begin(config: Config, pipes: Pipes, port: int, record: Record) -> None:
    op = record.op
    pipes.current[port] = record
    if op == g.OP_LOAD_B or op == g.OP_LOAD_W or op == g.OP_STORE_B or op == g.OP_STORE_W:
        dma.begin(config, pipes.walk[port], record)
    elif op == g.OP_PRELOAD:
        pipes.weights[pipes.clock.preloads % WEIGHT_VERSIONS] = 0
        pipes.clock.preloads += 1


@njit
def _step(config: Config, memories: Memories, pipes: Pipes, t: int) -> None:
    for port in range(pipes.current.shape[0]):
        record = pipes.current[port]
        op = record.op
        if op == 0 or t > record.e:
            continue
        if op == g.OP_LOAD_B or op == g.OP_LOAD_W:
            _load(config, memories, pipes, record, t)
        elif op == g.OP_STORE_B or op == g.OP_STORE_W:
            _store(config, memories, pipes, record, t)
        elif op == g.OP_FILL_B or op == g.OP_FILL_W:
            _fill(config, pipes, record, t)
        elif op == g.OP_PRELOAD:
            _preload(memories, pipes, record, t)
        elif op == g.OP_RUN:
            _run(config, memories, pipes, record, t)
        elif op == g.OP_REQUANTISE:
            _requantise(config, memories, pipes, record, t)
        elif op > g.OP_REQUANTISE and op < g.OP_SYNC_VECTOR:
            _vector(config, memories, pipes, record, t)
    ring = pipes.pending.shape[1]
    for port in range(pipes.current.shape[0]):
        pending = pipes.pending[port, t % ring]
        if pending[P_MEMORY]:
            write(memories, pipes, pending, pipes.data[port, t % ring])
            pending[P_MEMORY] = 0


@njit
def _load(config: Config, memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    walk = pipes.walk[g.PORT_LOAD]
    if walk[dma.W_DELAY]:
        walk[dma.W_DELAY] -= 1
        return
    is_bytes = record.op == g.OP_LOAD_B
    width = config.lanes if is_bytes else 4 * config.array_columns
    low, high = dma.covered(config, walk)
    first = low - walk[dma.W_ADDRESS]
    end = width if dma.is_last_of_piece(walk) else high - walk[dma.W_ADDRESS]
    memory = g.MEMORY_SCRATCHPAD if is_bytes else g.MEMORY_ACCUMULATOR
    until = t + record.c - record.e
    data = pipes.data[g.PORT_LOAD, plan(pipes, g.PORT_LOAD, until, memory, walk[dma.W_PLACE], first, end - first)]
    pipes.pending[g.PORT_LOAD, until % pipes.pending.shape[1], P_VERSION] = -1
    fill = record.values[g.SLOT_LOAD_B_FILL]
    for place in range(first, end):
        address = walk[dma.W_ADDRESS] + place
        if address >= high:
            data[place] = (fill if is_bytes else fill >> 8 * (place & 3)) & 0xFF
        elif address >> config.bus_shift == walk[dma.W_WORD]:
            data[place] = memories.dram[address]
        else:
            data[place] = pipes.fetched[address & (len(pipes.fetched) - 1)]
    if walk[dma.W_WORD] >= 0:
        start = walk[dma.W_WORD] << config.bus_shift
        v.copy(pipes.fetched, 0, memories.dram, start, len(pipes.fetched))
    dma.advance(config, walk, record)


@njit
def _store(config: Config, memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    walk = pipes.walk[g.PORT_STORE]
    if walk[dma.W_DELAY]:
        walk[dma.W_DELAY] -= 1
        return
    low, high = dma.covered(config, walk)
    until = t + 1 + record.c - record.e - config.write_latency  # jitter delays the write too
    data = pipes.data[g.PORT_STORE, plan(pipes, g.PORT_STORE, until, g.MEMORY_DRAM, low, 0, high - low)]
    first = low - walk[dma.W_ADDRESS]
    if record.op == g.OP_STORE_B:
        v.copy(data, 0, memories.scratchpad, walk[dma.W_PLACE] * memories.scratchpad.shape[1] + first, high - low)
    else:
        v.copy(data, 0, memories.accumulator, walk[dma.W_PLACE] * 4 * memories.accumulator.shape[1] + first, high - low)
    dma.advance(config, walk, record)


@njit
def _fill(config: Config, pipes: Pipes, record: Record, t: int) -> None:
    values = record.values
    beat = t - record.s
    rows = values[g.SLOT_FILL_B_ROWS]
    target = (
        values[g.SLOT_FILL_B_SP]
        + beat // rows * values[g.SLOT_FILL_B_PLANE_STEP]
        + beat % rows * values[g.SLOT_FILL_B_STEP]
    )
    is_bytes = record.op == g.OP_FILL_B
    memory = g.MEMORY_SCRATCHPAD if is_bytes else g.MEMORY_ACCUMULATOR
    width = config.lanes if is_bytes else 4 * config.array_columns
    until = t + record.c - record.e
    data = pipes.data[g.PORT_LOAD, plan(pipes, g.PORT_LOAD, until, memory, target, 0, width)]
    pipes.pending[g.PORT_LOAD, until % pipes.pending.shape[1], P_VERSION] = -1
    for place in range(width):
        data[place] = (values[g.SLOT_FILL_B_FILL] >> (0 if is_bytes else 8 * (place & 3))) & 0xFF


@njit
def _preload(memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    values = record.values
    beat = t - record.s
    is_transposed = record.flag_bits & g.FLAG_PRELOAD_TRANSPOSED != 0
    rows, columns = values[g.SLOT_PRELOAD_ROWS], values[g.SLOT_PRELOAD_COLUMNS]
    if beat >= (columns if is_transposed else rows):
        return
    weights = pipes.weights[(pipes.clock.preloads - 1) % WEIGHT_VERSIONS]
    row = values[g.SLOT_PRELOAD_SP] + beat * values[g.SLOT_PRELOAD_STEP]
    for lane in range(rows if is_transposed else columns):
        byte = int(memories.scratchpad[row, lane])
        if byte >= 128 and not record.flag_bits & g.FLAG_PRELOAD_U8:
            byte -= 256
        k, n = (lane, beat) if is_transposed else (beat, lane)
        weights[k, n] = byte - values[g.SLOT_PRELOAD_ZP]


@njit
def _run(config: Config, memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    values = record.values
    beat = t - record.s
    rows = values[g.SLOT_RUN_ROWS]
    plane, row = beat // rows, beat % rows
    source = values[g.SLOT_RUN_SP] + plane * values[g.SLOT_RUN_PLANE_STEP] + row * values[g.SLOT_RUN_STEP]
    target = (
        values[g.SLOT_RUN_ACC] + plane * values[g.SLOT_RUN_ACC_PLANE_STEP] + row * values[g.SLOT_RUN_ACC_STEP]
    )
    until = t + record.c - record.e
    data = pipes.data[g.PORT_RUN, plan(pipes, g.PORT_RUN, until, g.MEMORY_ACCUMULATOR, target, 0, config.lanes)]
    pending = pipes.pending[g.PORT_RUN, until % pipes.pending.shape[1]]
    pending[P_FLAGS] = record.flag_bits
    pending[P_ZERO_POINT] = values[g.SLOT_RUN_ZP]
    if beat == 0:
        record.wait = (pipes.clock.preloads - 1) % WEIGHT_VERSIONS  # waits are over: the field is free
    pending[P_VERSION] = record.wait
    v.copy(data, 0, memories.scratchpad, source * config.lanes, config.lanes)


@njit
def _requantise(config: Config, memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    values = record.values
    beat = t - record.s
    if beat < config.parameter_rows:
        first = (values[g.SLOT_REQUANTISE_PARAMS] + beat) * config.lanes
        v.copy(pipes.lanes.block, beat * config.lanes, memories.scratchpad, first, config.lanes)
        return
    beat -= config.parameter_rows
    rows = values[g.SLOT_REQUANTISE_ROWS]
    plane, row = beat // rows, beat % rows
    source = (
        values[g.SLOT_REQUANTISE_ACC]
        + plane * values[g.SLOT_REQUANTISE_ACC_PLANE_STEP]
        + row * values[g.SLOT_REQUANTISE_ACC_STEP]
    )
    target = (
        values[g.SLOT_REQUANTISE_SP]
        + plane * values[g.SLOT_REQUANTISE_PLANE_STEP]
        + row * values[g.SLOT_REQUANTISE_STEP]
    )
    until = t + record.c - record.e
    data = pipes.data[g.PORT_VECTOR, plan(pipes, g.PORT_VECTOR, until, g.MEMORY_SCRATCHPAD, target, 0, config.lanes)]
    requantise.requantise_row(
        pipes.lanes.block,
        memories.accumulator[source],
        values[g.SLOT_REQUANTISE_ZP],
        values[g.SLOT_REQUANTISE_MIN],
        values[g.SLOT_REQUANTISE_MAX],
        data,
    )


@njit
def _vector(config: Config, memories: Memories, pipes: Pipes, record: Record, t: int) -> None:
    preface, taps = lanes.shape(record)
    beat = t - record.s
    if beat < preface:
        lanes.read_preface(config, memories, pipes.lanes, record, beat)
        return
    result, tap = (beat - preface) // taps, (beat - preface) % taps
    rows = record.values[g.SLOT_DEPTHWISE_ROWS]
    plane, row = result // rows, result % rows
    lanes.take(memories, pipes.lanes, record, lanes.source_of(record, plane, row, tap), tap)
    if tap == taps - 1:
        target = lanes.target_of(record, plane, row)
        until = t + record.c - record.e
        is_bytes = record.op != g.OP_DEQUANTISE
        memory = g.MEMORY_SCRATCHPAD if is_bytes else g.MEMORY_ACCUMULATOR
        width = config.lanes if is_bytes else 4 * config.array_columns
        data = pipes.data[g.PORT_VECTOR, plan(pipes, g.PORT_VECTOR, until, memory, target, 0, width)]
        pipes.pending[g.PORT_VECTOR, until % pipes.pending.shape[1], P_VERSION] = -1
        lanes.give(pipes.lanes, record, data)
