"""`accel-lint` as a command, and the lint in `accel-as`: files, streams, exit codes."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_lint import main as accel_lint
from accelkit.lint.codes import CODES

RACY = """\
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[16, 16]
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0
        halt
"""
ALLOWED = RACY.replace("rows=t0, stride=t0\n        halt", "rows=t0, stride=t0  # lint: allow W0901 a test\n        halt")


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A runner in an empty folder that holds racy.s and allowed.s."""
    monkeypatch.chdir(tmp_path)
    Path("racy.s").write_text(RACY)
    Path("allowed.s").write_text(ALLOWED)
    return CliRunner()


def test_findings_exit_with_1(runner: CliRunner) -> None:
    """The text goes to stdout, the exit code is 1; with nothing found there is no text and the code is 0."""
    result = runner.invoke(accel_lint, ["racy.s"])
    assert result.exit_code == 1
    assert result.stdout.startswith("racy.s:7:9: warning[W0901]: 'store.b' may read scratchpad row 0 before 'load.b' has written it\n")
    assert runner.invoke(accel_lint, ["allowed.s"]).output == ""
    assert runner.invoke(accel_lint, ["allowed.s"]).exit_code == 0


def test_elf_says_what_the_source_says(runner: CliRunner) -> None:
    """An ELF file is linted like its source; where the source is gone, disassembly stands in its place. Allowances are in the file."""
    expected = runner.invoke(accel_lint, ["racy.s"]).output
    for name in ("racy", "allowed"):
        assert runner.invoke(accel_as, [f"{name}.s", "-o", f"{name}.elf", "--no-lint"]).output == ""
    assert runner.invoke(accel_lint, ["racy.elf"]).output == expected
    assert runner.invoke(accel_lint, ["allowed.elf"]).exit_code == 0
    Path("racy.s").unlink()
    lines = runner.invoke(accel_lint, ["racy.elf"]).output.splitlines()
    assert lines[0] == expected.splitlines()[0]
    assert lines[1] == "    7 |         store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0"


def test_json(runner: CliRunner) -> None:
    """`--json` has code, spans, the other place and the cases; what was allowed has its reason."""
    result = runner.invoke(accel_lint, ["racy.s", "--json"])
    assert result.exit_code == 1
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["code"], finding["file"], finding["line"], finding["column"]) == ("W0901", "racy.s", 7, 9)
    assert [(place["line"], place["instruction"]) for place in finding["places"]] == [(6, 3)]
    report = json.loads(runner.invoke(accel_lint, ["allowed.s", "--json"]).stdout)
    assert (report["findings"], [finding["reason"] for finding in report["allowed"]]) == ([], ["a test"])


def test_fix_is_a_patch(runner: CliRunner) -> None:
    """`--fix` writes a diff alone to stdout; `patch` applies it, and nothing is found any more."""
    result = runner.invoke(accel_lint, ["racy.s", "--fix"])
    assert "warning[W0901]" in result.stderr
    patched = subprocess.run(["patch", "-p0"], input=result.stdout, capture_output=True, text=True, check=False)
    assert patched.returncode == 0, patched.stdout
    assert runner.invoke(accel_lint, ["racy.s"]).output == ""


@pytest.mark.parametrize("code", CODES)
def test_explain(runner: CliRunner, code: str) -> None:
    """Every code has a title, a meaning and a fix; an unknown one is wrong usage."""
    result = runner.invoke(accel_lint, ["--explain", code])
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert said == f"{code}: {CODES[code].title} {CODES[code].meaning} Fix: {CODES[code].fix}"
    assert runner.invoke(accel_lint, ["--explain", "W9999"]).exit_code == 2


def test_files_that_are_no_program(runner: CliRunner) -> None:
    """Errors of the source come as the assembler has them (1); a file that is no program, and --fix of an ELF file, are wrong usage (2)."""
    Path("wrong.s").write_text("frob\n")
    Path("wrong.elf").write_text("frob\n")
    assert "wrong.s:1:1: error[E0107]" in runner.invoke(accel_lint, ["wrong.s"]).stderr
    result = runner.invoke(accel_lint, ["wrong.elf"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    runner.invoke(accel_as, ["racy.s", "-o", "racy.elf"])
    result = runner.invoke(accel_lint, ["racy.elf", "--fix"])
    assert (result.exit_code, result.stdout) == (2, "")


def test_accel_as_warns(runner: CliRunner) -> None:
    """`accel-as` writes its file, shows the findings on stderr and exits with 0; `--no-lint` leaves them out."""
    result = runner.invoke(accel_as, ["racy.s", "-o", "racy.elf"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("racy.s:7:9: warning[W0901]")
    assert Path("racy.elf").is_file()
    assert runner.invoke(accel_as, ["racy.s", "-o", "racy.elf", "--no-lint"]).stderr == ""
