"""The kernel suite: for each kernel a fixed, seeded list of cases with results that something else than the kernel gives.

Every named machine runs it on the simulator (`test_suite.py`), those of up to 32x32 on the RTL, too (`tests/rtl/test_kernels.py`).
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.launch import place
from accelkit.kernels.plan import Plan, Refusal
from accelkit.simulator import LaunchResult, Session
from tests.kernels import suite_epilogues, suite_moves, suite_products, suite_vector
from tests.kernels.suite_draw import Draw, Run
from tests.reference.quantised import Array

KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    **suite_products.KERNELS,
    **suite_epilogues.KERNELS,
    **suite_vector.KERNELS,
    **suite_moves.KERNELS,
}


@dataclass(frozen=True)
class Taken:
    """A case that the planner has taken."""

    plan: Plan
    run: Run


    def launch(self, session: Session) -> tuple[Array, LaunchResult]:
        """The result, and what the launch cost."""
        plans = [self.plan] if self.run.first is None else [self.run.first, self.plan]
        for number, plan in enumerate(plans):
            placed = place(session, plan, f"plan{number}")
            for name, tensor in self.run.inputs.items():
                if any(buffer.name == name for buffer in plan.buffers):
                    placed.write(name, tensor)
            launch = placed.launch()
        return placed.read(), launch


def case_of(kernel: str, number: int, machine: Machine) -> Taken | Refusal:
    """A kernel's case `number`, the same on every machine, as the machine's planner takes it; or why it doesn't."""
    seed = zlib.crc32(kernel.encode()) + number
    run = KERNELS[kernel](machine, Draw(np.random.default_rng(seed)))
    return run.plan if isinstance(run.plan, Refusal) else Taken(run.plan, run)
