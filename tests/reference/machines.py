"""Machines that differential tests run on: the default with little DRAM, and odd ones that find off-by-ones (those of the kernels' tests
with smaller memories)."""

from dataclasses import replace

from accelkit.isa.machine import Machine, load_machine
from tests.kernels.machines import ODD_6, SERIAL_4

_EDGE = replace(load_machine("edge-16"), dram_bytes=1 << 16)
_TINY = replace(load_machine("tiny-8"), dram_bytes=1 << 16)
_ONES = replace(
    SERIAL_4,
    name="ones-4",
    scratchpad_banks=2,
    scratchpad_bank_bytes=256,
    accumulator_banks=2,
    accumulator_bank_bytes=256,
    dram_bytes=1 << 12,
    argument_words=4,
)
_ODD = replace(ODD_6, scratchpad_bank_bytes=6 * 13, accumulator_bank_bytes=24 * 11, dram_bytes=1 << 13)
_NO_MISS = replace(
    _EDGE, name="no-miss", page_miss_cycles=0, queue_depth=2, outstanding=3, dram_read_latency_cycles=11
)
_WIDE = replace(
    _ONES,
    name="wide-4",
    scratchpad_banks=1,
    scratchpad_bank_bytes=4 * 40,
    accumulator_banks=1,
    accumulator_bank_bytes=16 * 9,
    dram_bytes=1 << 14,
    bus_bytes=64,
    page_bytes=64,
    dram_write_latency_cycles=9,
    queue_depth=5,
    outstanding=4,
)

MACHINES: dict[str, Machine] = {
    machine.name: machine for machine in (_EDGE, _TINY, _ONES, _ODD, _NO_MISS, _WIDE)
}
"""By name: the default size, 8x8, 4x4 where depth, latencies and outstanding are 1, 6x6 with odd sizes, one without page misses, one
with a single bank of each memory and a bus wider than its rows."""
