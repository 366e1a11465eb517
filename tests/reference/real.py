"""Slow, obvious binary32 arithmetic with one rounding, on exact fractions; and the bytes that binary32 numbers become."""

import math
from fractions import Fraction

import numpy as np

LARGEST = Fraction(2**24 - 1) * 2**104


def round_to_float32(exact: Fraction) -> np.float32:
    """The nearest binary32 number, ties to the even significand, subnormals too."""
    if exact == 0:
        return np.float32(0)
    magnitude = abs(exact)
    exponent = max(math.floor(math.log2(magnitude.numerator) - math.log2(magnitude.denominator)) - 25, -149)
    while magnitude / Fraction(2) ** exponent >= 2**24:  # the unit of the last place: as small as 24 bits allow
        exponent += 1
    units = round(magnitude / Fraction(2) ** exponent)  # Python rounds halves of fractions to even
    if units * Fraction(2) ** exponent > LARGEST:
        return np.float32(math.copysign(math.inf, exact))
    return np.float32(math.copysign(math.ldexp(units, exponent), exact))


def fused_multiply_add(x: int, scale: np.float32, addend: np.float32) -> np.float32:
    """x * scale + addend, rounded once."""
    if not (np.isfinite(scale) and np.isfinite(addend)):
        with np.errstate(invalid="ignore"):
            return np.float32(x * float(scale) + float(addend))
    return round_to_float32(x * Fraction(float(scale)) + Fraction(float(addend)))


def to_byte(number: np.float32, zero_point: int, low: int, high: int) -> int:
    """Low 8 bits of clamp(round-half-even(number) + zero point, low, high); a NaN counts as 0."""
    if np.isnan(number):
        rounded = 0
    elif np.isinf(number):
        return (high if number > 0 else low) % 256
    else:
        rounded = round(float(number))
    return min(max(rounded + zero_point, low), high) % 256


def float_of(word: int) -> np.float32:
    """The number that 32 bits stand for."""
    return np.array([word % 2**32], np.uint32).view(np.float32)[0]
