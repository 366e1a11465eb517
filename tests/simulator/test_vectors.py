"""The operations on vectors: as this CPU has them, as one without AVX-512 has them, and in NumPy where the JIT is off."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array

CASES = 400
RESULTS = 7


@entry
def compute(words: Array, reals: Array, results: Array) -> None:
    """Each operation on vectors at three places, to rows of results."""
    for case in range(CASES):
        x, y, z = _three(words, case)
        a, b, c = _three(reals, case)
        r, s, t = v.as_reals(a), v.as_reals(b), v.as_reals(c)
        place = RESULTS * v.WORD_BYTES * case
        v.put_words(results, place, v.dot(x, y, z))
        v.put_words(results, place + 64, v.smaller(x * y, v.larger(y - z, x + z)) & v.below(case % 18) | z)
        v.put_words(results, place + 128, v.as_words(v.unless_nan(v.fused(r, s, t), r, v.real(0.5))))
        v.put_words(results, place + 192, v.as_words(v.to_reals(x) * v.to_reals(y) / v.to_reals(z)))
        bounded = v.larger(v.smaller(v.unless_nan(r, r, s), v.real(1000)), v.real(-1000))
        v.put_words(results, place + 256, v.to_words(v.whole(v.unless_nan(bounded, bounded, v.real(0)))))
        v.put_words(results, place + 320, v.signed_bytes(words, 5 * case) + v.unsigned_bytes(words, 3 * case))
        v.put_words(results, place + 384, v.word_everywhere(words, case) ^ v.number(case))
        if v.has_negative(x | v.number(1)):
            v.put_bytes(results, place + 384, y)


@njit
def _three(memory: Array, case: int) -> tuple[v.Vector, v.Vector, v.Vector]:
    first = 3 * v.WORD_BYTES * case
    return v.words(memory, first), v.words(memory, first + v.WORD_BYTES), v.words(memory, first + 2 * v.WORD_BYTES)


def outcome() -> npt.NDArray[np.int32]:
    """All results of seeded inputs: extreme words, and binary32 numbers with ties, subnormals, infinities and NaN."""
    rng = np.random.default_rng(7)
    words = rng.integers(-(1 << 31), 1 << 31, 3 * v.WIDTH * CASES).astype(np.int32)
    words[rng.random(words.size) < 0.1] = rng.choice([-(1 << 31), (1 << 31) - 1, -1, 1, 0x7F7F7F7F, 128])
    reals = (rng.normal(0, 1, words.size) * 10.0 ** rng.integers(-42, 30, words.size)).astype(np.float32)
    reals[rng.random(words.size) < 0.2] = 2.5
    reals[rng.random(words.size) < 0.02] = np.inf
    reals[rng.random(words.size) < 0.02] = np.nan
    results = np.zeros((CASES, RESULTS, v.WIDTH), np.int32)
    with np.errstate(all="ignore"):
        compute(words, reals, results)
    return results


@pytest.mark.parametrize(
    "settings",
    [
        {"NUMBA_DISABLE_JIT": "1"},
        pytest.param(
            {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""},
            marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="a name of an x86 CPU"),
        ),
    ],
)
def test_operations_are_the_same_on_other_cpus_and_without_the_jit(settings: dict[str, str], tmp_path: Path) -> None:
    """400 x 16 lanes of each, bit by bit but for which NaN a NaN is."""
    file = tmp_path / "results.npy"
    code = f"import numpy; from tests.simulator.test_vectors import outcome; numpy.save({str(file)!r}, outcome())"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **settings, "PYTHONPATH": str(Path.cwd())})
    there, here = np.load(file), outcome()
    is_nan = np.isnan(there.view(np.float32)) & np.isnan(here.view(np.float32))
    is_nan[:, [0, 1, 4, 5, 6]] = False
    np.testing.assert_array_equal(np.where(is_nan, 0, there), np.where(is_nan, 0, here))
