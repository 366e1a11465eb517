"""The case that the tests of `accel-sim golden` record and check."""

import shutil
from pathlib import Path

from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"
CASE = """\
kernel = "matmul.s" # a comment that stays
machine = "machine.toml"
reference = "reference.py:matmul"

[arguments]
M = 20
K = 7
N = 5

[inputs]
a = { dtype = "int8", shape = [20, 7], seed = 1 }
b = { dtype = "int8", shape = [7, 5] }
"""
REFERENCE = """\
import numpy as np

def matmul(values):
    return {"c": values["a"].astype(np.int32) @ values["b"].astype(np.int32)}
"""


def golden(*arguments: str) -> Result:
    """`accel-sim golden`, in this process."""
    return CliRunner().invoke(main, ["golden", *arguments, "--jobs", "1"])


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that is there."""
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def make_case(root: Path) -> Path:
    """A case that isn't recorded, `goldens/matmul.case.toml`."""
    folder = root / "goldens"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder)
    machine = Path(__file__).parents[2] / "isa" / "machines" / "edge-16.toml"
    shutil.copy(machine, folder / "machine.toml")
    (folder / "reference.py").write_text(REFERENCE)
    path = folder / "matmul.case.toml"
    path.write_text(CASE)
    return path


def record() -> None:
    """Record what is in the folder `goldens`."""
    result = golden("record", "goldens")
    assert result.exit_code == 0, result.output
    assert "compared with reference.py:matmul" in result.output
