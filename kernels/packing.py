"""Constants in the layouts that the kernels load: weight blocks and parameter blocks of `lanes` columns each.

Where the last block has fewer output channels than the array has columns, weights are padded with the weight zero point and
biases with 0, so that the lanes past the end accumulate 0 and can't overflow.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import ByteArray


def as_signed(weights: ByteArray, zero_point: int) -> tuple[npt.NDArray[np.int8], int]:
    """The same weights as int8: unsigned bytes and their zero point move down by 128, so that `w - zero_point` stays."""
    if weights.dtype == np.uint8:
        return (weights ^ np.uint8(0x80)).view(np.int8), zero_point - 128
    return np.asarray(weights, np.int8), zero_point


def pack_weights(weights: npt.NDArray[np.int8], zero_point: int, lanes: int) -> npt.NDArray[np.uint8]:
    """Weights [taps, K, N] as bytes [ceil(N / lanes)][k blocks][taps][k of the block][lanes].

    A row of bytes is one row of a preload, and all that a step of some k blocks needs of a column block lies together.
    """
    taps, K, N = weights.shape
    blocks = -(-N // lanes)
    padded = np.full((taps, K, blocks * lanes), zero_point, np.int8)
    padded[:, :, :N] = weights
    by_column = padded.reshape(taps, K, blocks, lanes).transpose(2, 0, 1, 3)
    k_blocks = [by_column[:, :, k : k + lanes].reshape(blocks, -1) for k in range(0, K, lanes)]
    return np.ascontiguousarray(np.concatenate(k_blocks, axis=1)).view(np.uint8).reshape(-1)


def pack_parameters(bias: npt.ArrayLike, scale: npt.ArrayLike, N: int, lanes: int) -> npt.NDArray[np.uint8]:
    """Parameter blocks [ceil(N / lanes)][bias int32 x lanes, scale binary32 x lanes], little-endian bytes."""
    blocks = -(-N // lanes)
    packed = np.zeros((blocks, 2, lanes), "<u4")
    packed[:, 0] = _per_lane(bias, "<i4", N, blocks, lanes)
    packed[:, 1] = _per_lane(scale, "<f4", N, blocks, lanes)
    return packed.view(np.uint8).reshape(-1)


def _per_lane(values: npt.ArrayLike, dtype: str, N: int, blocks: int, lanes: int) -> npt.NDArray[Any]:
    lanes_of_all = np.zeros(blocks * lanes, dtype)
    lanes_of_all[:N] = np.asarray(values).astype(dtype)
    return lanes_of_all.view("<u4").reshape(blocks, lanes)
