"""How long `accel-sim run` of a small kernel takes, all included, on the wall clock and in CPU time: `python -m benchmarks.start`.

Whole processes. Warm: bytecode and compiled core are there. Cold: an empty cache, so the core is compiled first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.assembler import cpu_seconds
from benchmarks.row import Row, print_rows

WARM_BAR, COLD_BAR = 0.7, 20  # seconds, at most
REPEATS = 5
M, K, N = 50, 7, 5


def command(folder: Path) -> list[str | Path]:
    """A run of the smallest kernel; its files are written into `folder`."""
    scripts = Path(sys.executable).parent
    np.save(folder / "a.npy", np.ones((M, K), np.int8))
    np.save(folder / "b.npy", np.ones((K, N), np.int8))
    source = Path(__file__).parents[1] / "examples" / "matmul.s"
    subprocess.run([scripts / "accel-as", source, "-o", folder / "matmul.elf"], check=True)
    sizes = [part for name, value in (("M", M), ("K", K), ("N", N)) for part in ("--arg", f"{name}={value}")]
    files = ["--in", f"a={folder / 'a.npy'}", "--in", f"b={folder / 'b.npy'}", "--out", f"c={folder / 'c.npy'}"]
    return [scripts / "accel-sim", "run", folder / "matmul.elf", *sizes, *files]


def wall_seconds(run: list[str | Path]) -> float:
    """The least time of a command by the clock on the wall."""
    best = float("inf")
    for _ in range(REPEATS):
        started = time.monotonic()
        subprocess.run(run, check=True, capture_output=True)
        best = min(best, time.monotonic() - started)
    return best


def rows() -> Iterator[Row]:
    """Warm and cold."""
    with tempfile.TemporaryDirectory() as name:
        run = command(Path(name))
        cpu_seconds(run)  # fills the caches
        python = cpu_seconds([sys.executable, "-c", "import numba"], REPEATS)
        warm = cpu_seconds(run, REPEATS)
        yield Row("accel-sim run matmul.elf, warm", "edge-16", wall_seconds(run), "s wall", bar=f"figure <= {WARM_BAR}")
        yield Row("accel-sim run matmul.elf, warm, CPU", "edge-16", warm, "s", "x import numba", warm / python)
        with patch.dict(os.environ, ACCELKIT_CACHE=str(Path(name) / "cache")):
            started = time.monotonic()
            cold = cpu_seconds(run)
            clock = time.monotonic() - started
        yield Row("accel-sim run matmul.elf, cold", "edge-16", clock, "s wall", bar=f"figure <= {COLD_BAR}")
        yield Row("accel-sim run matmul.elf, cold, CPU of all processes", "edge-16", cold, "s")


if __name__ == "__main__":
    print_rows(rows())
