"""Calls that take their reader in, and conversions between layouts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import load_machine
from accelkit.kernels.launch import place
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.conversions import convert_layout
from accelkit.kernels.onnx.fusion import clamp_of, extend
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.layout import to_memory, with_channels
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Plan
from accelkit.simulator import Session
from tests.kernels.onnx.builder import MICROSOFT, Builder, run_reference
from tests.kernels.onnx.run_calls import read, run_call

TINY = load_machine("tiny-8")


def first(b: Builder, kind: str) -> list[int]:
    """A node "t" of each kind that has bounds of its own; the shape of its input x."""
    if kind == "conv":
        b.conv("x", "t", 4, 6)
    elif kind == "depthwise":
        b.conv("x", "t", 1, 4, group=4)
    elif kind == "sum":
        b.add("x", "x2", "t")
    elif kind == "gemm":
        b.gemm("x", "t", 20, 6)
        return [5, 20]
    elif kind == "turned gemm":
        b.gemm("x", "t", 5, 6, transA=1)
        return [5, 20]
    elif kind == "batched product":
        operands = ["x", *b.scale("xq", 0.1, 0), "x2", *b.scale("wq", 0.1, 0), *b.scale("yq", 1.5, 0)]
        b.node("QLinearMatMul", operands, "t")
        return [2, 6, 6]
    else:
        b.node("QLinearSigmoid", ["x", *b.scale("xq", 0.05, 3), *b.scale("yq", 1 / 256, -100)], "t", MICROSOFT)
    return [1, 4, 6, 7]


KINDS = ["conv", "depthwise", "sum", "gemm", "turned gemm", "batched product", "table"]


def extended(graph: Graph, nodes: int) -> KernelCall:
    """The first node's call with the others taken in."""
    calls = describe(graph, graph.nodes[0], {})
    assert isinstance(calls, tuple), calls
    call: KernelCall | None = calls[0]
    for node in graph.nodes[1:nodes]:
        assert call is not None
        call = extend(graph, call, node, {})
    assert call is not None
    return call


@pytest.mark.parametrize("kind", KINDS)
def test_clamps(kind: str) -> None:
    """Relu and Clip behind an integer result are bounds of the kernel that computes it, one behind the other."""
    b = Builder()
    shape = first(b, kind)
    b.node("Clip", ["t", b.constant("low", -20, np.int8), b.constant("high", 100, np.int8)], "clipped")
    b.node("Relu", ["clipped"], "y")
    check_extended(b, {"x": shape} | ({"x2": shape} if kind in ("sum", "batched product") else {}))


def test_tables_behind_each_other() -> None:
    """Two functions of one byte are one table."""
    b = Builder()
    b.node("QLinearSigmoid", ["x", *b.scale("x", 0.05, 3), *b.scale("t", 1 / 256, -128)], "t", MICROSOFT)
    b.node("QLinearLeakyRelu", ["t", *b.scale("t2", 0.1, -3), *b.scale("y", 0.07, 5)], "y", MICROSOFT, alpha=0.2)
    model = b.model({"x": [256]}, ["y"])
    graph = read(model)
    x = np.arange(-128, 128).astype(np.int8)
    expected = run_reference(model, {"x": x}, ["y"])["y"]
    np.testing.assert_array_equal(run_call(TINY, extended(graph, 2), graph, {"x": x}), expected)


def sum_of(b: Builder, left: str, right: str, zero_point: int = -5) -> None:
    """The sum "s" of a product "t" and another tensor."""
    sides = [b.scale(f"{name}_sum", scale, zero_point if name == "t" else 9) for name, scale in ((left, 0.02), (right, 0.03))]
    b.node("QLinearAdd", [left, *sides[0], right, *sides[1], *b.scale("s", 0.04, 2)], "s", MICROSOFT)


def check_extended(b: Builder, inputs: dict[str, list[int]]) -> None:
    """All nodes of the model as one call; its result is ONNX Runtime's."""
    model = b.model({**inputs}, [b.nodes[-1].output[0]], opset=14)
    graph = read(model)
    call = extended(graph, len(graph.nodes))
    assert call.nodes == tuple(node.index for node in graph.nodes)
    values = {name: np.random.default_rng(1).integers(-128, 128, size).astype(np.int8) for name, size in inputs.items()}
    expected = run_reference(model, values, [call.result])[call.result]
    assert len(np.unique(expected)) > 2
    np.testing.assert_array_equal(run_call(TINY, call, graph, values), expected)


@pytest.mark.parametrize("kind", ["conv", "depthwise", "gemm", "turned gemm", "batched product"])
def test_tables(kind: str) -> None:
    """A function of one byte behind a product is its epilogue, a clamp before it in the bounds, one behind it in the table."""
    b = Builder()
    shape = first(b, kind)
    b.node("Relu", ["t"], "r")
    b.node("QLinearLeakyRelu", ["r", *b.scale("r", 0.05, 30), *b.scale("l", 0.04, 3)], "l", MICROSOFT, alpha=0.4)
    b.node("Clip", ["l", b.constant("low", -20, np.int8), b.constant("high", 100, np.int8)], "y")
    check_extended(b, {"x": shape} | ({"x2": shape} if kind == "batched product" else {}))


@pytest.mark.parametrize("kind", ["conv", "gemm"])
@pytest.mark.parametrize("is_left", [True, False])
def test_residual_sums(kind: str, is_left: bool) -> None:
    """The sum of a product and a tensor of its shape, either way round, is the product's epilogue; a clamp behind it is the sum's."""
    b = Builder()
    shape = first(b, kind)
    result = [1, 6, 4, 5] if kind == "conv" else [5, 6]
    sum_of(b, *(("t", "x2") if is_left else ("x2", "t")), zero_point=-5 if kind == "conv" else 7)
    b.node("Relu", ["s"], "y")
    check_extended(b, {"x": shape, "x2": result})


def reader_of_another(b: Builder) -> None:
    b.node("Relu", ["x"], "y")


def product_with_another_zero_point(b: Builder) -> None:
    sum_of(b, "t", "x2", zero_point=4)


def broadcast_sum(b: Builder) -> None:
    b.constant("row", b.bytes(1, 6, 1, 1), np.int8)
    sum_of(b, "t", "row")


def table_behind_sum(b: Builder) -> None:
    sum_of(b, "t", "x2")
    b.node("QLinearSigmoid", ["s", *b.scale("q", 0.05, 3), *b.scale("y", 1 / 256, -128)], "y", MICROSOFT)


def numbers(b: Builder) -> None:
    b.node("DequantizeLinear", ["t", *b.scale("t", 0.02, -5)], "y")


APART = [numbers, reader_of_another, product_with_another_zero_point, broadcast_sum, table_behind_sum]


@pytest.mark.parametrize("build", APART)
def test_what_stays_apart(build: Callable[[Builder], None]) -> None:
    """Results that are no bytes, nodes that read something else, sums that read the product's bytes as other numbers or broadcast, a
    table behind a sum."""
    b = Builder()
    first(b, "conv")
    build(b)
    last = b.nodes[-1].output[0]
    graph = read(b.model({"x": [1, 4, 6, 7], "x2": [1, 6, 4, 5]}, [last, "t"], opset=14))
    calls = describe(graph, graph.nodes[0], {})
    assert isinstance(calls, tuple)
    call: KernelCall | None = calls[0]
    for node in graph.nodes[1:]:
        assert call is not None
        call = extend(graph, call, node, {})
    assert call is None


@given(st.integers(-128, 127), st.integers(-128, 127), st.booleans())
def test_clamps_are_recognised(one: int, other: int, is_unsigned: bool) -> None:
    """The table of a clamp gives its bounds; with one entry changed it gives none, unless that entry is outside anyway."""
    dtype = np.uint8 if is_unsigned else np.int8
    low, high = sorted((one + 128 * is_unsigned, other + 128 * is_unsigned))
    table = np.arange(256, dtype=np.uint8).view(dtype).clip(low, high)
    assert clamp_of(table) == (low, high)
    if high - low > 2:
        table[(low + 1) % 256] = high
        assert clamp_of(table) is None


AXES = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda pair: (min(pair), max(pair)))


@settings(max_examples=40)
@given(st.lists(st.integers(1, 7), min_size=4, max_size=4), AXES, AXES, st.sampled_from([np.int8, np.float32]))
def test_convert_layout(shape: list[int], have: tuple[int, int], want: tuple[int, int], dtype: type) -> None:
    """From any layout to any other, of bytes and of wider numbers."""
    layouts = [with_channels(tuple(shape), axes) for axes in (have, want)]
    if layouts[0] == layouts[1]:
        return
    b = Builder()
    b.node("QLinearSigmoid", ["m", *b.scale("m", 0.05, 3), *b.scale("n", 1 / 256, -128)], "n", MICROSOFT)
    b.node("DequantizeLinear", ["x8", *b.scale("d", 1.0, 0)], "x32")
    graph = read(b.model({"m": [1], "x8": [*shape]}, ["n", "x32"]))
    tensor = "x8" if dtype == np.int8 else "x32"
    call = convert_layout(graph, tensor, *layouts)
    plan = call.plan(TINY)
    assert isinstance(plan, Plan)
    value = np.random.default_rng(0).integers(-128, 128, shape).astype(dtype)
    placed = place(Session(TINY), plan, "call")
    placed.write("x", to_memory(value, layouts[0]))
    placed.launch()
    data = placed.session.read(placed.addresses["y"], value.nbytes).view(dtype)
    np.testing.assert_array_equal(data, to_memory(value, layouts[1]))
