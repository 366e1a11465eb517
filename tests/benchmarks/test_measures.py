"""What benchmarks calculate of what they measure."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.details import details
from benchmarks.gemm import known, off_the_line, operands, plan_of, with_onnx_runtime
from benchmarks.layers import Layer
from benchmarks.row import UnavailableError
from benchmarks.scalesim import PYTHON, Measured, _together, convolutions, macs, rows


def test_line() -> None:
    """Seconds on a line through any start are 0 % off; 10 % more in the middle are 10 % off, 10 % less too."""
    on_line = {size: 0.25 + 3e-9 * size**3 for size in (512, 1024, 2048)}
    assert off_the_line(on_line) == pytest.approx(0)
    for factor in (1.1, 0.9):
        assert off_the_line(on_line | {1024: factor * on_line[1024]}) == pytest.approx(10)


def test_convolutions() -> None:
    """The layers that SCALE-Sim gets are ResNet-50's 53 convolutions: 3.86 G MACs (He et al., table 1: 3.8 x 10^9)."""
    assert sum(layer.count for layer in convolutions()) == 53
    assert sum(macs(layer) * layer.count for layer in convolutions()) == pytest.approx(3.86e9, rel=0.002)


def test_extrapolation() -> None:
    """Of some layers, each once, SCALE-Sim's time for all is theirs over their share of the MACs, and the row says that it is no sum."""
    layer = next(layer for layer in convolutions() if layer.name == "conv4 3x3")
    share = macs(layer) / sum(macs(other) * other.count for other in convolutions())
    together, planning = _together("edge-16", [Measured(layer, 50, 0.1, 0.3)], is_whole=False)
    assert together.figure == pytest.approx(50 / share)
    assert together.ratio == pytest.approx(500)
    assert "extrapolated by MACs from 3.0% of them" in together.name
    assert planning.ratio == pytest.approx(3)


def test_whole_network() -> None:
    """Of all layers, each counts as often as the network has it."""
    measured = [Measured(Layer("a", 8, 8, 8, count=3), 50, 0.1, 0.3), Measured(Layer("b", 8, 8, 8), 10, 0.2, 0.3)]
    together, _ = _together("edge-16", measured, is_whole=True)
    assert (together.figure, together.ratio) == (160, pytest.approx(160 / 0.5))
    assert together.name.endswith("all")


@pytest.mark.skipif(PYTHON.exists(), reason="scalesim is set up")
def test_without_scalesim() -> None:
    """Where it isn't set up, the benchmark says how to do so."""
    with pytest.raises(UnavailableError, match="make scalesim"):
        next(rows())


def test_both_sides_agree() -> None:
    """The product that is timed is the same on both sides, bit for bit."""
    a, b = operands(48)
    ours = known(plan_of("tiny-8", b), a).read()
    _, theirs = with_onnx_runtime(a, b)
    assert np.array_equal(ours, theirs)
    assert len(np.unique(ours)) > 100


def test_details() -> None:
    """What a run was made on, with the date that was given."""
    found = details("2000-01-02")
    assert found["date"] == "2000-01-02"
    assert found["processor"]
    assert found["cores"] >= 1
