"""Machine files: presets have the values of the design, and every bad file gets a message that says what and where."""

import re
from importlib import resources

import pytest

from accelkit.isa.machine import MachineError, load_machine, parse_machine, presets

PRESETS = {
    # array, scratchpad, accumulator, read and write latency, bus, page, miss, depth, outstanding, launch, clock
    "edge-16": (16, 8, 32 << 10, 4, 16 << 10, 100, 40, 16, 2 << 10, 20, 8, 8, 200, 1.0),
    "tiny-8": (8, 8, 4 << 10, 4, 4 << 10, 20, 10, 8, 1 << 10, 10, 4, 4, 50, 1.0),
    "server-128": (128, 8, 1 << 20, 4, 1 << 20, 200, 80, 256, 8 << 10, 20, 16, 16, 500, 0.7),
}


def edge_text() -> str:
    """The text of the default machine's file."""
    return (resources.files("accelkit.isa.machines") / "edge-16.toml").read_text()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_values_of_the_design(name: str) -> None:
    """The figures that cycle bars hold for."""
    m = load_machine(name)
    assert m.array_rows == m.array_columns
    assert PRESETS[name] == (
        m.array_rows,
        m.scratchpad_banks,
        m.scratchpad_bank_bytes,
        m.accumulator_banks,
        m.accumulator_bank_bytes,
        m.dram_read_latency_cycles,
        m.dram_write_latency_cycles,
        m.bus_bytes,
        m.page_bytes,
        m.page_miss_cycles,
        m.queue_depth,
        m.outstanding,
        m.launch_cycles,
        m.clock_ghz,
    )


def test_default_comes_first() -> None:
    """`accel-sim machines` lists the default first."""
    assert presets() == ["edge-16", "server-128", "tiny-8"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("read_latency", "read_latencie", "dram.read_latencie: unknown key; did you mean dram.read_latency?"),
        ("read_latency", "read_latencie", "dram.read_latency: missing; expected cycles as text like"),
        ('"32 KiB"', '"32 kB"', "scratchpad.bank: '32 kB' is not bytes as text like \"32 KiB\""),
        ('"32 KiB"', "32768", 'scratchpad.bank: 32768 is not bytes as text like "32 KiB"'),
        ('"16 B/cycle"', '"16 B"', "dram.bus: '16 B' is not bytes per cycle as text like \"16 B/cycle\""),
        ('"16 B/cycle"', '"24 B/cycle"', "dram.bus: '24 B/cycle' is outside a power of two in 4..1024"),
        ('"100 cycles"', '"100 ns"', "dram.read_latency: '100 ns' is not cycles as text"),
        ('"100 cycles"', '"0 cycles"', "dram.read_latency: '0 cycles' is outside 1..4095 cycles"),
        ('"100 cycles"', '"1.5 cycles"', "dram.read_latency: '1.5 cycles' is not cycles"),
        ("rows = 16", "rows = 8", "array.rows = 8, array.columns = 16: only square arrays are supported"),
        ("rows = 16", 'rows = "16"', "array.rows: '16' is not a number like 16"),
        ("rows = 16", "rows = true", "array.rows: True is not a number like 16"),
        ('"32 KiB"', '"1000 B"', "scratchpad.bank = 1000 bytes: not a multiple of its row of 16 bytes"),
        ('"2 KiB"', '"8 B"', "dram.page = 8 bytes: smaller than the bus word of 16 bytes"),
        ('"1 GHz"', '"1 GiB"', "clock: '1 GiB' is not a frequency"),
        ('name = "edge-16"', "name = 16", "name: expected a string, found 16"),
        ("[array]", "[array", "not valid TOML"),
        ("depth = 8", "depth = 0", "queues.depth: 0 is outside 1..256 count"),
        ('"1 GiB"', f'"{"9" * 400} B"', f"dram.size: '{'9' * 400} B' is not bytes as text like"),
        ("depth = 8", f"depth = {'9' * 5000}", "not valid TOML"),
        ("depth = 8", f"depth = {'[' * 5000}", "not valid TOML"),
    ],
)
def test_bad_file_says_what_and_where(old: str, new: str, message: str) -> None:
    """Unknown key, wrong unit, impossible size: each has its line, prefixed by the file."""
    text = edge_text()
    assert old in text
    with pytest.raises(MachineError) as caught:
        parse_machine(text.replace(old, new, 1), "my.toml")
    assert any(line.startswith("my.toml: ") and message in line for line in str(caught.value).splitlines())


def test_all_problems_are_reported_together() -> None:
    """One look at the message is enough to mend a file."""
    text = edge_text().replace("depth = 8", "depth = 0").replace('"2 KiB"', '"2 kB"')
    with pytest.raises(MachineError) as caught:
        parse_machine(text, "my.toml")
    assert re.findall(r"my.toml: (\S+):", str(caught.value)) == ["dram.page", "queues.depth"]


def test_unknown_preset_has_a_suggestion() -> None:
    """A misspelt preset is neither a file nor a preset."""
    with pytest.raises(MachineError, match=r"edge16: no such preset .*did you mean edge-16\?"):
        load_machine("edge16")


def test_digest_changes_with_what_changes_cycles_only() -> None:
    """Goldens carry the digest: a new description is the same machine, a new latency is not."""
    machine = load_machine("edge-16")
    text = edge_text()
    assert parse_machine(text.replace("Like Gemmini", "Not like Gemmini"), "a").digest == machine.digest
    assert parse_machine(text.replace('"100 cycles"', '"101 cycles"'), "a").digest != machine.digest
