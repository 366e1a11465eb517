"""What import-linter can't say: the compiled core's imports are a closed list."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "simulator" / "core"
# llvmlite is numba's own code generator: vectors are made with it, and object code is linked and loaded.
ALLOWED = {"numpy", "numba", "llvmlite", "accelkit.simulator.core"}


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda path: str(path.relative_to(CORE)))
def test_core_imports_numpy_and_numba_only(path: Path) -> None:
    """A file of simulator.core imports NumPy, Numba, other files of the core and the standard library."""
    foreign = {
        name
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == allowed or name.startswith(f"{allowed}.") for allowed in ALLOWED)
    }
    assert foreign == set()
