"""`accel-sim model`: results, report, messages and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main
from accelkit.kernels.onnx import executor
from tests.kernels.onnx.builder import Builder, run_reference, save


def net() -> Builder:
    """Two products with a fallback node between them; int8 [1, 24] to int8 [1, 5]."""
    b = Builder()
    b.gemm("x", "g1", 24, 20)
    b.add("g1", "g1", "a")
    b.gemm("a", "y", 20, 5)
    return b


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with net.onnx, x.npy (6 items) and two.onnx of two inputs and two outputs."""
    monkeypatch.chdir(tmp_path)
    save(net().model({"x": [1, 24]}, ["y"]), tmp_path)
    save(net().model({"x": [1, 24], "z": [3]}, ["y", "g1"]), tmp_path, "two.onnx")
    np.save("x.npy", np.random.default_rng(1).integers(-128, 128, (6, 24), dtype=np.int8))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", *arguments])


def test_outputs_of_all_runs(folder: Path) -> None:
    """The output file holds all runs in order, equal to ONNX Runtime's results one by one."""
    result = run("net.onnx", "--input", "x.npy", "--output", "y.npy", "--compare")
    assert result.exit_code == 0, result.output
    model = net().model({"x": [1, 24]}, ["y"])
    expected = [run_reference(model, {"x": row[None]}, ["y"])["y"] for row in np.load("x.npy")]
    assert np.array_equal(np.load("y.npy"), np.concatenate(expected))
    assert "compared with ONNX Runtime: every intermediate of every run is equal" in result.output
    assert [line.split()[3] for line in result.output.splitlines()[1:4]] == ["accelerator", "accelerator", "accelerator"]


def test_named_inputs_and_outputs(folder: Path) -> None:
    """A model of several inputs and outputs takes and gives them by name."""
    np.save("z.npy", np.zeros(3, np.int8))
    result = run("two.onnx", "--input", "x=x.npy", "--input", "z=z.npy", "--output", "y=y.npy", "--output", "g1=g.npy")
    assert result.exit_code == 0, result.output
    assert np.load("y.npy").shape == (6, 5)
    assert np.load("g.npy").shape == (6, 20)


def test_json_is_the_report(folder: Path) -> None:
    """`--json -` prints JSON alone; `--json FILE` writes the same beside the table."""
    alone = json.loads(run("net.onnx", "--input", "x.npy", "--json", "-", "--machine", "tiny-8").stdout)
    assert alone["machine"] == "tiny-8"
    assert alone["runs"] == 6
    assert [node["where"] for node in alone["nodes"]] == ["accelerator", "accelerator", "accelerator"]
    assert "compare" not in alone
    table = run("net.onnx", "--input", "x.npy", "--json", "r.json", "--compare", "--machine", "tiny-8").stdout
    beside = json.loads(Path("r.json").read_text())
    assert beside["compare"] == {"is_equal": True, "difference": None}
    assert beside["totals"]["cycles"] == alone["totals"]["cycles"]
    assert f"{alone['nodes'][0]['cycles']:,}" in table


def test_difference_is_exit_code_1(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong result ends with exit code 1 and the first node that differs; the report is there all the same."""
    original = executor.place

    def place_wrongly(session, plan, name, addresses):  # type: ignore[no-untyped-def]
        placed = original(session, plan, name, addresses)
        if name == "node y_node":
            session.write(placed.addresses["b"], session.read(placed.addresses["b"], 64) + np.uint8(1))
        return placed

    monkeypatch.setattr(executor, "place", place_wrongly)
    result = run("net.onnx", "--input", "x.npy", "--compare", "--json", "-")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: run 0: y_node (QGemm): y differs from ONNX Runtime in ")
    report = json.loads(result.stdout)
    assert report["compare"]["is_equal"] is False
    assert report["compare"]["difference"].startswith("run 0: y_node")
    assert report["runs"] == 1


BAD = {
    "no model": (["lost.onnx", "--input", "x.npy"], "lost.onnx: can't read the model: No such file or directory"),
    "no ONNX": (["x.npy", "--input", "x.npy"], "x.npy: not a readable ONNX model"),
    "no input": (["net.onnx", "--input", "lost.npy"], "lost.npy: can't read the input: No such file or directory"),
    "other type": (["net.onnx", "--input", "f.npy"], "convert it: x.astype(numpy.int8)"),
    "other name": (["net.onnx", "--input", "z=x.npy"], "the model has no input z; it has x: int8 [1, 24]"),
    "input twice": (["net.onnx", "--input", "x=x.npy", "--input", "x=x.npy"], "--input x is given twice"),
    "nameless twice": (["net.onnx", "--input", "x.npy", "--input", "x.npy"], "a second file without a NAME="),
    "names needed": (["two.onnx", "--input", "x.npy"], "give each as NAME=FILE.npy"),
    "other output": (["net.onnx", "--input", "x.npy", "--output", "q=q.npy"], "no output of that name; it has y"),
    "output names needed": (
        ["two.onnx", "--input", "x=x.npy", "--input", "z=x.npy", "--output", "q.npy"],
        "the model has 2 outputs (y, g1); give each as --output NAME=FILE.npy",
    ),
    "machine": (["net.onnx", "--input", "x.npy", "--machine", "edge-17"], "edge-17"),
    "output folder": (["net.onnx", "--input", "x.npy", "--output", "lost/y.npy"], "lost/y.npy: "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_exit_code_2(case: str, folder: Path) -> None:
    """Files and names that can't be used end with exit code 2 and one line; no output file is left behind."""
    np.save("f.npy", np.zeros((6, 24), np.float32))
    before = set(folder.rglob("*"))
    arguments, expected = BAD[case]
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1
    assert set(folder.rglob("*")) == before


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime"])
def test_missing_extra(missing: str, folder: Path) -> None:
    """Without the extra, one line says how to install it."""
    program = f"import sys; sys.modules[{missing!r}] = None; from accelkit.cli.accel_sim import main; main()"
    command = [sys.executable, "-c", program, "model", "net.onnx", "--input", "x.npy"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    expected = f'error: {missing} is not installed; models need the onnx extra: python -m pip install "accelkit[onnx]"\n'
    assert result.stderr == expected
