"""Geometry of a convolution node: attributes with their defaults, automatic padding made explicit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.plan import Refusal


@dataclass(frozen=True)
class Window:
    """(vertical, horizontal) pairs; `pads` are (top, left, bottom, right)."""

    strides: tuple[int, int]
    pads: tuple[int, int, int, int]


def resolve_window(node: Node, size: tuple[int, ...], kernel: tuple[int, ...]) -> Window | Refusal:
    """The window over an input of `size`, (height, width) or (width,), or what of it the kernel doesn't have."""
    attributes, axes = node.attributes, len(size)
    if attributes.get("group", 1) != 1:
        return Refusal(f"group = {attributes['group']}; the kernel has 1")
    strides = _tuple(attributes.get("strides"), (1,) * axes)
    dilations = _tuple(attributes.get("dilations"), (1,) * axes)
    automatic = attributes.get("auto_pad", b"NOTSET").decode()
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        begins, ends = [], []
        for extent, taps, stride, dilation in zip(size, kernel, strides, dilations, strict=True):
            outputs = -(-extent // stride)
            total = max(0, (outputs - 1) * stride + dilation * (taps - 1) + 1 - extent)
            small, large = total // 2, total - total // 2
            begins.append(small if automatic == "SAME_UPPER" else large)
            ends.append(large if automatic == "SAME_UPPER" else small)
        pads = (*begins, *ends)
    elif automatic == "VALID":
        pads = (0,) * (2 * axes)
    else:
        pads = _tuple(attributes.get("pads"), (0,) * (2 * axes))
    # Along an axis with one tap, dilation changes nothing.
    if any(dilation != 1 and taps != 1 for dilation, taps in zip(dilations, kernel, strict=True)):
        return Refusal(f"dilations = {list(dilations)}; the kernel has 1")
    if min(pads) < 0:
        return Refusal(f"negative padding {list(pads)}")
    top, left, bottom, right = pads if axes == 2 else (0, pads[0], 0, pads[1])
    return Window(_pair(strides), (top, left, bottom, right))


def _tuple(value: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    return default if value is None else tuple(int(item) for item in value)


def _pair(values: tuple[int, ...]) -> tuple[int, int]:
    """A 1-D convolution runs as a 2-D one of height 1."""
    return (1, values[0]) if len(values) == 1 else (values[0], values[1])
