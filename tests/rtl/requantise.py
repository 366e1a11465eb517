"""`requantise` of the RTL against NumPy. `python -m tests.rtl.requantise [cases]` runs ten million (`make verify`)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from accelkit.simulator.rtl.build import build_top, sources
from tests.reference.quantised import requantise

Cases = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]  # accumulators, biases, scales
Maker = Callable[[np.random.Generator, int], Cases]
BLOCK = 250_000
_BOUNDS = ((-128, 127, np.int8), (0, 255, np.uint8), (-128, 0, np.int8), (7, 9, np.uint8))


def build_lane(changed: Mapping[str, str] | None = None) -> ctypes.CDLL:
    """One verilated lane; `changed` replaces source files by name (mutants)."""
    names = ("requantise_lane.sv", "requantise.cpp", "accel.vlt")
    files = {name: text for name, text in (sources() | dict(changed or {})).items() if name in names}
    return ctypes.CDLL(str(build_top("requantise_lane", files, "requantise.cpp")))


def run_lane(lane: ctypes.CDLL, cases: Cases, zero_point: int, low: int, high: int) -> NDArray[np.uint8]:
    """The RTL lane's results, uint8 [cases]."""
    accumulators, biases, scales = (np.ascontiguousarray(array) for array in cases)
    result = np.zeros(len(accumulators), np.uint8)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (accumulators, biases, scales)]
    lane.requantise_run(
        ctypes.c_int64(len(result)), *pointers, zero_point, low, high, ctypes.c_void_p(result.ctypes.data)
    )
    return result


def _int32(rng: np.random.Generator, count: int) -> NDArray[np.int32]:
    return rng.integers(-(2**31), 2**31, count).astype(np.int32)


def any_bits(rng: np.random.Generator, count: int) -> Cases:
    """Any bits at all: NaN, infinities, subnormals, huge and tiny scales."""
    return _int32(rng, count), _int32(rng, count), rng.integers(0, 2**32, count, np.uint32).view(np.float32)


def ordinary(rng: np.random.Generator, count: int) -> Cases:
    """Accumulators of all sizes with scales that bring them to a byte."""
    accumulators = (_int32(rng, count) >> rng.integers(0, 31, count)).astype(np.int32)
    scales = rng.uniform(0, 300, count) / np.maximum(np.abs(accumulators.astype(np.float64)), 1)
    return accumulators, rng.integers(-1000, 1000, count).astype(np.int32), scales.astype(np.float32)


def near_ties(rng: np.random.Generator, count: int) -> Cases:
    """Products next to a half between two integers: each of the three roundings decides."""
    magnitude = np.exp2(rng.uniform(1, 30.99, count))
    accumulators = (magnitude * rng.choice([-1, 1], count)).astype(np.int32)
    halves = rng.integers(-300, 300, count) + 0.5
    scales = (halves / accumulators).astype(np.float32).view(np.int32) + rng.integers(-1, 2, count)
    return accumulators, np.zeros(count, np.int32), scales.astype(np.int32).view(np.float32)


def near_significands(rng: np.random.Generator, count: int) -> Cases:
    """Sums next to a tie of the conversion to binary32, with powers of two as scales: exact ties of the last rounding too."""
    top = rng.integers(1 << 23, 1 << 24, count)
    shift = rng.integers(0, 8, count)
    near = (top << shift) + ((1 << shift) >> 1) + rng.integers(-1, 2, count)
    accumulators = (near * rng.choice([-1, 1], count)).clip(-(2**31), 2**31 - 1).astype(np.int32)
    scales = np.exp2(rng.integers(-26, -14, count)).astype(np.float32)
    return accumulators, np.zeros(count, np.int32), scales


def extremes(rng: np.random.Generator, count: int) -> Cases:
    """Sums and scales at the ends of their ranges, in every combination."""
    sums = np.array(
        [0, 1, -1, 2**31 - 1, -(2**31), -(2**31) + 1, 2**24, 2**24 + 1, -(2**24) - 1, 255, -128], np.int64
    )
    patterns = [
        0,
        1,
        0x7FFFFF,
        0x800000,
        0x7F7FFFFF,
        0x7F800000,
        0x7FC00000,
        0x7F800001,
        0x3F800000,
        0x3F000000,
        0x2F800000,
    ]
    scales = np.array([*patterns, *(pattern | 0x80000000 for pattern in patterns)], np.uint32).view(
        np.float32
    )
    biases = rng.choice(np.array([0, 1, -1, 2**31 - 1, -(2**31)], np.int64), count)
    accumulators = rng.choice(sums, count) - biases
    wrapped = ((accumulators + 2**31) % 2**32 - 2**31).astype(np.int32)
    return wrapped, biases.astype(np.int32), rng.choice(scales, count)


MAKERS: tuple[Maker, ...] = (
    any_bits,
    ordinary,
    near_ties,
    near_significands,
    extremes,
)


def count_differences(lane: ctypes.CDLL, maker: Maker, seed: int, count: int) -> int:
    """Differences between RTL and NumPy in `count` cases of one kind."""
    rng = np.random.default_rng([seed, MAKERS.index(maker)])
    cases = maker(rng, count)
    low, high, dtype = _BOUNDS[seed % len(_BOUNDS)]
    zero_point = int(rng.integers(-128, 256))
    accumulators, biases, scales = cases
    expected = requantise(accumulators, scales, zero_point, dtype, bias=biases, clamp=(low, high)).view(
        np.uint8
    )
    found = run_lane(lane, cases, zero_point, low, high)
    return int(np.count_nonzero(found != expected))


def main(total: int = 10_000_000) -> int:
    """Run `total` cases, all kinds in turn; 1 if any differs."""
    lane = build_lane()
    blocks = -(-total // BLOCK)
    wrong = sum(count_differences(lane, MAKERS[block % len(MAKERS)], block, BLOCK) for block in range(blocks))
    print(f"requantise: {blocks * BLOCK:,} cases, {wrong} differ from NumPy")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
