"""The kernel suite: for each kernel a fixed, seeded list of cases with results that something else than the kernel gives.

Every named machine runs it on the simulator (`test_suite.py`), those of up to 32x32 on the RTL, too (`tests/rtl/test_kernels.py`).
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import Plan, Refusal
from tests.kernels import suite_moves, suite_products, suite_vector
from tests.kernels.suite_draw import Draw, Run

KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    **suite_products.KERNELS,
    **suite_vector.KERNELS,
    **suite_moves.KERNELS,
}


@dataclass(frozen=True)
class Taken:
    """A case that the planner has taken."""

    plan: Plan
    run: Run


def case_of(kernel: str, number: int, machine: Machine) -> Taken | Refusal:
    """A kernel's case `number`, the same on every machine, as the machine's planner takes it; or why it doesn't."""
    seed = zlib.crc32(kernel.encode()) + number
    run = KERNELS[kernel](machine, Draw(np.random.default_rng(seed)))
    return run.plan if isinstance(run.plan, Refusal) else Taken(run.plan, run)
