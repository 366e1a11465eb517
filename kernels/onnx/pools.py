"""Pooling: MaxPool, QLinearAveragePool, QLinearGlobalAveragePool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from accelkit.kernels.onnx.averages import Average, find_difference
from accelkit.kernels.onnx.calls import KernelCall, Operand
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, channels_last
from accelkit.kernels.onnx.operands import Refused, Shape, dtype_of, quantised, require_bytes, scale, shape_of
from accelkit.kernels.onnx.windows import image, pair, require_result, resolve_window
from accelkit.kernels.plan import Quantised
from accelkit.kernels.pooling import PoolCase

# Beyond these ONNX Runtime's global average refuses to run.
_LEAST_SCALE, _GREATEST_SCALE = 2.0**-32, 256.0


def maximum(graph: Graph, node: Node, _: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """MaxPool of bytes, without Indices."""
    require_bytes(graph, node.input(0), node.outputs[0])
    if len(node.outputs) > 1:
        raise Refused("attribute", f"MaxPool's output {node.outputs[1]}, indices; the kernel has the maximum only")
    shape = shape_of(graph, node.input(0))
    x_shape = image(shape, "pool")
    taps = tuple(node.attributes["kernel_shape"])
    window = resolve_window(node, shape[2:], taps)
    case = PoolCase(
        x_shape,
        Quantised(dtype_of(graph, node.input(0))),
        pair(taps),
        window.strides,
        window.pads,
        window.dilations,
        is_ceil=bool(node.attributes.get("ceil_mode")),
    )
    require_result(graph, node, case.y_shape)
    return _call(graph, node, case, is_channels_last=False)


def average(graph: Graph, node: Node, _: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QLinearAveragePool, where its sums in float are sure to give the kernel's bytes."""
    require_bytes(graph, node.input(0), node.outputs[0])
    is_channels_last = bool(node.attributes.get("channels_last"))
    shape = _channels_first(shape_of(graph, node.input(0)), is_channels_last)
    x_shape = image(shape, "pool")
    taps = tuple(node.attributes["kernel_shape"])
    window = resolve_window(node, shape[2:], taps)
    case = _average_case(graph, node, x_shape, pair(taps))
    is_global = taps == shape[2:] and not any(window.pads)  # then ONNX Runtime sums integers, too
    if not is_global:
        case = replace(
            case,
            strides=window.strides,
            pads=window.pads,
            is_ceil=bool(node.attributes.get("ceil_mode")),
            counts_padding=bool(node.attributes.get("count_include_pad")),
        )
        require_result(graph, node, case.y_shape, is_channels_last)
        case = _exact(case)
    return _call(graph, node, case, is_channels_last)


def _exact(case: PoolCase) -> PoolCase:
    """The case, perhaps with other zero points, whose bytes are ONNX Runtime's."""
    average = _averages(case)
    for x_shift, y_shift in average.shifts():
        if find_difference(replace(average, shift=(x_shift, y_shift))) is None:
            x, y = case.x, case.result
            return replace(
                case, x=replace(x, zero_point=x.zero_point + x_shift), y=replace(y, zero_point=y.zero_point + y_shift)
            )
    raise Refused("not-exact", find_difference(average) or "")


def global_average(graph: Graph, node: Node, _: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QLinearGlobalAveragePool of any number of axes."""
    require_bytes(graph, node.input(0), node.outputs[0])
    is_channels_last = bool(node.attributes.get("channels_last"))
    shape = _channels_first(shape_of(graph, node.input(0)), is_channels_last)
    height, width = shape[2:] if len(shape) == 4 else (1, prod(shape[2:]))
    case = _average_case(graph, node, (shape[0], height, width, shape[1]), (height, width))
    return _call(graph, node, case, is_channels_last)


def _channels_first(shape: Shape, is_channels_last: bool) -> Shape:
    return (shape[0], shape[-1], *shape[1:-1]) if is_channels_last else shape


def _average_case(graph: Graph, node: Node, x_shape: tuple[int, int, int, int], taps: tuple[int, int]) -> PoolCase:
    x_scale, y_scale = scale(graph, node, 1, "activation"), scale(graph, node, 3, "result")
    if min(x_scale, y_scale) <= 0:
        raise Refused("scale", f"the scales {x_scale} and {y_scale} are not above 0")
    with np.errstate(over="ignore"):
        if not _LEAST_SCALE <= x_scale / (y_scale * np.float32(prod(taps))) < _GREATEST_SCALE:
            raise Refused("scale", f"the scales {x_scale} and {y_scale} are too far apart; ONNX Runtime stops there")
    return PoolCase(
        x_shape,
        quantised(graph, node.input(0), node, 2, "activation", is_optional=True),
        taps,
        is_average=True,
        y=quantised(graph, node.outputs[0], node, 4, "result", is_optional=True),
        x_scale=float(x_scale),
        y_scale=float(y_scale),
    )


def _averages(case: PoolCase) -> Average:
    """The kinds of windows of a case: how many elements lie in the image, and by how many it divides."""
    inside = []
    for axis in (0, 1):
        size, taps, stride, before = case.x_shape[1 + axis], case.window[axis], case.strides[axis], case.pads[axis]
        firsts = [output * stride - before for output in range(case.y_shape[1 + axis])]
        inside.append({min(first + taps, size) - max(first, 0) for first in firsts})
    counts = {vertical * horizontal for vertical in inside[0] for horizontal in inside[1]}
    if min(counts, default=0) < 1:
        raise Refused("attribute", "a window lies in nothing but padding")
    whole = prod(case.window)
    windows = frozenset((count, whole if case.counts_padding else count) for count in counts)
    return Average(case.x, np.float32(case.x_scale), case.result, np.float32(case.y_scale), windows)


def _call(graph: Graph, node: Node, case: PoolCase, is_channels_last: bool) -> tuple[KernelCall, ...]:
    x_shape, y_shape = shape_of(graph, node.input(0)), shape_of(graph, node.outputs[0])
    layouts = (None, None) if is_channels_last else (channels_last(x_shape), channels_last(y_shape))
    operand = Operand("x", node.input(0), layouts[0])
    return (KernelCall(case, (operand,), node.outputs[0], layouts[1], (node.index,)),)
