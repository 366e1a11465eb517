"""Convolutions and matrix products."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np

from tests.fuzz.operators.model import MICROSOFT, ModelBuilder
from tests.fuzz.operators.space import Choice

RESIDUES = ("0", "1", "other")  # of a size, modulo the lanes
ZERO_POINTS = ("middle", "other", "extreme")

CONVOLUTION = {
    "rank": ("1-D", "2-D"),
    "kernel": ("1x1", "3x3", "5x2"),
    "stride": ("1", "2", "uneven"),
    "padding": ("none", "even", "uneven", "same"),
    "dilation": ("1", "2", "uneven"),
    "groups": ("one", "several", "depthwise"),
    "batch": ("1", "more"),
    "weights": ("per tensor", "per channel"),
    "x zero point": ZERO_POINTS,
    "w zero point": ("middle", "other"),
    "y zero point": ZERO_POINTS,
    "bias": ("yes", "no"),
    "M residue": RESIDUES,
    "N residue": RESIDUES,
    "C residue": RESIDUES,
}


def is_convolution(choice: Choice) -> bool:
    """A 1-D window has one extent; depthwise has as many outputs as inputs; ONNX Runtime pads automatically without dilation only."""
    if choice["rank"] == "1-D" and "uneven" in (choice["stride"], choice["dilation"]):
        return False
    if choice["kernel"] == "1x1" and (choice["dilation"] != "1" or choice["padding"] == "same"):
        return False
    if choice["padding"] == "same" and choice["dilation"] != "1":
        return False
    return choice["groups"] != "depthwise" or choice["N residue"] == choice["C residue"]


def residue(rng: Random, kind: str, lanes: int, largest: int) -> int:
    """A size up to about `largest` with a residue modulo the lanes."""
    whole = rng.randint(0, max(1, largest // lanes)) * lanes
    if kind == "0":
        return max(whole, lanes)
    return whole + (1 if kind == "1" else rng.randint(2, lanes - 1))


def draw_convolution(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """Output pixels with the residue of M; of the input what they need."""
    taps = {"1x1": (1, 1), "3x3": (3, 3), "5x2": (5, 2)}[choice["kernel"]]
    strides = {"1": (1, 1), "2": (2, 2), "uneven": (1, 3)}[choice["stride"]]
    dilations = {"1": (1, 1), "2": (2, 2), "uneven": (3, 1)}[choice["dilation"]]
    pads = {"none": (0, 0, 0, 0), "even": (1, 1, 1, 1), "uneven": (0, 2, 1, 0), "same": (0, 0, 0, 0)}[choice["padding"]]
    while True:
        height, width = (1, rng.randint(2, 150)) if choice["rank"] == "1-D" else (rng.randint(2, 16), rng.randint(2, 24))
        modulo = height * width % lanes
        if {"0": modulo == 0, "1": modulo == 1, "other": modulo > 1}[choice["M residue"]]:
            break
    several = 2 if choice["groups"] == "several" else 1
    n = residue(rng, choice["N residue"], lanes, 3 * lanes // several)
    c = n if choice["groups"] == "depthwise" else residue(rng, choice["C residue"], lanes, 2 * lanes)
    return {
        "height": height,
        "width": width,
        "taps_y": taps[0] if choice["rank"] == "2-D" else 1,
        "taps_x": taps[1] if choice["rank"] == "2-D" else taps[0],
        "stride_y": strides[0],
        "stride_x": strides[1],
        "dilation_y": dilations[0],
        "dilation_x": dilations[1],
        "top": pads[0],
        "left": pads[1],
        "bottom": pads[2],
        "right": pads[3],
        "inputs": c,
        "outputs": n,
        "groups": several,
        "batch": 1 if choice["batch"] == "1" else rng.randint(2, 3),
        "spare": rng.randint(0, 1),
    }


def build_convolution(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """QLinearConv."""
    axes = ("x",) if choice["rank"] == "1-D" else ("y", "x")
    out = {"y": s["height"], "x": s["width"]}
    begins, ends = {"y": s["top"], "x": s["left"]}, {"y": s["bottom"], "x": s["right"]}
    size = []
    for axis in axes:
        stride, span = s[f"stride_{axis}"], s[f"dilation_{axis}"] * (s[f"taps_{axis}"] - 1) + 1
        if choice["padding"] == "same":
            size.append(out[axis] * stride - min(s["spare"], stride - 1))
        else:
            size.append((out[axis] - 1) * stride + span + min(s["spare"], stride - 1) - begins[axis] - ends[axis])
    if min(size) < 1:
        raise ValueError("nothing but padding")
    depthwise = choice["groups"] == "depthwise"
    groups = s["outputs"] if depthwise else s["groups"]
    channels = s["outputs"] if depthwise else s["inputs"] * groups
    attributes = {
        "strides": [s[f"stride_{axis}"] for axis in axes],
        "dilations": [s[f"dilation_{axis}"] for axis in axes],
        "group": groups,
    }
    if choice["padding"] == "same":
        attributes["auto_pad"] = "SAME_UPPER" if s["spare"] else "SAME_LOWER"
    else:
        attributes["pads"] = [begins[axis] for axis in axes] + [ends[axis] for axis in axes]
    b.convolution(
        b.input("x", (s["batch"], channels, *size)),
        "y",
        (channels // groups, s["outputs"] if depthwise else s["outputs"] * groups),
        tuple(s[f"taps_{axis}"] for axis in axes),
        choice["weights"] == "per channel",
        (choice["x zero point"], choice["w zero point"], choice["y zero point"]),
        choice["bias"] == "yes",
        **attributes,
    )
    return ["y"]


PRODUCT = {
    "operator": ("QGemm", "QLinearMatMul", "two activations"),
    "transposed": ("yes", "no"),
    "batch": ("1", "more"),
    "weights": ("per tensor", "per channel"),
    "a zero point": ZERO_POINTS,
    "b zero point": ("middle", "other"),
    "y zero point": ZERO_POINTS,
    "bias": ("yes", "no"),
    "alpha": ("1", "other"),
    "M residue": RESIDUES,
    "N residue": RESIDUES,
    "K residue": RESIDUES,
}


def is_product(choice: Choice) -> bool:
    """Only QGemm has a transposition, a bias and alpha; it has no batch."""
    if choice["operator"] == "QGemm":
        return choice["batch"] == "1"
    if (choice["transposed"], choice["bias"], choice["alpha"]) != ("no", "no", "1"):
        return False
    return choice["operator"] == "QLinearMatMul" or choice["weights"] == "per tensor"


def draw_product(choice: Choice, rng: Random, lanes: int) -> dict[str, int]:
    """M rows in all, with a batch of one or two."""
    return {
        "M": residue(rng, choice["M residue"], lanes, 160),
        "N": residue(rng, choice["N residue"], lanes, 60),
        "K": residue(rng, choice["K residue"], lanes, 80),
        "batch": 1 if choice["batch"] == "1" else 2,
    }


def build_product(b: ModelBuilder, choice: Choice, s: Mapping[str, int]) -> list[str]:
    """QGemm or QLinearMatMul; the right-hand matrix a constant or an input."""
    M, N, K = s["M"], s["N"], s["K"]
    is_gemm = choice["operator"] == "QGemm"
    transposed = choice["transposed"] == "yes"
    right = (N, K) if transposed else (K, N)
    batch = () if s["batch"] == 1 else (s["batch"],)
    if choice["operator"] == "two activations":
        operand = b.input("b", (*batch, *right))
    else:
        operand = b.constant("b", b.data(right), b.dtype)
    columns = N if choice["weights"] == "per channel" else 1
    a_scale, b_scale = b.scale(0.02), b.scale(np.full(columns, 0.01))
    b_zero_point = np.full(columns, b.zero_point(choice["b zero point"]))
    alpha = 0.37 if choice["alpha"] == "other" else 1.0
    y_scale = b.scale(alpha * float(a_scale) * 0.01 * 74 * 74 * np.sqrt(K) / 50)
    left = [b.input("a", (*batch, M, K)), *b.quantisation("a", a_scale, b.zero_point(choice["a zero point"])), operand]
    left += b.quantisation("b", b_scale if columns > 1 else b_scale[0], b_zero_point if columns > 1 else b_zero_point[0])
    result = b.quantisation("y", y_scale, b.zero_point(choice["y zero point"]))
    if not is_gemm:
        b.node("QLinearMatMul", left + result, "y")
        return ["y"]
    bias = b.constant("bias", b.rng.integers(-9000, 9000, N), np.int32) if choice["bias"] == "yes" else ""
    b.node("QGemm", [*left, bias, *result], "y", MICROSOFT, transB=int(transposed), alpha=alpha)
    return ["y"]
