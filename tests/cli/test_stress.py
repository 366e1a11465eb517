"""`accel-sim stress` and `accel-sim run --jitter`: programs that lack an order, that lack none, and that go wrong anyhow."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main

COPY = """
        .arg x, in, s8[16, 16]
        .arg y, out, s8[16, 16]
        .token full = load -> store.0
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        li      t1, 8
        li      t2, 128
        add     a2, a0, t2
        add     a3, a1, t2
        load.b  sp[zero], dram[a0], bytes=t0, rows=t1, stride=t0  post(full)
        load.b  sp[t1], dram[a2], bytes=t0, rows=t1, stride=t0    {late}
        store.b dram[a1], sp[zero], bytes=t0, rows=t1, stride=t0  wait(full)
        store.b dram[a3], sp[t1], bytes=t0, rows=t1, stride=t0    {wait}
        halt
"""
RACY, ORDERED = COPY.format(late="", wait=""), COPY.format(late="post(full)", wait="wait(full)")
SECOND_STORE = 14  # its line
CLOCK = """
        .arg y, out, s32[16]
        larg    a1, args[y]
        li      t0, 64
        fill.w  acc[zero], fill=t0
        fence
        rdcycle t1
        fill.w  acc[zero], fill=t1
        fence
        store.w dram[a1], acc[zero], bytes=t0
        halt
"""
BANKS = """
        li      t0, 8
        fill.b  sp[zero], rows=t0
        fence
        fill.b  sp[t0], rows=t0
        li      t2, 70
pause:  addi    t2, t2, -1
        bnez    t2, pause
        lookup  sp[t0], src=sp[zero], table=sp[zero]
        halt
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with the programs and an input."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"racy": RACY, "ordered": ORDERED, "clock": CLOCK, "banks": BANKS, "trap": "trap 3\n"}.items():
        Path(f"{name}.s").write_text(text.removeprefix("\n"))
    np.save("x.npy", np.random.RandomState(2).randint(-128, 128, (16, 16)).astype(np.int8))


def sim(*words: str) -> Result:
    """`accel-sim` with these words."""
    return CliRunner().invoke(main, list(words))


def output_of(*options: str) -> np.ndarray:
    """`y` of an unchecked run of racy.s."""
    assert sim("run", "racy.s", "--in", "x=x.npy", "--no-check", "--out", "y=y.npy", *options).exit_code == 0
    return np.load("y.npy")


def test_a_race_shows_in_an_output() -> None:
    """The first element that differs, both values and their number are those of `run` with and without the seed; the line is the store
    that writes that row; seeds before it change nothing."""
    result = sim("stress", "racy.s", "--in", "x=x.npy", "--json", "found.json")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"racy.s:{SECOND_STORE}:9: checker fault: ")
    found = json.loads(Path("found.json").read_text())
    seed, output = found["finding"]["seed"], found["finding"]["output"]
    plain, delayed = output_of(), output_of("--jitter", str(seed))
    assert np.array_equal(plain, np.load("x.npy"))
    different = np.argwhere(plain != delayed)
    element = tuple(different[0])
    assert output["element"] == list(element)
    assert (output["plain"], output["delayed"], output["differing"]) == (plain[element], delayed[element], len(different))
    assert element[0] >= 8
    assert output["plain_store"]["place"] == output["delayed_store"]["place"] == f"racy.s:{SECOND_STORE}:9"
    assert f"y[{element[0]}, {element[1]}] = {delayed[element]}, without delays {plain[element]}" in result.stdout
    assert found["message"] in result.stdout
    assert all(np.array_equal(output_of("--jitter", str(before)), plain) for before in range(1, seed))


def test_without_the_checker() -> None:
    """--no-check finds the same seed and element, and no message of the checker."""
    command = "stress", "racy.s", "--in", "x=x.npy", "--json", "-"
    checked, unchecked = (json.loads(sim(*command, *extra).stdout) for extra in ([], ["--no-check"]))
    assert checked["verdict"] == "checker fault"
    assert unchecked["verdict"] == "halted"
    assert unchecked["message"] is None
    assert unchecked["finding"] == checked["finding"]


@pytest.mark.parametrize("extra", [[], ["--no-check"]])
def test_an_ordered_program(extra: list[str]) -> None:
    """Nothing is found, whatever the seed, and the cycles differ from seed to seed."""
    result = sim("stress", "ordered.s", "--in", "x=x.npy", "--seeds", "20", "--json", "found.json", *extra)
    assert result.exit_code == 0, result.output
    assert "20 seeds: the same outputs as without delays" in result.stdout
    assert ("no race in any timing" in result.stdout) == (not extra)
    found = json.loads(Path("found.json").read_text())
    assert found["finding"] is None
    assert found["seeds"] == 20
    assert found["cycles"] < found["delayed_cycles"][0] < found["delayed_cycles"][1]


def test_a_program_that_reads_the_clock() -> None:
    """Its outputs depend on the timing without a race, and that is said."""
    result = sim("stress", "clock.s")
    assert result.exit_code == 1
    assert "no race: the program reads the clock" in result.stdout
    assert re.search(r"y\[0\] = \d+, without delays \d+ \(16 of 16 elements differ\)", result.stdout)
    assert "written by clock.s:9:9 " in result.stdout


def test_another_end() -> None:
    """A seed that makes two units meet on a bank's port is named with the fault's message."""
    result = sim("stress", "banks.s", "--no-check", "-m", "tiny-8")
    assert result.exit_code == 1
    assert re.search(r"the delays of seed \d+ end it otherwise", result.stdout)
    assert "port fault" in result.stdout


def test_faults_that_no_timing_changes() -> None:
    """A program that ends in a fault without delays is not run with any; options and input are refused as by `run`."""
    result = sim("stress", "trap.s", "--json", "found.json")
    assert result.exit_code == 1
    assert "dispatch fault" in result.stdout
    assert json.loads(Path("found.json").read_text())["seeds"] == 0
    assert sim("stress", "racy.s").exit_code == 2
    assert sim("stress", "racy.s", "--in", "x=x.npy", "--seeds", "0").exit_code == 2
    assert sim("stress", "racy.s", "--in", "x=x.npy", "--json", "racy.s").exit_code == 2
    assert sim("run", "racy.s", "--in", "x=x.npy", "--jitter", "0").exit_code == 2


def test_the_debugger_sees_the_delayed_run() -> None:
    """`debug --jitter` ends in the cycle in which `run --jitter` ends, with its output."""
    cycles = json.loads(sim("run", "racy.s", "--in", "x=x.npy", "--no-check", "--jitter", "5", "--json", "-").stdout)["cycles"]
    plain = json.loads(sim("run", "racy.s", "--in", "x=x.npy", "--no-check", "--json", "-").stdout)["cycles"]
    command = ["debug", "racy.s", "--in", "x=x.npy", "--no-check", "--jitter", "5"]
    result = CliRunner().invoke(main, command, input="continue\nprint y int8\n")
    assert result.exit_code == 0, result.output
    assert f"halted after {cycles:,} cycles" in result.stdout
    assert cycles != plain
    shown = [[int(cell) for cell in line.partition(":")[2].split()] for line in result.stdout.partition("print y int8\n")[2].splitlines()]
    assert np.array_equal(np.array(shown).reshape(16, 16), output_of("--jitter", "5"))
