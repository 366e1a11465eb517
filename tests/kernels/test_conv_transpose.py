"""Transposed convolutions against ONNX Runtime's float ConvTranspose, exact on integers this small, and the reference's requantise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.conv_transpose import ConvTransposeCase, plan_conv_transpose
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.kernels.operands import Operands, expected
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array


@st.composite
def cases(draw: st.DrawFn) -> tuple[ConvTransposeCase, Array]:
    """A case and its x; kernels smaller than the strides, too, where some results are nothing but bias."""
    operands = Operands(np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    kernel = draw(st.sampled_from([(2, 2), (3, 3), (4, 4), (draw(st.integers(1, 5)), draw(st.integers(1, 5)))]))
    strides = draw(st.sampled_from([(1, 1), (2, 2), (2, 2), (draw(st.integers(1, 4)), draw(st.integers(1, 4)))]))
    dilations = draw(st.sampled_from([(1, 1), (1, 1), (draw(st.integers(1, 3)), draw(st.integers(1, 3)))]))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    channels, outputs = draw(st.integers(1, 24 // groups)), draw(st.integers(1, 24 // groups))
    images, height, width = draw(st.integers(1, 2)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    span = [(taps - 1) * dilation for taps, dilation in zip(kernel, dilations, strict=True)]
    top, left, bottom, right = (draw(st.integers(0, min(3, span[a % 2]))) for a in range(4))
    more = tuple(draw(st.integers(0, strides[a] - 1)) for a in (0, 1))
    x_kind, w_kind = operands.kind(), operands.kind()
    case = ConvTransposeCase(
        (images, height, width, channels * groups),
        x_kind,
        operands.tensor(w_kind, channels * groups, outputs, *kernel),
        w_kind.zero_point,
        operands.requantisation(outputs * groups, channels * kernel[0] * kernel[1]),
        strides,
        (top, left, bottom, right),
        dilations,
        (more[0], more[1]),
        groups,
    )
    return case, operands.tensor(x_kind, *case.x_shape)


def golden(case: ConvTransposeCase, x: Array) -> Array:
    """Sums by ONNX Runtime in float32, which holds them exactly; then the reference's requantise."""
    sums = run_op(
        "ConvTranspose",
        np.ascontiguousarray((x.astype(np.float32) - case.x.zero_point).transpose(0, 3, 1, 2)),
        [case.weights.astype(np.float32) - case.weights_zero_point],
        np.float32,
        strides=case.strides,
        pads=case.pads,
        dilations=case.dilations,
        output_padding=case.output_padding,
        group=case.groups,
    )
    assert np.abs(sums).max() < 1 << 24
    return expected(sums.transpose(0, 2, 3, 1).astype(np.int32), case.y)


@settings(max_examples=150)
@given(machine=machines(), drawn=cases())
def test_conv_transpose(machine: Machine, drawn: tuple[ConvTransposeCase, Array]) -> None:
    """On any machine, any kernel, stride, dilation, pads, output padding, groups, types and zero points: 0 differences, no fault."""
    case, x = drawn
    assume(min(case.y_shape) >= 1)
    plan = plan_conv_transpose(machine, case)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    result, _ = run_plan(Session(machine), plan, {"x": x})
    np.testing.assert_array_equal(result, golden(case, x))


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("size", [2, 4])
def test_upsampling(machine: Machine, size: int) -> None:
    """The usual layers that double an image, 2x2 and 4x4 with stride 2, on every named machine: as many launches as phases."""
    operands = Operands(np.random.default_rng(size))
    kind = Quantised(np.int8, -7)
    weights = operands.tensor(Quantised(np.int8), 10, 7, size, size)
    pad = (size - 2) // 2
    y = operands.requantisation(7, 40)
    case = ConvTransposeCase((1, 5, 6, 10), kind, weights, 0, y, (2, 2), (pad,) * 4)
    plan = plan_conv_transpose(machine, case)
    assert isinstance(plan, Plan)
    assert len(plan.steps) == 4
    assert case.y_shape == (1, 10, 12, 7)
    x = operands.tensor(kind, *case.x_shape)
    result, _ = run_plan(Session(machine), plan, {"x": x})
    np.testing.assert_array_equal(result, golden(case, x))


SMALL = ConvTransposeCase(
    (1, 4, 4, 2), Quantised(np.int8), np.ones((2, 3, 2, 2), np.int8), 0, Requantisation(np.int8, 0, 0.01)
)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(SMALL, pads=(3, 0, 2, 0)), "pads [3, 0, 2, 0] leave nothing of the result"),
        (replace(SMALL, x_shape=(1, 0, 4, 2)), "empty transposed convolution of [1, 0, 4, 2] with [2, 3, 2, 2]"),
        (
            replace(SMALL, strides=(0, 1)),
            "strides [0, 1], dilations [1, 1], pads [0, 0, 0, 0] or output padding [0, 0] out of range",
        ),
        (replace(SMALL, x=Quantised(np.int8, 300)), "zero point 300 of x is outside -128..127"),
    ],
)
def test_refusals(case: ConvTransposeCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason."""
    assert plan_conv_transpose(PRESETS[0], case) == Refusal(reason)


def test_contradictory_case() -> None:
    """Weights for another number of channels are the caller's mistake."""
    with pytest.raises(ValueError, match="do not fit x"):
        plan_conv_transpose(PRESETS[0], replace(SMALL, x_shape=(1, 4, 4, 3)))
