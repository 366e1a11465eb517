"""docs/operators.md against the code: the operators that are described, and the codes of reasons."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from accelkit.kernels.onnx.operators import OPERATORS
from accelkit.kernels.onnx.unary import MICROSOFT, STANDARD
from accelkit.kernels.plan import Refusal

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operators.md").read_text()


def section(title: str) -> list[str]:
    """First cells of the table under a title."""
    body = PAGE.split(f"# {title}\n")[1].split("\n## ")[0]
    return [line.split("|")[1] for line in body.splitlines() if line.startswith("| ")][1:]


def test_operators() -> None:
    """The table has every operator that describe knows, under its domain, and no other."""
    named = {name for cell in section("Operators on the accelerator") for name in re.findall(r"`([\w.]+)`", cell)}
    assert named == {f"{domain}.{op_type}".lstrip(".") for domain, op_type in OPERATORS}


def test_functions_of_one_byte() -> None:
    """What the page gives as examples of tables are some."""
    row = next(line for line in PAGE.splitlines() if line.startswith("| functions of one byte"))
    assert {"Relu", "Clip", "Abs", "Tanh", "HardSwish", "Gelu"} <= STANDARD
    assert set(re.findall(r"`(QLinear\w+)`", row)) <= MICROSOFT


def test_codes() -> None:
    """Every code that a refusal can have is explained, and no other."""
    used = {Refusal("").code}
    for path in (ROOT / "kernels/onnx").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                place = {"Refused": 0, "LeftFloat": 0, "Refusal": 1}.get(call.func.id)
                if place is not None and len(call.args) > place and isinstance(call.args[place], ast.Constant):
                    used.add(call.args[place].value)
    assert {cell.strip(" `") for cell in section("Reason codes")} == used
