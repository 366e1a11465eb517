"""Speed of the simulator where there is little to multiply: a scalar-heavy program, 10,000 short launches; and memory over cycles:
`python -m benchmarks.programs`. CPU seconds, warm, all checks on."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from functools import partial

import numpy as np

from accelkit.assembler import assemble
from accelkit.isa.machine import load_machine
from accelkit.isa.program import Program
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.plan import Plan, Quantised, Requantisation
from accelkit.simulator import Mode, Session
from benchmarks.row import Row, least_first_seconds, least_seconds, print_rows

MACHINE = load_machine("edge-16")
LOOPS, LAUNCHES = 250_000, 10_000
GROWTH_BAR = 1  # MiB
SCALAR = """
        .arg    count, value
        larg    t0, args[count]
        li      t1, 1
loop:   mul     t2, t1, t0
        add     t1, t1, t2
        addi    t0, t0, -1
        bnez    t0, loop
        halt
"""


def scalar_program() -> Program:
    """Four scalar instructions a turn."""
    return assemble(SCALAR, "scalar.s")


def short_launch(mode: Mode = Mode.FULL) -> PlacedPlan:
    """A product of 8x16x16."""
    b = np.ones((16, 16), np.int8)
    case = GemmCase(8, 16, 16, Quantised(np.int8), Quantised(np.int8), Requantisation(np.int8, 0, np.float32(0.01)), b)
    plan = plan_gemm(MACHINE, case)
    assert isinstance(plan, Plan), plan
    placed = place(Session(MACHINE, mode=mode), plan, "short")
    placed.write("a", np.ones((8, 16), np.int8))
    placed.launch()
    return placed


def peak_mib() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows() -> Iterator[Row]:
    """Seconds, per instruction and launch too, and what a hundred times the cycles add to memory."""
    session, program = Session(MACHINE), scalar_program()
    session.launch(program, [LOOPS // 10])
    seconds = least_first_seconds(lambda: partial(Session(MACHINE).launch, program, [LOOPS]))
    per = 1e9 * seconds / (4 * LOOPS)
    yield Row(f"scalar program of {4 * LOOPS:,} instructions", MACHINE.name, seconds, "s", "ns an instruction", per)
    before = peak_mib()
    cycles = session.launch(program, [10 * LOOPS]).cycles
    yield Row(f"memory that {cycles:,} cycles add", MACHINE.name, peak_mib() - before, "MiB", bar=f"figure <= {GROWTH_BAR}")
    placed = short_launch()

    def launches() -> None:
        for _ in range(LAUNCHES):
            placed.launch()

    seconds = least_seconds(launches, 3)
    yield Row(f"{LAUNCHES:,} launches of an 8x16x16 product", MACHINE.name, seconds, "s", "us a launch", 1e6 * seconds / LAUNCHES)


if __name__ == "__main__":
    print_rows(rows())
