"""What the accelerator's kernels need to know of a node, or why they can't take it.

`describe` is the only judge: what the report says and what a run does come from its one answer. The kernel's planner,
which knows the machine, may still refuse a case that it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import ChannelsLast, Layout, channels_last
from accelkit.kernels.onnx.windows import resolve_window
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation, combine_scales

Array = npt.NDArray[Any]
_BYTES = (np.dtype(np.int8), np.dtype(np.uint8))


@dataclass(frozen=True)
class Operand:
    """An activation: the kernel's buffer, the tensor it holds, and how that must lie there."""

    buffer: str
    tensor: str
    layout: Layout = None


@dataclass(frozen=True)
class KernelCall:
    """A node as a case of a kernel; `layout` is that of the result."""

    case: GemmCase | Conv2dCase
    operands: tuple[Operand, ...]
    layout: Layout = None

    def plan(self, machine: Machine) -> Plan | Refusal:
        """What the kernel's planner says."""
        return plan_gemm(machine, self.case) if isinstance(self.case, GemmCase) else plan_conv2d(machine, self.case)

    def accept_channels_last(self, layout: ChannelsLast) -> KernelCall | None:
        """This product for rows that lie as `layout` says: its weight rows in that order; None if that can't be done.

        So Flatten after a convolution costs nothing: the rows are permuted while the weights are packed.
        """
        case, rows = self.case, layout.channels * layout.positions
        if not isinstance(case, GemmCase) or case.b_constant is None or (layout.items, rows) != (case.M, case.K):
            return None
        order = np.arange(case.K).reshape(layout.channels, layout.positions).T.ravel()
        permuted = replace(case, b_constant=case.b_constant[order])
        return replace(self, case=permuted, operands=(replace(self.operands[0], layout=layout),))


class _Refused(Exception):
    """Carries a reason out of the extraction."""


def describe(graph: Graph, node: Node) -> KernelCall | Refusal:
    """The case that a node is, or the first reason against it (types, shapes, attributes, quantisation)."""
    extract = _OPERATORS.get((node.domain, node.op_type))
    if extract is None:
        return Refusal(f"no kernel for {node.op_type}")
    try:
        _require_static(graph, node)
        return extract(graph, node)
    except _Refused as refused:
        return Refusal(str(refused))


def _conv(graph: Graph, node: Node) -> KernelCall:
    weights = _constant(graph, node, 3, "weight")
    shape = _shape(graph, node.input(0))
    if len(shape) not in (3, 4):
        raise _Refused(f"a {len(shape) - 2}-D convolution; the kernel has 1-D and 2-D")
    window = resolve_window(node, shape[2:], weights.shape[2:])
    if isinstance(window, Refusal):
        raise _Refused(window.reason)
    if len(shape) == 3:  # a 1-D convolution is a 2-D one of height 1
        weights = weights[:, :, None, :]
    x, w = _operand_types(graph, node)
    case = Conv2dCase(
        x_shape=(shape[0], shape[2] if len(shape) == 4 else 1, shape[-1], shape[1]),
        x=x,
        weights=weights,
        weights_zero_point=w.zero_point,
        y=_requantisation(graph, node, 6, _bias(graph, node, 8, 1, len(weights)), len(weights)),
        strides=window.strides,
        pads=window.pads,
    )
    operand = Operand("x", node.input(0), channels_last(shape))
    return KernelCall(case, (operand,), channels_last(_shape(graph, node.outputs[0])))


def _matmul(graph: Graph, node: Node) -> KernelCall:
    left, right = _shape(graph, node.input(0)), _shape(graph, node.input(3))
    if prod(right[:-2]) != 1:
        raise _Refused(f"a batch of right-hand matrices {list(right)}; the kernel has one")
    K, N = right[-2:] if len(right) > 1 else (right[0], 1)
    return _product(graph, node, prod(left) // K, K, N, _requantisation(graph, node, 6, np.zeros(N, np.int32), N))


def _gemm(graph: Graph, node: Node) -> KernelCall:
    if node.attributes.get("transA"):
        raise _Refused("transA = 1; the kernel reads activations row by row")
    M, K = _shape(graph, node.input(0))
    N = _shape(graph, node.outputs[0])[1]
    alpha = float(node.attributes.get("alpha", 1.0))
    return _product(graph, node, M, K, N, _requantisation(graph, node, 7, _bias(graph, node, 6, M, N), N, alpha))


def _product(graph: Graph, node: Node, M: int, K: int, N: int, y: Requantisation) -> KernelCall:
    """Left operand [M, K] in memory; the right one [K, N] a constant or in memory too."""
    a, b = _operand_types(graph, node)
    operands: tuple[Operand, ...] = (Operand("a", node.input(0)),)
    constant = graph.constant(node.input(3))
    transposed = bool(node.attributes.get("transB"))
    if constant is not None:
        constant = constant.T if transposed else constant.reshape(K, N)
    elif transposed:
        raise _Refused(f"transB = 1 of {node.input(3)}, which is not a constant")
    else:
        operands += (Operand("b", node.input(3)),)
    return KernelCall(GemmCase(M, N, K, a, b, y, constant), operands)


_OPERATORS: dict[tuple[str, str], Callable[[Graph, Node], KernelCall]] = {
    ("", "QLinearConv"): _conv,
    ("", "QLinearMatMul"): _matmul,
    ("com.microsoft", "QGemm"): _gemm,
}


def _require_static(graph: Graph, node: Node) -> None:
    for name in (node.input(0), node.input(3), *node.outputs):
        kind = graph.types[name]
        if kind.shape is None:
            raise _Refused(f"the shape of {name} depends on data")
        if 0 in kind.shape:
            raise _Refused(f"{name} is empty, {list(kind.shape)}")
        if kind.dtype not in _BYTES:
            raise _Refused(f"{name} is {kind.dtype}; the kernel has int8 and uint8")


def _shape(graph: Graph, name: str) -> tuple[int, ...]:
    shape = graph.types[name].shape
    assert shape is not None  # _require_static has seen it
    return shape


def _dtype(graph: Graph, name: str) -> np.dtype[Any]:
    dtype = graph.types[name].dtype
    assert dtype is not None
    return dtype


def _constant(graph: Graph, node: Node, place: int, what: str) -> Array:
    value = graph.constant(node.input(place))
    if value is None:
        raise _Refused(f"{what} {node.input(place) or '(absent)'} is not a constant")
    return value


def _operand_types(graph: Graph, node: Node) -> tuple[Quantised, Quantised]:
    """Types and zero points of activation and weights; each is one number (per channel only if all are equal)."""
    x_zero_point = _constant(graph, node, 2, "zero point").ravel()
    if x_zero_point.size != 1:
        raise _Refused(f"activation zero points differ by row ({x_zero_point.size} of them); the kernel takes one")
    w_zero_point = np.unique(_constant(graph, node, 5, "zero point"))
    if w_zero_point.size == 0:
        raise _Refused(f"weight zero point {node.input(5)} is empty")
    if w_zero_point.size != 1:
        raise _Refused(f"weight zero points differ by channel ({w_zero_point[0]} to {w_zero_point[-1]}); the array takes one")
    return (
        Quantised(_dtype(graph, node.input(0)), int(x_zero_point[0])),
        Quantised(_dtype(graph, node.input(3)), int(w_zero_point[0])),
    )


def _bias(graph: Graph, node: Node, place: int, rows: int, outputs: int) -> Array:
    """int32 bias [outputs]; it must not differ by row."""
    if not node.input(place):
        return np.zeros(outputs, np.int32)
    bias = _constant(graph, node, place, "bias")
    try:
        matrix = np.broadcast_to(bias, (rows, outputs))
    except ValueError:
        raise _Refused(f"bias {node.input(place)} is {list(bias.shape)}, for {outputs} outputs") from None
    if (matrix != matrix[:1]).any():
        raise _Refused(f"bias {node.input(place)} differs by row, {list(bias.shape)}; the kernel takes one per column")
    return np.array(matrix[0], np.int32)


def _requantisation(
    graph: Graph, node: Node, place: int, bias: npt.ArrayLike, outputs: int, alpha: float = 1.0
) -> Requantisation:
    """From the scales and the result's zero point; `place` is that of the result's scale."""
    scales = [_constant(graph, node, at, "scale") for at in (1, 4, place)]
    zero_point = _constant(graph, node, place + 1, "zero point").ravel()
    if zero_point.size != 1:
        raise _Refused(f"{zero_point.size} zero points of the result; the kernel takes one")
    for scale, what in zip(scales, ("activation", "weight", "result"), strict=True):
        if scale.dtype != np.float32:
            raise _Refused(f"the {what} scale is {scale.dtype}; the kernel has float32")
        if scale.size not in ((1, outputs) if what == "weight" else (1,)):
            raise _Refused(f"{scale.size} {what} scales for {outputs} outputs; the kernel takes one{' per output' * (what == 'weight')}")
    x_scale, w_scale, y_scale = (scale.ravel() for scale in scales)
    with np.errstate(over="ignore", under="ignore"):
        # The product with alpha rounds to float32 first, as in ONNX Runtime's QGemm.
        combined = combine_scales(np.float32(alpha) * x_scale, w_scale, y_scale)
    dtype = _dtype(graph, node.outputs[0])
    return Requantisation(dtype, int(zero_point[0]), np.broadcast_to(combined, (outputs,)).copy(), bias)
