"""The vector unit in vectors of 16 lanes against the same instructions beat by beat, which the RTL's programs check."""

from dataclasses import replace

import numpy as np
import pytest

from accelkit.isa.machine import load_machine
from accelkit.isa.row import Kind
from accelkit.isa.table import TABLE
from accelkit.isa.units import Unit
from accelkit.simulator import Session, descriptors
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core import vector
from accelkit.simulator.core.jit import entry

IN_VECTORS, BY_BEAT, EXECUTE = entry(vector.in_vectors), entry(vector.by_beat), entry(vector.execute)
OPS = [row.mnemonic for row in TABLE.rows if row.unit is Unit.VECTOR and row.mnemonic not in ("requantise", "sync.vector")]
EDGE = load_machine("edge-16")
WIDE = replace(EDGE, name="edge-48", array_rows=48, array_columns=48, scratchpad_bank_bytes=48 << 10, accumulator_bank_bytes=48 << 12)
HALF = 512  # rows below are read, rows from here on written
SCALES = np.array([0, 1e-45, 1e-38, 2e-4, 0.0117, 0.25, 0.5, 1, 3.7, 1e30, np.inf, np.nan, -0.03], np.float32)


def record_of(mnemonic: str, machine_lanes: int, rng: np.random.Generator) -> st.Record:
    """A random instruction, as it comes from the timing pass."""
    row = TABLE.by_mnemonic[mnemonic]
    record = descriptors.record(st.RECORD)
    record.op = row.opcode
    record.flag_bits = int(rng.integers(1 << len(row.flags)))
    named: dict[str, int] = {}
    for place, operand in enumerate(row.slots):
        is_unsigned = bool(record.flag_bits & 1)
        if operand.kind in (Kind.SCRATCHPAD, Kind.ACCUMULATOR):
            is_target = place == 0
            value = int(rng.integers(HALF, HALF + 100)) if is_target else int(rng.integers(0, 100))
        elif operand.name in ("lines", "columns"):
            value = int(rng.integers(1, 5))
        elif operand.name in ("rows", "planes"):
            value = int(rng.integers(1, 8))
        elif "step" in operand.name:
            value = int(rng.integers(0, 12))
        elif operand.name in ("min", "max"):
            value = int(rng.integers(-128, 0)) if operand.name == "min" else int(rng.integers(1, 256))
        elif operand.name.endswith("zp"):
            value = int(rng.integers(0, 256)) if is_unsigned and operand.name != "weights_zp" else int(rng.integers(-128, 128))
        else:
            value = int(rng.choice(SCALES).view(np.int32)) if rng.integers(2) else int(np.float32(rng.normal()).view(np.int32))
        record.values[place] = named[operand.name] = value
    results = named["rows"] * named["planes"]
    taps = named.get("lines", 1) * named.get("columns", 1) * (2 if mnemonic in ("add.b", "multiply.b") else 1)
    preface = {"depthwise": 8 + taps, "average": 8, "lookup": -(-256 // machine_lanes)}.get(mnemonic, 0)
    record.e = preface + results * taps - 1
    record.c = record.e + 8
    return record


def memories_of(machine: str, rng: np.random.Generator) -> Session:
    """A session with random memories: small biases and great ones, all kinds of scales."""
    session = Session(EDGE if machine == "edge-16" else WIDE)
    memories = session.memories
    memories.scratchpad[:] = rng.integers(0, 256, memories.scratchpad.shape)
    for first in range(0, 200, 8):
        block = memories.scratchpad[first : first + 8].reshape(-1)
        columns = block.size // 8
        block[: 4 * columns].view(np.int32)[:] = rng.integers(-(1 << 31), 1 << 31, columns) >> rng.choice([0, 12], columns)
        if rng.integers(2):
            block[4 * columns :].view(np.float32)[:] = rng.choice(SCALES, columns)
    numbers = memories.accumulator.view(np.float32)
    numbers[:] = rng.normal(0, 50, numbers.shape)
    numbers[rng.random(numbers.shape) < 0.05] = rng.choice(SCALES)
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    return session


@pytest.mark.parametrize("machine", ["edge-16", "edge-48"])
@pytest.mark.parametrize("mnemonic", OPS)
def test_vectors_and_beats_leave_the_same_bytes(mnemonic: str, machine: str) -> None:
    """30 random instructions: both memories equal to the last byte, and an overflow told by both or by none."""
    rng = np.random.default_rng(len(mnemonic))
    one, other = memories_of(machine, rng), Session(EDGE if machine == "edge-16" else WIDE)
    config = descriptors.config(one.machine)
    for _ in range(30):
        other.memories.scratchpad[:] = one.memories.scratchpad
        other.memories.accumulator[:] = one.memories.accumulator
        record = record_of(mnemonic, config.lanes, rng)
        told = IN_VECTORS(one.memories, record)
        assert told == BY_BEAT(config, other.memories, record)
        np.testing.assert_array_equal(one.memories.scratchpad, other.memories.scratchpad)
        np.testing.assert_array_equal(one.memories.accumulator, other.memories.accumulator)


def test_an_instruction_that_reads_its_results_goes_beat_by_beat() -> None:
    """Rows moved on by one: each is read before the pipeline writes the result of the one before, which row by row would come first."""
    session = Session(EDGE)
    config, rows = descriptors.config(EDGE), descriptors.rows()
    record = descriptors.record(st.RECORD)
    record.op = g.OP_MAXIMUM
    values = {"SP": 1, "SRC": 0, "ROWS": 20, "STEP": 1, "SRC_STEP": 1, "PLANES": 1, "LINES": 1, "COLUMNS": 1, "MIN": -128, "MAX": 127}
    for name, value in values.items():
        record.values[getattr(g, f"SLOT_MAXIMUM_{name}")] = value
    record.e, record.c = 19, 21
    session.memories.scratchpad[:40] = np.arange(40)[:, None]
    EXECUTE(config, rows, session.memories, record)
    assert session.memories.scratchpad[:22, 3].tolist() == [0, *range(20), 21]
