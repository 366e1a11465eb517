"""Rows, the suite and the table of docs/performance.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import suite
from benchmarks.row import Row, describe, number
from benchmarks.table import PAGE, RESULTS, markdown, page_with

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The suite's command line."""
    return subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_bars() -> None:
    """A bar holds if each of its parts does; the limit itself is within."""
    assert Row("w", "m", 0.35, "s", "x other", 1.5, "figure <= 0.35; ratio <= 1.5").is_met is True
    assert Row("w", "m", 0.35, "s", "x other", 1.6, "figure <= 0.35; ratio <= 1.5").is_met is False
    assert Row("w", "m", 0.36, "s", "x other", 1.5, "figure <= 0.35; ratio <= 1.5").is_met is False
    assert Row("w", "m", 0.2, "s", "times as fast", 99, "ratio >= 100").is_met is False
    assert Row("w", "m", 1, "s").is_met is None


@pytest.mark.parametrize("bar", ["figure < 1", "seconds <= 1", "figure <= 1, ratio <= 2", "ratio <= 2"])
def test_bad_bar(bar: str) -> None:
    """A bar that can't be judged is refused when the row is made: unknown words, or a ratio where there is none."""
    with pytest.raises(ValueError, match="bar"):
        Row("w", "m", 1, "s", bar=bar)


def test_rows_as_json() -> None:
    """A row survives the way through JSON, beside whether its bar is met."""
    row = Row("w", "edge-16", 2.5, "s", "x other", 1.25, "ratio <= 1.2")
    fields = json.loads(json.dumps(row.to_json()))
    assert fields["met"] is False
    assert Row.from_json(fields) == row
    assert describe(row) == "w on edge-16: 2.5 s, 1.25 x other (ratio <= 1.2: MISSED)"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.012345, "0.0123"), (1.256, "1.26"), (45.24, "45.2"), (123.4, "123"), (4197587, "4,197,587"), (1234.6, "1,235"), (2, "2")],
)
def test_numbers(value: float, text: str) -> None:
    """Three digits, and all digits before the point."""
    assert number(value) == text


def test_page_in_step() -> None:
    """The table of docs/performance.md is the one that docs/performance.json makes, and those results lack no benchmark of the suite
    without saying so."""
    runs = json.loads(RESULTS.read_text())
    assert PAGE.read_text() == page_with(PAGE.read_text(), runs), "run make bench-docs"
    assert {name for run in runs for name in (*(fields["benchmark"] for fields in run["rows"]), *run["left_out"])} == set(suite())


def test_table() -> None:
    """Each run has its head and its tables; a benchmark is left out only if no run has it; a bar that is missed says so."""
    head = {"commit": "c", "processor": "p", "cores": 2, "load": 0.5, "versions": {"python": "3.11"}, "failed": []}
    slow = {"benchmark": "slow", **Row("w", "edge-16", 3, "s", "x other", 1.5, "ratio <= 1.2").to_json()}
    quick = {"benchmark": "quick", **Row("v", "", 1, "s").to_json()}
    runs = [
        {**head, "date": "2000-01-01", "rows": [slow], "left_out": {"quick": "not asked for", "gone": "no tool"}},
        {**head, "date": "2000-01-02", "rows": [quick], "left_out": {"slow": "not asked for"}},
    ]
    text = markdown(runs)
    assert text.index("2000-01-01, commit c") < text.index("benchmarks.slow") < text.index("2000-01-02") < text.index("benchmarks.quick")
    assert "| w | edge-16 | 3 s | 1.5 x other | ratio ≤ 1.2: **missed** |" in text
    assert text.endswith("Left out: `gone` (no tool).")


def test_results_of_a_run(tmp_path: Path) -> None:
    """A run writes rows, each named by its benchmark, with the date that it was given and what it ran on."""
    output = tmp_path / "deep" / "bench.json"
    result = run("--date", "2000-01-02", "--output", str(output), "kernels")
    assert result.returncode == 0, result.stderr
    results = json.loads(output.read_text())
    assert results["date"] == "2000-01-02"
    assert results["cores"] >= 1
    assert {"python", "numpy", "numba"} <= results["versions"].keys()
    assert results["failed"] == []
    assert {fields["benchmark"] for fields in results["rows"]} == {"kernels"}
    assert all(fields["met"] for fields in results["rows"])
    assert "[1/1] kernels" in result.stderr
    assert [path.name for path in output.parent.iterdir()] == ["bench.json"]


def test_usage() -> None:
    """An unknown benchmark or no date ends with exit code 2 and says what was expected."""
    unknown = run("--date", "2000-01-02", "nothing")
    assert unknown.returncode == 2
    assert "no benchmark is called nothing; expected some of assembler" in unknown.stderr
    undated = run("kernels")
    assert undated.returncode == 2
    assert "--date is missing" in undated.stderr


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A benchmark whose tool isn't installed is left out with the reason; one that fails is named, and the others' rows are kept."""
    from benchmarks.__main__ import Run

    programs = {
        "absent": "import sys; print('tool is missing', file=sys.stderr); sys.exit(3)",
        "broken": f"import sys; print({json.dumps(json.dumps(Row('half', '', 1, 's').to_json()))}); sys.exit('no such thing')",
    }
    monkeypatch.setattr("benchmarks.__main__.command", lambda name: [sys.executable, "-c", programs[name]])
    runner = Run()
    runner.run(list(programs))
    assert runner.left_out == {"absent": "tool is missing"}
    assert runner.failed == ["broken"]
    assert [row.name for _, row in runner.rows] == ["half"]
