"""Constants in the layouts that the kernels load: weight blocks and parameter blocks of `lanes` columns each.

Where the last block has fewer output channels than the array has columns, weights are padded with the weight zero point and
biases with 0, so that the lanes past the end accumulate 0 and can't overflow.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import ByteArray

_COLUMNS = 16  # packed at a time: columns lie far apart in a model, and so many cache lines stay in a core's first cache


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
    packed = np.empty((-(-N // lanes), taps * K * lanes), np.int8)
    if N % lanes:
        packed[-1] = zero_point
    whole = K - K % lanes
    _pack_blocks(packed[:, : taps * whole * lanes], weights[:, :whole], lanes, lanes)
    _pack_blocks(packed[:, taps * whole * lanes :], weights[:, whole:], K - whole, lanes)
    return packed.view(np.uint8).reshape(-1)


def _pack_blocks(packed: npt.NDArray[np.int8], weights: npt.NDArray[np.int8], block: int, lanes: int) -> None:
    """Pack k blocks of `block` weights each. Weights are read where a model has them, mostly with k side by side, and written once."""
    taps, K, N = weights.shape
    if not K:
        return
    columns = packed.reshape(len(packed), K // block, taps, block, lanes)
    by_block = weights.reshape(taps, K // block, block, N).transpose(1, 0, 2, 3)
    for place in range(0, N, lanes):
        for first in range(place, min(place + lanes, N), _COLUMNS):
            last = min(first + _COLUMNS, place + lanes, N)
            columns[place // lanes, ..., first - place : last - place] = by_block[..., first:last]


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
