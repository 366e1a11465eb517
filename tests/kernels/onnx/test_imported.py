"""What the import of QDQ models makes, on the accelerator: tables, transposed convolutions, differences, rescaled concatenations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.layout import ChannelsLast, Layout
from accelkit.kernels.onnx.macs import count_macs
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Plan
from tests.kernels.onnx.builder import MICROSOFT, Builder
from tests.kernels.onnx.run_calls import check_last_node, read

TINY = load_machine("tiny-8")
SHAPE = [2, 6, 5, 7]


class Qdq(Builder):
    """Writes operators between DequantizeLinear and QuantizeLinear."""

    def number(self, name: str, scale: float = 0.05, zero_point: int = 3) -> str:
        """The tensor as a number."""
        return self.node("DequantizeLinear", [name, *self.scale(name, scale, zero_point)], f"{name}_number")

    def done(self, name: str, scale: float = 0.04, zero_point: int = -9) -> onnx.ModelProto:
        """The number `name` as the 8-bit result y."""
        self.node("QuantizeLinear", [name, *self.scale("y", scale, zero_point)], "y")
        inputs = {"x": SHAPE} | ({"x2": SHAPE} if any("x2" in node.input for node in self.nodes) else {})
        return self.model({**inputs}, ["y"], opset=20)


def function(op_type: str, *constants: float, domain: str = "", **attributes: Any) -> onnx.ModelProto:
    b = Qdq()
    names = [b.constant(f"c{i}", value, np.float32) for i, value in enumerate(constants)]
    return b.done(b.node(op_type, [b.number("x"), *names], "f", domain, **attributes))


def silu() -> onnx.ModelProto:
    b = Qdq()
    x = b.number("x")
    return b.done(b.node("Mul", [x, b.node("Sigmoid", [x], "s")], "f"))


def requantised() -> onnx.ModelProto:
    b = Qdq()
    return b.done(b.number("x", 0.07))


def difference() -> onnx.ModelProto:
    b = Qdq()
    return b.done(b.node("Sub", [b.number("x"), b.number("x2", 0.03, 5)], "f"))


def concatenation() -> onnx.ModelProto:
    b = Qdq()
    return b.done(b.node("Concat", [b.number("x"), b.number("x2", 0.03, 5)], "f", axis=1))


def transposed(group: int, **attributes: Any) -> Callable[[], onnx.ModelProto]:
    def build() -> onnx.ModelProto:
        b = Qdq()
        weights = b.constant("w", b.bytes(6, 4, 3, 3), np.int8)
        w = b.node("DequantizeLinear", [weights, *b.scale("wq", 0.01, 0)], "w_number")
        bias = []
        if group == 1:  # in steps of x's scale times w's
            codes = b.constant("codes", b.rng.integers(-900, 900, 4), np.int32)
            scale = b.constant("bias_scale", np.float32(0.05) * np.float32(0.01), np.float32)
            bias.append(b.node("DequantizeLinear", [codes, scale], "bias"))
        return b.done(b.node("ConvTranspose", [b.number("x"), w, *bias], "f", group=group, **attributes), 0.1)

    return build


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "tanh": lambda: function("Tanh"),
    "hard-swish": lambda: function("HardSwish"),
    "gelu": lambda: function("Gelu"),
    "exp": lambda: function("Exp"),
    "clip": lambda: function("Clip", -1.0, 1.5),
    "power": lambda: function("Pow", 2.0),
    "fast gelu": lambda: function("FastGelu", domain=MICROSOFT),
    "silu": silu,
    "requantised": requantised,
    "difference": difference,
    "concatenation": concatenation,
    "transposed": transposed(1, strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    "transposed, groups": transposed(2, strides=[3, 1], dilations=[1, 2]),
    "transposed, automatic": transposed(1, strides=[2, 2], auto_pad="SAME_UPPER"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("layout", [None, ChannelsLast(2, 6, 35)], ids=["NCHW", "NHWC"])
def test_imported(name: str, layout: Layout) -> None:
    """Every byte of what was one operator between DequantizeLinear and QuantizeLinear is ONNX Runtime's of the integer form."""
    rng = np.random.default_rng(3)
    inputs = {x: rng.integers(-128, 128, SHAPE).astype(np.int8) for x in ("x", "x2")}
    model = MODELS[name]()
    given = {value.name for value in model.graph.input}
    compared = check_last_node(TINY, model, {x: inputs[x] for x in given}, dict.fromkeys(given, layout))
    assert isinstance(compared, int), compared
    assert compared >= np.prod(SHAPE)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("transposed")])
def test_work_of_transposed_convolutions(name: str) -> None:
    """Multiply-accumulates are counted once for each pixel, tap and pair of channels, as the kernel counts them."""
    graph = read(MODELS[name]())
    calls = describe(graph, graph.nodes[-1], {})
    assert isinstance(calls, tuple)
    plan = calls[0].plan(TINY)
    assert isinstance(plan, Plan)
    assert plan.macs == count_macs(graph, graph.nodes[-1]) == np.prod(SHAPE) * 4 * 3 * 3
