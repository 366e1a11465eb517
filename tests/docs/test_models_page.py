"""docs/models.md against the code: the options of `accel-sim quantize` and the operators that only its QDQ form has."""

from __future__ import annotations

import re
from pathlib import Path

from accelkit.cli.quantize_command import quantize
from accelkit.kernels.onnx.recipe import Recipe

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text()
SECTION = PAGE.split("### An int8 model of a floating-point one\n")[1].split("\n## ")[0]


def test_options() -> None:
    """The table has every option of the command but --output, which the example shows, and no other."""
    named = {name for line in SECTION.splitlines() if line.startswith("| `") for name in re.findall(r"^\| `(--[\w-]+)", line)}
    options = {parameter.opts[0] for parameter in quantize.params if parameter.param_type_name == "option"}
    assert named == options - {"--output"}


def test_operators_of_qdq_form() -> None:
    """The operators that QDQ form adds are those that the recipe has."""
    (row,) = (line for line in SECTION.splitlines() if line.startswith("| `--format"))
    words = set(re.findall(r"[A-Z]\w+", row.split("which also quantises")[1]))
    assert words == Recipe(is_qdq=True).chosen() - Recipe().chosen()
