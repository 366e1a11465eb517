"""Binary32 arithmetic on the host, for scalars that a kernel takes as bits."""

from fractions import Fraction

import numpy as np


def fused_multiply_add(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """a * b + c with one rounding to binary32, half to even; the operands are finite."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    with np.errstate(over="ignore"):
        near = np.float32(float(exact))  # rounded twice: at most one neighbour off
    if not np.isfinite(near):
        return near
    candidates = [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))]
    return min(
        (value for value in candidates if np.isfinite(value)),
        key=lambda value: (abs(Fraction(float(value)) - exact), int(value.view(np.int32)) & 1),
    )


def bits(value: np.float32) -> int:
    """The 32 bits of a binary32 number, as an argument word."""
    return int(np.float32(value).view(np.int32))
