"""A seeded fraction of the fuzzing of operators that `make fuzz` does at length."""

from __future__ import annotations

import pytest
from tests.fuzz.operators.campaign import cases, fuzz, redrawn
from tests.fuzz.operators.case import Case, Outcome, shrink, write_reproducer
from tests.fuzz.operators.families import FAMILIES

SEED = 20_261_130


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_every_output_equals_onnx_runtime(family: str) -> None:
    """All outputs of the seeded cases are equal, every pair of features was met, and nothing but what can't be exact is refused."""
    coverage, failures = fuzz(family, 60, SEED)
    print(coverage.table())
    assert failures == []
    assert coverage.empty() == []
    assert {reason.split(": ")[1] for reason in coverage.refused} <= {"not-exact"}
