"""Tables, sums and products on the vector unit against NumPy and ONNX Runtime's QLinearAdd and QLinearMul."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.elementwise import PairCase, plan_lookup, plan_pair
from accelkit.kernels.floats import fused_multiply_add
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.kernels.operands import Operands
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array

SEEDS = st.integers(0, 2**32 - 1)


def compute(machine: Machine, plan: Plan | Refusal, **inputs: Array) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    assert isinstance(plan, Plan)
    result, launch = run_plan(Session(machine), plan, inputs)
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


@settings(max_examples=100)
@given(machine=machines(), size=st.one_of(st.integers(1, 300), st.integers(1, 20000)), seed=SEEDS)
def test_lookup(machine: Machine, size: int, seed: int) -> None:
    """Any table, any number of bytes, on any machine: 0 differences."""
    rng = np.random.default_rng(seed)
    x, table = rng.integers(0, 256, size, np.uint8), rng.integers(-128, 128, 256).astype(np.int8)
    plan = plan_lookup(machine, (size,), table)
    assume(isinstance(plan, Plan))
    np.testing.assert_array_equal(compute(machine, plan, x=x), table[x])


@st.composite
def pairs(draw: st.DrawFn, dtype: type | None = None) -> tuple[PairCase, Array, Array]:
    """Shapes that broadcast (none, channels, pixels, scalars, both ways), scales, zero points, and the two tensors."""
    rng = np.random.default_rng(draw(SEEDS))
    operands = Operands(rng)
    shape = tuple(draw(st.lists(st.one_of(st.integers(1, 4), st.integers(1, 24)), min_size=1, max_size=4)))
    kinds = [st.just(1), st.just(0)]
    left, right = (
        tuple(size if draw(st.one_of(kinds)) else 1 for size in shape)[draw(st.sampled_from([0, 0, 1])) :] or (1,)
        if draw(st.booleans())
        else shape
        for _ in range(2)
    )
    first = operands.kind() if dtype is None else Quantised(dtype)
    limits = np.iinfo(np.dtype(first.dtype))
    zero_points = [int(zp) for zp in rng.integers(limits.min, limits.max + 1, 3)]
    x, z, y = (Quantised(first.dtype, zp) for zp in zero_points)
    scales = [float(scale) for scale in rng.uniform(1e-3, 1, 3).astype(np.float32)]
    is_product = draw(st.booleans())
    if is_product:
        scales[2] *= 50
    case = PairCase(left, right, x, z, y, *scales, is_product=is_product)
    return case, operands.tensor(x, *left), operands.tensor(z, *right)


def golden(case: PairCase, left: Array, right: Array) -> Array:
    """ONNX Runtime's result."""
    dtype = np.dtype(case.y.dtype)
    zero_points = [np.asarray(kind.zero_point, dtype) for kind in (case.left, case.right, case.y)]
    scales = [np.float32(scale) for scale in (case.left_scale, case.right_scale, case.y_scale)]
    return run_op(
        "QLinearMul" if case.is_product else "QLinearAdd",
        left,
        [scales[0], zero_points[0], right, scales[1], zero_points[1], scales[2], zero_points[2]],
        dtype,
        domain="com.microsoft",
    )


@settings(max_examples=200)
@given(machine=machines(), drawn=pairs())
def test_pairs(machine: Machine, drawn: tuple[PairCase, Array, Array]) -> None:
    """QLinearAdd and QLinearMul with any shapes that broadcast, scales and zero points, on any machine: 0 differences."""
    case, left, right = drawn
    plan = plan_pair(machine, case)
    assume(isinstance(plan, Plan))
    want = golden(case, left, right)
    np.testing.assert_array_equal(compute(machine, plan, left=left, right=right), want)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("is_product", [False, True])
@pytest.mark.parametrize("right_shape", [(1, 12, 12, 30), (1, 1, 1, 30), (30,), (1, 12, 12, 1), (1,)])
def test_usual_shapes(machine: Machine, is_product: bool, right_shape: tuple[int, ...]) -> None:
    """Residual sums, scales per channel, masks and scalars, with a clamp, on every named machine."""
    operands = Operands(np.random.default_rng(9))
    kinds = [Quantised(np.int8, zero_point) for zero_point in (3, -7, 11)]
    case = PairCase((1, 12, 12, 30), right_shape, *kinds, 0.02, 0.03, 0.9, is_product=is_product)
    left, right = operands.tensor(kinds[0], *case.left_shape), operands.tensor(kinds[1], *right_shape)
    want = np.clip(golden(case, left, right), 11, 90)
    clamped = replace(case, minimum=11, maximum=90)
    plan = plan_pair(machine, clamped)
    np.testing.assert_array_equal(compute(machine, plan, left=left, right=right), want)


@pytest.mark.parametrize("scales", [(0.5, 0.25, 1.0), (0.031, 0.047, 0.083), (0.02, 0.02, 0.011)], ids=str)
@pytest.mark.parametrize("zero_points", [(0, 0, 0), (5, -9, 3)], ids=str)
def test_difference(scales: tuple[float, float, float], zero_points: tuple[int, int, int]) -> None:
    """All 65,536 pairs of bytes: a sum with a negative right scale is ONNX Runtime's QLinearAdd with that scale, bit for bit; and it is
    the neighbour of what DequantizeLinear, Sub, QuantizeLinear give in float only where that lies within 1e-4 of halfway between two
    integers (QLinearAdd adds the zero point before it rounds, QuantizeLinear behind)."""
    left, right = (half.reshape(-1).astype(np.int8) for half in np.meshgrid(*[np.arange(-128, 128)] * 2, indexing="ij"))
    kinds = [Quantised(np.int8, zero_point) for zero_point in zero_points]
    case = PairCase(left.shape, right.shape, *kinds, scales[0], -scales[1], scales[2])
    found = compute(PRESETS[0], plan_pair(PRESETS[0], case), left=left, right=right)
    np.testing.assert_array_equal(found, golden(case, left, right))
    a, b = ((x.astype(np.float32) - zp) * np.float32(s) for x, zp, s in zip((left, right), zero_points, scales, strict=False))
    quotient = (a - b) / np.float32(scales[2])
    in_float = np.clip(np.rint(quotient) + zero_points[2], -128, 127)
    apart = found != in_float
    assert np.abs(found - in_float).max() <= 1
    assert np.all(np.abs(np.abs(quotient - np.floor(quotient)) - 0.5)[apart] < 1e-4)


SMALL = PairCase((4,), (4,), Quantised(np.int8), Quantised(np.int8), Quantised(np.int8), 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(SMALL, left_shape=(0, 4)), "an empty tensor: [0, 4], [4]"),
        (
            replace(SMALL, right=Quantised(np.uint8)),
            "right is uint8 where left is int8; the vector unit takes one type",
        ),
        (replace(SMALL, y_scale=0.0), "a scale is not finite"),
        (replace(SMALL, minimum=4, maximum=3), "clamp bounds 4..3 leave no value"),
    ],
)
def test_refusals(case: PairCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason."""
    assert plan_pair(PRESETS[0], case) == Refusal(reason)


FLOATS = st.floats(width=32, min_value=-(2.0**60), max_value=2.0**60)


@given(a=FLOATS, b=FLOATS, c=FLOATS)
@example(a=1.0, b=1.0 + 2.0**-23, c=2.0**-24 + 2.0**-60)
def test_fused_multiply_add(a: float, b: float, c: float) -> None:
    """No binary32 number is nearer to the exact sum than the result, and of two as near it is the even one."""
    result = fused_multiply_add(np.float32(a), np.float32(b), np.float32(c))
    assume(np.isfinite(result))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    error = abs(Fraction(float(result)) - exact)
    for towards in (-np.inf, np.inf):
        other = np.nextafter(result, np.float32(towards))
        distance = abs(Fraction(float(other)) - exact)
        assert error <= distance
        assert error < distance or int(result.view(np.int32)) % 2 == 0
