"""Operators that compute, in every layout and with every attribute, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.plan import Refusal
from tests.kernels.onnx.builder import MICROSOFT, Builder
from tests.kernels.onnx.run_calls import check_last_node, layouts_of, quantised_model

MACHINES = [load_machine(name) for name in ("tiny-8", "edge-16")]
Sizes = list[int]


class Drawn:
    """A model whose last node gives y, its inputs, how they lie, and codes with which it may be refused."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.b = Builder(draw(st.sampled_from([np.int8, np.uint8])), seed=draw(st.integers(0, 1000)))
        self.shapes: dict[str, Sizes] = {}
        self.layouts: dict[str, Layout | str] = {}
        self.may_refuse: set[str] = set()

    def input(self, name: str, shape: Sizes) -> str:
        self.shapes[name] = shape
        self.layouts[name] = self.draw(layouts_of(tuple(shape)))
        return name

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def zero_point(self) -> int:
        limits = np.iinfo(self.b.dtype)
        return self.draw(st.integers(int(limits.min), int(limits.max)))

    def quantisation(self, name: str, low: float = 0.01, high: float = 0.1) -> list[str]:
        """Scale and zero point; half of the scales have few bits."""
        scale = np.float32(self.draw(st.floats(low, high)))
        if self.draw(st.booleans()):
            scale = np.float32(np.ceil(scale / low) * 2.0 ** np.floor(np.log2(low)))
        return self.b.scale(name, scale, self.zero_point())

    def window(self, spatial: Sizes, taps: Sizes) -> dict[str, Any]:
        """Attributes of a window that fits."""
        strides = [self.draw(st.sampled_from([1, 2, 3, 10**12])) if self.draw(st.booleans()) else 1 for _ in taps]
        kind = self.draw(st.sampled_from(["pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]))
        attributes: dict[str, Any] = {"kernel_shape": taps, "strides": strides}
        if kind == "pads":
            attributes["pads"] = [self.number(0, tap - 1) for tap in taps * 2]
        else:
            attributes["auto_pad"] = kind
            self.may_refuse.add("attribute")  # a stride that begins behind the first element
        return attributes

    def check(self, machine: Machine) -> None:
        """y equals ONNX Runtime's; if it is refused, with a code that it may have."""
        rng = np.random.default_rng(self.number(0, 99))
        limits = np.iinfo(self.b.dtype)
        inputs = {
            name: rng.integers(limits.min, limits.max, shape, self.b.dtype, endpoint=True) for name, shape in self.shapes.items()
        }
        model = quantised_model(self.b, self.shapes, ["y"])
        compared = check_last_node(machine, model, inputs, self.layouts)
        if isinstance(compared, Refusal):
            assert compared.code in self.may_refuse, compared
        else:
            assert compared > 0


def spatial(d: Drawn, axes: int) -> Sizes:
    return [d.number(3, 9) for _ in range(axes)]


def conv(d: Drawn) -> None:
    axes, group = d.number(1, 2), d.draw(st.sampled_from([1, 1, 2, 3]))
    inputs, outputs = d.number(1, 5), d.number(1, 5)
    if d.draw(st.booleans()):
        group, inputs, outputs = d.number(2, 20), 1, 1  # depthwise
    size = spatial(d, axes)
    taps = [d.number(1, 3) for _ in size]
    attributes = d.window(size, taps)
    if "pads" in attributes:
        attributes["dilations"] = [1 if 2 * tap - 1 > extent else d.number(1, 2) for tap, extent in zip(taps, size, strict=True)]
    d.b.weight_dtype = d.b.dtype
    d.b.conv(d.input("x", [d.number(1, 2), inputs * group, *size]), "y", inputs, outputs * group, tuple(taps), group=group, **attributes)


def matmul(d: Drawn) -> None:
    K, N = d.number(1, 20), d.number(1, 20)
    left, right = [d.number(1, 4) for _ in range(d.number(0, 2))], [K, N]
    if d.draw(st.booleans()) and left:
        right = [*left[d.number(0, len(left) - 1) :], K, N]
    columns = d.draw(st.booleans())
    is_constant = d.draw(st.booleans())
    b = d.b.constant("b", d.b.bytes(*right), d.b.dtype) if is_constant else d.input("b", right)
    b_scale = d.b.rng.uniform(0.01, 0.02, N) if columns and len(right) == 2 else 0.015
    b_zero_point: Any = d.zero_point()
    if columns and len(right) == 2:
        b_zero_point = [b_zero_point] * N
    operands = [d.input("a", [*left, d.number(1, 9), K]), *d.quantisation("a"), b, *d.b.scale("b", b_scale, b_zero_point)]
    d.b.node("QLinearMatMul", [*operands, *d.b.scale("y", 0.02 * K**0.5, d.zero_point())], "y")


def gemm(d: Drawn) -> None:
    M, K, N = d.number(1, 9), d.number(1, 20), d.number(1, 20)
    turned = [d.draw(st.booleans()) for _ in range(2)]
    a_shape, b_shape = ([*shape[::-1]] if turn else [*shape] for shape, turn in zip(((M, K), (K, N)), turned, strict=True))
    b = d.b.constant("b", d.b.bytes(*b_shape), d.b.dtype) if d.draw(st.booleans()) else d.input("b", b_shape)
    operands = [d.input("a", a_shape), *d.quantisation("a"), b, *d.b.scale("b", 0.01, d.zero_point())]
    bias = d.b.constant("bias", d.b.rng.integers(-999, 999, N), np.int32) if d.draw(st.booleans()) else ""
    operands += [bias, *d.b.scale("y", 0.02 * K**0.5, d.zero_point())]
    d.b.node("QGemm", operands, "y", MICROSOFT, transA=int(turned[0]), transB=int(turned[1]), alpha=d.draw(st.sampled_from([1.0, 0.3])))


def maximum(d: Drawn) -> None:
    size = spatial(d, d.number(1, 2))
    taps = [d.number(1, 3) for _ in size]
    attributes = d.window(size, taps) | {"ceil_mode": d.number(0, 1), "storage_order": d.number(0, 1)}
    if d.draw(st.booleans()):
        attributes["dilations"] = [1 if 2 * tap - 1 > extent else d.number(1, 2) for tap, extent in zip(taps, size, strict=True)]
    if "auto_pad" in attributes or attributes["ceil_mode"]:
        d.may_refuse.add("shape")  # where ONNX Runtime gives another shape than it announces
    d.b.node("MaxPool", [d.input("x", [d.number(1, 2), d.number(1, 20), *size])], "y", **attributes)


def average(d: Drawn) -> None:
    size = spatial(d, d.number(1, 2))
    taps = [d.number(1, 3) for _ in size]
    flags = {name: d.number(0, 1) for name in ("ceil_mode", "count_include_pad", "channels_last")}
    channels = d.number(1, 20)
    shape = [d.number(1, 2), *size, channels] if flags["channels_last"] else [d.number(1, 2), channels, *size]
    d.may_refuse |= {"not-exact", "attribute", "shape", "kernel"}
    operands = [d.input("x", shape), *d.quantisation("x"), *d.quantisation("y")]
    d.b.node("QLinearAveragePool", operands, "y", MICROSOFT, **d.window(size, taps), **flags)


def global_average(d: Drawn) -> None:
    size, last, channels = spatial(d, d.number(1, 3)), d.number(0, 1), d.number(1, 20)
    shape = [d.number(1, 2), *size, channels] if last else [d.number(1, 2), channels, *size]
    operands = [d.input("x", shape), *d.quantisation("x"), *d.quantisation("y", 0.001, 0.01)]
    d.b.node("QLinearGlobalAveragePool", operands, "y", MICROSOFT, channels_last=last)


def pair(d: Drawn) -> None:
    shape = [d.number(1, 9) for _ in range(d.number(0, 4))]
    names = []
    for name in ("left", "right"):
        own = [size if d.draw(st.sampled_from([True, True, False])) else 1 for size in shape][d.number(0, max(0, len(shape) - 1)) :]
        own = shape if d.draw(st.booleans()) else own
        if d.draw(st.sampled_from([False, False, True])) and names[:1] != ["constant"]:
            names.append("constant")
            own = d.draw(st.sampled_from([own, [1] * len(own), [1] * len(shape)]))
            d.b.constant("constant", d.b.bytes(*own), d.b.dtype)
        else:
            names.append(d.input(name, own))
    if d.draw(st.sampled_from([False] * 5 + [True])):
        names[1] = names[0] if names[0] != "constant" else names[1]
    op = d.draw(st.sampled_from(["QLinearAdd", "QLinearMul"]))
    scales = [*d.quantisation("l"), *d.quantisation("r"), *d.quantisation("o", 0.02, 0.2)]
    if not any(name in d.shapes for name in names):
        names[0] = d.input("left", shape)
    d.shapes = {name: d.shapes[name] for name in d.shapes if name in names}
    d.b.node(op, [names[0], *scales[:2], names[1], *scales[2:]], "y", MICROSOFT)


def unary(d: Drawn) -> None:
    x = d.input("x", [d.number(1, 9) for _ in range(d.number(0, 4))])
    kind = d.draw(st.sampled_from(["QLinearSigmoid", "QLinearLeakyRelu", "Relu", "Clip", "Abs"]))
    if kind.startswith("QLinear"):
        attributes = {"alpha": 0.3} if kind == "QLinearLeakyRelu" else {}
        d.b.node(kind, [x, *d.quantisation("x"), *d.quantisation("y")], "y", MICROSOFT, **attributes)
    elif kind == "Clip":
        bounds = sorted([d.zero_point(), d.zero_point()])
        d.b.node("Clip", [x, *(d.b.constant(f"c{i}", bound, d.b.dtype) for i, bound in enumerate(bounds))], "y")
    else:
        if kind == "Relu":
            d.b.dtype = np.dtype(np.int8)  # ONNX Runtime has no other
        d.b.node(kind, [x], "y")


def concat(d: Drawn) -> None:
    rank = d.number(1, 4)
    shape, axis = [d.number(1, 9) for _ in range(rank)], d.number(0, rank - 1)
    y = d.quantisation("y")
    operands = [*y]
    for number in range(d.number(1, 3)):
        own = [*shape]
        own[axis] = d.number(1, 5)
        operands += [d.input(f"x{number}", own), *(y if d.draw(st.booleans()) else d.quantisation(f"x{number}"))]
    d.b.node("QLinearConcat", operands, "y", MICROSOFT, axis=axis)


KINDS = [conv, matmul, gemm, maximum, average, global_average, pair, unary, concat]


@settings(max_examples=150)
@given(st.data(), st.sampled_from(KINDS), st.sampled_from(MACHINES))
def test_operators(data: st.DataObject, kind: Callable[[Drawn], None], machine: Machine) -> None:
    """Any shape, attributes, types, scales, zero points and layouts of the inputs: every byte is ONNX Runtime's."""
    drawn = Drawn(data.draw)
    kind(drawn)
    drawn.check(machine)
