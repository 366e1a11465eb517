"""Orders of a tensor in memory."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accelkit.kernels.onnx.layout import channels_last, from_memory, to_memory

SHAPES = st.lists(st.integers(1, 5), min_size=3, max_size=5).map(tuple)


@given(SHAPES)
def test_memory_order_is_nhwc(shape: tuple[int, ...]) -> None:
    """A tensor [N, C, ...] lies in memory as NumPy's transpose to [N, ..., C] does, and comes back unchanged."""
    value = np.arange(np.prod(shape)).reshape(shape)
    layout = channels_last(shape)
    flat = to_memory(value, layout)
    assert np.array_equal(flat, np.moveaxis(value, 1, -1).ravel())
    assert np.array_equal(from_memory(flat, layout, shape), value)


@given(SHAPES)
def test_row_major_is_recognised(shape: tuple[int, ...]) -> None:
    """No conversion is counted exactly where NHWC and NCHW are the same order for every content."""
    value = np.arange(np.prod(shape)).reshape(shape)
    is_same = np.array_equal(np.moveaxis(value, 1, -1).ravel(), value.ravel())
    assert (channels_last(shape) is None) == is_same
