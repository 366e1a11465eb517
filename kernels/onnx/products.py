"""Convolutions and matrix products: QLinearConv, QLinearMatMul, QGemm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.batched import BatchedCase
from accelkit.kernels.chain import Link, chain
from accelkit.kernels.conv2d import Conv2dCase
from accelkit.kernels.conv_transpose import ConvTransposeCase
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.layouts import plan_transpose
from accelkit.kernels.onnx.calls import KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import ChannelsLast, Layout, channels_last
from accelkit.kernels.onnx.operands import Array, Refused, constant, dtype_of, require_bytes, shape_of
from accelkit.kernels.onnx.windows import image, pair, require_result, resolve_window
from accelkit.kernels.plan import Buffer, Place, Plan, Quantised, Refusal, Requantisation, combine_scales

MOST_PRODUCTS = 64  # launches of a batch of products


def conv(graph: Graph, node: Node, _: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QLinearConv: groups, depthwise, dilations, 1-D as 2-D of height 1."""
    require_bytes(graph, node.input(0), node.input(3), node.outputs[0])
    weights = constant(graph, node, 3, "weight")
    shape = shape_of(graph, node.input(0))
    x_shape = image(shape, "convolution")
    window = resolve_window(node, shape[2:], weights.shape[2:])
    if len(shape) == 3:
        weights = weights[:, :, None, :]
    _require_groups(graph, node, weights, 1)
    weights, zero_point = _weights(graph, node, weights, 0)
    case = Conv2dCase(
        x_shape=x_shape,
        x=_activation(graph, node, 0),
        weights=weights,
        weights_zero_point=zero_point,
        y=_requantisation(graph, node, 6, _bias(graph, node, 8, 1, len(weights)), len(weights)),
        strides=window.strides,
        pads=window.pads,
        dilations=window.dilations,
        groups=node.attributes.get("group", 1),
    )
    require_result(graph, node, case.y_shape)
    operand = Operand("x", node.input(0), channels_last(shape))
    return (KernelCall(case, (operand,), node.outputs[0], channels_last(shape_of(graph, node.outputs[0])), (node.index,)),)


def conv_transpose(graph: Graph, node: Node, _: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QLinearConvTranspose, an operator of the import's own with all attributes explicit: inputs as QLinearConv has them."""
    require_bytes(graph, node.input(0), node.input(3), node.outputs[0])
    weights = constant(graph, node, 3, "weight")
    shape = shape_of(graph, node.input(0))
    x_shape = image(shape, "transposed convolution")
    if len(shape) == 3:
        weights = weights[:, :, None, :]
    _require_groups(graph, node, weights, 0)
    zero_point = np.unique(constant(graph, node, 5, "zero point", "zero-point"))
    if zero_point.size != 1:
        raise Refused("zero-point", f"weight zero points differ by channel ({zero_point.size} of them); the array takes one")
    given, outputs = node.attributes, weights.shape[1] * node.attributes["group"]
    bias = _bias(graph, node, 8, 1, outputs) if given["operands"] > 8 else np.zeros(outputs, np.int32)
    begins, ends = (pair(tuple(half), 0) for half in np.reshape(given["pads"], (2, -1)).tolist())
    case = ConvTransposeCase(
        x_shape=x_shape,
        x=_activation(graph, node, 0),
        weights=weights,
        weights_zero_point=int(zero_point[0]),
        y=_requantisation(graph, node, 6, bias, outputs),
        strides=pair(tuple(given["strides"])),
        pads=(*begins, *ends),
        dilations=pair(tuple(given["dilations"])),
        output_padding=pair(tuple(given["output_padding"]), 0),
        groups=given["group"],
    )
    require_result(graph, node, case.y_shape)
    operand = Operand("x", node.input(0), channels_last(shape))
    return (KernelCall(case, (operand,), node.outputs[0], channels_last(shape_of(graph, node.outputs[0])), (node.index,)),)


def _require_groups(graph: Graph, node: Node, weights: Array, axis: int) -> None:
    """Refused unless channels and outputs come in groups, and those of the weights along `axis` are those of x."""
    group, channels = node.attributes.get("group", 1), shape_of(graph, node.input(0))[1]
    whole = weights.shape[axis] * (group if axis == 1 else 1)
    if group < 1 or whole != channels or channels % group or weights.shape[0] % group:
        raise Refused("shape", f"weights {list(weights.shape)} in {group} groups for {channels} channels")


def matmul(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QLinearMatMul: many left-hand rows with one right-hand matrix, or a product for each pair of a batch."""
    require_bytes(graph, node.input(0), node.input(3), node.outputs[0])
    left, right = shape_of(graph, node.input(0)), shape_of(graph, node.input(3))
    K, N = right[-2:] if len(right) > 1 else (right[0], 1)
    y = _requantisation(graph, node, 6, np.zeros(N, np.int32), N)
    if prod(right[:-2]) == 1:
        return (_product(graph, node, layouts, prod(left) // K, K, N, y),)
    b_zero_point = np.unique(constant(graph, node, 5, "zero point", "zero-point"))
    if b_zero_point.size != 1:
        raise Refused("zero-point", f"{b_zero_point.size} zero points of a batch of right-hand matrices; the kernel takes one")
    b = Quantised(dtype_of(graph, node.input(3)), int(b_zero_point[0]))
    one = GemmCase(left[-2] if len(left) > 1 else 1, N, K, _activation(graph, node, 0), b, y)
    products = prod(np.broadcast_shapes(left[:-2], right[:-2]))
    if products > MOST_PRODUCTS:
        raise Refused("attribute", f"a batch of {products} products, each a launch; at most {MOST_PRODUCTS} are taken")
    operands = (Operand("a", node.input(0)), Operand("b", node.input(3)))
    return (KernelCall(BatchedCase(one, left[:-2], right[:-2]), operands, node.outputs[0], None, (node.index,)),)


def gemm(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QGemm with an 8-bit result."""
    require_bytes(graph, node.input(0), node.input(3), node.outputs[0])
    rows, columns = shape_of(graph, node.input(0))
    M, K = (columns, rows) if node.attributes.get("transA") else (rows, columns)
    right = shape_of(graph, node.input(3))
    if right[-1 if node.attributes.get("transB") else 0] != K:
        raise Refused("shape", f"a product of {[rows, columns]} and {list(right)}")
    N = shape_of(graph, node.outputs[0])[1]
    alpha = float(node.attributes.get("alpha", 1.0))
    y = _requantisation(graph, node, 7, _bias(graph, node, 6, M, N), N, alpha)
    return (_product(graph, node, layouts, M, K, N, y),)


def _product(
    graph: Graph, node: Node, layouts: Mapping[str, Layout], M: int, K: int, N: int, y: Requantisation
) -> KernelCall:
    """Left operand [M, K] in memory; the right one [K, N] a constant or in memory too."""
    a_name, b_name = node.input(0), node.input(3)
    is_turned = bool(node.attributes.get("transA")), bool(node.attributes.get("transB"))
    weights = graph.constant(b_name)
    a, b = _activation(graph, node, 0), Quantised(dtype_of(graph, b_name))
    if weights is None:
        zero_point = np.unique(constant(graph, node, 5, "zero point", "zero-point"))
        if zero_point.size != 1:
            raise Refused("zero-point", f"{zero_point.size} zero points of {b_name}, which is not a constant; the array takes one")
        case = GemmCase(M, N, K, a, replace(b, zero_point=int(zero_point[0])), y)
        operands = (Operand("a", a_name), Operand("b", b_name))
        planned = Planned(_plan_turned, (case, *is_turned)) if any(is_turned) else case
        return KernelCall(planned, operands, node.outputs[0], None, (node.index,))
    weights, b_zero_point = _weights(graph, node, weights.T if is_turned[1] else weights.reshape(K, N), 1)
    case = GemmCase(M, N, K, a, Quantised(weights.dtype, b_zero_point), y, weights)
    if is_turned[0]:
        return KernelCall(Planned(_plan_turned, (case, True, False)), (Operand("a", a_name),), node.outputs[0], None, (node.index,))
    layout = layouts.get(a_name)
    if layout is None or (layout.items, layout.channels * layout.positions) != (M, K):
        return KernelCall(case, (Operand("a", a_name),), node.outputs[0], None, (node.index,))
    return _in_order(case, Operand("a", a_name, layout), layout, node)


def _in_order(case: GemmCase, a: Operand, layout: ChannelsLast, node: Node) -> KernelCall:
    """The product for rows that lie as `layout` says: Flatten after a convolution costs nothing then."""
    assert case.b_constant is not None
    order = np.arange(case.K).reshape(layout.channels, layout.positions).T.ravel()
    permuted = replace(case, b_constant=case.b_constant[order])
    note = "weight rows permuted to the input's NHWC order while packing"
    return KernelCall(permuted, (a,), node.outputs[0], None, (node.index,), note)


def _plan_turned(machine: Machine, case: GemmCase, is_a: bool, is_b: bool) -> Plan | Refusal:
    """A product whose operands lie column by column: each is turned round first."""
    plan = plan_gemm(machine, case)
    if isinstance(plan, Refusal):
        return plan
    links: list[Link | Refusal] = []
    buffers = [Buffer("a", case.M * case.K), Buffer("y", case.M * case.N, is_writable=True)]
    if case.b_constant is None:
        buffers.append(Buffer("b", case.K * case.N))
    places = {buffer.name: Place(buffer.name) for buffer in buffers}
    for name, shape, is_turned in (("a", (case.K, case.M), is_a), ("b", (case.N, case.K), is_b)):
        if not is_turned:
            continue
        turn = plan_transpose(machine, shape, (1, 0))
        links.append(turn if isinstance(turn, Refusal) else Link(turn, {"x": Place(name), "y": Place(f"{name}_turned")}))
        buffers.append(Buffer(f"{name}_turned", prod(shape), is_writable=True))
        places[name] = Place(f"{name}_turned")
    return chain(machine, "gemm", [*links, Link(plan, places)], buffers, ((case.M, case.N), case.y.dtype))


def _activation(graph: Graph, node: Node, place: int) -> Quantised:
    zero_point = constant(graph, node, place + 2, "zero point", "zero-point").ravel()
    if zero_point.size != 1:
        raise Refused("zero-point", f"activation zero points differ by row ({zero_point.size} of them); the kernel takes one")
    return Quantised(dtype_of(graph, node.input(place)), int(zero_point[0]))


def _weights(graph: Graph, node: Node, weights: Array, axis: int) -> tuple[Array, int]:
    """Weights and their one zero point. Where zero points differ along `axis`, weights are taken relative to them if that fits int8."""
    zero_points = constant(graph, node, 5, "zero point", "zero-point").ravel()
    if zero_points.size == 0:
        raise Refused("zero-point", f"weight zero point {node.input(5)} is empty")
    if np.unique(zero_points).size == 1:
        return weights, int(zero_points[0])
    shape = [1] * weights.ndim
    shape[axis] = -1
    relative = weights.astype(np.int16) - zero_points.astype(np.int16).reshape(shape)
    if relative.min() < -128 or relative.max() > 127:
        low, high = zero_points.min(), zero_points.max()
        raise Refused("zero-point", f"weight zero points differ by channel ({low} to {high}); the array takes one")
    return relative.astype(np.int8), 0


def _bias(graph: Graph, node: Node, place: int, rows: int, outputs: int) -> Array:
    """int32 bias [outputs]; it must not differ by row."""
    if not node.input(place):
        return np.zeros(outputs, np.int32)
    bias = constant(graph, node, place, "bias")
    try:
        matrix = np.broadcast_to(bias, (rows, outputs))
    except ValueError:
        raise Refused("shape", f"bias {node.input(place)} is {list(bias.shape)}, for {outputs} outputs") from None
    if bias.ndim == 2 and (bias != bias[:1]).any():  # of the constant alone: the matrix may be far larger
        raise Refused("bias", f"bias {node.input(place)} differs by row, {list(bias.shape)}; the kernel takes one per column")
    return np.array(matrix[0], np.int32)


def _requantisation(
    graph: Graph, node: Node, place: int, bias: npt.ArrayLike, outputs: int, alpha: float = 1.0
) -> Requantisation:
    """From the scales and the result's zero point; `place` is that of the result's scale."""
    scales = [constant(graph, node, at, "scale", "scale") for at in (1, 4, place)]
    zero_point = constant(graph, node, place + 1, "zero point", "zero-point").ravel()
    if zero_point.size != 1:
        raise Refused("zero-point", f"{zero_point.size} zero points of the result; the kernel takes one")
    for scale, what in zip(scales, ("activation", "weight", "result"), strict=True):
        if scale.dtype != np.float32:
            raise Refused("scale", f"the {what} scale is {scale.dtype}; the kernel has float32")
        if scale.size not in ((1, outputs) if what == "weight" else (1,)):
            each = " per output" * (what == "weight")
            raise Refused("scale", f"{scale.size} {what} scales for {outputs} outputs; the kernel takes one{each}")
    x_scale, w_scale, y_scale = (scale.ravel() for scale in scales)
    with np.errstate(over="ignore", under="ignore"):
        # The product with alpha rounds to float32 first, as in ONNX Runtime's QGemm.
        combined = combine_scales(np.float32(alpha) * x_scale, w_scale, y_scale)
    dtype = dtype_of(graph, node.outputs[0])
    return Requantisation(dtype, int(zero_point[0]), np.broadcast_to(combined, (outputs,)).copy(), bias)
