"""`accel-sim model`: what can't be used, and what runs out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from accelkit.cli import model_run
from tests.cli.model_case import net, run, write_models
from tests.kernels.onnx.builder import Builder, save


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the models."""
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path)
    return tmp_path


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
    "no input at all": (["net.onnx"], "--input is missing: give an array for each input, or --explain or --timing-only, which need none"),
    "timing has no values": (["net.onnx", "--timing-only", "--compare"], "--timing-only computes no values"),
    "explain or timing": (["net.onnx", "--explain", "--timing-only"], "--timing-only and --explain exclude each other"),
    "values have no cycles": (["net.onnx", "--input", "x.npy", "--functional-only", "--json", "-"], "--functional-only reports no cycles"),
    "values of nothing": (["net.onnx", "--input", "x.npy", "--functional-only"], "give --output NAME=FILE.npy, or --compare"),
    "explain runs nothing": (["net.onnx", "--explain", "--compare"], "--compare and --explain exclude each other"),
    "two on stdout": (["net.onnx", "--explain", "--json", "-", "--csv", "-"], "give one of them a file"),
    "pin of what": (["net.onnx", "--explain", "--pin", "a_node"], "--pin a_node: expected NODE=cpu or NODE=accelerator"),
    "pin twice": (["net.onnx", "--explain", "--pin", "y_node=cpu", "--pin", "y_node=accelerator"], "for both sides"),
    "pin of nobody": (
        ["net.onnx", "--explain", "--pin", "g1_nod=cpu"],
        "--pin g1_nod=cpu: the model has no node of that name; did you mean g1_node",
    ),
    "pin that can't be": (
        ["net.onnx", "--explain", "--pin", "a_node=accelerator"],
        "node a_node (QLinearSoftmax) is pinned to the accelerator, which can't take it: ",
    ),
    "second machine": (["net.onnx", "--explain", "--versus", "edge-17"], "edge-17"),
    "over an input": (["net.onnx", "--input", "x=x.npy", "--csv", "x.npy"], "--csv x.npy: would overwrite it: x.npy is read"),
    "over the machine": (["net.onnx", "--explain", "-m", "x.npy", "--json", "./x.npy"], "would overwrite it: x.npy is read"),
    "over the other machine": (["net.onnx", "--explain", "--versus", "x.npy", "--csv", "x.npy"], "would overwrite it: x.npy is read"),
    "timeline over a report": (
        ["net.onnx", "--timing-only", "--json", "net.json", "--trace", "json"],
        "--trace net.json: would overwrite it: --json writes it",
    ),
    "over the model": (["net.onnx", "--explain", "--json", "./net.onnx"], "would overwrite it: net.onnx is read"),
    "over another": (
        ["net.onnx", "--input", "x.npy", "--output", "y=r", "--csv", "r"],
        "--csv r: would overwrite it: --output writes it",
    ),
    "report folder": (["net.onnx", "--explain", "--csv", "lost/r.csv"], "lost/r.csv: can't be written: there is no folder lost"),
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


def test_batch_beyond_64_bits(folder: Path) -> None:
    """A batch that no dimension can hold is a bad option, and the largest that is taken is placed without arrays of its size."""
    save(net().model({"x": ["n", 24]}, ["y"]), folder, "open.onnx")
    result = run("open.onnx", "--explain", "--batch", str(2**70))
    assert result.exit_code == 2
    assert f"Invalid value for '--batch': {2**70} is not in the range 1<=x<=2147483647" in result.stderr
    assert run("open.onnx", "--explain", "--batch", str(2**31 - 1)).exit_code == 0


def test_runtime_that_fails_in_a_comparison(folder: Path) -> None:
    """What only ONNX Runtime's kernels find (channels that fit no weights) ends with 2 and its reason, compared or not."""
    b = Builder()
    b.conv("x", "y", 4, 6, group=3)
    save(b.model({"x": [1, 13, 5, 7]}, ["y"]), folder, "bad.onnx")
    np.save("bad.npy", np.zeros((1, 13, 5, 7), np.int8))
    for options in ([], ["--compare"]):
        result = run("bad.onnx", "--input", "bad.npy", "--output", "bad_y.npy", *options)
        assert result.exit_code == 2
        last = result.stderr.splitlines()[-1]
        assert last.startswith("error: bad.onnx: ONNX Runtime ")
        assert "Input channels C is not equal to kernel channels * group" in last
        assert not Path("bad_y.npy").exists()


def test_memory_that_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An allocation that fails is told in one line, like a full disk."""

    def fail(*_: object, **__: object) -> None:
        np.empty(1 << 60, np.int8)

    monkeypatch.setattr(model_run, "Executor", fail)
    result = run("net.onnx", "--input", "x.npy", "--output", "y.npy")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("error: not enough memory: Unable to allocate 1.00 EiB")
    assert not Path("y.npy").exists()


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime"])
def test_missing_extra(missing: str, folder: Path) -> None:
    """Without the extra, one line says how to install it."""
    program = f"import sys; sys.modules[{missing!r}] = None; from accelkit.cli.accel_sim import main; main()"
    command = [sys.executable, "-c", program, "model", "net.onnx", "--input", "x.npy"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    expected = f'error: {missing} is not installed; models need the onnx extra: python -m pip install "accelkit[onnx]"\n'
    assert result.stderr == expected
