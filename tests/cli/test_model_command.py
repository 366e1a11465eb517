"""`accel-sim model`: results, reports and where nodes run."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from accelkit.cli import model_run
from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx import executor
from tests.cli.model_case import net, run, write_models
from tests.kernels.onnx.builder import run_reference, save
from tests.simulator.test_timeline import read_json


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the models."""
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path)
    return tmp_path


def test_outputs_of_all_runs(folder: Path) -> None:
    """The output file holds all runs in order, equal to ONNX Runtime's results one by one."""
    result = run("net.onnx", "--input", "x.npy", "--output", "y.npy", "--compare")
    assert result.exit_code == 0, result.output
    model = net().model({"x": [1, 24]}, ["y"])
    expected = [run_reference(model, {"x": row[None]}, ["y"])["y"] for row in np.load("x.npy")]
    assert np.array_equal(np.load("y.npy"), np.concatenate(expected))
    assert "compared with ONNX Runtime: every intermediate of every run is equal (3 tensors)" in result.output
    assert [line.split()[3] for line in result.stdout.splitlines()[1:4]] == ["accelerator", "cpu", "accelerator"]


def test_named_inputs_and_outputs(folder: Path) -> None:
    """A model of several inputs and outputs takes and gives them by name."""
    np.save("z.npy", np.zeros(3, np.int8))
    result = run("two.onnx", "--input", "x=x.npy", "--input", "z=z.npy", "--output", "y=y.npy", "--output", "g1=g.npy")
    assert result.exit_code == 0, result.output
    assert np.load("y.npy").shape == (6, 5)
    assert np.load("g.npy").shape == (6, 20)


def test_delays_change_cycles_alone(folder: Path) -> None:
    """With the delays of a seed every intermediate is still that of ONNX Runtime, after more cycles of each node on the accelerator."""
    command = "net.onnx", "--input", "x.npy", "--compare", "--json", "-"
    reports = [json.loads(run(*command, *extra).stdout) for extra in ([], ["--jitter", "4"])]
    assert [report["compare"]["is_equal"] for report in reports] == [True, True]
    plain, delayed = ([n["cycles"] for n in report["nodes"] if n["where"] == "accelerator"] for report in reports)
    assert len(plain) == 2
    assert all(later > cycles for later, cycles in zip(delayed, plain, strict=True))


def test_timeline_is_the_report(folder: Path) -> None:
    """`--trace`: launches have the names of their nodes, and each unit's busy cycles, read back, are the report's in all runs."""
    result = run("net.onnx", "--input", "x.npy", "--machine", "tiny-8", "--json", "report.json", "--trace", "net.json")
    assert result.exit_code == 0, result.output
    report, read = json.loads(Path("report.json").read_text()), read_json(Path("net.json").read_bytes())
    nodes = [node for node in report["nodes"] if node["where"] == "accelerator"]
    launches = [name for track, _, name, *_ in read.slices if track == "launches"]
    assert len(launches) == report["totals"]["launches"]
    assert launches == [f"{node['name']} ({node['kernel']})" for node in nodes] * report["runs"]
    page_miss_cycles = load_machine("tiny-8").page_miss_cycles
    for track, unit in (("load", "load"), ("store", "store"), ("run", "array"), ("vector", "vector")):
        beats = [one for one in read.slices if one[:2] == (track, "beats")]
        misses = sum(int(str(one[5].get("page_misses", 0))) for one in beats)
        busy = sum(until - first for _, _, _, first, until, _ in beats) - misses * page_miss_cycles
        assert busy == report["runs"] * sum(node["units"][unit].get("busy", 0) for node in nodes)


def test_json_is_the_report(folder: Path) -> None:
    """`--json -` prints JSON alone; `--json FILE` writes the same beside the table."""
    alone = json.loads(run("net.onnx", "--input", "x.npy", "--json", "-", "--machine", "tiny-8").stdout)
    assert alone["machine"] == "tiny-8"
    assert alone["runs"] == 6
    assert [node["where"] for node in alone["nodes"]] == ["accelerator", "cpu", "accelerator"]
    assert alone["nodes"][1]["reason"] == "no kernel for QLinearSoftmax"
    assert "compare" not in alone
    table = run("net.onnx", "--input", "x.npy", "--json", "r.json", "--compare", "--machine", "tiny-8").stdout
    beside = json.loads(Path("r.json").read_text())
    assert beside["compare"] == {"is_equal": True, "difference": None, "tensors": 3, "tensors_fused_away": 0}
    assert beside["totals"]["cycles"] == alone["totals"]["cycles"]
    assert f"{alone['nodes'][0]['cycles']:,}" in table


def test_difference_is_exit_code_1(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong result ends with exit code 1 and the first node that differs; the report is there all the same."""
    original = executor.place

    def place_wrongly(session, plan, name, addresses):  # type: ignore[no-untyped-def]
        placed = original(session, plan, name, addresses)
        if plan.output_shape == (1, 5):
            session.write(placed.addresses["b"], session.read(placed.addresses["b"], 64) + np.uint8(1))
        return placed

    monkeypatch.setattr(executor, "place", place_wrongly)
    result = run("net.onnx", "--input", "x.npy", "--compare", "--json", "-")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("error: run 0: y_node (QGemm): y differs from ONNX Runtime in ")
    report = json.loads(result.stdout)
    assert report["compare"]["is_equal"] is False
    assert report["compare"]["difference"].startswith("run 0: y_node")
    assert report["runs"] == 1


@pytest.mark.parametrize("machine", ["edge-16", "tiny-8"])
def test_timing_only(machine: str, folder: Path) -> None:
    """`--timing-only` needs no input and reports of each node what a run reports, but for what the host does."""
    options = ("--machine", machine, "--json", "-")
    timed = json.loads(run("net.onnx", "--timing-only", *options).stdout)
    ran = json.loads(run("net.onnx", "--input", "x.npy", *options).stdout)
    assert timed["nodes"] == ran["nodes"]
    assert timed["totals_per_run"] == ran["totals_per_run"]
    assert (timed["runs"], timed["transfers"], timed["cpu"]["host_milliseconds"]) == (1, [], 0)
    assert "cycles" in run("net.onnx", "--timing-only", "--versus", "tiny-8").stdout


def test_threads(folder: Path) -> None:
    """Two threads change neither the report nor an output."""
    one = json.loads(run("net.onnx", "--input", "x.npy", "--output", "y1.npy", "--json", "-").stdout)
    two = json.loads(run("net.onnx", "--input", "x.npy", "--output", "y2.npy", "--threads", "2", "--compare", "--json", "-").stdout)
    assert two["compare"]["is_equal"]
    assert two["nodes"] == one["nodes"]
    assert np.array_equal(np.load("y1.npy"), np.load("y2.npy"))


def test_functional_only(folder: Path) -> None:
    """`--functional-only` writes the same outputs, compares if asked to, and reports no cycles."""
    assert run("net.onnx", "--input", "x.npy", "--output", "y.npy").exit_code == 0
    result = run("net.onnx", "--input", "x.npy", "--output", "v.npy", "--functional-only", "--compare")
    assert result.stdout.splitlines() == [
        "6 runs; no cycles with --functional-only",
        "compared with ONNX Runtime: every intermediate of every run is equal (3 tensors)",
    ]
    assert np.array_equal(np.load("v.npy"), np.load("y.npy"))


def test_explain_runs_nothing(folder: Path) -> None:
    """`--explain` needs no input, says where each node would run with its code and reason, and estimates cycles."""
    report = json.loads(run("net.onnx", "--explain", "--json", "-").stdout)
    assert report["runs"] == 0
    assert [(node["where"], node["reason"]) for node in report["nodes"]] == [
        ("accelerator", ""),
        ("cpu", "no kernel for QLinearSoftmax"),
        ("accelerator", ""),
    ]
    ran = json.loads(run("net.onnx", "--input", "x.npy", "--json", "-").stdout)
    same = [key for key in ran["nodes"][0] if key not in ("cycles", "utilisation", "bound_share", "bytes", "units", "busy", "fill")]
    assert {"where", "code", "reason", "kernel", "tiling", "launches", "bound", "estimate_cycles"} < set(same)
    for planned, measured in zip(report["nodes"], ran["nodes"], strict=True):
        assert all(planned.get(key) == measured.get(key) for key in same if key in planned)
    assert "about" in run("net.onnx", "--explain").stdout


def test_fallback_is_warned_about(folder: Path) -> None:
    """A node that nobody sent to the CPU is named on standard error; pinned there, it is not."""
    result = run("net.onnx", "--explain")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: 1 of 3 nodes run on the CPU, not on edge-16: a_node (QLinearSoftmax): ")
    assert run("net.onnx", "--explain", "--pin", "a_node=cpu").stderr == ""


def test_no_fallback_names_every_offender(folder: Path) -> None:
    """`--no-fallback` ends with exit code 1 and a line for each node, code and reason; a pinned node is no offender."""
    b = net()
    b.softmax("y", "z")
    save(b.model({"x": [1, 24]}, ["z"]), folder, "three.onnx")
    result = run("three.onnx", "--input", "x.npy", "--no-fallback")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[0] == "error: three.onnx: --no-fallback: 2 of 4 nodes can't run on edge-16:"
    assert [line.split(":")[0] for line in lines[1:]] == ["  a_node (QLinearSoftmax)", "  z_node (QLinearSoftmax)"]
    assert all(line.endswith("no kernel for QLinearSoftmax") for line in lines[1:])
    result = run("three.onnx", "--explain", "--no-fallback", "--pin", "a_node=cpu", "--pin", "z_node=cpu")
    assert result.exit_code == 0, result.output


def test_pinned_to_the_cpu(folder: Path) -> None:
    """A pinned node runs in an island, with host time that isn't 0, and outputs stay the same."""
    run("net.onnx", "--input", "x.npy", "--output", "free.npy")
    result = run("net.onnx", "--input", "x.npy", "--output", "held.npy", "--pin", "y_node=cpu", "--json", "-", "--compare")
    assert result.exit_code == 0, result.output
    assert np.array_equal(np.load("free.npy"), np.load("held.npy"))
    report = json.loads(result.stdout)
    assert report["nodes"][2]["code"] == "pinned"
    assert [island["nodes"] for island in report["cpu"]["islands"]] == [["a_node", "y_node"]]
    assert report["cpu"]["host_milliseconds"] > 0


def test_csv_has_a_line_for_each_node(folder: Path) -> None:
    """`--csv -` prints names, then the nodes with the report's numbers."""
    result = run("net.onnx", "--input", "x.npy", "--csv", "-", "--json", "r.json")
    report = json.loads(Path("r.json").read_text())
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["name"] for row in rows] == ["g1_node", "a_node", "y_node"]
    assert [row["cycles"] for row in rows] == [str(node.get("cycles", "")) for node in report["nodes"]]
    assert rows[0]["dram_written_least"] == "20"


def test_two_machines(folder: Path) -> None:
    """`--versus` runs the model on both machines: each side's cycles are those of a run there, and the table says why they differ."""
    report = json.loads(run("net.onnx", "--input", "x.npy", "--versus", "tiny-8", "--json", "-").stdout)
    tiny = json.loads(run("net.onnx", "--input", "x.npy", "--machine", "tiny-8", "--json", "-").stdout)
    pairs = report["versus"]["nodes"]
    assert [pair["sides"][0].get("cycles") for pair in pairs] == [node.get("cycles") for node in report["nodes"]]
    assert [pair["sides"][1].get("cycles") for pair in pairs] == [node.get("cycles") for node in tiny["nodes"]]
    assert report["versus"]["cycles"] == [r["totals_per_run"]["cycles"] for r in (report, tiny)]
    assert any(why.startswith("tiny-8: ") and "load busy" in why for why in pairs[0]["why"])
    table = run("net.onnx", "--input", "x.npy", "--versus", "tiny-8").stdout
    assert "edge-16 beside tiny-8" in table


def test_batch_of_an_open_dimension(folder: Path) -> None:
    """`--batch` binds a batch dimension without a number: 6 items in two runs of 3, with the results of one by one."""
    save(net().model({"x": ["N", 24]}, ["y"]), folder, "open.onnx")
    result = run("open.onnx", "--input", "x.npy", "--batch", "3", "--output", "y.npy", "--compare", "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["runs"] == 2
    assert run("open.onnx", "--input", "x.npy", "--output", "one.npy").exit_code == 0
    assert np.array_equal(np.load("y.npy"), np.load("one.npy"))


@pytest.mark.parametrize("isatty", [True, False])
def test_progress_is_for_terminals(isatty: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar counts the steps of all runs on standard error, and only if that is a terminal."""
    shown: list[int] = []
    monkeypatch.setattr(model_run, "is_terminal", lambda: isatty)
    monkeypatch.setattr(model_run.click, "progressbar", lambda length, **_options: _Bar(length, shown))
    run("net.onnx", "--input", "x.npy")
    assert shown == ([6 * 7] + [1] * 42 if isatty else [])


class _Bar:
    """A progress bar that notes its length and its updates."""

    def __init__(self, length: int, shown: list[int]) -> None:
        shown.append(length)
        self.update = shown.append

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_error: object) -> None:
        pass
