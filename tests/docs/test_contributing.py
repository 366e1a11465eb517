"""The examples of CONTRIBUTING.md, applied to a copy of the tree, do what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^`([^`\n]+)`:\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKIPPED = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".*")


class Tree:
    """A copy of the tree, imported instead of the original by the commands that run in it."""

    def __init__(self, home: Path) -> None:
        self.root = home / "tree"
        shutil.copytree(ROOT, self.root, ignore=SKIPPED)
        folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values()
        namespace = home / "links" / "accelkit"
        namespace.mkdir(parents=True)
        for folder in folders:
            (namespace / folder).symlink_to(self.root / folder)
        self.environment = os.environ | {
            "PYTHONPATH": str(home / "links"),
            "NUMBA_DISABLE_JIT": "1",  # a changed core would be compiled for half a minute
            "ACCELKIT_PROGRAMS": "8",
            "CI": "",
        }

    def apply(self, path: str, language: str, text: str) -> None:
        """Apply an example: a patch, or a whole new file."""
        if language == "diff":
            subprocess.run(["git", "apply", "-p0", "-"], input=text, cwd=self.root, text=True, check=True)
        else:
            assert not (self.root / path).exists(), f"{path} exists: the example needs another name"
            (self.root / path).write_text(text)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a Python module in the tree."""
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def test(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pytest in the tree."""
        return self.run("pytest", "--quiet", "--no-header", *arguments)


@pytest.fixture(scope="module")
def examples() -> dict[str, tuple[str, str, str]]:
    """The page's examples by path: path, language, text."""
    found = EXAMPLE.findall((ROOT / "CONTRIBUTING.md").read_text())
    return {path: (path, language, text) for path, language, text in found}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A fresh copy."""
    return Tree(tmp_path)


def test_instruction(tree: Tree, examples: dict[str, tuple[str, str, str]]) -> None:
    """Row, execution and fixture add an instruction that assembles, is documented and runs; the reference machine catches that it
    doesn't know it, and agrees once it does."""
    for path in ("isa/rows/sequencer.py", "simulator/core/sequencer.py", "tests/asm/ok/minu.s", "rtl/alu.sv"):
        tree.apply(*examples[path])
    emitted = tree.run("accelkit.isa.emit_enums")
    assert emitted.returncode == 0, emitted.stderr
    (tree.root / "simulator/core/generated.py").write_text(emitted.stdout)
    result = tree.test("--update-golden", "tests/isa/test_docs.py", "tests/assembler/test_fixtures.py")
    assert result.returncode == 0, result.stdout
    differential = ("tests/simulator/test_against_reference.py", "-k", "control and ones-4")
    assert "KeyError: 'minu" in tree.test(*differential).stdout
    tree.apply(*examples["tests/reference/decoded.py"])
    result = tree.test(*differential)
    assert result.returncode == 0, result.stdout


def test_op(tree: Tree, examples: dict[str, tuple[str, str, str]]) -> None:
    """Kernel, planner and test add an op without touching any other file."""
    for path in ("kernels/asm/crop.s", "kernels/crop.py", "tests/kernels/test_crop.py"):
        tree.apply(*examples[path])
    result = tree.test("tests/kernels/test_crop.py")
    assert result.returncode == 0, result.stdout


def test_every_example_is_tested(examples: dict[str, tuple[str, str, str]]) -> None:
    """No example of the page is left out above."""
    source = Path(__file__).read_text()
    assert [path for path in examples if f'"{path}"' not in source] == []
