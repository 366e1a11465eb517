"""The order in which a tensor's bytes lie in DRAM, and which operators only rename memory.

ONNX tensors are NCHW and in row-major order; the accelerator's convolutions read and write NHWC. An operator that keeps
the row-major order of its elements (Flatten, Reshape, ...) is a view in either order, whatever shape it gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.graph import Graph, Node

_VIEWS = {"Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Dropout"}


@dataclass(frozen=True)
class ChannelsLast:
    """Elements [items, channels, positions] of the row-major order lie in memory as [items, positions, channels]."""

    items: int
    channels: int
    positions: int


# None is the row-major order itself.
Layout = ChannelsLast | None


def channels_last(shape: tuple[int, ...]) -> Layout:
    """The layout of a tensor [N, C, ...] whose channels lie innermost; one channel or one position is row-major order."""
    items, channels, positions = shape[0], shape[1], prod(shape[2:])
    return None if channels == 1 or positions == 1 else ChannelsLast(items, channels, positions)


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
    if node.domain or node.op_type not in _VIEWS or len(node.outputs) != 1:
        return False
    if any(name and name not in graph.constants for name in node.inputs[1:]):
        return False
    if node.op_type == "Dropout" and node.input(2):
        return False  # training mode
    source, target = graph.types.get(node.input(0)), graph.types.get(node.outputs[0])
    if source is None or target is None or source.dtype != target.dtype or source.dtype is None:
        return False
    return source.shape is not None and target.shape is not None and source.elements == target.elements > 0
