"""Products, convolutions and quantise steps of the NumPy reference against ONNX Runtime."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.onnx_op import run_op
from tests.reference.quantised import (
    Array,
    Byte,
    Window,
    combine_scales,
    conv2d_nchw,
    conv2d_nhwc,
    dequantize_linear,
    gemm,
    quantize_linear,
    requantise,
)

MANY = settings(max_examples=150, deadline=None, derandomize=True)
BYTES = st.sampled_from([np.int8, np.uint8])


class Case:
    """Random operands of one quantised product, small or full-range, with harmless or tie-making scales."""

    def __init__(self, rng: np.random.Generator, dtype: Byte, channels: int) -> None:
        self.rng, self.dtype = rng, dtype
        self.is_narrow = bool(rng.integers(2))
        self.x_zero, self.w_zero, self.y_zero = (int(rng.integers(*self.limits())) for _ in range(3))
        size = channels if rng.integers(2) else None  # None: per tensor
        if rng.integers(2):  # powers of two: many products lie exactly between two integers
            self.x_scale, self.y_scale = np.float32(0.5), np.float32(2.0 ** rng.integers(-2, 3))
            self.w_scale = np.float32(2.0) ** -rng.integers(1, 8 if self.is_narrow else 16, size)
        else:
            self.x_scale, self.y_scale = rng.uniform(1e-3, 1, 2).astype(np.float32)
            self.w_scale = rng.uniform(1e-5, 1e-1, size)
        self.w_scale = np.asarray(self.w_scale, np.float32)
        magnitude = int(rng.choice([100, 1 << 16, 1 << 30]))  # the last: accumulators that float32 rounds
        self.bias = rng.integers(-magnitude, magnitude, channels).astype(np.int32)
        if magnitude == 1 << 30:
            self.w_scale = self.w_scale * np.float32(2.0**-16)

    def limits(self) -> tuple[int, int]:
        return np.iinfo(self.dtype).min, np.iinfo(self.dtype).max + 1

    def tensor(self, *shape: int, near: int) -> Array:
        """Random bytes: full range, or within 4 of a zero point so that sums stay small."""
        if not self.is_narrow:
            return self.rng.integers(*self.limits(), shape).astype(self.dtype)
        lowest, end = self.limits()
        return np.clip(near + self.rng.integers(-4, 5, shape), lowest, end - 1).astype(self.dtype)

    def scale(self) -> Array:
        return combine_scales(self.x_scale, self.w_scale, self.y_scale)

    def zero(self, value: int, like: Array | None = None) -> Array:
        """A zero point operand, repeated where the scale it belongs to is per channel."""
        return np.full(() if like is None else like.shape, value, self.dtype)


@MANY
@given(
    dtype=BYTES, m=st.integers(1, 9), k=st.integers(1, 200), n=st.integers(1, 40), seed=st.integers(0, 2**32)
)
def test_matmul_equals_onnxruntime(dtype: Byte, m: int, k: int, n: int, seed: int) -> None:
    """QLinearMatMul, s8 x s8 and u8 x u8, any zero points, per tensor and per column: 0 differences."""
    case = Case(np.random.default_rng(seed), dtype, n)
    a, b = case.tensor(m, k, near=case.x_zero), case.tensor(k, n, near=case.w_zero)
    mine = requantise(gemm(a, b, case.x_zero, case.w_zero), case.scale(), case.y_zero, dtype)
    operands: list[Array | None] = [
        np.asarray(case.x_scale), case.zero(case.x_zero), b, case.w_scale, case.zero(case.w_zero, case.w_scale),
        np.asarray(case.y_scale), case.zero(case.y_zero),
    ]  # fmt: skip
    np.testing.assert_array_equal(mine, run_op("QLinearMatMul", a, operands, dtype))


@MANY
@given(
    dtype=BYTES, m=st.integers(1, 9), k=st.integers(1, 200), n=st.integers(1, 40), seed=st.integers(0, 2**32)
)
def test_gemm_equals_onnxruntime(dtype: Byte, m: int, k: int, n: int, seed: int) -> None:
    """QGemm with transposed B and an int32 bias, per tensor and per channel: 0 differences."""
    case = Case(np.random.default_rng(seed), dtype, n)
    a, b = case.tensor(m, k, near=case.x_zero), case.tensor(n, k, near=case.w_zero)
    acc = gemm(a, b.T, case.x_zero, case.w_zero)
    mine = requantise(acc, case.scale(), case.y_zero, dtype, bias=case.bias)
    operands: list[Array | None] = [
        np.asarray(case.x_scale), case.zero(case.x_zero), b, case.w_scale, case.zero(case.w_zero, case.w_scale),
        case.bias, np.asarray(case.y_scale), case.zero(case.y_zero),
    ]  # fmt: skip
    golden = run_op("QGemm", a, operands, dtype, domain="com.microsoft", transB=1)
    np.testing.assert_array_equal(mine, golden)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Window, tuple[int, int, int], tuple[int, int, int], int]:
    """A window, kernel (outputs per group, height, width), input (inputs per group, height, width), batch."""
    kernel = (draw(st.integers(1, 9)), draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    window = Window(
        strides=(draw(st.integers(1, 3)), draw(st.integers(1, 3))),
        pads=(
            draw(st.integers(0, 2)),
            draw(st.integers(0, 2)),
            draw(st.integers(0, 2)),
            draw(st.integers(0, 2)),
        ),
        dilations=(draw(st.integers(1, 2)), draw(st.integers(1, 2))),
        groups=draw(st.sampled_from([1, 1, 2, 3])),
    )
    smallest_height, smallest_width = (
        dilation * (size - 1) + 1 for dilation, size in zip(window.dilations, kernel[1:], strict=True)
    )
    extra_height, extra_width = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    image = (draw(st.integers(1, 9)), smallest_height + extra_height, smallest_width + extra_width)
    return window, kernel, image, draw(st.integers(1, 2))


@MANY
@given(dtype=BYTES, geometry=convolutions(), seed=st.integers(0, 2**32))
def test_conv_equals_onnxruntime(dtype: Byte, geometry: Any, seed: int) -> None:
    """QLinearConv with any stride, padding, dilation, groups, zero points (weights too): 0 differences."""
    window, kernel, image, batch = geometry
    outputs, inputs = window.groups * kernel[0], window.groups * image[0]
    case = Case(np.random.default_rng(seed), dtype, outputs)
    x = case.tensor(batch, inputs, *image[1:], near=case.x_zero)
    w = case.tensor(outputs, image[0], *kernel[1:], near=case.w_zero)
    acc = conv2d_nhwc(x.transpose(0, 2, 3, 1), w, window, case.x_zero, case.w_zero)
    mine = requantise(acc, case.scale(), case.y_zero, dtype, bias=case.bias).transpose(0, 3, 1, 2)
    operands: list[Array | None] = [
        np.asarray(case.x_scale), case.zero(case.x_zero), w, case.w_scale, case.zero(case.w_zero, case.w_scale),
        np.asarray(case.y_scale), case.zero(case.y_zero), case.bias,
    ]  # fmt: skip
    golden = run_op(
        "QLinearConv", x, operands, dtype,
        strides=window.strides, pads=window.pads, dilations=window.dilations, group=window.groups,
    )  # fmt: skip
    np.testing.assert_array_equal(mine, golden)


def test_conv_by_hand() -> None:
    """One padded 3x3 convolution worked out on paper: the padding adds nothing whatever the zero point."""
    x = np.arange(1, 5, dtype=np.int8).reshape(1, 1, 2, 2)
    w = np.ones((1, 1, 3, 3), np.int8)
    assert conv2d_nchw(x, w, Window(pads=(1, 1, 1, 1)), x_zero_point=1).tolist() == [[[[6, 6], [6, 6]]]]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("seed", range(4))
def test_quantize_and_dequantize_equal_onnxruntime(dtype: Byte, seed: int) -> None:
    """QuantizeLinear over ties, huge values, infinities and NaN, DequantizeLinear over all bytes: 0 differences."""
    case = Case(np.random.default_rng(seed), dtype, 1)
    for scale in (case.y_scale, np.float32(0.25), np.float32(1e-3), np.float32(3.0)):
        ties = (np.arange(-600, 600, dtype=np.float32) / 2) * scale
        extremes = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, -0.0], np.float32)
        random = case.rng.normal(0, 100 * scale, 20_000).astype(np.float32)
        x = np.concatenate([ties, extremes, random])
        operands: list[Array | None] = [np.asarray(scale), case.zero(case.y_zero)]
        mine = quantize_linear(x, scale, case.y_zero, dtype)
        np.testing.assert_array_equal(mine, run_op("QuantizeLinear", x, operands, dtype))
        every = np.arange(*case.limits()).astype(dtype)
        golden = run_op("DequantizeLinear", every, operands, np.float32)
        np.testing.assert_array_equal(dequantize_linear(every, scale, case.y_zero), golden)
