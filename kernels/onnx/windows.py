"""Geometry of convolution and pooling nodes: attributes with their defaults, automatic padding made explicit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.operands import Refused, shape_of


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
        halves = []
        is_pool = node.op_type.endswith("Pool")
        for extent, taps, stride, dilation in zip(size, kernel, strides, dilations, strict=True):
            outputs = -(-extent // stride)
            total = (outputs - 1) * stride + (1 if is_pool else dilation) * (taps - 1) + 1 - extent
            halves.append(_halved(total, automatic == "SAME_UPPER", is_pool))
        pads = tuple(half[end] for end in (0, 1) for half in halves)
    elif automatic == "VALID":
        pads = (0,) * (2 * axes)
    else:
        pads = _tuple(attributes.get("pads"), (0,) * (2 * axes))
    if min(pads) < 0:
        raise Refused("attribute", f"negative padding {list(pads)}")
    # A stride beyond the padded image leads nowhere, however long: the kernels' pitches have 32 bits.
    strides = tuple(min(stride, size[a] + pads[a] + pads[a + axes]) for a, stride in enumerate(strides))
    top, left, bottom, right = pads if axes == 2 else (0, pads[0], 0, pads[1])
    return Window(pair(strides), (top, left, bottom, right), pair(dilations))


def _halved(total: int, is_end_larger: bool, is_pool: bool) -> tuple[int, int]:
    """Automatic padding at both ends of an axis, halves cut towards 0. Strides that leave elements at the end out make it negative."""
    begin = int((total if is_end_larger else total + 1) / 2)
    if not is_pool and -2 <= total < 0:
        begin = 0  # measured: ONNX Runtime's convolutions begin at the first element then
    return begin, max(0, total - begin)


def image(shape: tuple[int, ...], what: str) -> tuple[int, int, int, int]:
    """[N, C, width] or [N, C, height, width] as NHWC; Refused for other ranks."""
    if len(shape) not in (3, 4):
        raise Refused("rank", f"a {len(shape) - 2}-D {what}; the kernel has 1-D and 2-D")
    return shape[0], shape[2] if len(shape) == 4 else 1, shape[-1], shape[1]


def require_result(graph: Graph, node: Node, nhwc: tuple[int, int, int, int], is_channels_last: bool = False) -> None:
    """Refused unless ONNX Runtime gives a result of the kernel's shape."""
    shape = shape_of(graph, node.outputs[0])
    first = (shape[0], shape[-1], *shape[1:-1]) if is_channels_last else shape
    expected = (nhwc[0], nhwc[3], *(nhwc[1:3] if len(shape) == 4 else nhwc[2:3]))
    if first != expected:
        raise Refused("shape", f"ONNX Runtime's result has [N, C, ...] = {list(first)}, the kernel's {list(expected)}")


def pair(values: tuple[int, ...], absent: int = 1) -> tuple[int, int]:
    """A value for each axis; one axis runs as two, of height 1, for which the value is `absent`."""
    return (absent, values[0]) if len(values) == 1 else (values[0], values[1])


def _tuple(value: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    return default if value is None else tuple(int(item) for item in value)
