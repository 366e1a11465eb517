"""Messages of the commands say what is wrong with names and numbers of any length, and are as short as ever."""

from importlib import resources
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_lint import main as accel_lint
from accelkit.cli.accel_sim import main as accel_sim

LONG, DIGITS = "a" * 100_000, "9" * 100_000
LONGEST = 8000  # characters: some lines of code, each cut to 120 columns, with what is said of them

SOURCES = {
    "mnemonic": "# t0",
    "directive": ".# 3",
    "label": "#: halt\n#: halt",
    "constant": ".equ #, 1\n.equ #, 2",
    "symbol": "li t0, #",
    "register": "add t0, t1, #",
    "flag": "fill.b sp[t0] #",
    "operand": "fill.b sp[t0], #=t0",
    "number": f"li t0, {DIGITS}",
    "real": f"li t0, 1.{DIGITS}e999",
    "path": '.include "#"',
    "names in a path": '.include "' + "a b " * 25_000 + '"',
    "argument": ".arg #, value\n.arg #, value\nhalt",
    "type": ".arg x, in, #[4]",
    "parameter": "li t0, \\#",
    "macro": ".macro #\n.endm\n.macro #\n.endm\n# 1, 2",
    "parameters": f".macro m {', '.join(f'p{number}' for number in range(9000))}\n.endm\nm",
    "token": ".token # = load -> array\n.token # = load -> array\nhalt",
    "channel": "sync.load post(#)",
    "region": ".region #, sp, 4\n.region #, sp, 4\nhalt",
    "case": ".arg #, value\n.case c\nhalt",
    "counter": ".rept 3, #\nfoo\n.endr",
    "assertion": '.assert 1 == 2, "#"\nhalt',
    "other letters": "\u00e4" * 50_000,
}


def run(command: click.Command, *arguments: str) -> str:
    """What a command that ends with exit code 1 or 2 says."""
    result = CliRunner().invoke(command, list(arguments))
    assert result.exit_code in (1, 2), result.output
    return result.output


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory with a program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)  # where nothing is recorded
    Path("halt.s").write_text("halt\n")


@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind: str) -> None:
    """Errors in a source."""
    Path("k.s").write_text(SOURCES[kind].replace("#", LONG))
    for command in (accel_as, accel_lint):
        said = run(command, "k.s", *(["-o", "k.elf"] if command is accel_as else []))
        assert "error[E" in said
        assert len(said) < LONGEST


def test_cases_of_machines_that_are_not() -> None:
    """The lint of a case on a machine with a name that no file has: it is not covered, with a reason."""
    Path("k.s").write_text(f".arg n, value\n.case c, n=1, machine={LONG}\nlarg t0, args[n]\nhalt\n")
    result = CliRunner().invoke(accel_lint, ["k.s"])
    assert result.exit_code == 0
    assert "not covered: case c can't be set up" in result.output
    assert "no such preset" in result.output
    assert len(result.output) < LONGEST


@pytest.mark.parametrize("change", ["unknown key", "value", "lists"])
def test_machine_files(change: str) -> None:
    """Errors in a machine file, whichever command reads it."""
    text = (resources.files("accelkit.isa.machines") / "edge-16.toml").read_text()
    Path("m.toml").write_text(
        {
            "unknown key": f'{text}\n[{LONG}]\nx = "{LONG}"\n',
            "value": text.replace('"1 GHz"', f'"{LONG}"'),
            "lists": text.replace('"edge-16"', f"[{'1, ' * 50_000}]", 1),
        }[change]
    )
    for said in (run(accel_sim, "run", "halt.s", "-m", "m.toml"), run(accel_as, "halt.s", "-m", "m.toml", "-o", "k.elf")):
        assert "m.toml: " in said
        assert len(said) < LONGEST


def test_options() -> None:
    """What is wrong with the command line itself."""
    for arguments in (
        [LONG],
        ["run", LONG],
        ["run", "halt.s", f"--{LONG}"],
        ["run", "halt.s", "-m", LONG],
        ["run", "halt.s", "--arg", f"{LONG}=x"],
        ["run", "halt.s", "--out", f"y={'x/' * 50_000}y.npy"],
    ):
        assert len(run(accel_sim, *arguments)) < LONGEST
    for arguments in ([LONG, "-o", "k.elf"], ["halt.s", "-o", LONG], ["halt.s", "-D", f"{LONG}-", "-o", "k.elf"]):
        assert len(run(accel_as, *arguments)) < LONGEST


def test_golden_cases() -> None:
    """A case with a key of any length."""
    Path("case.toml").write_text(f"{LONG} = 3\n")
    for command in ("check", "record"):
        said = run(accel_sim, "golden", command, ".")
        assert "has no key" in said
        assert len(said) < LONGEST
