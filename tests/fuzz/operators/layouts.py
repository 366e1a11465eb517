"""Operators that only move bytes."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np

from tests.fuzz.operators.model import MICROSOFT, ModelBuilder
from tests.fuzz.operators.products import RESIDUES, ZERO_POINTS, residue
from tests.fuzz.operators.space import Choice

ORDERS = ("channels first", "after a convolution")

CONCAT = {
    "operator": ("QLinearConcat", "Concat"),
    "axis": ("1", "2", "-1"),
    "operands": ("2", "3"),
    "order": ORDERS,
    "one scale": ("yes", "no"),
    "zero point": ZERO_POINTS,
    "C residue": RESIDUES,
}


def draw_concat(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Sizes of the first operand; the others are one larger each along the axis."""
    return {
        "channels": residue(rng, choice["C residue"], lanes, 2 * lanes),
        "height": rng.randint(2, 14),
        "width": rng.randint(2, 14),
    }


def build_concat(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """Concatenation of inputs or of results of convolutions."""
    axis, outputs, tensors = int(choice["axis"]), [], []
    for i in range(int(choice["operands"])):
        shape = [1, s["channels"], s["height"], s["width"]]
        shape[axis] += i
        tensor = b.input(f"x{i}", tuple(shape))
        if choice["order"] == "after a convolution":
            b.convolution(tensor, f"c{i}", (shape[1], shape[1]), (1, 1))
            tensor = f"c{i}"
            outputs.append(tensor)
        tensors.append(tensor)
    if choice["operator"] == "Concat":
        b.node("Concat", tensors, "y", axis=axis)
    else:
        scale, zero_point = b.scale(0.02), b.zero_point(choice["zero point"])
        operands = b.quantisation("q", scale, zero_point)
        for i, tensor in enumerate(tensors):
            same = choice["one scale"] == "yes"
            own = (scale, zero_point) if same else (b.scale(0.02), b.zero_point(choice["zero point"]))
            operands += [tensor, *b.quantisation(f"q{i}", *own)]
        b.node("QLinearConcat", operands, "y", MICROSOFT, axis=axis)
    if not outputs:
        channels = s["channels"] * len(tensors) + (len(tensors) * (len(tensors) - 1) // 2 if axis == 1 else 0)
        b.convolution("y", "z", (channels if axis == 1 else s["channels"], 2), (1, 1))
        outputs.append("z")
    return [*outputs, "y"]


LAYOUT = {
    "operator": ("Transpose", "Slice", "Split", "Pad", "Reshape", "Flatten", "Expand", "Tile", "Resize", "DepthToSpace"),
    "variant": ("a", "b", "c"),
    "order": ORDERS,
    "C residue": RESIDUES,
    "batch": ("1", "more"),
}


def is_layout(choice: Choice) -> bool:
    """What ONNX Runtime has of 8-bit integers."""
    return choice["operator"] != "DepthToSpace" or choice["type"] == "uint8"


def draw_layout(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Sizes of the input; channels a multiple of 4 where they become pixels."""
    channels = residue(rng, choice["C residue"], lanes, 2 * lanes)
    return {
        "channels": channels * 4 if choice["operator"] == "DepthToSpace" else channels,
        "height": 2 * rng.randint(1, 8),
        "width": 2 * rng.randint(1, 8),
        "batch": 1 if choice["batch"] == "1" else 2,
    }


def build_layout(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """One operator before or behind a convolution."""
    shape = (s["batch"], s["channels"], s["height"], s["width"])
    x, outputs = b.input("x", shape), []
    if choice["order"] == "after a convolution":
        b.convolution(x, "c", (s["channels"], s["channels"]), (1, 1))
        x = "c"
        outputs.append(x)
    results = _move(b, choice["operator"], "abc".index(choice["variant"]), x, shape)
    if not outputs:  # makes the model an integer one
        operands = [results[0], *b.quantisation("s_x", 0.03, b.zero_point("other")), *b.quantisation("s_y", 0.006, b.zero_point("other"))]
        b.node("QLinearSigmoid", operands, "z", MICROSOFT)
        outputs.append("z")
    return [*outputs, *results]


def _move(b: ModelBuilder, operator: str, variant: int, x: str, shape: tuple[int, ...]) -> list[str]:
    def integers(name: str, values: object) -> str:
        return b.constant(name, np.asarray(values), np.int64)

    n, c, h, w = shape
    if operator == "Transpose":
        b.node(operator, [x], "y", perm=[(0, 2, 3, 1), (0, 1, 3, 2), (3, 1, 0, 2)][variant])
    elif operator == "Slice":
        starts, ends, steps = [([1 if h > 1 else 0], [h], [1]), ([0], [w], [2]), ([c - 1], [-c - 1], [-1])][variant]
        axis = [2, 3, 1][variant]
        b.node(operator, [x, integers("starts", starts), integers("ends", ends), integers("axes", [axis]), integers("steps", steps)], "y")
    elif operator == "Split":
        axis = [2, 3, 1][variant]
        if shape[axis] < 2:
            raise ValueError("one element can't be split")
        b.node(operator, [x, integers("sizes", [1, shape[axis] - 1])], ["y", "y2"], axis=axis)
        return ["y", "y2"]
    elif operator == "Pad":
        pads = [(0, 0, 1, 1, 0, 0, 1, 1), (0, 0, 0, 2, 0, 0, 1, 0), (0, 1, 0, 0, 0, 2, 0, 0)][variant]
        b.node(operator, [x, integers("pads", pads), b.constant("value", b.data(()), b.dtype)], "y")
    elif operator == "Reshape":
        b.node(operator, [x, integers("shape", [(n, c, h * w), (n, c * h, w), (n * c, -1)][variant])], "y")
    elif operator == "Flatten":
        b.node(operator, [x], "y", axis=variant + 1)
    elif operator == "Expand":
        b.node(operator, [x, integers("shape", [(2, n, c, h, w), (n, c, h, w), (3, 1, 1, 1, 1)][variant])], "y")
    elif operator == "Tile":
        b.node(operator, [x, integers("repeats", [(1, 1, 2, 3), (2, 1, 1, 1), (1, 3, 1, 1)][variant])], "y")
    elif operator == "Resize":
        scales = [(1, 1, 2, 2), (1, 1, 3, 1), (1, 1, 2, 4)][variant]
        b.node(
            operator,
            [x, "", b.constant("scales", scales, np.float32)],
            "y",
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
    else:
        b.node(operator, [x], "y", blocksize=2, mode=["DCR", "CRD", "DCR"][variant])
    return ["y"]
