"""Each step of docs/tutorial.md assembles without a word, is clean for the lint, and computes what NumPy does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelkit.assembler import Source, analyse
from accelkit.lint.check import lint_source
from accelkit.simulator import Session

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
STEPS = re.findall(r"```asm\n(.*?)```", PAGE, re.DOTALL)


def requantised(sums: Any, bias: Any, scale: Any) -> Any:
    """What `requantise` makes of sums, with a bias and a binary32 scale per column."""
    return np.clip(np.rint((sums + bias).astype(np.float32) * scale), -128, 127).astype(np.int8)


def copy(rows: int, rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    """Arguments and expected y of a copy."""
    x = rng.integers(-128, 128, (rows, 16), np.int8)
    return {"M": rows, "x": x}, x


def parameters_of(columns: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Biases, scales, and both as requantise reads them, in blocks of 16 columns."""
    bias = rng.integers(-50, 50, columns, np.int32)
    scale = rng.uniform(0.001, 1.5, columns).astype(np.float32)
    return bias, scale, np.stack([bias.reshape(-1, 16), scale.view(np.int32).reshape(-1, 16)], axis=1)


def scale(rows: int, rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    """Arguments and expected y of the third step."""
    x = rng.integers(-128, 128, (rows, 16), np.int8)
    bias, factor, parameters = parameters_of(16, rng)
    return {"M": rows, "x": x, "parameters": parameters[0]}, requantised(x.astype(np.int32), bias, factor)


def product(rows: int, rng: np.random.Generator, depth: int = 48, columns: int = 32) -> tuple[dict[str, Any], Any]:
    """Arguments and expected y of the fourth."""
    x, w = rng.integers(-128, 128, (rows, depth), np.int8), rng.integers(-128, 128, (depth, columns), np.int8)
    bias, factor, parameters = parameters_of(columns, rng)
    factor = (factor / 500).astype(np.float32)
    parameters[:, 1] = factor.view(np.int32).reshape(-1, 16)
    arguments = {"M": rows, "K": depth, "N": columns, "columns": columns // 16, "x": x, "w": w, "parameters": parameters}
    return arguments, requantised(x.astype(np.int32) @ w, bias, factor)


RUNS: list[tuple[int, Callable[..., tuple[dict[str, Any], Any]], int]] = [
    *((0, copy, rows) for rows in (1, 5, 1024)),
    *((1, copy, rows) for rows in (1, 64, 65, 300)),
    *((2, scale, rows) for rows in (1, 20, 256)),
    *((3, product, rows) for rows in (1, 32, 70)),
]


def test_page_has_four_steps() -> None:
    """Every listing of the page is one of the steps that are tried here."""
    assert len(STEPS) == 4


@pytest.mark.parametrize("step", range(4))
def test_step_is_clean(step: int) -> None:
    """The assembler has nothing to say, unused names included, and the lint nothing either, on all cases of the step."""
    analysis = analyse([Source(STEPS[step], "step.s")])
    assert [found.render() for found in analysis.diagnostics] == []
    assert analysis.program is not None
    findings, uncovered = lint_source(analysis.program, {"step.s": STEPS[step]})
    assert ([found.render() for found in findings], uncovered) == ([], [])


@pytest.mark.parametrize(("step", "arguments", "rows"), RUNS)
def test_step_computes_what_numpy_does(step: int, arguments: Callable[..., Any], rows: int) -> None:
    """With the checker on, the output is NumPy's, byte for byte."""
    program = analyse([Source(STEPS[step])]).program
    assert program is not None
    given, expected = arguments(rows, np.random.default_rng(rows))
    assert np.array_equal(Session("edge-16").run(program, **given)["y"], expected)
