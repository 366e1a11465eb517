"""Checks that planners share: each gives the reason of a refusal, or None."""

from collections.abc import Iterable

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import Buffer, Quantised, Requantisation


def quantised_problem(name: str, kind: Quantised) -> str | None:
    """The tensor isn't 8 bits, or its zero point not of its range."""
    if np.dtype(kind.dtype) not in (np.dtype(np.int8), np.dtype(np.uint8)):
        return f"{name} is {np.dtype(kind.dtype)}, expected int8 or uint8"
    low, high = (0, 255) if kind.is_unsigned else (-128, 127)
    if not low <= kind.zero_point <= high:
        return f"zero point {kind.zero_point} of {name} is outside {low}..{high}"
    return None


def requantisation_problem(y: Requantisation, channels: int) -> str | None:
    """Scales, biases or bounds that the vector unit can't apply."""
    if problem := quantised_problem("the output", Quantised(y.dtype, y.zero_point)):
        return problem
    for name, values in (("scale", y.scale), ("bias", y.bias)):
        if np.shape(values) not in ((), (1,), (channels,)):
            return f"{name} has shape {np.shape(values)}, expected one value or one per output channel ({channels})"
    if not np.all(np.isfinite(np.asarray(y.scale, np.float32))):
        return "a requantise scale is not finite"
    bias = np.asarray(y.bias, np.int64)
    if np.any(bias != bias.astype(np.int32)):
        return "a bias does not fit 32 bits"
    low, high = y.bounds()
    if low > high:
        return f"clamp bounds {low}..{high} leave no value"
    return None


def dram_problem(machine: Machine, buffers: Iterable[Buffer]) -> str | None:
    """The buffers do not fit into DRAM."""
    total = sum(buffer.nbytes for buffer in buffers)
    if total > machine.dram_bytes:
        return f"buffers of {total} bytes, {machine.name} has DRAM of {machine.dram_bytes}"
    return None
