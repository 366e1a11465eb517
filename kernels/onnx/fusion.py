"""Calls joined with the only reader of their result: what lies between never reaches the memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from accelkit.kernels.batched import BatchedCase
from accelkit.kernels.conv2d import Conv2dCase
from accelkit.kernels.conv_transpose import ConvTransposeCase
from accelkit.kernels.elementwise import PairCase, plan_lookup
from accelkit.kernels.epilogue import Residual, Table
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.onnx.calls import Case, KernelCall, Operand, Planned
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.operands import Array, Refused, require_bytes, shape_of
from accelkit.kernels.onnx.pairs import case_of
from accelkit.kernels.onnx.unary import is_unary, table_of

Bounds = tuple[int, int]


def extend(graph: Graph, call: KernelCall, reader: Node, layouts: Mapping[str, Layout]) -> KernelCall | None:
    """The call that does the only reader of its result, too; None if the kernel can't.

    A function of one byte goes into the table before it, or into the bounds of the requantisation before it if it is a clamp, or
    becomes the epilogue of a product; so does the sum with a tensor of the same shape.
    """
    try:
        require_bytes(graph, call.result, reader.outputs[0])
        if call.result in reader.inputs and is_unary(graph, reader):
            table = table_of(graph, reader.proto, call.result)
            case = _with_table(call.case, table, graph.types[call.result].dtype == table.dtype)
            operands = call.operands
        elif (reader.domain, reader.op_type) == ("com.microsoft", "QLinearAdd"):
            case, operands = _with_sum(graph, call, reader)
        else:
            return None
    except Refused:
        return None
    if case is None:
        return None
    return replace(call, case=case, operands=operands, result=reader.outputs[0], nodes=(*call.nodes, reader.index))


def _with_sum(graph: Graph, call: KernelCall, reader: Node) -> tuple[Case | None, tuple[Operand, ...]]:
    """The product with the sum as its epilogue; the other operand of the sum lies as the product's result does."""
    names = reader.input(0), reader.input(3)
    case = call.case
    require_bytes(graph, *names)
    shapes = [shape_of(graph, name) for name in names]
    if not isinstance(case, Conv2dCase | GemmCase) or case.epilogue is not None or shapes[0] != shapes[1]:
        return None, ()
    is_left = names[0] == call.result
    sum_case = case_of(graph, reader, (shapes[0], shapes[1]))
    # Import or a hand may have given the sum another zero point than the product: then its bytes mean something else.
    if (sum_case.left if is_left else sum_case.right).zero_point != case.y.zero_point:
        return None, ()
    residual = Operand("residual", names[1] if is_left else names[0], call.layout)
    return replace(case, epilogue=Residual(sum_case, is_left)), (*call.operands, residual)


def _with_table(case: Case, table: Array, has_one_type: bool) -> Case | None:
    """The case with a function of its result's bytes behind it."""
    if isinstance(case, BatchedCase):
        inner = _with_table(case.gemm, table, has_one_type)
        return replace(case, gemm=inner) if isinstance(inner, GemmCase) else None
    if isinstance(case, Planned):
        return _planned_with_table(case, table, has_one_type)
    bounds = clamp_of(table) if has_one_type else None
    if not isinstance(case, Conv2dCase | GemmCase):
        return None if bounds is None else _with_bounds(case, bounds)
    if isinstance(case.epilogue, Table):
        return replace(case, epilogue=Table(table[case.epilogue.table.view(np.uint8)]))
    if bounds is None:
        return replace(case, epilogue=Table(table)) if case.epilogue is None else None
    if case.epilogue is None:
        return _with_bounds(case, bounds)
    return replace(case, epilogue=replace(case.epilogue, pair=_clamped_pair(case.epilogue.pair, bounds)))


def _planned_with_table(case: Planned, table: Array, has_one_type: bool) -> Case | None:
    first, *others = case.arguments
    if case.planner is plan_lookup:
        return Planned(plan_lookup, (first, table[others[0].view(np.uint8)]))
    inner = _with_table(first, table, has_one_type) if isinstance(first, GemmCase) else None
    return None if inner is None else Planned(case.planner, (inner, *others))


def clamp_of(table: Array) -> Bounds | None:
    """The bounds if the table of a function from a type to itself is a clamp; None if it is anything else."""
    identity = np.arange(table.size, dtype=np.uint8).view(table.dtype)
    low, high = int(table.min()), int(table.max())
    return (low, high) if np.array_equal(table, identity.clip(low, high)) else None


def _with_bounds(case: Case, bounds: Bounds) -> Case | None:
    if isinstance(case, Conv2dCase | ConvTransposeCase | GemmCase):
        low, high = _clamped(case.y.bounds(), bounds)
        return replace(case, y=replace(case.y, minimum=low, maximum=high))
    return _clamped_pair(case, bounds) if isinstance(case, PairCase) else None


def _clamped_pair(case: PairCase, bounds: Bounds) -> PairCase:
    limits = np.iinfo(np.dtype(case.y.dtype))
    own = limits.min if case.minimum is None else case.minimum, limits.max if case.maximum is None else case.maximum
    low, high = _clamped(own, bounds)
    return replace(case, minimum=low, maximum=high)


def _clamped(own: Bounds, bounds: Bounds) -> Bounds:
    """One clamp behind the other as one."""
    low, high = (min(max(bound, bounds[0]), bounds[1]) for bound in own)
    return low, high
