"""The instruction table and the machine as the core's arrays."""

from functools import cache

import numpy as np

from accelkit.isa.emit_enums import TENSOR_KINDS
from accelkit.isa.machine import Machine
from accelkit.isa.row import Access, Instruction
from accelkit.isa.table import TABLE
from accelkit.isa.units import (
    CHANNELS,
    QUEUED_UNITS,
    CycleClass,
    Port,
    SequencerClass,
    channels_posted,
    channels_waited,
)
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st

_HOLDS = {
    "last": st.HOLD_LAST,
    "complete": st.HOLD_COMPLETE,
    "parameters": st.HOLD_PARAMETERS,
    "accumulate": st.HOLD_ACCUMULATE,
}
_CODES = {"@blocks": st.CODE_BLOCKS, "@parameters": st.CODE_PARAMETERS, "@one": st.CODE_ONE}


@cache
def rows() -> st.Rows:
    """The table as arrays by opcode."""
    result = st.Rows(
        unit=np.full(256, -1, np.int64),
        port=np.full(256, -1, np.int64),
        slots=np.zeros(256, np.int64),
        kinds=np.zeros((256, g.SLOTS), np.int64),
        accesses=np.zeros(256, np.int64),
        access=np.zeros((256, 3, st.ACCESS_FIELDS), np.int64),
        wait_channel=np.full((len(QUEUED_UNITS), 8), -1, np.int64),
        post_channel=np.full((len(Port), 6), -1, np.int64),
        channel_producer=np.array([channel.producer for channel in CHANNELS], np.int64),
    )
    for row in TABLE.rows:
        result.unit[row.opcode] = row.unit
        result.port[row.opcode] = -1 if row.port is None else row.port
        result.slots[row.opcode] = len(row.slots)
        result.accesses[row.opcode] = len(row.accesses)
        for place, operand in enumerate(row.slots):
            result.kinds[row.opcode, place] = TENSOR_KINDS.index(operand.kind) + 1
        for number, access in enumerate(row.accesses):
            result.access[row.opcode, number] = _access(row, access)
    for unit in QUEUED_UNITS:
        for channel in channels_waited(unit):
            result.wait_channel[unit, channel.wait_bit] = channel.number
    for port in Port:
        for channel in channels_posted(port):
            result.post_channel[port, channel.post_bit] = channel.number
    return result


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


def config(machine: Machine) -> st.Config:
    """The machine's numbers for the core."""
    return st.Config(
        array_rows=machine.array_rows,
        array_columns=machine.array_columns,
        lanes=machine.lanes,
        parameter_rows=machine.parameter_rows,
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


def timing(machine: Machine, max_cycles: int, sequence: np.ndarray, is_tracing: bool) -> st.Timing:
    """Fresh state of a launch; `sequence` (int64 [ports]) counts on through the session."""
    units, ports = len(QUEUED_UNITS), len(Port)
    banks = max(machine.scratchpad_banks, machine.accumulator_banks)
    scalar = np.zeros(st.S_COUNT, np.int64)
    scalar[[st.S_LAST, st.S_LAST_EVENT, st.S_OPEN_READ_PAGE, st.S_OPEN_WRITE_PAGE, st.S_WAITING]] = -1
    scalar[st.S_MAX_CYCLES] = max_cycles
    scalar[st.S_TRACING] = is_tracing
    unit = np.full((units, st.U_COUNT), -1, np.int64)
    unit[:, [st.U_RUN_LOW, st.U_PRELOAD_LOW]] = 0  # an empty range of banks: 0 to -1
    return st.Timing(
        registers=np.zeros(32, np.int64),
        scalar=scalar,
        dispatched=np.zeros(units, np.int64),
        resolved=np.zeros(units, np.int64),
        committed=np.zeros(units, np.int64),
        ring=np.zeros((units, machine.queue_depth + 1, st.RECORD), np.int64),
        issue_ring=np.zeros((units, machine.queue_depth), np.int64),
        complete_ring=np.full((units, machine.outstanding), -1, np.int64),
        unit=unit,
        clock=np.tile(sequence, (units, 1)),
        sequence=sequence,
        post_time=np.zeros((len(CHANNELS), 16), np.int64),
        post_clock=np.zeros((len(CHANNELS), 16, ports), np.int64),
        posted=np.zeros(len(CHANNELS), np.int64),
        waited=np.zeros(len(CHANNELS), np.int64),
        bank_unit=np.full((2, 2, banks), -1, np.int64),
        bank_end=np.full((2, 2, banks), -1, np.int64),
        unit_class=np.zeros((units, len(CycleClass)), np.int64),
        sequencer_class=np.zeros(len(SequencerClass), np.int64),
        trace=np.full((1024 if is_tracing else 1, 5), -1, np.int64),
        chunk=np.zeros((1024, st.RECORD), np.int64),
    )


def enlarge_posts(timing: st.Timing) -> st.Timing:
    """The same state with twice the room for posts that nothing has waited for yet."""
    old = timing.post_time.shape[1]
    times = np.zeros((len(CHANNELS), 2 * old), np.int64)
    clocks = np.zeros((len(CHANNELS), 2 * old, len(Port)), np.int64)
    for channel in range(len(CHANNELS)):
        pending = np.arange(timing.waited[channel], timing.posted[channel])
        times[channel, pending % (2 * old)] = timing.post_time[channel, pending % old]
        clocks[channel, pending % (2 * old)] = timing.post_clock[channel, pending % old]
    return timing._replace(post_time=times, post_clock=clocks)
