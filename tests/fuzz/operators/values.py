"""Pools, sums and products of two tensors, tables, and chains that may be fused."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.operators.model import MICROSOFT, ModelBuilder
from tests.fuzz.operators.products import RESIDUES, ZERO_POINTS, residue
from tests.fuzz.operators.space import Choice

POOL = {
    "operator": ("MaxPool", "QLinearAveragePool", "QLinearGlobalAveragePool"),
    "order": ("channels first", "after a convolution"),
    "rank": ("1-D", "2-D"),
    "kernel": ("2", "3", "uneven"),
    "stride": ("1", "2", "uneven"),
    "padding": ("none", "even", "uneven", "same"),
    "dilation": ("1", "2"),
    "ceil": ("yes", "no"),
    "padding counts": ("yes", "no"),
    "x zero point": ZERO_POINTS,
    "y zero point": ZERO_POINTS,
    "batch": ("1", "more"),
    "C residue": RESIDUES,
}


def is_pool(choice: Choice) -> bool:
    """Each pool has features that others lack."""
    if choice["operator"] == "QLinearGlobalAveragePool":
        plain = {"kernel": "2", "stride": "1", "padding": "none", "dilation": "1", "ceil": "no", "padding counts": "no"}
        return all(choice[feature] == value for feature, value in plain.items())
    if choice["rank"] == "1-D" and "uneven" in (choice["kernel"], choice["stride"]):
        return False
    if choice["operator"] == "MaxPool":
        if choice["padding"] == "same" and choice["dilation"] != "1":
            return False  # ONNX Runtime infers another shape than it gives
        types = choice["x zero point"] == choice["y zero point"] == "middle"
        return types and choice["padding counts"] == "no" and not (choice["ceil"] == "yes" and choice["padding"] == "same")
    return choice["dilation"] == "1" and not (choice["ceil"] == "yes" and choice["padding"] == "same")


def draw_pool(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Sizes of the input."""
    return {
        "height": 1 if choice["rank"] == "1-D" else rng.randint(7, 20),
        "width": rng.randint(7, 24),
        "channels": residue(rng, choice["C residue"], lanes, 2 * lanes),
        "batch": 1 if choice["batch"] == "1" else 2,
    }


def build_pool(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """The pool of an input, or of a convolution's result; a convolution follows that makes the model an integer one."""
    spatial = (s["width"],) if choice["rank"] == "1-D" else (s["height"], s["width"])
    axes = len(spatial)
    x, channels = b.input("x", (s["batch"], s["channels"], *spatial)), s["channels"]
    if choice["order"] == "after a convolution":
        b.convolution(x, "c", (channels, channels), (1,) * axes)
        x = "c"
    attributes: dict[str, Any] = {}
    if choice["operator"] != "QLinearGlobalAveragePool":
        attributes["kernel_shape"] = {"2": [2, 2], "3": [3, 3], "uneven": [3, 2]}[choice["kernel"]][:axes]
        attributes["strides"] = {"1": [1, 1], "2": [2, 2], "uneven": [2, 3]}[choice["stride"]][:axes]
        attributes["ceil_mode"] = int(choice["ceil"] == "yes")
        pads = {"even": [1, 1, 1, 1], "uneven": [0, 1, 1, 0]}.get(choice["padding"], [0, 0, 0, 0])
        if choice["padding"] == "same":
            attributes["auto_pad"] = "SAME_UPPER"
        else:
            attributes["pads"] = pads if axes == 2 else pads[1:3]
    if choice["operator"] == "MaxPool":
        attributes["dilations"] = [int(choice["dilation"])] * axes
        b.node("MaxPool", [x], "y", **attributes)
    else:
        if choice["operator"] == "QLinearAveragePool":
            attributes["count_include_pad"] = int(choice["padding counts"] == "yes")
        operands = [x, *b.quantisation("p_x", b.scale(0.02), b.zero_point(choice["x zero point"]))]
        operands += b.quantisation("p_y", b.scale(0.015), b.zero_point(choice["y zero point"]))
        b.node(choice["operator"], operands, "y", MICROSOFT, **attributes)
    if choice["order"] == "after a convolution":
        return ["c", "y"]
    b.convolution("y", "z", (channels, 3), (1,) * axes)
    return ["y", "z"]


PAIR = {
    "operator": ("QLinearAdd", "QLinearMul"),
    "shapes": ("same", "one channel each", "scalar", "fewer axes", "both broadcast"),
    "order": ("channels first", "after convolutions"),
    "right": ("activation", "constant"),
    "left zero point": ZERO_POINTS,
    "right zero point": ZERO_POINTS,
    "y zero point": ZERO_POINTS,
    "C residue": RESIDUES,
}


def is_pair(choice: Choice) -> bool:
    """Results of two convolutions have one shape."""
    return choice["order"] == "channels first" or choice["shapes"] == "same" or choice["right"] == "constant"


def draw_pair(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Sizes of the larger operand."""
    return {
        "height": rng.randint(4, 16),
        "width": rng.randint(4, 24),
        "channels": residue(rng, choice["C residue"], lanes, 2 * lanes),
        "batch": rng.randint(1, 2),
        "swapped": rng.randint(0, 1),
    }


def build_pair(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """QLinearAdd or QLinearMul."""
    n, c, h, w = s["batch"], s["channels"], s["height"], s["width"]
    left_shape = (n, c, h, 1) if choice["shapes"] == "both broadcast" else (n, c, h, w)
    right_shape = {
        "same": (n, c, h, w),
        "one channel each": (1, c, 1, 1),
        "scalar": (),
        "fewer axes": (h, w),
        "both broadcast": (1, c, 1, w),
    }[choice["shapes"]]
    outputs = []
    left = b.input("left", left_shape)
    if choice["order"] == "after convolutions":
        b.convolution(left, "l", (c, c), (1, 1))
        outputs.append("l")
    if choice["right"] == "constant":
        right = b.constant("right", b.data(right_shape), b.dtype)
    elif choice["order"] == "after convolutions":
        b.convolution(left, "right", (c, c), (1, 1))
        right = "right"
        outputs.append("right")
    else:
        right = b.input("right", right_shape)
    operands = [outputs[0] if outputs else left, *b.quantisation("pl", b.scale(0.02), b.zero_point(choice["left zero point"]))]
    others = [right, *b.quantisation("pr", b.scale(0.03), b.zero_point(choice["right zero point"]))]
    y = b.quantisation("py", b.scale(0.035), b.zero_point(choice["y zero point"]))
    pair = [*others, *operands] if s["swapped"] else [*operands, *others]
    b.node(choice["operator"], [*pair, *y], "y", MICROSOFT)
    return [*outputs, "y"]


TABLE = {
    "operator": ("QLinearSigmoid", "QLinearLeakyRelu", "Relu", "Clip"),
    "order": ("channels first", "after a convolution"),
    "x zero point": ZERO_POINTS,
    "y zero point": ZERO_POINTS,
    "size": ("one", "odd", "even"),
}


def is_table(choice: Choice) -> bool:
    """Relu and Clip work on integers, which have no zero point; ONNX Runtime has no Relu of uint8."""
    if not choice["operator"].startswith("QLinear"):
        return choice["x zero point"] == choice["y zero point"] == "middle" and not (
            choice["operator"] == "Relu" and choice["type"] == "uint8"
        )
    return True


def draw_table(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Pixels and channels."""
    if choice["size"] == "one":
        return {"pixels": 1, "channels": 1}
    channels = 2 * rng.randint(1, 20) + (choice["size"] == "odd")
    return {"pixels": rng.randint(20, 300), "channels": channels}


def build_table(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """One operator on each element, then or before a convolution."""
    x, channels = b.input("x", (1, s["channels"], s["pixels"], 1)), s["channels"]
    if choice["order"] == "after a convolution":
        b.convolution(x, "c", (channels, channels), (1, 1))
        x = "c"
    if choice["operator"].startswith("QLinear"):
        operands = [x, *b.quantisation("t_x", b.scale(0.03), b.zero_point(choice["x zero point"]))]
        y_scale = b.scale(0.006 if choice["operator"] == "QLinearSigmoid" else 0.02)
        operands += b.quantisation("t_y", y_scale, b.zero_point(choice["y zero point"]))
        attributes = {"alpha": 0.13} if choice["operator"] == "QLinearLeakyRelu" else {}
        b.node(choice["operator"], operands, "y", MICROSOFT, **attributes)
    elif choice["operator"] == "Relu":
        b.node("Relu", [x], "y")
    else:
        low, high = sorted(int(value) for value in b.data((2,)))
        b.node("Clip", [x, b.constant("low", low, b.dtype), b.constant("high", high, b.dtype)], "y")
    if choice["order"] == "after a convolution":
        return ["c", "y"]
    b.convolution("y", "z", (channels, 2), (1, 1))
    return ["y", "z"]


CHAIN = {
    "producer": ("1x1", "3x3", "depthwise", "QGemm"),
    "reader": ("Clip", "QLinearSigmoid", "QLinearLeakyRelu", "add a residual", "add it to itself", "add then Clip", "table then add"),
    "y zero point": ZERO_POINTS,
    "C residue": RESIDUES,
    "M residue": RESIDUES,
}


def draw_chain(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Channels, and pixels in rows."""
    return {
        "channels": residue(rng, choice["C residue"], lanes, 3 * lanes),
        "rows": rng.randint(4, 24),
        "width": residue(rng, choice["M residue"], lanes, 3 * lanes),
    }


def build_chain(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """A product whose result one operator reads: only the last tensor can be seen, so the dispatcher may fuse."""
    c, middle = s["channels"], ("other", "middle", choice["y zero point"])
    if choice["producer"] == "QGemm":
        x = b.input("x", (s["width"], c))
        b.node(
            "QGemm",
            [
                x,
                *b.quantisation("g_x", 0.02, b.zero_point("other")),
                b.constant("g_w", b.data((c, c)), b.dtype),
                *b.quantisation("g_w", 0.01, b.zero_point("middle")),
                b.constant("g_b", b.rng.integers(-9000, 9000, c), np.int32),
                *b.quantisation("g_y", b.scale(0.022 * np.sqrt(c)), b.zero_point(choice["y zero point"])),
            ],
            "p",
            MICROSOFT,
            transB=1,
        )
    else:
        x = b.input("x", (1, c, s["rows"], s["width"]))
        side = 3 if choice["producer"] == "3x3" else 1
        if choice["producer"] == "depthwise":
            b.convolution(x, "p", (1, c), (3, 3), zero_points=middle, group=c, pads=[1] * 4)
        else:
            b.convolution(x, "p", (c, c), (side, side), zero_points=middle, pads=[side // 2] * 4)
    last = "p"
    steps = {"add then Clip": ("add a residual", "Clip"), "table then add": ("QLinearSigmoid", "add a residual")}
    for step in steps.get(choice["reader"], (choice["reader"],)):
        y = f"{last}r"
        quantised = [*b.quantisation(f"{y}_x", b.scale(0.03), b.zero_point(choice["y zero point"]))]
        result = b.quantisation(f"{y}_y", b.scale(0.02), b.zero_point("other"))
        if step == "Clip":
            low, high = sorted(int(value) for value in b.data((2,)))
            b.node("Clip", [last, b.constant("low", low, b.dtype), b.constant("high", high, b.dtype)], y)
        elif step.startswith("add"):
            other = x if step == "add a residual" else last
            others = [other, *b.quantisation(f"{y}_o", b.scale(0.03), b.zero_point("other"))]
            b.node("QLinearAdd", [last, *quantised, *others, *result], y, MICROSOFT)
        else:
            b.node(step, [last, *quantised, *result], y, MICROSOFT)
        last = y
    return [last]
