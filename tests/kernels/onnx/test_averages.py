"""The proof that an average in integers is ONNX Runtime's in float, against ONNX Runtime and against all orders of small windows."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.kernels.onnx.averages import Average, find_difference
from accelkit.kernels.plan import Quantised
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array

WINDOWS = st.sampled_from([(1, 2), (1, 3), (2, 2), (2, 3), (3, 3), (5, 5)])
SCALES = st.floats(0.00390625, 0.25, width=32)


def runtime(x: Array, average: Average, window: tuple[int, int]) -> Array:
    """ONNX Runtime's averages of windows [n, taps], each an image beside another, so that no window is the whole image."""
    height, width = window
    images = np.concatenate([x.reshape(-1, 1, height, width)] * 2, axis=3)
    zero_points = [np.asarray(kind.zero_point, kind.dtype) for kind in (average.x, average.y)]
    operands = [average.x_scale, zero_points[0], average.y_scale, zero_points[1]]
    y = run_op("QLinearAveragePool", images, operands, x.dtype, domain="com.microsoft", kernel_shape=window, strides=window)
    return y[:, 0, 0, 0].astype(np.int64)


def exact(x: Array, average: Average, taps: int) -> Array:
    """The kernel's rule: one product in float32 of the integer sum, with the kernel's zero points."""
    sums = (x.astype(np.int64) - average.x.zero_point - average.shift[0]).sum(axis=1)
    scale = average.x_scale / (average.y_scale * np.float32(taps))
    limits = np.iinfo(np.dtype(average.y.dtype))
    values = np.rint(sums.astype(np.float32) * scale) + average.y.zero_point + average.shift[1]
    return values.clip(limits.min, limits.max).astype(np.int64)


@settings(max_examples=150)
@given(WINDOWS, SCALES, SCALES, st.booleans(), st.integers(-128, 127), st.integers(-128, 127), st.integers(0, 99))
def test_what_is_proven_is_equal(
    window: tuple[int, int], x_scale: float, y_scale: float, is_coarse: bool, x_zero_point: int, y_zero_point: int, seed: int
) -> None:
    """Where no difference is found, ONNX Runtime has none, even for sums that lie on a tie; where one is, its sum is real."""
    scale = np.float32(x_scale)
    if is_coarse:
        scale = (scale.view(np.int32) & ~0xFFFF).view(np.float32)
    taps = window[0] * window[1]
    average = Average(
        Quantised(np.int8, x_zero_point),
        scale,
        Quantised(np.int8, y_zero_point),
        scale if seed % 2 else np.float32(y_scale),
        frozenset({(taps, taps)}),
    )
    for shift in average.shifts():
        average = replace(average, shift=shift)
        if find_difference(average) is not None:
            continue
        x = np.random.default_rng(seed).integers(-128, 128, (3000, taps)).astype(np.int8)
        np.testing.assert_array_equal(runtime(x, average, window), exact(x, average, taps))


def test_every_window_of_two() -> None:
    """For windows of two bytes, all 65,536 of them: a difference is found exactly where there is one."""
    x = np.array(list(product(range(-128, 128), repeat=2))).astype(np.int8)
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scales = rng.uniform(0.01, 0.1, 2).astype(np.float32)
        average = Average(Quantised(np.int8, 3), scales[0], Quantised(np.int8, -7), scales[seed % 2], frozenset({(2, 2)}))
        is_equal = np.array_equal(runtime(x, average, (1, 2)), exact(x, average, 2))
        assert (find_difference(average) is None) == is_equal, scales
        found.append(is_equal)
    assert 5 < sum(found) < 35


def test_coarse_scales_are_always_exact() -> None:
    """A scale of twelve significant bits or fewer makes every sum of a 3x3 window exact, so that only the division can differ."""
    scale = np.float32(0.0234375)
    whole = frozenset({(9, 9), (6, 6), (4, 4)})
    assert find_difference(Average(Quantised(np.uint8, 128), scale, Quantised(np.uint8, 128), scale, whole)) is None


def test_odd_zero_points() -> None:
    """Halves are rounded as ONNX Runtime does also where the result's zero point is odd: with other zero points in the kernel."""
    for y_zero_point, ratio in ((3, 1), (-7, 2), (-127, 1), (127, 4)):
        scale = np.float32(0.0234375)
        kinds = Quantised(np.int8, 5), Quantised(np.int8, y_zero_point)
        average = Average(kinds[0], scale, kinds[1], scale * np.float32(ratio), frozenset({(4, 4), (2, 2), (1, 1)}))
        assert find_difference(average) is not None
        assert any(find_difference(replace(average, shift=shift)) is None for shift in average.shifts())


def test_large_windows_are_not_proven() -> None:
    """What would take too long to prove is said to be so."""
    average = Average(Quantised(np.int8), np.float32(0.1), Quantised(np.int8), np.float32(0.1), frozenset({(100, 100)}))
    difference = find_difference(average)
    assert difference == "ONNX Runtime adds 100 elements in float32, the kernel as integers; not proven equal beyond 81"
