"""Operators that only move elements, in every layout, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.layout import ChannelsLast, Layout
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Refusal
from tests.kernels.onnx.builder import Builder
from tests.kernels.onnx.run_calls import check_last_node, layouts_of, quantised_model, read

MACHINES = [load_machine(name) for name in ("tiny-8", "edge-16")]
TYPES = [np.int8, np.uint8, np.float32, np.int64]


def sizes(draw: st.DrawFn, rank: int) -> list[int]:
    return [draw(st.integers(1, 3))] + [draw(st.integers(1, 9)) for _ in range(rank - 1)]


class Drawn:
    """A model of one moving node with its input x, and how x lies."""

    def __init__(self, draw: st.DrawFn, shape: list[int]) -> None:
        self.b = Builder()
        self.shape = shape
        self.dtype = draw(st.sampled_from(TYPES))
        self.layouts = {"x": draw(layouts_of(tuple(shape)))}
        self.inputs = {"x": np.random.default_rng(0).integers(0, 120, shape).astype(self.dtype)}

    def ints(self, name: str, values: Any) -> str:
        return self.b.constant(name, values, np.int64)

    def check(self, machine: Machine, outputs: list[str]) -> None:
        """All results equal ONNX Runtime's; only what has too many levels of strides may be refused, and what ONNX Runtime itself
        gives another shape than it announces."""
        model = quantised_model(self.b, {name: list(value.shape) for name, value in self.inputs.items()}, outputs)
        for value in model.graph.input:
            if value.name in self.inputs:
                value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        compared = check_last_node(machine, model, self.inputs, self.layouts)
        if isinstance(compared, Refusal):
            assert "levels of strides" in compared.reason or compared.code == "shape"
        else:
            assert compared > 0


def transpose(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 5))
    d = Drawn(draw, sizes(draw, rank))
    attributes = {"perm": draw(st.permutations(range(rank)))} if draw(st.booleans()) else {}
    d.b.node("Transpose", ["x"], "y", **attributes)
    return d, ["y"]


def slices(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    d = Drawn(draw, sizes(draw, rank))
    axes = draw(st.lists(st.integers(0, rank - 1), min_size=1, unique=True))
    starts, ends, steps = [], [], []
    for axis in axes:
        size = d.shape[axis]
        first, last = sorted([draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))])
        step = draw(st.sampled_from([1, 1, 2, 3]))
        start, end = first, draw(st.sampled_from([last + 1, last - size + 1 or 2**31, 2**63 - 1]))
        if draw(st.booleans()):
            start, end, step = last, draw(st.sampled_from([first - 1 if first else -(2**31), -size - 3])), -step
        starts.append(draw(st.sampled_from([start, start - size])))
        ends.append(end)
        steps.append(step)
    names = [d.ints(name, values) for name, values in (("s", starts), ("e", ends), ("a", axes), ("t", steps))]
    d.b.node("Slice", ["x", *names], "y")
    return d, ["y"]


def split(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    axis = draw(st.integers(0, rank - 1))
    parts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    shape = sizes(draw, rank)
    shape[axis] = sum(parts)
    d = Drawn(draw, shape)
    outputs = [f"y{i}" for i in range(len(parts))]
    d.b.nodes.append(helper.make_node("Split", ["x", d.ints("p", parts)], outputs, "split", axis=axis - rank * draw(st.booleans())))
    return d, outputs


def concat(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    d = Drawn(draw, sizes(draw, rank))
    axis, names = draw(st.integers(0, rank - 1)), ["x"]
    for number in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(["x", f"x{number}", f"c{number}"]))
        shape = [*d.shape]
        shape[axis] = draw(st.integers(1, 5))
        value = np.random.default_rng(number).integers(0, 99, shape).astype(d.dtype)
        if name.startswith("c"):
            d.b.constant(name, value, d.dtype)
        elif name != "x":
            d.inputs[name] = value
            d.layouts[name] = draw(layouts_of(tuple(shape)))
        names.append(name)
    d.b.node("Concat", names, "y", axis=axis)
    return d, ["y"]


def pad(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    d = Drawn(draw, sizes(draw, rank))
    axes = draw(st.lists(st.integers(0, rank - 1), min_size=1, unique=True))
    pads = [draw(st.integers(0, 3)) for _ in range(2 * len(axes))]
    mode = draw(st.sampled_from(["constant", "edge", "reflect"]))
    if mode != "constant":
        pads = [min(size, d.shape[axis] - 1) for size, axis in zip(pads, axes * 2, strict=True)]
    value = 0 if np.dtype(d.dtype).itemsize > 1 else draw(st.integers(0, 100))
    value_name = d.b.constant("v", value, d.dtype)
    d.b.node("Pad", ["x", d.ints("p", pads), value_name, d.ints("a", axes)], "y", mode=mode)
    return d, ["y"]


def resize(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    n, c, h, w = sizes(draw, 4)
    d = Drawn(draw, [n, c, h, w])
    d.dtype = draw(st.sampled_from([np.int8, np.uint8, np.float32]))
    d.inputs["x"] = d.inputs["x"].astype(d.dtype)
    attributes = {
        "mode": "nearest",
        "nearest_mode": draw(st.sampled_from(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])),
        "coordinate_transformation_mode": draw(st.sampled_from(["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"])),
    }
    size = [n, c, *(draw(st.sampled_from([extent, 2 * extent, 3 * extent, -(-extent // 2), extent + 1])) for extent in (h, w))]
    if draw(st.booleans()):
        d.b.node("Resize", ["x", "", "", d.ints("size", size)], "y", **attributes)
    else:
        scales = d.b.constant("scales", [1, 1, size[2] / h, size[3] / w], np.float32)
        d.b.node("Resize", ["x", "", scales], "y", **attributes)
    return d, ["y"]


def repeat(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    shape = sizes(draw, rank)
    if draw(st.booleans()):
        d = Drawn(draw, shape)
        d.b.node("Tile", ["x", d.ints("t", [draw(st.integers(1, 3)) for _ in shape])], "y")
        return d, ["y"]
    source = [size if draw(st.booleans()) else 1 for size in shape][draw(st.integers(0, rank - 1)) :]
    d = Drawn(draw, source)
    d.b.node("Expand", ["x", d.ints("s", shape)], "y")
    return d, ["y"]


def gather(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    rank = draw(st.integers(1, 4))
    d = Drawn(draw, sizes(draw, rank))
    axis = draw(st.integers(0, rank - 1))
    size = d.shape[axis]
    index: Any = draw(st.integers(-size, size - 1))
    if draw(st.booleans()):
        index = draw(st.lists(st.integers(-size, size - 1), min_size=1, max_size=6))
    d.b.node("Gather", ["x", d.ints("i", index)], "y", axis=axis)
    return d, ["y"]


def blocks(draw: st.DrawFn) -> tuple[Drawn, list[str]]:
    n, c, h, w, block = (draw(st.integers(1, 4)) for _ in range(5))
    if draw(st.booleans()):
        d = Drawn(draw, [n, c, h * block, w * block])
        d.dtype = np.float32  # ONNX Runtime has no other
        d.b.node("SpaceToDepth", ["x"], "y", blocksize=block)
    else:
        d = Drawn(draw, [n, c * block * block, h, w])
        d.dtype = draw(st.sampled_from([np.uint8, np.float32]))
        d.b.node("DepthToSpace", ["x"], "y", blocksize=block, mode=draw(st.sampled_from(["DCR", "CRD"])))
    d.inputs["x"] = d.inputs["x"].astype(d.dtype)
    return d, ["y"]


@settings(max_examples=80)
@given(st.data(), st.sampled_from([transpose, slices, split, concat, pad, resize, repeat, gather, blocks]), st.sampled_from(MACHINES))
def test_moves(data: st.DataObject, kind: Any, machine: Machine) -> None:
    """Any shape, attributes, type and layout of the input: every element is where ONNX Runtime has it."""
    drawn, outputs = data.draw(st.composite(kind)())
    drawn.check(machine, outputs)


@pytest.mark.parametrize(
    ("shape", "order", "held", "given"),
    [
        ([1, 8, 9, 4], [0, 3, 1, 2], None, ChannelsLast(1, 4, 72)),
        ([1, 4, 8, 9], [0, 2, 3, 1], ChannelsLast(1, 4, 72), None),
        ([2, 3, 4, 30], [0, 2, 1, 3], ChannelsLast(2, 12, 30), ChannelsLast(2, 12, 30)),
        ([2, 3, 4, 30], [0, 1, 3, 2], ChannelsLast(2, 12, 30), None),
    ],
)
def test_layouts_of_transposes(shape: list[int], order: list[int], held: Layout, given: Layout) -> None:
    """Images with channels last are NHWC as they come, NHWC tensors are such images; a shuffle of channels leaves them last."""
    b = Builder()
    b.node("Transpose", ["x"], "y", perm=order)
    graph = read(quantised_model(b, {"x": shape}, ["y"]))
    calls = describe(graph, graph.nodes[-1], {"x": held})
    assert isinstance(calls, tuple)
    assert calls[0].layout == given
