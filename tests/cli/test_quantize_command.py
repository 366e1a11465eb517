"""`accel-sim quantize`: report, files, messages and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli import common, quantize_command
from accelkit.cli.accel_sim import main
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.float_models import FloatBuilder, classifier, samples


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with net.onnx and calib.npz."""
    monkeypatch.chdir(tmp_path)
    save(classifier(), tmp_path)
    np.savez("calib.npz", x=samples(5))
    return tmp_path


def quantize(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["quantize", *arguments])


@pytest.mark.parametrize("form", ["qoperator", "qdq"])
def test_model_that_runs(folder: Path, form: str) -> None:
    """What `quantize` writes, `model` runs, and every intermediate equals ONNX Runtime's; the table has a row per node."""
    result = quantize("net.onnx", "--data", "calib.npz", "-o", "int8.onnx", "--format", form)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["node", "op", "outcome", "how,", "or", "why", "not"]
    assert lines[2] == "norm1          BatchNormalization  folded     into conv1"
    assert lines[-1] == "12 nodes: 7 quantised, 4 folded, 1 float"
    np.save("x.npy", samples(2))
    run = CliRunner().invoke(main, ["model", "int8.onnx", "--input", "x.npy", "--compare", "--machine", "tiny-8"])
    assert run.exit_code == 0, run.output


def test_json(folder: Path) -> None:
    """`--json` prints the rows as data and nothing else."""
    report = json.loads(quantize("net.onnx", "--data", "calib.npz", "-o", "int8.onnx", "--json", "--ops", "Conv, MatMul,Gemm").stdout)
    assert report["totals"] == {"quantised": 3, "folded": 2, "float": 7}
    assert report["nodes"][0] == {"name": "conv1", "op": "Conv", "outcome": "quantised", "detail": "QLinearConv"}
    assert report["output"] == "int8.onnx"


def test_progress_is_for_terminals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 5 samples moves the bar on a terminal; elsewhere there is none, and the model is the same."""
    bars = []
    real = quantize_command.click.progressbar
    monkeypatch.setattr(quantize_command.click, "progressbar", lambda runs, **options: bars.append(len(runs)) or real(runs, **options))
    assert quantize("net.onnx", "--data", "calib.npz", "-o", "quiet.onnx").exit_code == 0
    assert bars == []
    monkeypatch.setattr(common, "is_terminal", lambda: True)
    assert quantize("net.onnx", "--data", "calib.npz", "-o", "seen.onnx").exit_code == 0
    assert bars == [5]
    assert Path("seen.onnx").read_bytes() == Path("quiet.onnx").read_bytes()


def test_nothing_quantised(folder: Path) -> None:
    """A model without any operator to quantise ends with 1 and leaves no file."""
    b = FloatBuilder()
    b.node("Sin", ["x"], "y")
    save(b.model({"x": ["N", 3, 12, 12]}, ["y"]), folder)
    result = quantize("net.onnx", "--data", "calib.npz", "-o", "int8.onnx")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: net.onnx: nothing was quantised, int8.onnx is not written; no node is an operator that can be quantised,"
        " or --ops names none of them\n"
    )
    assert not Path("int8.onnx").exists()


def test_warning_for_each_product_left(folder: Path) -> None:
    """A product of the recipe that stays in floating point is warned about, with the reason."""
    b = FloatBuilder()
    b.node("Conv", ["x", b.normal("w", 4, 3, 3, 3)], "conv")
    b.node("Conv", ["conv", b.normal("w2", 2, 4, 1, 1), b.node("Exp", ["k"], "bias")], "y")
    save(b.model({"x": [1, 3, 12, 12], "k": [2]}, ["y"]), folder)
    np.savez("calib.npz", x=samples(3), k=np.ones(2, np.float32))
    result = quantize("net.onnx", "--data", "calib.npz", "-o", "int8.onnx", "--ops", "Conv")
    assert result.exit_code == 0, result.output
    assert result.stderr == "warning: y (Conv) stays in floating point: bias bias is not a constant vector\n"


BAD = {
    "no model": (["lost.onnx", "--data", "calib.npz"], "lost.onnx: can't read the model: No such file or directory"),
    "no data": (["net.onnx", "--data", "lost.npz"], "lost.npz: can't read the arrays: No such file or directory"),
    "damaged data": (
        ["net.onnx", "--data", "cut.npz"],
        "cut.npz: not a .npz file, or a truncated one; write it with numpy.savez(FILE, NAME=array)",
    ),
    "one array": (
        ["net.onnx", "--data", "x.npy"],
        "x.npy: one array without a name (.npy); write it with numpy.savez(FILE, NAME=array)",
    ),
    "no arrays": (["net.onnx", "--data", "none.npz"], "none.npz: holds no array; write it with numpy.savez(FILE, NAME=array)"),
    "nameless": (
        ["net.onnx", "--data", "nameless.npz"],
        "nameless.npz: arrays arr_0, but the model's inputs are x: float32 [1, 3, 12, 12];"
        " write the file with numpy.savez(FILE, x=...)",
    ),
    "operator": (
        ["net.onnx", "--data", "calib.npz", "--ops", "Sin"],
        "operator Sin has no quantised form; there are Add, ArgMax, ",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_exit_code_2(case: str, folder: Path) -> None:
    """Files that can't be used end with exit code 2 and one line; no file is left behind."""
    Path("cut.npz").write_bytes(Path("calib.npz").read_bytes()[:500])
    np.save("x.npy", samples(2))
    np.savez("none.npz")
    np.savez("nameless.npz", samples(2))
    before = set(folder.rglob("*"))
    arguments, expected = BAD[case]
    result = quantize(*arguments, "-o", "int8.onnx")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error: {expected}")
    assert result.stderr.count("\n") == 1
    assert set(folder.rglob("*")) == before


@pytest.mark.parametrize("source", ["net.onnx", "calib.npz"])
def test_sources_are_kept(source: str, folder: Path) -> None:
    """The int8 model can't take the place of the model or of the data that it is made from, however the path is written."""
    before = Path(source).read_bytes()
    result = quantize("net.onnx", "--data", "calib.npz", "-o", f"./{source}")
    assert result.exit_code == 2
    assert result.stderr == f"error: --output ./{source}: would overwrite it: {source} is read\n"
    assert Path(source).read_bytes() == before


def test_scale_beyond_floats(folder: Path) -> None:
    """Data whose results overflow give an infinite scale: the message names the model given, no temporary file, and nothing is written."""
    np.savez("calib.npz", x=np.sign(samples(3)) * np.float32(3e38))
    result = quantize("net.onnx", "--data", "calib.npz", "-o", "int8.onnx")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: net.onnx: ")
    assert result.stderr.count("\n") == 1
    assert "int8.onnx" not in result.stderr
    assert not Path("int8.onnx").exists()


def test_output_folder(folder: Path) -> None:
    """An output that can't be written is refused before the work begins."""
    result = quantize("net.onnx", "--data", "calib.npz", "-o", "lost/int8.onnx")
    assert result.exit_code == 2
    assert result.stderr == "error: lost/int8.onnx: can't be written: there is no folder lost\n"
