"""Requantise of the NumPy reference against integers alone, against ONNX Runtime, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, Byte, combine_scales, requantise, wrap_int32


def requantise_by_integers(acc: int, scale: np.float32, zero_point: int, lowest: int, highest: int) -> int:
    """Requantise in integer arithmetic alone: significands of 24 bits, rounded half to even."""

    def shift(value: int, bits: int) -> int:
        """value / 2^bits for value >= 0, rounded half to even."""
        if bits <= 0:
            return value << -bits
        floor, rest, half = value >> bits, value & ((1 << bits) - 1), 1 << (bits - 1)
        return floor + (rest > half or (rest == half and floor % 2 == 1))

    def to_24_bits(value: int) -> tuple[int, int]:
        excess = max(value.bit_length() - 24, 0)
        return shift(value, excess), excess

    pattern = int(scale.view(np.uint32))
    exponent, fraction = pattern >> 23, pattern & 0x7FFFFF
    scale_bits = fraction | (0x800000 if exponent else 0)
    acc_bits, acc_exponent = to_24_bits(abs(acc))
    product, product_exponent = to_24_bits(acc_bits * scale_bits)
    # A subnormal product may keep fewer bits than these 24, but then it is far below one half.
    magnitude = shift(product, -(acc_exponent + product_exponent + max(exponent, 1) - 127 - 23))
    return min(max((magnitude if acc >= 0 else -magnitude) + zero_point, lowest), highest)


def near_ties(rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Accumulators of all sizes with the float32 scales that bring each next to a half between integers.

    Which side of the half the product falls on, or whether it is a tie, hangs on every single rounding.
    """
    magnitude = np.exp2(rng.uniform(1, 30.99, count)).astype(np.int32)
    halves = rng.integers(0, 128, count) + 0.5
    return magnitude * rng.choice([-1, 1], count).astype(np.int32), (halves / magnitude).astype(np.float32)


@pytest.mark.parametrize("seed", range(4))
def test_requantise_near_ties_equals_its_integer_form(seed: int) -> None:
    """Every rounding counts: accumulator to float32, product to float32, product to integer."""
    accumulators, scales = near_ties(np.random.default_rng(seed), 4000)
    expected = [
        requantise_by_integers(int(acc), scale, 3, -128, 127)
        for acc, scale in zip(accumulators, scales, strict=True)
    ]
    np.testing.assert_array_equal(requantise(accumulators, scales, 3, np.int8), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("op_type", ["QGemm", "QLinearConv"])
@pytest.mark.parametrize("seed", range(4))
def test_requantise_near_ties_equals_onnxruntime(dtype: Byte, op_type: str, seed: int) -> None:
    """20,000 accumulators given as biases to a product that is zero, scales near a tie: 0 differences.

    The order of the scale's two operations counts as well.
    """
    rng = np.random.default_rng(seed)
    channels, zero_point = 20_000, 100
    accumulators, ratios = near_ties(rng, channels)
    x_scale, y_scale = rng.uniform(0.01, 1, 2).astype(np.float32)
    w_scale = (ratios.astype(np.float64) * y_scale / x_scale).astype(np.float32)
    scale = combine_scales(x_scale, w_scale, y_scale)
    mine = requantise(accumulators, scale, zero_point, dtype)

    is_conv = op_type == "QLinearConv"
    x = np.zeros((1, 1, 1, 1) if is_conv else (1, 1), dtype)
    w = np.ones((channels, 1, 1, 1) if is_conv else (channels, 1), dtype)
    zero, zeros = np.zeros((), dtype), np.zeros(channels, dtype)
    inputs: list[Array | None] = [np.asarray(x_scale), zero, w, w_scale, zeros]
    output: list[Array | None] = [np.asarray(y_scale), np.asarray(zero_point, dtype)]
    if is_conv:
        golden = run_op(op_type, x, [*inputs, *output, accumulators], dtype)
    else:
        golden = run_op(op_type, x, [*inputs, accumulators, *output], dtype, domain="com.microsoft", transB=1)
    np.testing.assert_array_equal(mine, golden.ravel())


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    acc=st.integers(-(2**31), 2**31 - 1) | st.integers(-300, 300) | st.integers(2**24 - 9, 2**24 + 9),
    scale=st.floats(0, 2.0**127, width=32) | st.integers(-32, 8).map(lambda e: 2.0**e),
    zero_point=st.integers(-128, 127),
)
def test_requantise_equals_its_integer_form(acc: int, scale: float, zero_point: int) -> None:
    """Any int32 and any non-negative finite scale, subnormal ones too, give what integers alone give."""
    expected = requantise_by_integers(acc, np.float32(scale), zero_point, -128, 127)
    assert requantise(np.array([acc], np.int32), scale, zero_point, np.int8)[0] == expected


@pytest.mark.parametrize(
    ("acc", "scale", "zero_point", "expected"),
    [
        (1, 0.5, 0, 0),  # ties go to the even integer
        (3, 0.5, 0, 2),
        (5, 0.5, 0, 2),
        (-1, 0.5, 0, 0),
        (-3, 0.5, 0, -2),
        (1, 0.5, 1, 1),  # the zero point comes after rounding: 1.5 would have become 2
        (2**24 + 11, 2.0**-3, -(2**21), 2),  # float32 makes it 2^24 + 12 first: a tie, else 1.375 above 2^21
        (2**31 - 1, 1e38, 5, 127),  # an infinite product saturates
        (-(2**31), 1e38, 5, -128),
        (0, np.inf, 7, 7),  # NaN counts as 0
        (-5, np.nan, 7, 7),
        (3, -1.5, 0, -4),  # a negative scale is a number like any other
        (2**31 - 1, 1e-45, 7, 7),  # a subnormal scale is a number, not zero, but gives little
    ],
)
def test_requantise_by_hand(acc: int, scale: float, zero_point: int, expected: int) -> None:
    """Cases small enough to work out on paper."""
    assert requantise(np.array([acc], np.int32), scale, zero_point, np.int8)[0] == expected


def test_requantise_adds_bias_and_clamps() -> None:
    """The bias wraps modulo 2^32 before scaling, and the clamp bounds include the zero point."""
    acc = np.array([[2**31 - 1, 10, -50]], np.int32)
    result = requantise(acc, [2.0**-31, 1.0, 1.0], 1, np.int8, bias=[1, 5, 0], clamp=(-20, 12))
    assert result.tolist() == [[0, 12, -20]]
    assert wrap_int32(np.array([2**31, -(2**31) - 1, 2**32 + 5])).tolist() == [-(2**31), 2**31 - 1, 5]
