"""The check of instruction counts: dumps read, counts compared, and the requests to callgrind themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.check import RECORD, compare, environment, parse

ROOT = Path(__file__).parents[2]
DUMP = "version: 1\ndesc: Timerange: Basic block 0 - 9\ndesc: Trigger: Client Request: {}\n\nsummary: 0\n\nfn=(1) f\n1 5\ntotals: {}\n"
COUNTED = """
from benchmarks import callgrind
callgrind.prepare()
for turns in (1000, 100_000):
    callgrind.start()
    sum(range(turns))
    callgrind.stop()
    callgrind.dump(f"{turns} turns")
"""


def test_dumps() -> None:
    """Each dump that a request caused gives its label and total; the one at the end of the program, without a request, none."""
    ending = "desc: Trigger: Program termination\n\nsummary: 9\ntotals: 9\n"
    assert parse([DUMP.format("gemm 1x1x1 on tiny-8", 1234), DUMP.format("other", 5), ending]) == {
        "gemm 1x1x1 on tiny-8": 1234,
        "other": 5,
    }


@pytest.mark.parametrize(
    ("now", "word", "is_well"), [(1050, "", True), (1051, "MORE", False), (950, "", True), (949, "less: record it", True)]
)
def test_tolerance(now: int, word: str, is_well: bool) -> None:
    """More than 5 % above the record is a regression; more than 5 % below asks for a new record."""
    [line], verdict = compare({"w": 1000}, {"w": now})
    assert verdict is is_well
    assert line.endswith(word or "%")


def test_other_workloads() -> None:
    """A new workload is no regression; one that is recorded and not counted can't pass."""
    lines, is_well = compare({"a": 10}, {"a": 10, "b": 5})
    assert is_well
    assert "not recorded" in lines[1]
    lines, is_well = compare({"a": 10, "b": 5}, {"a": 10})
    assert not is_well
    assert "was not counted" in lines[1]


def test_without_valgrind(tmp_path: Path) -> None:
    """Where valgrind isn't installed, the check says so with exit code 2."""
    command = [sys.executable, "-m", "benchmarks.check", "--record", "2000-01-02"]
    before = RECORD.read_bytes()
    result = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "found no valgrind" in result.stderr
    assert RECORD.read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_requests(tmp_path: Path) -> None:
    """Between start and stop, callgrind counts what is done there and nothing else: a hundred times the turns, nearly a hundred times
    the instructions, in a dump of its own."""
    valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={tmp_path / 'out'}"]
    result = subprocess.run(
        [*valgrind, sys.executable, "-c", COUNTED], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    counts = parse([path.read_text() for path in sorted(tmp_path.glob("out.*"))])
    assert counts.keys() == {"1000 turns", "100000 turns"}
    more = counts["100000 turns"] - counts["1000 turns"]
    assert 10 * 99_000 < more < 500 * 99_000
    assert counts["1000 turns"] < 0.2 * counts["100000 turns"]
