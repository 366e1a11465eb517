"""The quantiser on small models, for its tests."""

from __future__ import annotations

from pathlib import Path

import onnx

from accelkit.kernels.onnx.quantise import Quantised, quantise_file
from accelkit.kernels.onnx.recipe import Recipe
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.float_models import samples

RECIPES = {
    "signed": Recipe(),
    "unsigned": Recipe(is_unsigned=True),
    "per tensor": Recipe(is_per_tensor=True),
    "qdq": Recipe(is_qdq=True),
    "unsigned qdq": Recipe(is_qdq=True, is_unsigned=True),
    "products": Recipe(operators=("Conv", "MatMul", "Gemm")),
}


def quantise(model: onnx.ModelProto, folder: Path, recipe: Recipe = RECIPES["signed"]) -> Quantised:
    return quantise_file(save(model, folder, "float.onnx"), {"x": samples(30)}, recipe)


def fates(result: Quantised) -> dict[str, tuple[str, str]]:
    return {row.name: (row.outcome, row.detail) for row in result.rows}
