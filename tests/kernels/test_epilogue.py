"""Products whose tiles pass a table or a residual sum before they are stored, against the two operations one after the other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv2d_geometry import views
from accelkit.kernels.conv2d_tiles import conv2d_tilings
from accelkit.kernels.depthwise import depthwise_geometry, plan_depthwise
from accelkit.kernels.elementwise import PairCase, plan_pair
from accelkit.kernels.epilogue import Epilogue, Residual, Table
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.gemm_tiles import gemm_tilings
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.window import window_tilings
from accelkit.simulator import Session
from tests.kernels.machines import PRESETS, machines
from tests.kernels.operands import Operands, expected
from tests.kernels.test_conv2d import case_of, geometries
from tests.kernels.test_depthwise import case_of as depthwise_case
from tests.kernels.test_depthwise import windows
from tests.kernels.test_elementwise import golden
from tests.reference.quantised import Array, Window, conv2d_nhwc

SEEDS = st.integers(0, 2**32 - 1)


def draw_epilogue(operands: Operands, y: Requantisation, shape: tuple[int, ...], is_table: bool) -> tuple[Epilogue, Array | None]:
    """A random table; or a sum with a random residual, of any zero points and scales, on either side, clamped or not."""
    rng = operands.rng
    if is_table:
        return Table(rng.integers(0, 256, 256).astype((np.uint8, np.int8)[int(rng.integers(2))])), None
    limits = np.iinfo(np.dtype(y.dtype))
    product = Quantised(y.dtype, y.zero_point)
    other, total = (Quantised(y.dtype, int(zp)) for zp in rng.integers(limits.min, limits.max + 1, 2))
    is_left = bool(rng.integers(2))
    scales = (float(scale) for scale in rng.uniform(1e-2, 1, 3).astype(np.float32))
    pair = PairCase(shape, shape, *((product, other) if is_left else (other, product)), total, *scales)
    if rng.integers(2):
        pair = replace(pair, minimum=total.zero_point)
    return Residual(pair, is_left), operands.tensor(other, *shape)


def composed(product: Array, epilogue: Epilogue, residual: Array | None) -> Array:
    """The epilogue on its own: NumPy's indexing, ONNX Runtime's QLinearAdd."""
    if isinstance(epilogue, Table):
        return epilogue.table[product.view(np.uint8)]
    assert residual is not None
    pair = epilogue.pair
    low = np.iinfo(product.dtype).min if pair.minimum is None else pair.minimum
    total = golden(pair, *((product, residual) if epilogue.product_is_left else (residual, product)))
    return np.maximum(total, np.asarray(low, product.dtype))


def compute(machine: Machine, plan: Plan, name: str, x: Array, residual: Array | None) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    inputs = {name: x} | ({} if residual is None else {"residual": residual})
    result, launch = run_plan(Session(machine), plan, inputs)
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


@settings(max_examples=150)
@given(
    machine=machines(),
    geometry=geometries(),
    seed=SEEDS,
    tiling=st.integers(-1, 300),
    view_number=st.integers(0, 1),
    is_table=st.booleans(),
)
def test_convolutions(
    machine: Machine,
    geometry: tuple[tuple[int, ...], tuple[int, ...], Window],
    seed: int,
    tiling: int,
    view_number: int,
    is_table: bool,
) -> None:
    """On any machine, in any view and tiling that fits it, any convolution with any table or residual sum behind it: 0 differences."""
    x_shape, w_shape, window = geometry
    operands = Operands(np.random.default_rng(seed))
    x_kind, w_kind = operands.kind(), operands.kind()
    x, w = operands.tensor(x_kind, *x_shape), operands.tensor(w_kind, *w_shape)
    y = operands.requantisation(w_shape[0], int(np.prod(w_shape[1:])))
    case = case_of(x, w, window, x_kind, w_kind.zero_point, y)
    epilogue, residual = draw_epilogue(operands, y, case.y_shape, is_table)
    case = replace(case, epilogue=epilogue)
    seen = list(views(machine, case))
    view = seen[view_number % len(seen)]
    tilings = list(conv2d_tilings(machine, view.geometry))
    plan = plan_conv2d(machine, case, *((tilings[tiling % len(tilings)], view) if tiling >= 0 else ()))
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    product = expected(conv2d_nhwc(x, w, window, x_kind.zero_point, w_kind.zero_point), y)
    want = composed(product, epilogue, residual)
    result = compute(machine, plan, "x", x, residual)
    assert result.dtype == want.dtype
    np.testing.assert_array_equal(result, want)


@settings(max_examples=100)
@given(machine=machines(), drawn=windows(), seed=SEEDS, tiling=st.integers(-1, 200))
def test_depthwise(
    machine: Machine, drawn: tuple[tuple[int, int, int, int], tuple[int, int], Window], seed: int, tiling: int
) -> None:
    """On any machine, with any tiling that fits it, any depthwise convolution with any table behind it: 0 differences."""
    shape, kernel, window = drawn
    operands = Operands(np.random.default_rng(seed))
    kind = operands.kind()
    case = depthwise_case(operands, kind, shape, kernel, window)
    epilogue, _ = draw_epilogue(operands, case.y, case.y_shape, is_table=True)
    case = replace(case, epilogue=epilogue)
    tilings = list(window_tilings(machine, depthwise_geometry(case)))
    plan = plan_depthwise(machine, case, tilings[tiling % len(tilings)] if tiling >= 0 else None)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    x = operands.tensor(kind, *shape)
    product = expected(conv2d_nhwc(x, case.weights, window, kind.zero_point, case.weights_zero_point), case.y)
    np.testing.assert_array_equal(compute(machine, plan, "x", x, None), composed(product, epilogue, None))


@settings(max_examples=100)
@given(
    machine=machines(),
    sizes=st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60)),
    seed=SEEDS,
    tiling=st.integers(-1, 300),
    is_table=st.booleans(),
)
def test_products(machine: Machine, sizes: tuple[int, int, int], seed: int, tiling: int, is_table: bool) -> None:
    """On any machine, with any tiling that fits it, any product with any table or residual sum behind it: 0 differences."""
    M, N, K = sizes
    operands = Operands(np.random.default_rng(seed))
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, M, K), operands.tensor(b_kind, K, N)
    y = operands.requantisation(N, K)
    epilogue, residual = draw_epilogue(operands, y, (M, N), is_table)
    case = GemmCase(M, N, K, a_kind, b_kind, y, b, epilogue=epilogue)
    tilings = list(gemm_tilings(machine, case.shape()))
    plan = plan_gemm(machine, case, tilings[tiling % len(tilings)] if tiling >= 0 else None)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    sums = (a.astype(np.int32) - a_kind.zero_point) @ (b.astype(np.int32) - b_kind.zero_point)
    want = composed(expected(sums, y), epilogue, residual)
    np.testing.assert_array_equal(compute(machine, plan, "a", a, residual), want)


def residual_block(size: int, channels: int, epilogue: bool) -> tuple[Conv2dCase, PairCase]:
    """A 1x1 convolution, and the sum of its result with a tensor of the same shape, taken in or not."""
    shape = (1, size, size, channels)
    kind = Quantised(np.int8, 3)
    y = Requantisation(np.int8, 3, np.full(channels, 1e-3, np.float32))
    pair = PairCase(shape, shape, kind, kind, kind, 0.5, 0.5, 0.75)
    weights = np.random.default_rng(1).integers(-9, 9, (channels, channels // 4, 1, 1)).astype(np.int8)
    x_shape = (1, size, size, channels // 4)
    return Conv2dCase(x_shape, kind, weights, 0, y, epilogue=Residual(pair) if epilogue else None), pair


def test_sum_costs_less_than_alone() -> None:
    """ResNet-50's last convolution of a block on 28x28 pixels: with the sum taken in it costs less than the two launches."""
    machine = PRESETS[0]
    x, residual = np.zeros((1, 28, 28, 64), np.int8), np.zeros((1, 28, 28, 256), np.int8)
    fused, _ = residual_block(28, 256, epilogue=True)
    plain, pair = residual_block(28, 256, epilogue=False)
    cycles = []
    for plan, inputs in (
        (plan_conv2d(machine, fused), {"x": x, "residual": residual}),
        (plan_conv2d(machine, plain), {"x": x}),
        (plan_pair(machine, pair), {"left": residual, "right": residual}),
    ):
        assert isinstance(plan, Plan)
        cycles.append(run_plan(Session(machine), plan, inputs)[1].cycles + machine.launch_cycles)
    assert cycles[0] < 0.75 * (cycles[1] + cycles[2])


SMALL, PAIR = residual_block(4, 8, epilogue=True)


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (replace(PAIR, is_product=True), "a product of tensors as an epilogue; the kernels have sums"),
        (
            replace(PAIR, right_shape=(8,)),
            "a residual sum of [1, 4, 4, 8] and [8], which broadcasts",
        ),
        (replace(PAIR, y_scale=0.0), "a scale is not finite"),
    ],
)
def test_refusals(pair: PairCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason."""
    assert plan_conv2d(PRESETS[0], replace(SMALL, epilogue=Residual(pair))) == Refusal(reason)


def test_contradictory_cases() -> None:
    """A sum of another type than the product's, or a short table, is the caller's mistake."""
    with pytest.raises(ValueError, match="the product is int8 with zero point 4"):
        plan_conv2d(PRESETS[0], replace(SMALL, y=replace(SMALL.y, zero_point=4)))
    with pytest.raises(ValueError, match="a table of shape"):
        plan_conv2d(PRESETS[0], replace(SMALL, epilogue=Table(np.zeros(255, np.int8))))
