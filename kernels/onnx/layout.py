"""The order in which a tensor's bytes lie in DRAM, and which operators only rename memory.

ONNX tensors are NCHW and in row-major order; the accelerator's convolutions read and write NHWC. An operator that keeps
the row-major order of its elements (Flatten, Reshape, ...) is a view in either order, whatever shape it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.graph import Graph, Node

VIEWS = {"Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Dropout"}


@dataclass(frozen=True)
class ChannelsLast:
    """Elements [items, channels, positions] of the row-major order lie in memory as [items, positions, channels]."""

    items: int
    channels: int
    positions: int


# None is the row-major order itself.
Layout = ChannelsLast | None


def channel_axes(shape: tuple[int, ...], layout: Layout) -> tuple[int, int] | None:
    """The axes [first, last) of a tensor that are the channels of `layout`; None if a border of them runs through an axis.

    Row-major order has none of them: [rank, rank).
    """
    if layout is None:
        return len(shape), len(shape)
    firsts = [axis for axis in range(len(shape) + 1) if prod(shape[:axis]) == layout.items]
    for first in reversed(firsts):  # axes of one element belong to the others
        for last in range(first + 1, len(shape) + 1):
            if prod(shape[first:last]) == layout.channels and prod(shape[last:]) == layout.positions:
                return first, last
    return None


def with_channels(shape: tuple[int, ...], axes: tuple[int, int]) -> Layout:
    """The layout of a tensor in which axes [first, last) lie innermost; inverse of `channel_axes`."""
    first, last = axes
    items, channels, positions = prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])
    return None if channels == 1 or positions == 1 else ChannelsLast(items, channels, positions)


def channels_last(shape: tuple[int, ...]) -> Layout:
    """The layout of a tensor [N, C, ...] whose channels lie innermost; one channel or one position is row-major order."""
    return with_channels(shape, (1, 2))


def common_axes(graph: Graph, layouts: Mapping[str, Layout], shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
    """The channel axes in which tensors of one rank are best taken together: those that leave most bytes on the device where they lie.

    `shapes` are those of the tensors (with axes of 1 in front if need be), `layouts` those of the ones on the device.
    """
    held = {name: layouts[name] for name in shapes if name in layouts}
    (rank,) = {len(shape) for shape in shapes.values()}
    found = [channel_axes(shapes[name], layout) for name, layout in held.items()]
    choices = [*dict.fromkeys(axes for axes in found if axes is not None), (rank, rank)]

    def moved(axes: tuple[int, int]) -> int:
        return sum(graph.types[name].elements for name, layout in held.items() if layout != with_channels(shapes[name], axes))

    # Of equals, one that the tensors have; the result may then be what a convolution wants.
    return min(sorted(choices), key=moved)


def memory_order(rank: int, axes: tuple[int, int]) -> tuple[int, ...]:
    """Which axis of a tensor each axis of its memory is, from the outermost to the innermost."""
    first, last = axes
    return (*range(first), *range(last, rank), *range(first, last))


def to_memory(value: npt.NDArray[Any], layout: Layout) -> npt.NDArray[Any]:
    """The elements of an array, flat, in the order of `layout`."""
    if layout is None:
        return np.ascontiguousarray(value).reshape(-1)
    parts = value.reshape(layout.items, layout.channels, layout.positions)
    return np.ascontiguousarray(parts.transpose(0, 2, 1)).reshape(-1)


def from_memory(flat: npt.NDArray[Any], layout: Layout, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The array of `shape` whose elements lie in the order of `layout`; inverse of `to_memory`."""
    if layout is None:
        return flat.reshape(shape)
    parts = flat.reshape(layout.items, layout.positions, layout.channels)
    return np.ascontiguousarray(parts.transpose(0, 2, 1)).reshape(shape)


def is_view(graph: Graph, node: Node) -> bool:
    """Whether a node gives its first input's elements another shape and does nothing else."""
    if node.domain or node.op_type not in VIEWS or len(node.outputs) != 1:
        return False
    if any(name and name not in graph.constants for name in node.inputs[1:]):
        return False
    if node.op_type == "Dropout" and node.input(2):
        return False  # training mode
    source, target = graph.types.get(node.input(0)), graph.types.get(node.outputs[0])
    if source is None or target is None or source.dtype != target.dtype or source.dtype is None:
        return False
    return source.shape is not None and target.shape is not None and source.elements == target.elements > 0


def describe_layout(layout: Layout) -> str:
    """A layout for people."""
    return "NCHW" if layout is None else "NHWC"
