"""The digits model on the accelerator: every held-out image, on the presets and on an odd machine."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from accelkit.cli.accel_sim import main
from models.digits.data import count_correct, load_held_out
from models.digits.train import MODEL_PATH
from tests.reference.onnx_op import open_session

# Nothing is a power of two but the bus and the page, nothing overlaps: one instruction queued, one transfer outstanding.
ODD_MACHINE = """
name = "odd-6"
description = "6x6 array, odd memory sizes, latency 1, depth 1"
clock = "123 MHz"
[array]
rows = 6
columns = 6
[scratchpad]
banks = 7
bank = "1542 B"
[accumulator]
banks = 3
bank = "744 B"
[dram]
size = "1 MiB"
read_latency = "1 cycle"
write_latency = "1 cycle"
bus = "4 B/cycle"
page = "64 B"
page_miss = "3 cycles"
[queues]
depth = 1
outstanding = 1
[sequencer]
instructions = 4096
arguments = 96
[launch]
cycles = "7 cycles"
"""


@pytest.fixture(scope="module")
def golden() -> np.ndarray:
    """Logits [540, 10] of this test's own ONNX Runtime session."""
    images, _ = load_held_out()
    (logits,) = open_session(str(MODEL_PATH)).run(None, {"images": images})
    return np.asarray(logits)


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["edge-16", "tiny-8", "server-128", "odd-6"])
def test_digits(machine: str, golden: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 540 images: every QLinearConv and QGemm on the accelerator, logits equal bit for bit, 535 images right."""
    monkeypatch.chdir(tmp_path)
    images, labels = load_held_out()
    np.save("images.npy", images)
    Path("odd-6.toml").write_text(ODD_MACHINE)
    chosen = "odd-6.toml" if machine == "odd-6" else machine
    # So few MACs that the slowest of the machines would leave them to the CPU.
    pins = ["--pin", "conv1_quant=accelerator", "--pin", "gemm_quant=accelerator"]
    files = [*pins, "--input", "images.npy", "--output", "logits.npy", "--json", "report.json"]
    result = CliRunner().invoke(main, ["model", str(MODEL_PATH), "--machine", chosen, *files])
    assert result.exit_code == 0, result.output

    report = json.loads(Path("report.json").read_text())
    assert report["machine"] == machine
    assert report["runs"] == len(images) == 540
    where = [(node["op"], node["where"]) for node in report["nodes"]]
    assert [op for op, _ in where] == [
        "QuantizeLinear", "QLinearConv", "QLinearConv", "QLinearConv", "Flatten", "QGemm", "DequantizeLinear",
    ]  # fmt: skip
    assert all(place == "accelerator" for op, place in where if op in ("QLinearConv", "QGemm")), report["nodes"]
    assert report["totals_per_run"]["macs"] == 235_520
    assert report["totals_per_run"]["launches"] >= 4  # one a node, and a padded copy of the image where that pays
    assert report["totals_per_run"]["utilisation"] > 0

    logits = np.load("logits.npy")
    assert logits.dtype == golden.dtype
    np.testing.assert_array_equal(logits, golden)
    correct = count_correct(logits, labels)
    print(f"{machine}: {correct} of {len(labels)} right, {report['totals_per_run']['cycles']:,} cycles an image")
    assert correct == 535
