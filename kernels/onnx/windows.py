"""Geometry of convolution and pooling nodes: attributes with their defaults, automatic padding made explicit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.onnx.operands import Refused


@dataclass(frozen=True)
class Window:
    """(vertical, horizontal) pairs; `pads` are (top, left, bottom, right)."""

    strides: tuple[int, int]
    pads: tuple[int, int, int, int]
    dilations: tuple[int, int]


def resolve_window(node: Node, size: tuple[int, ...], kernel: tuple[int, ...]) -> Window:
    """The window over an input of `size`, (height, width) or (width,); Refused where the kernels don't have it.

    Automatic padding of pools knows no dilation, as in ONNX Runtime.
    """
    attributes, axes = node.attributes, len(size)
    strides = _tuple(attributes.get("strides"), (1,) * axes)
    dilations = _tuple(attributes.get("dilations"), (1,) * axes)
    automatic = attributes.get("auto_pad", b"NOTSET").decode()
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        begins, ends = [], []
        spread = (1,) * axes if node.op_type.endswith("Pool") else dilations
        for extent, taps, stride, dilation in zip(size, kernel, strides, spread, strict=True):
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
    if min(pads) < 0:
        raise Refused("attribute", f"negative padding {list(pads)}")
    top, left, bottom, right = pads if axes == 2 else (0, pads[0], 0, pads[1])
    return Window(pair(strides), (top, left, bottom, right), pair(dilations))


def image(shape: tuple[int, ...], what: str) -> tuple[int, int, int, int]:
    """[N, C, width] or [N, C, height, width] as NHWC; Refused for other ranks."""
    if len(shape) not in (3, 4):
        raise Refused("rank", f"a {len(shape) - 2}-D {what}; the kernel has 1-D and 2-D")
    return shape[0], shape[2] if len(shape) == 4 else 1, shape[-1], shape[1]


def pair(values: tuple[int, ...], absent: int = 1) -> tuple[int, int]:
    """A value for each axis; one axis runs as two, of height 1, for which the value is `absent`."""
    return (absent, values[0]) if len(values) == 1 else (values[0], values[1])


def _tuple(value: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    return default if value is None else tuple(int(item) for item in value)
