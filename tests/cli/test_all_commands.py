"""What holds for every command."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_lint import main as accel_lint
from accelkit.cli.accel_objdump import main as accel_objdump
from accelkit.cli.files import SafeCommand
from accelkit.isa import files

SCRIPTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["scripts"]


@pytest.mark.parametrize("entry", SCRIPTS.values(), ids=SCRIPTS)
def test_entry_is_guarded_and_documented(entry: str) -> None:
    """Every command that is installed guards its output, and its --help has an example or says who starts it."""
    module, name = entry.split(":")
    command = getattr(importlib.import_module(module), name)
    assert isinstance(command, SafeCommand)
    with click.Context(command) as context:
        shown = command.get_help(context)
    assert "Examples:" in shown or name == "accelkit" or "Editors start it" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("entry", SCRIPTS.values(), ids=SCRIPTS)
def test_full_standard_output(entry: str) -> None:
    """What can't be written is one line on stderr, never a traceback."""
    module, name = entry.split(":")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", f"from {module} import {name}; {name}(['--version'])"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr == "error: standard output can't be written: No space left on device\n"


@pytest.mark.parametrize("command", [accel_as, accel_objdump, accel_lint], ids=lambda command: command.name)
def test_files_without_end_are_refused(command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is larger than any program is a message, before it has filled the memory."""
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000)
    (tmp_path / "k.s").write_text("nop\n" * 1000)
    options = ["-o", str(tmp_path / "k.elf")] if command is accel_as else []
    result = CliRunner().invoke(command, [str(tmp_path / "k.s"), *options])
    assert result.exit_code in (1, 2)
    assert "more than 0 MiB" in result.stderr
    assert isinstance(result.exception, SystemExit)
