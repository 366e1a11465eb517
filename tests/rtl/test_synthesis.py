"""The RTL is hardware: Yosys finds no latch, infers every memory as RAM and optimises nothing away that should do something."""

from __future__ import annotations

import pytest

from accelkit.isa.emit_sv import LEVELS
from accelkit.isa.machine import load_machine
from accelkit.isa.table import TABLE
from tests.rtl.synthesis import Ram, Synthesis, synthesise

pytestmark = [pytest.mark.rtl, pytest.mark.slow]

MACHINE = load_machine("tiny-8")


@pytest.fixture(scope="module")
def synthesis() -> Synthesis:
    """tiny-8, once."""
    pytest.importorskip("pyosys")
    return synthesise(MACHINE)


def test_there_are_no_latches(synthesis: Synthesis) -> None:
    """Every combinational block gives its outputs a value on every path."""
    assert synthesis.latches == 0


def test_every_bank_is_a_ram_with_one_read_and_one_write_port(synthesis: Synthesis) -> None:
    """Scratchpad and accumulator banks have the machine's sizes and clocked reads, as ordinary SRAM has."""
    scratchpad = Ram(MACHINE.scratchpad_bank_rows, 8 * MACHINE.lanes, 1, 1, True)
    accumulator = Ram(MACHINE.accumulator_bank_rows, 32 * MACHINE.array_columns, 1, 1, True)
    expected = {f"scratchpad.g_bank[{b}].bank.mem": scratchpad for b in range(MACHINE.scratchpad_banks)}
    expected |= {f"accumulator.g_bank[{b}].bank.mem": accumulator for b in range(MACHINE.accumulator_banks)}
    assert {name: ram for name, ram in synthesis.rams.items() if name in expected} == expected


def test_every_other_ram_is_one_that_is_meant(synthesis: Synthesis) -> None:
    """Besides the banks: instruction and argument memory, the queues, the rings of the delay lines; one write port each."""
    others = {name: ram for name, ram in synthesis.rams.items() if ".bank.mem" not in name}
    queues = {f"{unit}_queue.entries" for unit in ("load", "store", "array", "vector")}
    rings = {"load_unit.in_dram", "store_unit.in_dram", "array_unit.path"}
    expected = {
        "sequencer.instructions.mem",
        "sequencer.arguments",
        *queues,
        *(f"{ring}.g_ring.mem" for ring in rings),
    }
    assert set(others) == expected
    assert {ram.write_ports for ram in others.values()} == {1}
    assert {ram.read_ports for ram in others.values()} == {1}


def test_every_multiplier_is_one_that_is_meant(synthesis: Synthesis) -> None:
    """One a PE, six a lane of the vector unit (window, requantise, two sums, a product and its scaling), the ALU's, and one for each
    level of each walk that the dispatch check measures; taps are lines x columns, in the dispatch check and in the vector unit."""
    walks = max(len(row.accesses) for row in TABLE.rows) * LEVELS
    pes = MACHINE.array_rows * MACHINE.array_columns
    assert synthesis.cells["$mul"] == pes + 6 * MACHINE.array_columns + 1 + walks + 2


def test_no_register_is_removed(synthesis: Synthesis) -> None:
    """Optimisation keeps every register but bits that are constant by construction: mask fields that an instruction of the unit
    never sets, page numbers beyond DRAM, the weight select of the last diagonal, the decoder's ROM, quotient bits to come."""
    assert synthesis.removed_bits == {}
    assert set(synthesis.constant_bits) <= {
        "array_unit.pes.load_transposed_at",
        "array_unit.pes.load_transposed_q",
        "array_unit.preload_banks",
        "load_unit.walk.open_page",
        "store_unit.walk.open_page",
        "vector_unit.banks",
        *(f"vector_unit.g_lane[{lane}].real_numbers.divide.stages" for lane in range(MACHINE.lanes)),
    } | {name for name in synthesis.constant_bits if name.startswith(("sequencer.check.", "sequencer.row"))}
