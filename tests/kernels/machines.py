"""Machines for tests of kernels: the presets with little DRAM, odd ones, and random ones."""

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from accelkit.isa.machine import Machine, load_machine

ASM = Path(__file__).parents[2] / "kernels" / "asm"  # the odd ones are those of the kernels' own cases
PRESETS = [replace(load_machine(name), dram_bytes=1 << 22) for name in ("edge-16", "tiny-8", "server-128")]

SERIAL_4, ODD_6 = (load_machine(ASM / f"{name}.toml") for name in ("serial-4", "odd-6"))
EDGE_32 = replace(
    PRESETS[0],
    name="edge-32",
    array_rows=32,
    array_columns=32,
    scratchpad_bank_bytes=4096,
    accumulator_bank_bytes=8192,
    bus_bytes=32,
)
NAMED = [*PRESETS, EDGE_32, SERIAL_4, ODD_6]


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Any of the named machines, or one with a random size of everything, often too small for overlap."""
    if draw(st.booleans()):
        return draw(st.sampled_from(NAMED))
    lanes = draw(st.sampled_from([2, 3, 4, 5, 6, 8, 16]))
    bus = draw(st.sampled_from([4, 8, 16, 64]))
    return replace(
        load_machine("tiny-8"),
        name="random",
        array_rows=lanes,
        array_columns=lanes,
        scratchpad_banks=draw(st.integers(1, 12)),
        scratchpad_bank_bytes=lanes * draw(st.integers(8, 200)),
        accumulator_banks=draw(st.integers(1, 4)),
        accumulator_bank_bytes=4 * lanes * draw(st.integers(1, 64)),
        dram_bytes=1 << 20,
        dram_read_latency_cycles=draw(st.integers(1, 100)),
        dram_write_latency_cycles=draw(st.integers(1, 60)),
        bus_bytes=bus,
        page_bytes=max(bus, draw(st.sampled_from([4, 16, 64, 256, 2048]))),
        page_miss_cycles=draw(st.integers(0, 20)),
        queue_depth=draw(st.integers(1, 8)),
        outstanding=draw(st.integers(1, 8)),
    )
