"""binary32 arithmetic of the vector unit's lanes (docs/adr/0008). Every step is one rounding, to nearest even; subnormals count."""

import numpy as np

from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.requantise import round_and_clamp
from accelkit.simulator.core.state import Array

NAN = 0x7FC00000


@njit
def fused(x: int, scale: np.float32, addend: np.float32, wide: Array, bits: Array) -> np.float32:
    """x * scale + addend with one rounding, for |x| < 2^29. `wide` (float64 [1]) and `bits` (int64 [1]) share their memory.

    The product is exact in binary64; the sum is rounded to odd there, so that the second rounding does no harm (Boldo and
    Melquiond, "Emulation of a FMA and correctly rounded sums").
    """
    product = np.float64(x) * np.float64(scale)
    second = np.float64(addend)
    total = product + second
    back = total - product
    error = (product - (total - back)) + (second - back)
    wide[0] = total
    if (error > 0 or error < 0) and bits[0] & 1 == 0:
        bits[0] += 1 if (error > 0) == (total > 0) else -1
    return np.float32(wide[0])


@njit
def add_row(left: Array, right: Array, scales: Array, bits: Array, low: int, high: int, target: Array) -> None:
    """Scaled sums to bytes; `scales` are those of left and right and the offset, float32. `bits` are as for `fused`."""
    wide = bits.view(np.float64)
    for n in range(len(left)):
        partial = fused(right[n], scales[1], scales[2], wide, bits)
        total = fused(left[n], scales[0], partial, wide, bits)
        target[n] = round_and_clamp(total, 0, low, high) & 0xFF


@njit
def multiply_row(
    left: Array, right: Array, scale: np.float32, zero_point: int, low: int, high: int, target: Array
) -> None:
    """Scaled products of left and right, less their zero points already, to bytes."""
    for n in range(len(left)):
        product = np.float32(np.float32(left[n] * right[n]) * scale)
        total = np.float32(product + np.float32(zero_point))
        target[n] = round_and_clamp(total, 0, low, high) & 0xFF


@njit
def quantise_row(
    numbers: Array, scale: np.float32, zero_point: int, low: int, high: int, target: Array
) -> None:
    """binary32 numbers to bytes."""
    for n in range(len(numbers)):
        quotient = np.float32(numbers[n] / scale)
        if np.isnan(quotient):
            target[n] = low & 0xFF
        else:
            target[n] = round_and_clamp(quotient, zero_point, low, high) & 0xFF


@njit
def dequantise_row(values: Array, zero_point: int, scale: np.float32, target: Array) -> None:
    """Bytes to binary32 numbers, to the bytes of an accumulator row."""
    numbers = target[: 4 * len(values)].view(np.float32)
    words = numbers.view(np.int32)
    for n in range(len(values)):
        number = np.float32(np.float32(values[n] - zero_point) * scale)
        if np.isnan(number):
            words[n] = NAN
        else:
            numbers[n] = number
