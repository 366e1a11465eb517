"""The commands of README.md print what README.md shows."""

from __future__ import annotations

from pathlib import Path

from tests.docs import transcript

ROOT = Path(__file__).parents[2]


def test_commands_print_what_the_page_shows(tmp_path: Path, is_updating_golden: bool) -> None:
    """Each block of commands, run in the order of the page, prints the block below it, on either stream."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert len(transcript.compare(ROOT / "README.md", tmp_path, is_updating_golden)) == 2
