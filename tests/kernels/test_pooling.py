"""Pooling on the vector unit against ONNX Runtime's MaxPool, QLinearAveragePool and QLinearGlobalAveragePool."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.kernels.operands import Operands
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array


@st.composite
def cases(draw: st.DrawFn, is_average: bool) -> tuple[PoolCase, Array]:
    """A case and its x; averages have scales and zero points of their own on both sides."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    operands = Operands(rng)
    window = draw(st.sampled_from([(2, 2), (3, 3), (draw(st.integers(1, 5)), draw(st.integers(1, 5)))]))
    strides = draw(st.sampled_from([(1, 1), (2, 2), (draw(st.integers(1, 4)), draw(st.integers(1, 4)))]))
    dilations = (1, 1) if is_average else draw(st.sampled_from([(1, 1), (1, 1), (2, 1), (2, 3)]))
    pads = tuple(draw(st.integers(0, window[a % 2] - 1)) for a in range(4))
    span = [(taps - 1) * dilation + 1 for taps, dilation in zip(window, dilations, strict=True)]
    height = draw(st.integers(max(1, span[0] - pads[0] - pads[2]), 14))
    width = draw(st.integers(max(1, span[1] - pads[1] - pads[3]), 14))
    channels = draw(st.one_of(st.integers(1, 9), st.integers(1, 50)))
    kind = operands.kind()
    case = PoolCase(
        (draw(st.integers(1, 2)), height, width, channels),
        kind,
        window,
        strides,
        (pads[0], pads[1], pads[2], pads[3]),
        dilations,
        is_ceil=draw(st.booleans()),
    )
    if is_average:
        limits = np.iinfo(np.dtype(kind.dtype))
        x_scale, y_scale = rng.uniform(1e-3, 1, 2).astype(np.float32)
        y = Quantised(kind.dtype, int(rng.integers(limits.min, limits.max + 1)))
        counts = draw(st.booleans())
        case = replace(
            case, is_average=True, y=y, x_scale=float(x_scale), y_scale=float(y_scale), counts_padding=counts
        )
    return case, operands.tensor(kind, *case.x_shape)


def compute(machine: Machine, case: PoolCase, x: Array) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    plan = plan_pool(machine, case)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    result, launch = run_plan(Session(machine), plan, {"x": x})
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


def quantised_operands(case: PoolCase) -> list[Array | None]:
    """Inputs of ONNX Runtime's quantised pools behind x."""
    dtype = np.dtype(case.x.dtype)
    return [
        np.float32(case.x_scale),
        np.asarray(case.x.zero_point, dtype),
        np.float32(case.y_scale),
        np.asarray(case.result.zero_point, dtype),
    ]


@settings(max_examples=150)
@given(machine=machines(), drawn=cases(is_average=False))
def test_maximum(machine: Machine, drawn: tuple[PoolCase, Array]) -> None:
    """MaxPool of int8 and uint8 with any window, strides, pads, dilations, with and without ceil mode: 0 differences."""
    case, x = drawn
    golden = run_op(
        "MaxPool",
        np.ascontiguousarray(x.transpose(0, 3, 1, 2)),
        [],
        x.dtype,
        kernel_shape=case.window,
        strides=case.strides,
        pads=case.pads,
        dilations=case.dilations,
        ceil_mode=int(case.is_ceil),
    )
    np.testing.assert_array_equal(compute(machine, case, x), golden.transpose(0, 2, 3, 1))


@settings(max_examples=150)
@given(machine=machines(), drawn=cases(is_average=True))
def test_average(machine: Machine, drawn: tuple[PoolCase, Array]) -> None:
    """QLinearAveragePool with any window, strides and pads, padding counted or not, with and without ceil mode: 0 differences."""
    case, x = drawn
    golden = run_op(
        "QLinearAveragePool",
        np.ascontiguousarray(x.transpose(0, 3, 1, 2)),
        quantised_operands(case),
        x.dtype,
        domain="com.microsoft",
        kernel_shape=case.window,
        strides=case.strides,
        pads=case.pads,
        ceil_mode=int(case.is_ceil),
        count_include_pad=int(case.counts_padding),
    )
    np.testing.assert_array_equal(compute(machine, case, x), golden.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@settings(max_examples=20)
@given(size=st.integers(1, 9), channels=st.integers(1, 60), seed=st.integers(0, 2**32 - 1))
def test_global_average(machine: Machine, size: int, channels: int, seed: int) -> None:
    """QLinearGlobalAveragePool is an average with a window as large as the image: 0 differences."""
    rng = np.random.default_rng(seed)
    operands = Operands(rng)
    kind = operands.kind()
    x_scale, y_scale = (float(scale) for scale in rng.uniform(1e-3, 1, 2).astype(np.float32))
    case = PoolCase(
        (2, size, size, channels), kind, (size, size), is_average=True, x_scale=x_scale, y_scale=y_scale
    )
    x = operands.tensor(kind, *case.x_shape)
    nchw = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    golden = run_op("QLinearGlobalAveragePool", nchw, quantised_operands(case), x.dtype, domain="com.microsoft")
    np.testing.assert_array_equal(compute(machine, case, x), golden.transpose(0, 2, 3, 1))


SMALL = PoolCase((1, 4, 4, 2), Quantised(np.int8), (2, 2))


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(SMALL, window=(5, 1)), "the window [5, 1] is larger than the padded image"),
        (replace(SMALL, strides=(0, 1)), "strides [0, 1], pads [0, 0, 0, 0] or dilations [1, 1] out of range"),
        (
            replace(SMALL, pads=(2, 0, 0, 0)),
            "pads [2, 0, 0, 0]: a window of [2, 2] could lie in nothing but padding",
        ),
        (replace(SMALL, y=Quantised(np.int8, 3)), "the maximum of another type or zero point than its input"),
        (replace(SMALL, is_average=True, y_scale=0.0), "the scale of the average is not finite"),
    ],
)
def test_refusals(case: PoolCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason."""
    assert plan_pool(PRESETS[0], case) == Refusal(reason)
