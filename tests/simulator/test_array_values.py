"""Preloads and runs as the core executes them, against the same sums in NumPy: every width, walk, signedness and zero point."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pytest

from accelkit.isa.machine import load_machine
from accelkit.simulator import descriptors
from accelkit.simulator.core import array, memories, weights
from accelkit.simulator.core import generated as g
from accelkit.simulator.core.jit import entry

ROWS = 96  # of both memories
EDGE = descriptors.config(load_machine("edge-16"))._replace(scratchpad_rows=ROWS, accumulator_rows=ROWS, dram_bytes=16)
PRELOAD, RUN = entry(weights.preload), entry(array.run)
WIDTHS = (2, 6, 8, 16, 17, 32, 48, 128)
EXTREME = 1 << 31


def slots(**values: int) -> npt.NDArray[np.int64]:
    """Captured operands by the names of their slots."""
    captured = np.zeros(g.SLOTS, np.int64)
    for name, value in values.items():
        captured[getattr(g, f"SLOT_{name}")] = value
    return captured


def numbers(rows: npt.NDArray[np.uint8], is_unsigned: bool) -> npt.NDArray[np.int64]:
    """Bytes as the numbers that they stand for."""
    return (rows if is_unsigned else rows.view(np.int8)).astype(np.int64)


class Reference:
    """The array in exact integers."""

    def __init__(self, scratchpad: npt.NDArray[np.uint8], accumulator: npt.NDArray[np.int32]) -> None:
        self.scratchpad, self.accumulator = scratchpad, accumulator.astype(np.int64)
        self.weights = np.zeros((scratchpad.shape[1],) * 2, np.int64)

    def preload(self, flags: int, o: Mapping[str, int]) -> None:
        """The weights for the next run."""
        is_transposed = bool(flags & g.FLAG_PRELOAD_TRANSPOSED)
        lines, lanes = (o["COLUMNS"], o["ROWS"]) if is_transposed else (o["ROWS"], o["COLUMNS"])
        places = o["SP"] + np.arange(lines) * o["STEP"]
        block = numbers(self.scratchpad[places], bool(flags & g.FLAG_PRELOAD_U8))[:, :lanes] - o["ZP"]
        self.weights[:] = 0
        self.weights[: o["ROWS"], : o["COLUMNS"]] = block.T if is_transposed else block

    def run(self, flags: int, o: Mapping[str, int]) -> bool:
        """Row after row; True if a sum left 32 bits."""
        has_wrapped = False
        for plane in range(o["PLANES"]):
            for row in range(o["ROWS"]):
                source = o["SP"] + plane * o["PLANE_STEP"] + row * o["STEP"]
                target = o["ACC"] + plane * o["ACC_PLANE_STEP"] + row * o["ACC_STEP"]
                x = numbers(self.scratchpad[source], bool(flags & g.FLAG_RUN_U8)) - o["ZP"]
                before = self.accumulator[target] if flags & g.FLAG_RUN_ACCUMULATE else 0
                total = before + x @ self.weights
                self.accumulator[target] = (total + EXTREME) % (2 * EXTREME) - EXTREME
                has_wrapped |= bool((self.accumulator[target] != total).any())
        return has_wrapped


@pytest.mark.parametrize("width", WIDTHS)
def test_random_instructions_give_the_sums_of_exact_integers(width: int) -> None:
    """40 random pairs of a preload and a run: equal accumulators, and an overflow is told exactly where one happens."""
    rng = np.random.default_rng(width)
    mine = memories.make(EDGE._replace(lanes=width, array_columns=width))
    mine.scratchpad[:] = rng.choice(np.array([0, 1, 127, 128, 129, 255, *rng.integers(0, 256, 26)], np.uint8), (ROWS, width))
    near = rng.choice([-EXTREME, EXTREME - 1], (ROWS, width)) // rng.choice([1, 1 << 12], (ROWS, 1))
    mine.accumulator[:] = near
    reference = Reference(mine.scratchpad, mine.accumulator)
    overflows = 0
    for _ in range(40):
        of_weights, of_run = int(rng.integers(4)), int(rng.integers(4))
        u8 = bool(of_weights & g.FLAG_PRELOAD_U8)
        high = width if width < ROWS else ROWS // 2
        weights = {"ROWS": int(rng.integers(1, high + 1)), "COLUMNS": int(rng.integers(1, high + 1))}
        weights |= {"SP": int(rng.integers(0, ROWS - high + 1)), "STEP": int(rng.integers(0, 2))}
        weights["ZP"] = int(rng.choice([0, 0, 1, 255] if u8 else [0, 0, 1, -128, 127]))
        PRELOAD(mine, of_weights, slots(**{f"PRELOAD_{name}": value for name, value in weights.items()}))
        reference.preload(of_weights, weights)
        walk = {"ROWS": int(rng.integers(1, 8)), "PLANES": int(rng.integers(1, 4)), "SP": 48, "ACC": 48}
        walk |= {name: int(rng.integers(-5, 6)) for name in ("STEP", "ACC_STEP")}
        walk |= {name: int(rng.integers(-6, 7)) for name in ("PLANE_STEP", "ACC_PLANE_STEP")}
        walk["ZP"] = int(rng.integers(0, 256)) if of_run & g.FLAG_RUN_U8 else int(rng.integers(-128, 128))
        told = RUN(mine, of_run, slots(**{f"RUN_{name}": value for name, value in walk.items()}))
        has_wrapped = reference.run(of_run, walk)
        np.testing.assert_array_equal(mine.accumulator, reference.accumulator)
        np.testing.assert_array_equal(memories.weights(mine), reference.weights)
        assert told == has_wrapped
        overflows += has_wrapped
    assert 0 < overflows < 40
