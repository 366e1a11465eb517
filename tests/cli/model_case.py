"""The models that the tests of `accel-sim model` run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main
from tests.kernels.onnx.builder import Builder, save


def net() -> Builder:
    """Two products with a fallback node between them; int8 [1, 24] to int8 [1, 5]."""
    b = Builder()
    b.gemm("x", "g1", 24, 20)
    b.softmax("g1", "a")
    b.gemm("a", "y", 20, 5)
    return b


def write_models(folder: Path) -> None:
    """net.onnx, x.npy (6 items) and two.onnx of two inputs and two outputs."""
    save(net().model({"x": [1, 24]}, ["y"]), folder)
    save(net().model({"x": [1, 24], "z": [3]}, ["y", "g1"]), folder, "two.onnx")
    np.save(folder / "x.npy", np.random.default_rng(1).integers(-128, 128, (6, 24), dtype=np.int8))


def run(*arguments: str) -> Result:
    """`accel-sim model` with these arguments."""
    return CliRunner().invoke(main, ["model", *arguments])
