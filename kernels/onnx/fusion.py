"""Calls joined with the only reader of their result: what lies between never reaches the memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from accelkit.kernels.batched import BatchedCase
from accelkit.kernels.conv2d import Conv2dCase
from accelkit.kernels.conv_transpose import ConvTransposeCase
from accelkit.kernels.elementwise import PairCase, plan_lookup
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.onnx.calls import Case, KernelCall, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.operands import Array, Refused
from accelkit.kernels.onnx.unary import is_unary, table_of

Bounds = tuple[int, int]


def extend(graph: Graph, call: KernelCall, reader: Node, layouts: Mapping[str, Layout]) -> KernelCall | None:
    """The call that does the only reader of its result, too; None if the kernel can't.

    A function of one byte goes into the table before it, or, if it is a clamp, into the bounds of the requantisation before it.
    """
    if not is_unary(graph, reader) or call.result not in reader.inputs:
        return None
    try:
        table = table_of(graph, reader.proto, call.result)
    except Refused:
        return None
    case = _with_table(call.case, table, graph.types[call.result].dtype == table.dtype)
    if case is None:
        return None
    return replace(call, case=case, result=reader.outputs[0], nodes=(*call.nodes, reader.index))


def _with_table(case: Case, table: Array, has_one_type: bool) -> Case | None:
    if isinstance(case, Planned) and case.planner is plan_lookup:
        shape, first = case.arguments
        return Planned(plan_lookup, (shape, table[first.view(np.uint8)]))
    bounds = clamp_of(table) if has_one_type else None
    return None if bounds is None else _with_bounds(case, bounds)


def clamp_of(table: Array) -> Bounds | None:
    """The bounds if the table of a function from a type to itself is a clamp; None if it is anything else."""
    identity = np.arange(table.size, dtype=np.uint8).view(table.dtype)
    low, high = int(table.min()), int(table.max())
    return (low, high) if np.array_equal(table, identity.clip(low, high)) else None


def _with_bounds(case: Case, bounds: Bounds) -> Case | None:
    if isinstance(case, Planned) and isinstance(case.arguments[0], GemmCase):
        return replace(case, arguments=(_with_bounds(case.arguments[0], bounds), *case.arguments[1:]))
    if isinstance(case, BatchedCase):
        inner = _with_bounds(case.gemm, bounds)
        assert isinstance(inner, GemmCase)
        return replace(case, gemm=inner)
    if isinstance(case, Conv2dCase | ConvTransposeCase | GemmCase):
        low, high = _clamped(case.y.bounds(), bounds)
        return replace(case, y=replace(case.y, minimum=low, maximum=high))
    if isinstance(case, PairCase):
        limits = np.iinfo(np.dtype(case.y.dtype))
        own = (
            limits.min if case.minimum is None else case.minimum,
            limits.max if case.maximum is None else case.maximum,
        )
        low, high = _clamped(own, bounds)
        return replace(case, minimum=low, maximum=high)
    return None


def _clamped(own: Bounds, bounds: Bounds) -> Bounds:
    """One clamp behind the other as one."""
    low, high = (min(max(bound, bounds[0]), bounds[1]) for bound in own)
    return low, high
