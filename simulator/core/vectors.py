"""Sixteen 32-bit lanes at a time: the operations that execution is made of where rows are multiples of 16 bytes.

A vector is WORDS (int32) or REALS (binary32), see native.py; where the JIT is off it is an array, and what stands here is done.
Beside these functions it has `+ - *`, WORDS `& | ^` and REALS `/`. Memory is a contiguous array of any type, addressed by bytes.
"""

from typing import Any

import numpy as np

from accelkit.simulator.core.jit import native
from accelkit.simulator.core.state import Array

Vector = Any  # WORDS or REALS
WIDTH = 16  # lanes
WORD_BYTES = 4 * WIDTH  # of a vector of words


def _view(memory: Array, offset: int, count: int, dtype: Any) -> Array:
    flat = memory.reshape(-1).view(np.uint8)
    return flat[offset : offset + count * np.dtype(dtype).itemsize].view(dtype)


@native("loading_words", "words", None, "intp")
def words(memory: Array, offset: int) -> Vector:
    """The 16 words at an offset."""
    return _view(memory, offset, WIDTH, np.int32).copy()


@native("loading_signed", "words", None, "intp")
def signed_bytes(memory: Array, offset: int) -> Vector:
    """The 16 bytes at an offset, signed."""
    return _view(memory, offset, WIDTH, np.int8).astype(np.int32)


@native("loading_unsigned", "words", None, "intp")
def unsigned_bytes(memory: Array, offset: int) -> Vector:
    """The 16 bytes at an offset, unsigned."""
    return _view(memory, offset, WIDTH, np.uint8).astype(np.int32)


@native("loading_one", "words", None, "intp")
def word_everywhere(memory: Array, offset: int) -> Vector:
    """The word at an offset in all lanes."""
    return np.full(WIDTH, _view(memory, offset, 1, np.int32)[0])


@native("storing_words", "void", None, "intp", "words")
def put_words(memory: Array, offset: int, x: Vector) -> None:
    """16 words to an offset."""
    _view(memory, offset, WIDTH, np.int32)[:] = x


@native("storing_bytes", "void", None, "intp", "words")
def put_bytes(memory: Array, offset: int, x: Vector) -> None:
    """The low bytes of 16 words to an offset."""
    _view(memory, offset, WIDTH, np.uint8)[:] = x & 0xFF


@native("copying", "void", None, "intp", None, "intp", "intp")
def copy(target: Array, target_offset: int, source: Array, source_offset: int, count: int) -> None:
    """Bytes from one array to another."""
    _view(target, target_offset, count, np.uint8)[:] = _view(source, source_offset, count, np.uint8)


@native("filling", "void", None, "intp", "intp", "uint8")
def fill(target: Array, offset: int, count: int, byte: int) -> None:
    """Equal bytes to an offset."""
    _view(target, offset, count, np.uint8)[:] = byte


@native("spreading", "words", "int32")
def number(value: int) -> Vector:
    """A 32-bit number in all lanes."""
    return np.full(WIDTH, value, np.int32)


@native("spreading", "reals", "float32")
def real(value: float) -> Vector:
    """A binary32 number in all lanes."""
    return np.full(WIDTH, value, np.float32)


@native("counting_lanes", "words", "int32")
def below(count: int) -> Vector:
    """-1 in the first `count` lanes, 0 in the others."""
    return np.where(np.arange(WIDTH) < count, -1, 0).astype(np.int32)


@native("dotting", "words", "words", "words", "words")
def dot(sums: Vector, unsigned: Vector, signed: Vector) -> Vector:
    """Sums, and in each lane the four products of unsigned bytes and signed bytes."""
    left, right = unsigned.view(np.uint8).astype(np.int32), signed.view(np.int8).astype(np.int32)
    return sums + (left * right).reshape(WIDTH, 4).sum(axis=1, dtype=np.int32)


@native("taking_smaller", None, None, None)
def smaller(x: Vector, y: Vector) -> Vector:
    """The smaller ones; y where one is a NaN."""
    return np.where(x < y, x, y)


@native("taking_larger", None, None, None)
def larger(x: Vector, y: Vector) -> Vector:
    """The larger ones; y where one is a NaN."""
    return np.where(x > y, x, y)


@native("testing_signs", "boolean", "words")
def has_negative(x: Vector) -> bool:
    """Whether a lane is negative."""
    return bool((x < 0).any())


@native("choosing_nan", None, None, "reals", None)
def unless_nan(value: Vector, x: Vector, of_nan: Vector) -> Vector:
    """`value`, but `of_nan` where x is a NaN."""
    return np.where(np.isnan(x), of_nan, value)


@native("converting_words", "reals", "words")
def to_reals(x: Vector) -> Vector:
    """Numbers in binary32, rounded to nearest even."""
    return x.astype(np.float32)


@native("converting_reals", "words", "reals")
def to_words(x: Vector) -> Vector:
    """Whole numbers of 32 bits."""
    return x.astype(np.int32)


@native("taking_bits", "reals", "words")
def as_reals(x: Vector) -> Vector:
    """The same bits."""
    return x.view(np.float32)


@native("taking_bits", "words", "reals")
def as_words(x: Vector) -> Vector:
    """The same bits."""
    return x.view(np.int32)


@native("rounding", "reals", "reals")
def whole(x: Vector) -> Vector:
    """To the nearest whole number, half to even."""
    return np.rint(x)


@native("fusing", "reals", "reals", "reals", "reals")
def fused(x: Vector, y: Vector, z: Vector) -> Vector:
    """x * y + z with one rounding. Here: the product is exact in binary64, where the sum is rounded to odd, so that the second rounding
    does no harm (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums")."""
    product, addend = x.astype(np.float64) * y, z.astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    bits = total.view(np.int64)
    inexact = ((error > 0) | (error < 0)) & (bits & 1 == 0)
    odd = bits + np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, odd, bits).view(np.float64).astype(np.float32)
