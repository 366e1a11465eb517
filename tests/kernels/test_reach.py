"""Biases at the end of int32: moved where that changes no result, refused elsewhere."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.reach import settle_bias
from accelkit.simulator import Session, load_machine

INT32_MAX = 2**31 - 1


def requantise(total: int, scale: np.float32, zero_point: int) -> int:
    """The rule of exactness.md with Python's integers and fractions; float32 only where the rule rounds to it."""
    product = np.float32(np.float32(total) * scale)
    return int(min(max(round(Fraction(float(product))) + zero_point, -128), 127))


@settings(max_examples=300, deadline=None)
@given(
    bias=st.integers(INT32_MAX - 10**6, INT32_MAX) | st.integers(-INT32_MAX - 1, -INT32_MAX + 10**6),
    weight_sum=st.integers(0, 10_000),
    zero_points=st.tuples(st.integers(-128, 127), st.integers(-128, 127)),
    result=st.floats(1e-3, 1e3),
    where=st.floats(-1, 1),
)
def test_moved_bias_changes_nothing(
    bias: int, weight_sum: int, zero_points: tuple[int, int], result: float, where: float
) -> None:
    """A settled bias keeps all sums inside int32 and gives, at any sum, what the old one gives without wrapping."""
    x = Quantised(np.int8, zero_points[0])
    scale = np.float32(result / abs(bias))
    settled = settle_bias(x, [weight_sum], Requantisation(np.int8, zero_points[1], [scale], [bias]))
    reach = weight_sum * max(127 - x.zero_point, x.zero_point + 128)
    if isinstance(settled, Refusal):
        low, high = (requantise(bias + way * reach, scale, zero_points[1]) for way in (-1, 1))
        moved = [requantise(way * (INT32_MAX - 2 * reach), scale, zero_points[1]) for way in (-1, 1)]
        assert low != high or low not in moved
        return
    (new,) = (int(value) for value in np.atleast_1d(settled.bias))
    assert abs(new) + reach <= INT32_MAX
    total = round(where * reach)
    assert requantise(new + total, scale, zero_points[1]) == requantise(bias + total, scale, zero_points[1])


def test_only_channels_that_overflow_are_moved() -> None:
    """Of three channels the one whose sums could leave int32 gets another bias."""
    y = Requantisation(np.int8, -128, np.array([1e-9, 1e-9, 1e-3], np.float32), np.array([-INT32_MAX, -100, 7], np.int32))
    settled = settle_bias(Quantised(np.int8, 3), [10, 10, 10], y)
    assert isinstance(settled, Requantisation)
    assert np.array_equal(settled.bias, [-INT32_MAX + 10 * 131, -100, 7])


def test_result_that_depends_on_the_sum_is_refused() -> None:
    """No bias can stand for one whose results differ."""
    y = Requantisation(np.int8, 0, np.float32(6e-8), np.int32(INT32_MAX - 100_000_000))
    refusal = settle_bias(Quantised(np.int8, 0), [800_000], y)
    assert isinstance(refusal, Refusal)
    assert "does not fit the 32-bit accumulator" in refusal.reason


@pytest.mark.parametrize("bias", [-INT32_MAX - 1, INT32_MAX])
def test_product_with_a_settled_bias(bias: int) -> None:
    """A product runs with such a bias, without a sum that wraps, and equals the sum in 64 bits."""
    rng = np.random.RandomState(5)
    b = rng.randint(-1, 2, (24, 5)).astype(np.int8)
    a = rng.randint(-128, 128, (3, 24)).astype(np.int8)
    biases = np.array([bias, 0, 1000, bias, -5], np.int32)
    scale = np.array([2e-8, 0.01, 0.01, 1e-7, 0.02], np.float32)
    machine = load_machine("tiny-8")
    case = GemmCase(3, 5, 24, Quantised(np.int8, -128), Quantised(np.int8), Requantisation(np.int8, 4, scale, biases), b)
    plan = plan_gemm(machine, case)
    assert isinstance(plan, Plan)
    y, _ = run_plan(Session(machine), plan, {"a": a})
    sums = (a.astype(np.int64) + 128) @ b.astype(np.int64) + biases
    expected = [[requantise(int(total), scale[n], 4) for n, total in enumerate(row)] for row in sums]
    assert np.array_equal(y, expected)
