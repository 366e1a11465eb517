"""What the checker and the observers cost: `python -m benchmarks.observers`, CPU seconds of a gemm's launch, in one process.

The least of some first launches of a session of each, which take turns, so that a busy computer slows down all alike.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import place
from accelkit.kernels.plan import Plan, Quantised, Requantisation
from accelkit.simulator import LaunchResult, Session
from accelkit.simulator.account import Account
from accelkit.simulator.observe import Observer
from accelkit.simulator.sanitiser.dead_stores import DeadStores
from benchmarks.row import Row

EDGE = load_machine("edge-16")
SIZE = 512
RUNS = 9
PLAIN, CHECKED = "no checks", "checks (default)"
BARS = {CHECKED: "ratio <= 1.2"}
WAYS: dict[str, tuple[bool, Callable[[], list[Observer]]]] = {
    PLAIN: (False, list),
    CHECKED: (True, list),
    "checks, cycles by line": (True, lambda: [Account()]),
    "checks, dead stores": (True, lambda: [DeadStores()]),
}


def measure() -> tuple[LaunchResult, dict[str, float]]:
    """A launch's result, and CPU seconds of each way."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-128, 128, (2, SIZE, SIZE)).astype(np.int8)
    y = Requantisation(np.int8, 3, np.full(SIZE, 1e-3, np.float32), np.zeros(SIZE, np.int32))
    plan = plan_gemm(EDGE, GemmCase(SIZE, SIZE, SIZE, Quantised(np.int8, 5), Quantised(np.int8, -3), y, b))
    assert isinstance(plan, Plan)
    least = dict.fromkeys(WAYS, float("inf"))
    for _ in range(RUNS):
        for name, (is_checking, observers) in WAYS.items():
            placed = place(Session(EDGE, is_checking, observers()), plan, "gemm")
            placed.write("a", a)
            start = time.process_time()
            result = placed.launch()
            least[name] = min(least[name], time.process_time() - start)
    return result, least


def rows() -> Iterator[Row]:
    """CPU seconds of each way, against a launch without checks."""
    _, least = measure()
    for name, seconds in least.items():
        ratio = seconds / least[PLAIN]
        yield Row(f"gemm {SIZE}x{SIZE}x{SIZE}, {name}", "edge-16", seconds, "s", "x the time without checks", ratio, BARS.get(name, ""))


def main() -> None:
    """Print seconds, and times of the least."""
    result, least = measure()
    print(f"gemm {SIZE}x{SIZE}x{SIZE} on edge-16: {result.instructions:,} instructions, {result.cycles:,} cycles")
    for name, seconds in least.items():
        print(f"  {name:24} {1e3 * seconds:7.1f} ms  x {seconds / least[PLAIN]:.2f}")


if __name__ == "__main__":
    main()
