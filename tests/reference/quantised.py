"""Slow, obvious NumPy reference for the 8-bit integer arithmetic of the machine and its kernels.

Every rule is the one measured against ONNX Runtime's CPU kernels: integers are exact, a float step is one
IEEE binary32 operation rounded to nearest even, and only the last step saturates. Nothing here is shared with
the code it judges, and nothing is optimised: each function is meant to be checked by reading it.

Shapes follow ONNX: weights of a convolution are [outputs, inputs / groups, kernel height, kernel width].
Scales and weight zero points are scalars (per tensor) or vectors with one entry per output channel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Int32Array = npt.NDArray[np.int32]
Float32Array = npt.NDArray[np.float32]
Byte = type[np.int8] | type[np.uint8]


def wrap_int32(values: Array) -> Int32Array:
    """Reduce int64 values modulo 2^32 into int32, as a 32-bit accumulator does."""
    return ((values.astype(np.int64) + 2**31) % 2**32 - 2**31).astype(np.int32)


def saturate(values: Array, dtype: Byte) -> Array:
    """Clamp integral values to the range of `dtype`."""
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


def combine_scales(x_scale: npt.ArrayLike, w_scale: npt.ArrayLike, y_scale: npt.ArrayLike) -> Float32Array:
    """The requantise scale f32(f32(x_scale * w_scale) / y_scale); scalar, or one per output channel."""
    product = np.asarray(x_scale, np.float32) * np.asarray(w_scale, np.float32)
    return np.asarray(product / np.asarray(y_scale, np.float32), np.float32)


def requantise(
    accumulators: Int32Array,
    scale: npt.ArrayLike,
    zero_point: int,
    dtype: Byte,
    *,
    bias: npt.ArrayLike = 0,
    clamp: tuple[int, int] | None = None,
) -> Array:
    """round-half-even(f32(f32(acc + bias) * scale)) + zero point, clamped; the low 8 bits of that as `dtype`.

    The clamp bounds default to the range of `dtype`. `scale` (float32) and `bias` (int32) broadcast against the
    accumulators, so per-channel vectors belong on the last axis. acc + bias wraps modulo 2^32 like every
    accumulator addition; an infinite product saturates, a NaN counts as 0.
    """
    total = wrap_int32(accumulators.astype(np.int64) + np.asarray(bias, np.int64))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = total.astype(np.float32) * np.asarray(scale, np.float32)
    product = np.where(np.isnan(product), np.float32(0), product)
    # float64 holds the rounded product plus a zero point exactly wherever it isn't far out of range.
    shifted = np.rint(product).astype(np.float64) + zero_point
    lowest, highest = clamp or (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.clip(shifted, lowest, highest).astype(np.int64).astype(dtype)


def gemm(a: Array, b: Array, a_zero_point: int = 0, b_zero_point: npt.ArrayLike = 0) -> Int32Array:
    """int32 accumulators of (a - zero point) @ (b - zero point); [..., M, K] and [..., K, N], any signs."""
    a_exact = a.astype(np.int64) - a_zero_point
    b_exact = b.astype(np.int64) - np.asarray(b_zero_point, np.int64)
    return wrap_int32(np.matmul(a_exact, b_exact))


@dataclass(frozen=True)
class Window:
    """Geometry of a 2-D convolution: pads are (top, left, bottom, right), the rest (vertical, horizontal)."""

    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1


def conv2d_nchw(
    x: Array,
    w: Array,
    window: Window | None = None,
    x_zero_point: int = 0,
    w_zero_point: npt.ArrayLike = 0,
) -> Int32Array:
    """int32 accumulators [batch, outputs, height, width] of a convolution of x [batch, inputs, h, w].

    A padded element is the zero point, that is, it adds nothing.
    """
    window = window or Window()
    (stride_y, stride_x), (dilation_y, dilation_x) = window.strides, window.dilations
    top, left, bottom, right = window.pads
    outputs, group_inputs, kernel_y, kernel_x = w.shape
    group_outputs = outputs // window.groups

    x_exact = np.pad(x.astype(np.int64) - x_zero_point, ((0, 0), (0, 0), (top, bottom), (left, right)))
    w_zero = np.broadcast_to(np.asarray(w_zero_point, np.int64), (outputs,)).reshape(outputs, 1, 1, 1)
    w_exact = w.astype(np.int64) - w_zero
    span_y, span_x = dilation_y * (kernel_y - 1) + 1, dilation_x * (kernel_x - 1) + 1
    height = (x_exact.shape[2] - span_y) // stride_y + 1
    width = (x_exact.shape[3] - span_x) // stride_x + 1

    acc = np.zeros((x.shape[0], outputs, height, width), np.int64)
    for group in range(window.groups):
        ins = slice(group * group_inputs, (group + 1) * group_inputs)
        outs = slice(group * group_outputs, (group + 1) * group_outputs)
        for oy in range(height):
            for ox in range(width):
                y0, x0 = oy * stride_y, ox * stride_x
                patch = x_exact[:, ins, y0 : y0 + span_y : dilation_y, x0 : x0 + span_x : dilation_x]
                acc[:, outs, oy, ox] = np.einsum("nikl,oikl->no", patch, w_exact[outs])
    return wrap_int32(acc)


def conv2d_nhwc(
    x: Array,
    w: Array,
    window: Window | None = None,
    x_zero_point: int = 0,
    w_zero_point: npt.ArrayLike = 0,
) -> Int32Array:
    """`conv2d_nchw` for x [batch, h, w, inputs], giving [batch, height, width, outputs]; same weights."""
    acc = conv2d_nchw(x.transpose(0, 3, 1, 2), w, window, x_zero_point, w_zero_point)
    return np.ascontiguousarray(acc.transpose(0, 2, 3, 1))


def quantize_linear(x: Float32Array, scale: float | np.float32, zero_point: int, dtype: Byte) -> Array:
    """saturate(round-half-even(x / scale) + zero point) with a true float32 division; NaN gives the minimum."""
    with np.errstate(over="ignore", under="ignore"):
        quotient = x.astype(np.float32) / np.float32(scale)
    shifted = np.rint(quotient).astype(np.float64) + zero_point
    return saturate(np.where(np.isnan(shifted), np.iinfo(dtype).min, shifted), dtype)


def dequantize_linear(x: Array, scale: float | np.float32, zero_point: int) -> Float32Array:
    """f32(x - zero point) * scale in float32, for 8-bit x."""
    return (x.astype(np.int32) - zero_point).astype(np.float32) * np.float32(scale)
