"""A seeded fraction of the mutation study (`make mutation` runs it whole; ACCELKIT_MUTANTS is the fraction)."""

import logging
import os

import pytest

from tests.lint.kernel_cases import CASES
from tests.lint.mutation import study

FRACTION = float(os.environ.get("ACCELKIT_MUTANTS", "0.1"))


@pytest.mark.slow
@pytest.mark.parametrize("kernel", CASES)
def test_who_notices(kernel: str, caplog: pytest.LogCaptureFixture) -> None:
    """Of the mutants that do harm lint alone catches at least 90 %, lint and checker together all; none does no harm, for that would be
    a wait or a post too many."""
    caplog.set_level(logging.ERROR)
    verdicts = study(kernel, FRACTION)
    harmful = {mutant: verdict for mutant, verdict in verdicts.items() if verdict.is_harmful}
    assert [mutant.text for mutant, verdict in harmful.items() if not verdict.lint and not verdict.checker] == []
    assert sum(verdict.lint for verdict in harmful.values()) >= 0.9 * len(harmful)
    assert [mutant.text for mutant in verdicts if mutant not in harmful] == []
