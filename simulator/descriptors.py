"""The instruction table and the machine as the core's arrays."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from accelkit.isa.emit_enums import TENSOR_KINDS
from accelkit.isa.machine import Machine
from accelkit.isa.row import Access, Instruction, Limit
from accelkit.isa.table import TABLE
from accelkit.isa.units import (
    CHANNELS,
    QUEUED_UNITS,
    Port,
    channels_posted,
    channels_waited,
)
from accelkit.isa.walks import limited_counts
from accelkit.simulator.core import state as st

_HOLDS = {
    "last": st.HOLD_LAST,
    "complete": st.HOLD_COMPLETE,
    "preface": st.HOLD_PREFACE,
    "accumulate": st.HOLD_ACCUMULATE,
}
_CODES = {
    "@blocks": st.CODE_BLOCKS,
    "@parameters": st.CODE_PARAMETERS,
    "@table": st.CODE_TABLE,
    "@taps": st.CODE_TAPS,
    "@one": st.CODE_ONE,
}
_MOST = {"@rows": st.CODE_ROWS, "@columns": st.CODE_COLUMNS}


def record(dtype: np.dtype[Any]) -> st.Record:
    """A zeroed record."""
    return records(dtype, 1)[0]


def records(dtype: np.dtype[Any], *shape: int) -> st.Array:
    """A zeroed array of records."""
    return np.zeros(shape, dtype).view(np.recarray)


@cache
def rows() -> st.Record:
    """The table as arrays by opcode."""
    result = record(st.ROWS)
    result.unit[:] = -1
    result.port[:] = -1
    result.wait_channel[:] = -1
    result.post_channel[:] = -1
    result.producer[:] = [channel.producer for channel in CHANNELS]
    for row in TABLE.rows:
        result.unit[row.opcode] = row.unit
        result.port[row.opcode] = -1 if row.port is None else row.port
        result.slots[row.opcode] = len(row.slots)
        result.accesses[row.opcode] = len(row.accesses)
        for place, operand in enumerate(row.slots):
            result.kinds[row.opcode, place] = TENSOR_KINDS.index(operand.kind) + 1
            result.unsigned_mask[row.opcode, place] = _flag_mask(row, operand.unsigned_flag)
        result.min_slot[row.opcode], result.max_slot[row.opcode] = _slot(row, "min"), _slot(row, "max")
        result.limits[row.opcode] = len(row.limits)
        for number, limit in enumerate(row.limits):
            result.limit[row.opcode, number] = _limit(row, limit)
        for number, access in enumerate(row.accesses):
            result.access[row.opcode, number] = _access(row, access)
    for unit in QUEUED_UNITS:
        for channel in channels_waited(unit):
            result.wait_channel[unit, channel.wait_bit] = channel.number
    for port in Port:
        for channel in channels_posted(port):
            result.post_channel[port, channel.post_bit] = channel.number
    return result


def _slot(row: Instruction, name: str) -> int:
    """The slot of an operand, -1 if the row has none of that name."""
    return next((place for place, operand in enumerate(row.slots) if operand.name == name), -1)


def _flag_mask(row: Instruction, name: str) -> int:
    """The bit of a flag, 0 if the row has none of that name."""
    return next((1 << place for place, flag in enumerate(row.flags) if flag.name == name), 0)


def _limit(row: Instruction, limit: Limit) -> np.ndarray:
    fields = np.zeros(st.LIMIT_FIELDS, np.int64)
    fields[st.LIMIT_COUNT] = _CODES.get(limit.count, _slot(row, limit.count))
    fields[st.LIMIT_MOST] = _MOST[limit.most] if isinstance(limit.most, str) else limit.most
    fields[st.LIMIT_SLOT] = _slot(row, limited_counts(limit)[0])
    return fields


def _access(row: Instruction, access: Access) -> np.ndarray:
    slots = [operand.name for operand in row.slots]
    flags = [flag.name for flag in row.flags]
    fields = np.zeros(st.ACCESS_FIELDS, np.int64)
    fields[st.ACCESS_MEMORY] = access.memory
    fields[st.ACCESS_WRITE] = access.is_write
    fields[st.ACCESS_BASE] = slots.index(access.base)
    if access.when:
        fields[st.ACCESS_WHEN_MASK] = 1 << flags.index(access.when.removeprefix("!"))
        fields[st.ACCESS_WHEN_VALUE] = 0 if access.when.startswith("!") else fields[st.ACCESS_WHEN_MASK]
    fields[st.ACCESS_HOLD] = _HOLDS[access.hold_end]
    fields[st.ACCESS_LEVELS] = len(access.levels)
    for place, level in enumerate(reversed(access.levels)):
        fields[st.ACCESS_COUNT + place] = (
            _CODES[level.count] if level.count in _CODES else slots.index(level.count)
        )
        fields[st.ACCESS_STEP + place] = (
            _CODES[level.step] if level.step in _CODES else slots.index(level.step)
        )
    return fields


@cache
def config(machine: Machine) -> st.Config:
    """The machine's numbers for the core."""
    return st.Config(
        array_rows=machine.array_rows,
        array_columns=machine.array_columns,
        lanes=machine.lanes,
        parameter_rows=machine.parameter_rows,
        table_rows=machine.table_rows,
        scratchpad_rows=machine.scratchpad_rows,
        scratchpad_bank_rows=machine.scratchpad_bank_rows,
        accumulator_rows=machine.accumulator_rows,
        accumulator_bank_rows=machine.accumulator_bank_rows,
        dram_bytes=machine.dram_bytes,
        read_latency=machine.dram_read_latency_cycles,
        write_latency=machine.dram_write_latency_cycles,
        bus_shift=machine.bus_bytes.bit_length() - 1,
        page_shift=machine.page_bytes.bit_length() - 1,
        page_miss=machine.page_miss_cycles,
        queue_depth=machine.queue_depth,
        outstanding=machine.outstanding,
    )


def launch(
    machine: Machine,
    code: st.Array,
    arguments: Sequence[int],
    max_cycles: int,
    sequence: st.Array,
    is_tracing: bool,
    is_logging: bool = False,
    logs_scalars: bool = True,
    jitter: int = 0,
) -> st.Launch:
    """Fresh state of a launch; `sequence` (int64 [ports]) is how far the ports have counted in the session; with `is_logging`
    dispatches are logged for observers, without `logs_scalars` only those that waited; `jitter` is the seed of delays, 0 for none."""
    timing = record(st.TIMING)
    for name in (
        *(
            "last",
            "last_event",
            "waiting",
            "open_read_page",
            "open_write_page",
            "busy_until",
            "last_beat",
            "issue",
        ),
        *("complete", "complete_ring", "preload_beat", "preload_high", "run_high", "bank_unit", "bank_end"),
    ):
        timing[name] = -1
    timing.is_tracing = is_tracing
    timing.logs_scalars = is_logging and logs_scalars
    timing.next_issue = st.FOREVER
    timing.head[:] = st.FOREVER
    start(timing, max_cycles, sequence, jitter)
    return st.Launch(
        timing=timing,
        code=code,
        arguments=np.array([argument & 0xFFFFFFFF for argument in arguments], np.int64),
        shapes=records(st.SHAPE, len(code)),
        ring=records(st.RECORD, st.UNITS, 1 << machine.queue_depth.bit_length()),
        posts=records(st.POST, len(CHANNELS), 16),
        trace=np.full((1024 if is_tracing else 1, 5), -1, np.int64),
        chunk=records(st.RECORD, 2048),  # 0.9 MB fit a second cache; half as many make a model take 4 % longer
        log=np.zeros((4096 if is_logging else 0, st.LOG_FIELDS), np.int64),
    )


def start(timing: st.Record, max_cycles: int, sequence: st.Array, jitter: int) -> None:
    """Set what differs from launch to launch."""
    timing["max_cycles"] = max_cycles
    timing["jitter"] = jitter
    timing["sequence"] = sequence
    timing["clock"] = sequence


def enlarge_posts(launch: st.Launch) -> st.Launch:
    """The same state with twice the room for posts that nothing has waited for yet."""
    old = launch.posts.shape[1]
    posts = records(st.POST, len(CHANNELS), 2 * old)
    for channel in range(len(CHANNELS)):
        pending = np.arange(launch.timing.waited[channel], launch.timing.posted[channel])
        posts[channel, pending % (2 * old)] = launch.posts[channel, pending % old]
    return launch._replace(posts=posts)
