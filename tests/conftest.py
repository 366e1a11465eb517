"""Switches and profiles shared by all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Examples follow from the test alone, so a failure in CI repeats everywhere. Compiling on first use rules out deadlines.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`, which rewrites golden files instead of comparing with them."""
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files from this run (never in CI)")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to rewrite golden files where nobody reads the difference; let the commands that tests start hear Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's job in the background (CI may be one) passes that on
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for people who read the difference; it is refused in CI")


@pytest.fixture
def is_updating_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def _leaves_its_place() -> Iterator[None]:
    """A test that leaves its process in another folder makes later ones fail, and which ones depends on how they were dealt out."""
    before = Path.cwd()
    yield
    after = Path.cwd()
    if after != before:
        os.chdir(before)
        pytest.fail(f"the test leaves the process in {after}; it began in {before}: change folders with monkeypatch.chdir")
