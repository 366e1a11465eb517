"""The commands of docs/jitter.md print what the page shows."""

from pathlib import Path

import pytest

from tests.docs import transcript

PAGE = Path(__file__).parents[2] / "docs" / "jitter.md"


@pytest.mark.slow
def test_page(tmp_path: Path, is_updating_golden: bool) -> None:
    """The copy works without delays, a seed shows what it lacks, and mended it is the same with every seed."""
    commands = transcript.compare(PAGE, tmp_path, is_updating_golden)
    assert len(commands) == 3
