"""Whether an average by the kernel is ONNX Runtime's for every input.

QLinearAveragePool turns bytes into float32, adds them up in the order of the window, divides by their count, then by the result's
scale, and rounds (onnxruntime/contrib_ops/cpu/quantization/qlinear_pool.cc). The kernel sums integers. Addition in float32 is
monotonic in both operands, so the least and the greatest float32 that a window with a given integer sum can reach follow step by step
from those of a smaller window: if both round to the kernel's byte, for every sum, then so does every order of every window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import Quantised

_MOST_TAPS = 81  # a 9x9 window; the work grows with the square
_SIGNIFICANT_BITS = 24  # of float32
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Average:
    """Types and scales of an average, and the kinds of its windows: (elements inside the image, divisor).

    `shift` is what the kernel's zero points are more than those of x and y, see `shifts`.
    """

    x: Quantised
    x_scale: np.float32
    y: Quantised
    y_scale: np.float32
    windows: frozenset[tuple[int, int]]
    shift: tuple[int, int] = (0, 0)

    def shifts(self) -> Iterator[tuple[int, int]]:
        """Zero points of the kernel that are worth a try.

        ONNX Runtime adds the result's zero point before it rounds, the kernel behind, so that halves go the other way if it is odd.
        With a zero point one less there, and bytes of x that count for as much more, the kernel rounds as ONNX Runtime does.
        """
        yield 0, 0
        step = float(self.y_scale) / float(self.x_scale)  # of x, for a step of y
        if step.is_integer():
            for sign in (-1, 1):
                shift = sign * int(step), sign
                if all(_fits(kind, by) for kind, by in zip((self.x, self.y), shift, strict=True)):
                    yield shift


def _fits(kind: Quantised, by: int) -> bool:
    limits = np.iinfo(np.dtype(kind.dtype))
    return bool(limits.min <= kind.zero_point + by <= limits.max)


@lru_cache(maxsize=256)
def find_difference(average: Average) -> str | None:
    """Why the kernel's average may differ from ONNX Runtime's; None if it never does."""
    most = max(taps for taps, _ in average.windows)
    is_exact = _bits(average.x_scale) + 8 + most.bit_length() <= _SIGNIFICANT_BITS
    if not is_exact and most > _MOST_TAPS:
        return f"ONNX Runtime adds {most} elements in float32, the kernel as integers; not proven equal beyond {_MOST_TAPS}"
    limits = np.iinfo(np.dtype(average.x.dtype))
    low, high = limits.min - average.x.zero_point, limits.max - average.x.zero_point
    for taps, least, greatest in _sums(average.x_scale, low, high, most, is_exact):
        for divisor in sorted(divisor for count, divisor in average.windows if count == taps):
            sums = np.arange(taps * low, taps * high + 1)
            ours = _kernel(sums - taps * average.shift[0], average, divisor)
            ends = [_runtime(floats, average, divisor) for floats in (least, greatest)]
            differing = np.flatnonzero((ends[0] != ours) | (ends[1] != ours))
            if differing.size:
                at = differing[0]
                theirs = " or ".join(str(value) for value in dict.fromkeys(end[at] for end in ends))
                return (
                    f"ONNX Runtime adds in float32: a window of {taps} elements with the sum {sums[at]}, divided by {divisor}, gives"
                    f" {theirs} there and {ours[at]} in the kernel; a scale of fewer significant bits and an even zero point avoid that"
                )
    return None


def _bits(scale: np.float32) -> int:
    """Significant bits of a number."""
    mantissa = int(np.abs(np.frexp(scale)[0]) * np.float32(1 << _SIGNIFICANT_BITS))
    return mantissa.bit_length() - ((mantissa & -mantissa).bit_length() - 1)


def _sums(scale: np.float32, low: int, high: int, most: int, is_exact: bool) -> Iterator[tuple[int, Floats, Floats]]:
    """For 1, 2, ... elements of low..high: the least and greatest float32 of each integer sum."""
    products = np.arange(low, high + 1, dtype=np.float32) * scale
    least = greatest = np.zeros(1, np.float32)
    for taps in range(1, most + 1):
        if is_exact:
            least = greatest = np.arange(taps * low, taps * high + 1, dtype=np.float32) * scale
        else:
            size = least.size + high - low
            next_least, next_greatest = np.full(size, np.inf, np.float32), np.full(size, -np.inf, np.float32)
            for at, product in enumerate(products):
                for target, source, choose in ((next_least, least, np.minimum), (next_greatest, greatest, np.maximum)):
                    part = target[at : at + source.size]
                    choose(part, source + product, out=part)
            least, greatest = next_least, next_greatest
        yield taps, least, greatest


def _runtime(sums: Floats, average: Average, divisor: int) -> npt.NDArray[Any]:
    """ONNX Runtime's byte of a sum in float32."""
    limits = np.iinfo(np.dtype(average.y.dtype))
    values = sums / np.float32(divisor) / average.y_scale + np.float32(average.y.zero_point)
    rounded: npt.NDArray[Any] = np.clip(np.rint(values), limits.min, limits.max).astype(np.int64)
    return rounded


def _kernel(sums: npt.NDArray[np.int64], average: Average, divisor: int) -> npt.NDArray[Any]:
    """The kernel's byte of an integer sum, see `PoolCase`."""
    limits = np.iinfo(np.dtype(average.y.dtype))
    scale = average.x_scale / (average.y_scale * np.float32(divisor))
    values = np.rint(sums.astype(np.float32) * scale) + average.y.zero_point + average.shift[1]
    rounded: npt.NDArray[Any] = np.clip(values, limits.min, limits.max).astype(np.int64)
    return rounded
