"""Packed weights, byte by byte as their layout says."""

import numpy as np
import numpy.typing as npt
import pytest

from accelkit.kernels.packing import pack_weights

ZERO_POINT = 7


def expected(weights: npt.NDArray[np.int8], lanes: int) -> list[int]:
    """Column blocks of k blocks of taps of k of lanes, one number at a time."""
    taps, K, N = weights.shape
    return [
        int(weights[tap, k, column]) if column < N else ZERO_POINT
        for block in range(0, N, lanes)
        for k_block in range(0, K, lanes)
        for tap in range(taps)
        for k in range(k_block, min(k_block + lanes, K))
        for column in range(block, block + lanes)
    ]


@pytest.mark.parametrize("lanes", [1, 8, 16, 24, 128])
def test_layout(lanes: int) -> None:
    """Sizes below, at and beyond blocks; weights as a product has them and as a convolution has them, outputs outermost."""
    rng = np.random.default_rng(lanes)
    for sizes in ((1, 1, 1), (1, lanes, lanes), (2, lanes + 1, lanes - 1 or 1), (3, 2 * lanes, 2 * lanes + 3), (9, 5, 150)):
        weights = rng.integers(-128, 128, sizes).astype(np.int8)
        outermost = np.ascontiguousarray(weights.transpose(2, 1, 0)).transpose(2, 1, 0)
        for given in (weights, outermost):
            assert pack_weights(given, ZERO_POINT, lanes).view(np.int8).tolist() == expected(weights, lanes), sizes
