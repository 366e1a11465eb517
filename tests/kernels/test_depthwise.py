"""Depthwise convolutions on the vector unit against the NumPy reference and ONNX Runtime."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.depthwise import depthwise_geometry, plan_depthwise
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation, combine_scales
from accelkit.kernels.window import window_tilings
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.kernels.operands import Operands, expected
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Window, conv2d_nhwc


@st.composite
def windows(draw: st.DrawFn) -> tuple[tuple[int, int, int, int], tuple[int, int], Window]:
    """Shape of x (NHWC), kernel and window, depthwise."""
    kernel = draw(st.sampled_from([(1, 1), (3, 3), (5, 5), (draw(st.integers(1, 6)), draw(st.integers(1, 6)))]))
    strides = draw(st.sampled_from([(1, 1), (2, 2), (draw(st.integers(1, 4)), draw(st.integers(1, 4)))]))
    dilations = draw(st.sampled_from([(1, 1), (1, 1), (draw(st.integers(1, 3)), draw(st.integers(1, 3)))]))
    top, left, bottom, right = (draw(st.integers(0, 4)) for _ in range(4))
    channels = draw(st.one_of(st.integers(1, 9), st.integers(1, 70)))
    height = draw(st.integers(max(1, (kernel[0] - 1) * dilations[0] + 1 - top - bottom), 16))
    width = draw(st.integers(max(1, (kernel[1] - 1) * dilations[1] + 1 - left - right), 16))
    window = Window(strides, (top, left, bottom, right), dilations, channels)
    return (draw(st.integers(1, 2)), height, width, channels), kernel, window


def case_of(operands: Operands, x: Quantised, shape: tuple[int, int, int, int], kernel: tuple[int, int], window: Window) -> Conv2dCase:
    """A depthwise case with random weights and requantisation."""
    kind = operands.kind()
    weights = operands.tensor(kind, shape[3], 1, *kernel)
    y = operands.requantisation(shape[3], kernel[0] * kernel[1])
    return Conv2dCase(shape, x, weights, kind.zero_point, y, window.strides, window.pads, window.dilations, shape[3])


@settings(max_examples=200)
@given(machine=machines(), drawn=windows(), seed=st.integers(0, 2**32 - 1), tiling=st.integers(-1, 200))
def test_depthwise_equals_reference(
    machine: Machine, drawn: tuple[tuple[int, int, int, int], tuple[int, int], Window], seed: int, tiling: int
) -> None:
    """On any machine, with any tiling that fits it, any kernel, stride, padding, dilation, types and zero points (weights too): 0
    differences, no fault, no race, no deadlock, no token left."""
    shape, kernel, window = drawn
    operands = Operands(np.random.default_rng(seed))
    kind = operands.kind()
    case = case_of(operands, kind, shape, kernel, window)
    tilings = list(window_tilings(machine, depthwise_geometry(case)))
    plan = plan_depthwise(machine, case, None if tiling < 0 else tilings[tiling % len(tilings)])
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    x = operands.tensor(kind, *shape)
    want = expected(conv2d_nhwc(x, case.weights, window, kind.zero_point, case.weights_zero_point), case.y)
    result, launch = run_plan(Session(machine), plan, {"x": x})
    np.testing.assert_array_equal(result, want)
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@settings(max_examples=15)
@given(drawn=windows(), seed=st.integers(0, 2**32 - 1))
def test_depthwise_equals_onnxruntime(
    machine: Machine, dtype: type, drawn: tuple[tuple[int, int, int, int], tuple[int, int], Window], seed: int
) -> None:
    """QLinearConv of ONNX Runtime with as many groups as channels, through conv2d's planner: 0 differences."""
    shape, kernel, window = drawn
    rng = np.random.default_rng(seed)
    operands = Operands(rng)
    limits = np.iinfo(dtype)
    x_zp, w_zp, y_zp = (int(zp) for zp in rng.integers(limits.min, limits.max + 1, 3))
    x, w = operands.tensor(Quantised(dtype), *shape), operands.tensor(Quantised(dtype), shape[3], 1, *kernel)
    x_scale, y_scale = rng.uniform(1e-3, 1, 2).astype(np.float32)
    w_scale = rng.uniform(1e-3, 1e-1, shape[3]).astype(np.float32)
    bias = rng.integers(-5000, 5000, shape[3]).astype(np.int32)
    y = Requantisation(dtype, y_zp, combine_scales(x_scale, w_scale, y_scale), bias)
    case = Conv2dCase(
        shape, Quantised(dtype, x_zp), w, w_zp, y, window.strides, window.pads, window.dilations, shape[3]
    )
    plan = plan_conv2d(machine, case)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    w_zps = np.full(shape[3], w_zp, dtype)
    golden = run_op(
        "QLinearConv",
        np.ascontiguousarray(x.transpose(0, 3, 1, 2)),
        [x_scale, np.asarray(x_zp, dtype), w, w_scale, w_zps, y_scale, np.asarray(y_zp, dtype), bias],
        dtype,
        strides=window.strides,
        pads=window.pads,
        dilations=window.dilations,
        group=shape[3],
    )
    result, _ = run_plan(Session(machine), plan, {"x": x})
    np.testing.assert_array_equal(result, golden.transpose(0, 2, 3, 1))


def test_choice_of_the_unit() -> None:
    """conv2d's planner gives a depthwise case to the vector unit, and one whose kernel it can't hold to the array."""
    operands = Operands(np.random.default_rng(1))
    kind = Quantised(np.int8, 1)
    for size, kernel in ((3, "depthwise"), (9, "conv2d")):
        case = case_of(operands, kind, (1, 12, 12, 5), (size, size), Window())
        plan = plan_conv2d(PRESETS[0], case)
        assert isinstance(plan, Plan)
        assert plan.kernel == kernel
    assert plan_depthwise(PRESETS[0], case) == Refusal("a depthwise kernel of 81 taps; the vector unit holds 64")
