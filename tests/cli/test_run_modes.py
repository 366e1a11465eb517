"""`accel-sim run --timing-only` and `--functional-only`: half of a run, the same as in the whole of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"
SIZES = ("--arg", "M=20", "--arg", "K=7", "--arg", "N=5")
INPUTS = ("--in", "a=a.npy", "--in", "b=b.npy")
OPEN = """\
.arg x, in, s8[*]
.arg y, out, s8[4]
        larg a0, args[x]
        li t0, 4
        li t1, 1
        load.b sp[zero], dram[a0], bytes=t0, rows=t1, stride=t0
        halt
"""
CARELESS = """\
.arg y, out, s8[16]
        larg a0, args[y]
        li t0, 16
        li t1, 1
        store.b dram[a0], sp[zero], bytes=t0, rows=t1, stride=t0
        halt
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with inputs of the example."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    np.save("a.npy", rng.integers(-128, 128, (20, 7), dtype=np.int8))
    np.save("b.npy", rng.integers(-128, 128, (7, 5), dtype=np.int8))
    return tmp_path


def run(*options: str, program: str | Path = EXAMPLE) -> Result:
    """`accel-sim run PROGRAM` with options."""
    return CliRunner().invoke(main, ["run", str(program), *options])


@pytest.mark.parametrize("options", [(), ("--jitter", "3"), ("-m", "server-128"), ("--dead-stores",)], ids=" ".join)
def test_cycles_alone(options: tuple[str, ...]) -> None:
    """Cycles by unit, class and line are those of a whole run, with inputs or without."""
    whole = json.loads(run(*SIZES, *INPUTS, *options, "--json", "-").stdout)
    for inputs in (INPUTS, ()):
        result = run(*SIZES, *inputs, *options, "--timing-only", "--json", "-")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout) == whole
    assert f"halted after {whole['cycles']:,} cycles" in run(*SIZES, *options, "--timing-only", "--annotate").stdout


def test_size_that_only_an_array_has(folder: Path) -> None:
    """A buffer of open size takes its size from its array, with --timing-only too; what is in it is not read."""
    (folder / "open.s").write_text(OPEN)
    missing = run("--timing-only", program="open.s")
    assert missing.exit_code == 2
    assert "argument x is s8[*]: pass an array, its size is open" in missing.stderr
    np.save("x.npy", np.zeros(4, np.int8))
    assert run("--timing-only", "--in", "x=x.npy", program="open.s").exit_code == 0


def test_values_alone() -> None:
    """Outputs are those of a whole run; no cycles are shown."""
    assert run(*SIZES, *INPUTS, "--out", "c=whole.npy").exit_code == 0
    result = run(*SIZES, *INPUTS, "--out", "c=values.npy", "--functional-only")
    assert result.exit_code == 0, result.output
    assert result.stdout == "matmul on edge-16: halted; no cycles with --functional-only\n"
    assert Path("values.npy").read_bytes() == Path("whole.npy").read_bytes()


@pytest.mark.parametrize("mode", [("--timing-only",), ("--functional-only", "--out", "y=y.npy")], ids=lambda mode: mode[0])
def test_nothing_is_checked(mode: tuple[str, ...], folder: Path) -> None:
    """A read of rows that nothing has written is a fault of a whole run only."""
    (folder / "careless.s").write_text(CARELESS)
    assert run(program="careless.s").exit_code == 1
    result = run(*mode, program="careless.s")
    assert result.exit_code == 0, result.output


def test_deadlock_is_found_without_values(folder: Path) -> None:
    """A program that waits for ever ends with exit code 1 and the message of a whole run in either mode; no output is written."""
    (folder / "stuck.s").write_text(".arg y, out, s8[4]\n.token never = load -> store\n        sync.store wait(never)\n        halt\n")
    whole = run(program="stuck.s")
    assert whole.exit_code == 1
    for mode in (("--timing-only",), ("--functional-only", "--out", "y=y.npy")):
        result = run(*mode, program="stuck.s")
        assert result.exit_code == 1
        assert result.stderr == whole.stderr
    assert not Path("y.npy").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--timing-only", "--functional-only"), "--functional-only and --timing-only exclude each other"),
        (("--timing-only", "--out", "c=c.npy"), "--out and --timing-only exclude each other: --timing-only computes no values"),
        (("--functional-only",), "--functional-only has nothing to show: give --out BUFFER=FILE.npy"),
        *(
            (("--functional-only", "--out", "c=c.npy", *option), f"{option[0]} and --functional-only exclude each other")
            for option in (
                ("--json", "-"), ("--annotate",), ("--trace", "json"), ("--diff", "b.json"), ("--jitter", "3"), ("--dead-stores",),
            )
        ),
    ],
    ids=str,
)  # fmt: skip
def test_options_that_exclude_each_other(options: tuple[str, ...], message: str) -> None:
    """What has nothing to show is refused before anything runs."""
    result = run(*SIZES, *INPUTS, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("c.npy").exists()
