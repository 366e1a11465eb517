"""Values that the reference machine's vector unit computes, from the rows that an instruction has read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tests.reference.real import float_of, fused_multiply_add, to_byte

if TYPE_CHECKING:
    from tests.reference.tensor import Tensor

Values = dict[str, int]


def wrap(value: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Modulo 2^32, signed."""
    return ((value + 2**31) % 2**32 - 2**31).astype(np.int32)


def byte_values(row: npt.NDArray[np.uint8], is_u8: int) -> npt.NDArray[np.int64]:
    """Numbers that a row of bytes stands for."""
    return (row if is_u8 else row.view(np.int8)).astype(np.int64)


# ---- DMA


def result_row(t: Tensor, kept: list[npt.NDArray[np.uint8]], rows: list[npt.NDArray[np.int64]]) -> npt.NDArray[Any]:
    """The row that a result's source rows give, with the rows that were read first."""
    v = t.values
    if t.name in _LANES:
        values = [_LANES[t.name](v, *(int(row[lane]) for row in rows)) for lane in range(len(rows[0]))]
        if t.name == "dequantise":
            return np.array(values, np.uint32).view(np.int32)
        return np.array([*values, *[0] * (t.machine.lanes - len(values))], np.uint8)
    if t.name == "lookup":
        return np.concatenate(kept)[rows[0] % 256]
    if t.name == "maximum":
        return (np.max(rows, axis=0).clip(v["min"], v["max"]) % 256).astype(np.uint8)
    parameter_rows = 8 * t.machine.array_columns // t.machine.lanes
    sums = np.sum(rows, axis=0)
    if t.name == "depthwise":
        weights = [byte_values(row, v["weights_u8"]) - v["weights_zp"] for row in kept[parameter_rows:]]
        sums = np.sum([(row - v["src_zp"]) * weight for row, weight in zip(rows, weights, strict=True)], axis=0)
    columns = t.machine.array_columns
    block = np.concatenate(kept[:parameter_rows])
    bias, scale = block[: 4 * columns].view("<i4").astype(np.int64), block[4 * columns : 8 * columns].view("<f4")
    exact = sums[:columns] + bias
    t.has_overflow |= bool(np.any(exact != wrap(exact)))
    result = np.zeros(t.machine.lanes, np.uint8)
    result[:columns] = _requantise(wrap(exact), scale, v)
    return result


def _requantise(total: npt.NDArray[np.int32], scale: npt.NDArray[np.float32], v: Values) -> list[int]:
    """Low 8 bits of clamp(round-half-even(f32(total) * scale) + zp, min, max), lane by lane."""
    result = []
    with np.errstate(all="ignore"):
        products = total.astype(np.float32) * scale
    for product in products:
        if np.isnan(product):
            number = v["zp"]
        elif np.isinf(product):
            number = v["max"] if product > 0 else v["min"]
        else:
            number = round(float(product)) + v["zp"]
        result.append(min(max(number, v["min"]), v["max"]) % 256)
    return result


def _add(v: Values, left: int, right: int) -> int:
    inner = fused_multiply_add(right, float_of(v["right_scale"]), float_of(v["offset"]))
    return to_byte(fused_multiply_add(left, float_of(v["left_scale"]), inner), 0, v["min"], v["max"])


def _multiply(v: Values, left: int, right: int) -> int:
    with np.errstate(all="ignore"):
        product = np.float32((left - v["left_zp"]) * (right - v["right_zp"])) * float_of(v["scale"])
        return to_byte(product + np.float32(v["zp"]), 0, v["min"], v["max"])


def _quantise(v: Values, word: int) -> int:
    with np.errstate(all="ignore"):
        quotient = float_of(word) / float_of(v["scale"])
    return v["min"] % 256 if np.isnan(quotient) else to_byte(quotient, v["zp"], v["min"], v["max"])


def _dequantise(v: Values, byte: int) -> int:
    with np.errstate(all="ignore"):
        number = np.float32(byte - v["zp"]) * float_of(v["scale"])
    return 0x7FC00000 if np.isnan(number) else int(np.float32(number).view(np.uint32))


_LANES: dict[str, Callable[..., int]] = {
    "add.b": _add,
    "multiply.b": _multiply,
    "quantise": _quantise,
    "dequantise": _dequantise,
}
