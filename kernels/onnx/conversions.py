"""Between numbers and bytes (QuantizeLinear and DequantizeLinear of float32 tensors on the accelerator), and between layouts."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.chain import Link, chain
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.layouts import plan_transpose
from accelkit.kernels.onnx.calls import KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import ChannelsLast, Layout
from accelkit.kernels.onnx.operands import (
    Refused,
    Shape,
    dtype_of,
    quantised,
    require_bytes,
    require_static,
    scale,
    shape_of,
)
from accelkit.kernels.plan import Buffer, Place, Plan, Refusal


def quantise(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """QuantizeLinear per tensor, in whatever order x lies."""
    return _converted(graph, node, layouts, node.outputs[0], node.input(0), is_quantise=True)


def dequantise(graph: Graph, node: Node, layouts: Mapping[str, Layout]) -> tuple[KernelCall, ...]:
    """DequantizeLinear per tensor, in whatever order x lies."""
    return _converted(graph, node, layouts, node.input(0), node.outputs[0], is_quantise=False)


def _converted(
    graph: Graph, node: Node, layouts: Mapping[str, Layout], of_bytes: str, of_floats: str, is_quantise: bool
) -> tuple[KernelCall, ...]:
    require_bytes(graph, of_bytes)
    require_static(graph, of_floats)
    if graph.types[of_floats].dtype != np.float32:
        raise Refused("dtype", f"{of_floats} is {graph.types[of_floats].dtype}; the kernel has float32")
    kind = quantised(graph, of_bytes, node, 2, "tensor", is_optional=True)
    case = ConvertCase(shape_of(graph, of_bytes), kind, float(scale(graph, node, 1, "tensor")))
    layout = layouts.get(node.input(0))
    planned = Planned(plan_quantise if is_quantise else plan_dequantise, (case,))
    return (KernelCall(planned, (Operand("x", node.input(0), layout),), node.outputs[0], layout, (node.index,)),)


def convert_layout(graph: Graph, tensor: str, have: Layout, want: Layout) -> KernelCall:
    """The call that brings a tensor on the device from one layout into another: buffer "x" to "y"."""
    turns = [_turn(graph, tensor, layout, is_last) for layout, is_last in ((have, False), (want, True)) if layout is not None]
    case = Planned(_plan_turns, tuple(turns))
    return KernelCall(case, (Operand("x", tensor, have),), tensor, want)


def _turn(graph: Graph, tensor: str, layout: ChannelsLast, is_last: bool) -> tuple[Shape, tuple[int, ...]]:
    """Shape and order of the transposition that brings channels last, or back."""
    itemsize = dtype_of(graph, tensor).itemsize
    bytes_axis = (itemsize,) if itemsize > 1 else ()
    parts = (layout.channels, layout.positions) if is_last else (layout.positions, layout.channels)
    return (layout.items, *parts, *bytes_axis), (0, 2, 1, *(3 for _ in bytes_axis))


def _plan_turns(machine: Machine, *turns: tuple[Shape, tuple[int, ...]]) -> Plan | Refusal:
    """One transposition, or one after the other by the row-major order."""
    plans = [plan_transpose(machine, *turn) for turn in turns]
    if len(plans) == 1:
        return plans[0]
    nbytes = prod(turns[0][0])
    names = ("x", "between", "y")
    buffers = [Buffer(name, nbytes, is_writable=name != "x") for name in names]
    links = [
        plan if isinstance(plan, Refusal) else Link(plan, {"x": Place(names[at]), "y": Place(names[at + 1])})
        for at, plan in enumerate(plans)
    ]
    return chain(machine, "transpose", links, buffers, ((nbytes,), np.uint8))
