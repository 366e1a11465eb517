"""Biases so large that a sum could leave 32 bits, and yet can't change anything.

A channel of weights that are almost nothing gets a tiny scale from a quantiser, and its bias, in units of that scale, a number next to
the end of int32: ONNX Runtime's quantiser stops 0.01 % before it. All sums of such a channel are so close together that they
requantise to one value, and so do sums that are a little nearer to 0.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import Quantised, Refusal, Requantisation

INT32_MAX = 2**31 - 1


def sum_magnitudes(weights: npt.NDArray[Any], zero_point: int, axis: int | tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Sums of |weight - zero point| along axes. In int16, which holds every difference: a large layer has 75 million weights."""
    return np.asarray(np.abs(weights.astype(np.int16) - np.int16(zero_point)).sum(axis=axis, dtype=np.int64))


def settle_bias(a: Quantised, weight_sums: npt.ArrayLike, y: Requantisation) -> Requantisation | Refusal:
    """`y` with biases so that no sum leaves int32; Refusal if there are none that give the same results.

    `weight_sums` are the sums of |weight - zero point| of each channel. A bias is moved towards 0 where the results are the same
    for every sum that can occur, moved or not.
    """
    limits = np.iinfo(np.dtype(a.dtype))
    reach = np.asarray(weight_sums, np.int64) * max(limits.max - a.zero_point, a.zero_point - limits.min)
    bias = np.asarray(y.bias, np.int64)
    bound = int(np.max(reach + np.abs(bias)))
    if bound <= INT32_MAX:
        return y
    moved = np.clip(bias, reach - INT32_MAX, INT32_MAX - reach)
    # The rule is monotonic: equal results at both ends are equal results between.
    ends = [_requantise(middle + way * reach, y) for middle in (bias, moved) for way in (-1, 1)]
    is_settled = np.logical_and.reduce([end == ends[0] for end in ends[1:]]) & (reach <= INT32_MAX)
    if not np.all(is_settled | (reach + np.abs(bias) <= INT32_MAX)):
        return Refusal(f"sums could reach {bound}, which does not fit the 32-bit accumulator")
    return replace(y, bias=np.where(is_settled, moved, bias).astype(np.int32))


def _requantise(sums: npt.NDArray[Any], y: Requantisation) -> npt.NDArray[Any]:
    with np.errstate(over="ignore", invalid="ignore"):
        products = sums.astype(np.float32) * np.asarray(y.scale, np.float32)
    return np.clip(np.rint(products) + np.float32(y.zero_point), *y.bounds())
