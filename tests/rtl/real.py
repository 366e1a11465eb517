"""Instructions that compute in binary32, on the RTL and on the simulator, with operands that bring results next to ties between
integers. `python -m tests.rtl.real [launches]` runs many (`make verify`)."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from accelkit.assembler import assemble
from accelkit.simulator import Session
from accelkit.simulator.rtl.run import Memories, Rtl, rtl_of
from tests.rtl.lockstep import MACHINES
from tests.simulator.vector_instruction import source_of

MACHINE = MACHINES["odd-6"]
ROWS = 20  # of results; sources lie behind them
Operands = dict[str, int]
SPECIAL = (0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x3F800000, 0x3F000000, 0x2F800000)


def bits(number: float | np.float32) -> int:
    """The pattern of a binary32 number."""
    with np.errstate(over="ignore"):
        return int(np.float32(number).view(np.uint32))


def _scale(rng: np.random.Generator, wanted: float) -> int:
    """The pattern of a scale: mostly near `wanted`, sometimes extreme or any bits."""
    style = rng.random()
    if style < 0.1:
        return int(rng.choice(SPECIAL)) | int(rng.integers(0, 2)) << 31
    if style < 0.2:
        return int(rng.integers(0, 1 << 32))
    return (bits(wanted) + int(rng.integers(-1, 2))) & 0xFFFFFFFF


def _add(rng: np.random.Generator, memories: Memories) -> Operands:
    """Offsets that bring the sum of one pair of bytes next to a tie."""
    left, right = (int(byte) for byte in memories.scratchpad[[ROWS, 2 * ROWS], 0].view(np.int8))
    scales = [float(np.float32(rng.choice([rng.uniform(-2, 2), 2.0 ** rng.integers(-6, 2), 1e-40, 2.0**-26]))) for _ in "ab"]
    offset = rng.integers(-120, 120) + 0.5 - left * scales[0] - right * scales[1]
    patterns = {"left_scale": bits(scales[0]), "right_scale": bits(scales[1]), "offset": _scale(rng, offset)}
    if rng.random() < 0.2:  # infinite scales meet zeros
        patterns = {name: int(rng.choice(SPECIAL)) if rng.random() < 0.5 else _scale(rng, 1.0) for name in patterns}
    return {"left": ROWS, "right": 2 * ROWS, **patterns}


def _multiply(rng: np.random.Generator, memories: Memories) -> Operands:
    """Scales that bring the product of one pair next to a tie."""
    zero_points = [int(zp) for zp in rng.integers(-128, 128, 2)]
    left, right = (int(byte) for byte in memories.scratchpad[[ROWS, 2 * ROWS], 0].view(np.int8))
    product = (left - zero_points[0]) * (right - zero_points[1]) or 1
    scale = _scale(rng, (rng.integers(-120, 120) + 0.5) / product)
    zero_point = int(rng.integers(-128, 128))
    return {
        "left": ROWS,
        "right": 2 * ROWS,
        "left_zp": zero_points[0],
        "right_zp": zero_points[1],
        "scale": scale,
        "zp": zero_point,
    }


def _quantise(rng: np.random.Generator, memories: Memories) -> Operands:
    """Numbers that are next to a tie after the division."""
    scale = np.array([_scale(rng, float(np.exp2(rng.uniform(-10, 10))))], np.uint32).view(np.float32)[0]
    shape = memories.accumulator[:ROWS].shape
    with np.errstate(all="ignore"):
        halves = ((rng.integers(-300, 300, shape) + 0.5) * scale).astype(np.float32)
    near = halves.view(np.int32).astype(np.int64) + rng.integers(-1, 2, shape)
    anything = rng.integers(-(2**31), 2**31, shape)
    chosen = np.where(rng.random(shape) < 0.8, near, anything)
    memories.accumulator[:ROWS] = ((chosen + 2**31) % 2**32 - 2**31).astype(np.int32)
    return {"acc": 0, "scale": bits(scale), "zp": int(rng.integers(-128, 128))}


def _dequantise(rng: np.random.Generator, memories: Memories) -> Operands:
    """Any scale."""
    return {"sp": ROWS, "acc": 0, "scale": _scale(rng, rng.uniform(-1, 1)), "zp": int(rng.integers(-128, 128))}


MAKERS: dict[str, Callable[[np.random.Generator, Memories], Operands]] = {
    "add.b": _add,
    "multiply.b": _multiply,
    "quantise": _quantise,
    "dequantise": _dequantise,
}


def count_differences(rtl: Rtl, mnemonic: str, seed: int, launches: int) -> int:
    """Bytes and words that differ in so many launches of one instruction."""
    rng = np.random.default_rng([seed, list(MAKERS).index(mnemonic)])
    wrong = 0
    session = Session(MACHINE, check=False)
    for _ in range(launches):
        memories = Memories.zero(MACHINE)
        memories.scratchpad[:] = rng.integers(0, 256, memories.scratchpad.shape)
        operands = {"sp": 0, **MAKERS[mnemonic](rng, memories), "rows": ROWS, "min": -128, "max": 127}
        if mnemonic == "dequantise":
            operands = {name: operands[name] for name in operands if name not in ("min", "max")}
        program = assemble(source_of(mnemonic, operands, {}))
        session.memories.scratchpad[:] = memories.scratchpad
        session.memories.accumulator[:] = memories.accumulator
        session.launch(program)
        rtl.run(program.words, [], memories, 100_000)
        pairs: list[tuple[NDArray[np.generic], NDArray[np.generic]]] = [
            (session.memories.scratchpad, memories.scratchpad),
            (session.memories.accumulator, memories.accumulator),
        ]
        wrong += sum(int(np.sum(mine != theirs)) for mine, theirs in pairs)
    return wrong


def main(launches: int = 20_000) -> int:
    """Run so many launches of each instruction; 1 if any differs."""
    rtl = rtl_of(MACHINE)
    found = {name: count_differences(rtl, name, 1, launches) for name in MAKERS}
    results = launches * ROWS * MACHINE.lanes
    for name, wrong in found.items():
        print(f"{name}: {results:,} results, {wrong} differ between simulator and RTL")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
