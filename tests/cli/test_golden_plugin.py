"""The pytest plugin, as a user's project sees it: in a process of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.golden_case import CASE, EXAMPLE, REFERENCE, edit

TEST = """\
import numpy as np

def test_matmul(accelkit):
    a, b = np.ones((4, 3), np.int8), np.ones((3, 2), np.int8)
    assert (accelkit.run("goldens/matmul.s", M=4, K=3, N=2, a=a, b=b)["c"] == 3).all()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a recorded case and a test."""
    folder = tmp_path / "goldens"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder)
    (folder / "reference.py").write_text(REFERENCE)
    (folder / "matmul.case.toml").write_text(CASE.replace("machine.toml", "edge-16"))
    (tmp_path / "case.toml").write_text("[somebody]\nelse = 1\n")
    (tmp_path / "test_matmul.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naccelkit_goldens = goldens\n")
    result = run(tmp_path, "accelkit.cli.main", "sim", "golden", "record", "goldens")
    assert result.returncode == 0, result.stderr
    return tmp_path


def run(folder: Path, module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A module of Python in a folder, outside CI."""
    code = "from accelkit.cli.main import accelkit; accelkit()" if module == "accelkit.cli.main" else ""
    command = ["-c", code] if code else ["-m", module]
    environment = {key: value for key, value in os.environ.items() if key != "CI" and not key.startswith("PYTEST")}
    return subprocess.run([sys.executable, *command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_goldens_are_tests(project: Path) -> None:
    """The case of the folder is a test and passes, the fixture runs a program, and a case.toml elsewhere is left alone."""
    result = run(project, "pytest", "-v", "-p", "no:cacheprovider")
    assert result.returncode == 0, result.stdout
    assert "goldens/matmul.case.toml::matmul PASSED" in result.stdout
    assert "test_matmul.py::test_matmul PASSED" in result.stdout
    assert "2 passed" in result.stdout


def test_difference_fails(project: Path) -> None:
    """A case that isn't as recorded fails with the element and the line, without a traceback of the plugin."""
    edit(project / "goldens" / "matmul.s", "sp[zero], rows=t0 ", "sp[zero], rows=t0, zp=t1 ")
    result = run(project, "pytest", "-p", "no:cacheprovider", "goldens")
    assert result.returncode == 1
    assert "wrong: c[0, 0] = " in result.stdout
    assert "written by matmul.s:29" in result.stdout
    assert "Traceback" not in result.stdout
