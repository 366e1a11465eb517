"""The conv2d kernel against the NumPy reference and against ONNX Runtime."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv2d_geometry import views
from accelkit.kernels.conv2d_tiles import conv2d_tilings
from accelkit.kernels.launch import place, run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation, combine_scales
from accelkit.kernels.programs import kernel_program
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, SERIAL_4, machines
from tests.kernels.operands import Operands, expected
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, Window, conv2d_nhwc


@st.composite
def geometries(draw: st.DrawFn, largest_pad: int = 4) -> tuple[tuple[int, ...], tuple[int, ...], Window]:
    """Shapes of x (NHWC) and w (OIHW) and a window with four pads of its own; some tiles lie in nothing but padding."""
    kernel = draw(st.sampled_from([(1, 1), (3, 3), (draw(st.integers(1, 5)), draw(st.integers(1, 5)))]))
    strides = draw(st.sampled_from([(1, 1), (2, 2), (draw(st.integers(1, 4)), draw(st.integers(1, 4)))]))
    limit = draw(st.integers(0, largest_pad))
    top, left, bottom, right = (draw(st.integers(0, min(limit, largest_pad))) for _ in range(4))
    dilations = draw(
        st.sampled_from([(1, 1), (1, 1), (2, 2), (draw(st.integers(1, 3)), draw(st.integers(1, 3)))])
    )
    groups = draw(st.sampled_from([1, 1, draw(st.integers(2, 9))]))
    most = 40 // groups
    channels = draw(st.one_of(st.integers(1, min(9, most)), st.integers(1, most)))
    outputs = draw(st.one_of(st.integers(1, min(9, most)), st.integers(1, most)))
    height = draw(st.integers(max(1, (kernel[0] - 1) * dilations[0] + 1 - top - bottom), 14))
    width = draw(st.integers(max(1, (kernel[1] - 1) * dilations[1] + 1 - left - right), 14))
    images = draw(st.sampled_from([1, 1, 2, 3]))
    return (
        (images, height, width, channels * groups),
        (outputs * groups, channels, *kernel),
        Window(strides, (top, left, bottom, right), dilations, groups),
    )


def case_of(
    x: Array, w: Array, window: Window, x_kind: Quantised, w_zero_point: int, y: Requantisation
) -> Conv2dCase:
    """The kernel's case of a convolution that the reference has as a window."""
    images, height, width, channels = x.shape
    return Conv2dCase(
        (images, height, width, channels),
        x_kind,
        w,
        w_zero_point,
        y,
        window.strides,
        window.pads,
        window.dilations,
        window.groups,
    )


def compute(machine: Machine, plan: Plan, x: Array) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    result, launch = run_plan(Session(machine), plan, {"x": x})
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


@settings(max_examples=200)
@given(
    machine=machines(),
    geometry=geometries(),
    seed=st.integers(0, 2**32 - 1),
    tiling=st.integers(-1, 300),
    view_number=st.integers(0, 1),
)
@example(
    machine=SERIAL_4,
    geometry=((2, 5, 4, 6), (9, 6, 3, 2), Window((2, 1), (3, 0, 1, 2))),
    seed=1,
    tiling=3,
    view_number=0,
)
@example(  # the first tile of every row sees padding only
    machine=PRESETS[1],
    geometry=((1, 3, 3, 3), (3, 3, 1, 1), Window((1, 1), (4, 4, 4, 4))),
    seed=2,
    tiling=299,
    view_number=0,
)
def test_conv2d_equals_reference(
    machine: Machine,
    geometry: tuple[tuple[int, ...], tuple[int, ...], Window],
    seed: int,
    tiling: int,
    view_number: int,
) -> None:
    """On any machine, in any view and with any tiling that fits it, any shape, stride, padding, dilation, groups, signs, zero points
    (weights too), scales and bounds: 0 differences, no fault, no race, no deadlock, no token left."""
    x_shape, w_shape, window = geometry
    operands = Operands(np.random.default_rng(seed))
    x_kind, w_kind = operands.kind(), operands.kind()
    x, w = operands.tensor(x_kind, *x_shape), operands.tensor(w_kind, *w_shape)
    y = operands.requantisation(w_shape[0], int(np.prod(w_shape[1:])))
    case = case_of(x, w, window, x_kind, w_kind.zero_point, y)
    seen = list(views(machine, case))
    view = seen[view_number % len(seen)]
    tilings = list(conv2d_tilings(machine, view.geometry))
    plan = (
        plan_conv2d(machine, case, tilings[tiling % len(tilings)], view)
        if tiling >= 0
        else plan_conv2d(machine, case)
    )
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    want = expected(conv2d_nhwc(x, w, window, x_kind.zero_point, w_kind.zero_point), y)
    np.testing.assert_array_equal(compute(machine, plan, x), want)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@settings(max_examples=20)
@given(geometry=geometries(largest_pad=2), seed=st.integers(0, 2**32 - 1))
def test_conv2d_equals_onnxruntime(
    machine: Machine, dtype: type, geometry: tuple[tuple[int, ...], tuple[int, ...], Window], seed: int
) -> None:
    """QLinearConv of ONNX Runtime, s8 x s8 and u8 x u8 (the pairs that its x86 kernels compute right), scales per channel: 0
    differences."""
    x_shape, w_shape, window = geometry
    rng = np.random.default_rng(seed)
    operands = Operands(rng)
    limits = np.iinfo(dtype)
    x_zp, w_zp, y_zp = (int(zp) for zp in rng.integers(limits.min, limits.max + 1, 3))
    x = operands.tensor(Quantised(dtype), *x_shape)
    w = operands.tensor(Quantised(dtype), *w_shape)
    x_scale, y_scale = rng.uniform(1e-3, 1, 2).astype(np.float32)
    w_scale = rng.uniform(1e-4, 1e-2, w_shape[0]).astype(np.float32)
    bias = rng.integers(-5000, 5000, w_shape[0]).astype(np.int32)
    y = Requantisation(dtype, y_zp, combine_scales(x_scale, w_scale, y_scale), bias)
    case = case_of(x, w, window, Quantised(dtype, x_zp), w_zp, y)
    plan = plan_conv2d(machine, case)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    golden = run_op(
        "QLinearConv",
        np.ascontiguousarray(x.transpose(0, 3, 1, 2)),
        [
            x_scale,
            np.asarray(x_zp, dtype),
            w,
            w_scale,
            np.full(w_shape[0], w_zp, dtype),
            y_scale,
            np.asarray(y_zp, dtype),
            bias,
        ],
        dtype,
        strides=window.strides,
        pads=window.pads,
        dilations=window.dilations,
        group=window.groups,
    )
    np.testing.assert_array_equal(compute(machine, plan, x), golden.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("machine", PRESETS, ids=lambda machine: machine.name)
def test_presets_take_ordinary_layers(machine: Machine) -> None:
    """Layers of real networks, from an 11x11 kernel with stride 4 to 512 channels, are planned on every preset."""
    machine = replace(machine, dram_bytes=1 << 26)
    for size, channels, outputs, kernel, stride, pad in (
        (227, 3, 96, 11, 4, 0),
        (224, 3, 64, 7, 2, 3),
        (56, 64, 64, 3, 1, 1),
        (56, 64, 256, 1, 1, 0),
        (14, 512, 512, 3, 2, 1),
        (7, 1152, 320, 1, 1, 0),
        (28, 192, 32, 5, 1, 2),
    ):
        case = Conv2dCase(
            (1, size, size, channels),
            Quantised(np.int8),
            np.ones((outputs, channels, kernel, kernel), np.int8),
            0,
            Requantisation(np.int8, 0, 0.01),
            (stride, stride),
            (pad, pad, pad, pad),
        )
        assert isinstance(plan_conv2d(machine, case), Plan), (size, channels, outputs, kernel)


SMALL = Conv2dCase(
    (1, 4, 4, 2), Quantised(np.int8), np.ones((3, 2, 3, 3), np.int8), 0, Requantisation(np.int8, 0, 0.01)
)


@pytest.mark.parametrize(
    ("machine", "case", "reason"),
    [
        (
            PRESETS[0],
            replace(SMALL, x_shape=(1, 2, 4, 2)),
            "the kernel [3, 3] is larger than the padded image",
        ),
        (
            PRESETS[0],
            replace(SMALL, strides=(0, 1)),
            "strides [0, 1], pads [0, 0, 0, 0] or dilations [1, 1] out of range",
        ),
        (
            PRESETS[0],
            replace(SMALL, x_shape=(0, 4, 4, 2)),
            "empty convolution of [0, 4, 4, 2] with [3, 2, 3, 3]",
        ),
        (PRESETS[0], replace(SMALL, weights_zero_point=-200), "zero point -200 of w is outside -128..127"),
        (
            replace(PRESETS[0], instruction_words=64),
            SMALL,
            f"conv2d has {len(kernel_program('conv2d').words)} instructions, edge-16 has memory for 64",
        ),
        (
            replace(SERIAL_4, scratchpad_bank_bytes=4 * 40),
            SMALL,
            "no tile for a kernel of 3x3 fits the scratchpad (40 rows of 4 bytes) and accumulator (30 rows) of serial-4",
        ),
    ],
)
def test_refusals(machine: Machine, case: Conv2dCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason, never computed wrong."""
    assert plan_conv2d(machine, case) == Refusal(reason)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_first_layer(machine: Machine, dtype: type) -> None:
    """Three channels, 7x7, stride 2, pads of 3: computed from windows over a padded copy of x, 0 differences. A second launch of the
    placed plan finds the copy's gaps as they should be."""
    operands = Operands(np.random.default_rng(5))
    kind = Quantised(dtype, 17)
    w = operands.tensor(Quantised(np.int8), 10, 3, 7, 7)
    window = Window((2, 2), (3, 3, 3, 3))
    y = operands.requantisation(10, 147)
    case = case_of(np.zeros((2, 15, 18, 3), dtype), w, window, kind, 0, y)
    (folded,) = (view for view in views(machine, case) if view.is_folded)
    plan = plan_conv2d(machine, case, view=folded)
    assert isinstance(plan, Plan)
    assert [step.program for step in plan.steps] == ["move", "conv2d"]
    placed = place(Session(machine), plan, "first")
    for _ in range(2):
        x = operands.tensor(kind, *case.x_shape)
        placed.write("x", x)
        placed.launch()
        np.testing.assert_array_equal(placed.read(), expected(conv2d_nhwc(x, w, window, 17, 0), y))


def test_contradictory_case() -> None:
    """Weights for another number of channels are the caller's mistake."""
    with pytest.raises(ValueError, match="do not fit x"):
        plan_conv2d(PRESETS[0], replace(SMALL, x_shape=(1, 4, 4, 5)))
