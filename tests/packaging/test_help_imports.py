"""Asking for help costs nothing: no command imports a heavy package before it has something to do."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ["numpy", "numba", "lark", "onnx", "onnxruntime", "sklearn", "pygls", "pygments", "plotly", "matplotlib"]
COMMANDS = {
    "accel-as": "accelkit.cli.accel_as:main",
    "accel-objdump": "accelkit.cli.accel_objdump:main",
    "accel-lint": "accelkit.cli.accel_lint:main",
    "accel-sim": "accelkit.cli.accel_sim:main",
    "accel-lsp": "accelkit.cli.accel_lsp:main",
    "accelkit": "accelkit.cli.main:accelkit",
}
# Prints the help of a command and of all its subcommands, then what was imported meanwhile, on the last line.
PROGRAM = """
import json, sys, click
from {module} import {function} as command

def show(command, path):
    context = click.Context(command, info_name=path)
    print(command.get_help(context))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            show(command.get_command(context, name), path + " " + name)

show(command, "command")
print(json.dumps([name for name in {heavy} if name in sys.modules]))
"""


@pytest.mark.parametrize("entry", COMMANDS.values(), ids=COMMANDS)
def test_help_imports_nothing_heavy(entry: str) -> None:
    """The help of a command and of each of its subcommands is printed without numpy, numba, lark or onnx."""
    module, function = entry.split(":")
    program = PROGRAM.format(module=module, function=function, heavy=HEAVY)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Usage: " in result.stdout
    assert json.loads(result.stdout.splitlines()[-1]) == []
