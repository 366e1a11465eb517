"""The kernel suite on simulator and RTL, launch by launch: `python -m tests.rtl.kernels [machine ...]` prints a table."""

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import Refusal
from accelkit.simulator.rtl.verify import VerifyingSession
from tests.kernels.machines import NAMED
from tests.kernels.suite import KERNELS, case_of

LARGEST = 32  # PEs of an array's side: larger ones take the verilated RTL too long
MACHINES = {machine.name: machine for machine in NAMED if machine.array_rows <= LARGEST}
CASES = 24  # of each kernel on each machine


@dataclass
class Outcome:
    """What came of some cases: launches that agree, their RTL cycles, cases refused, and where simulator and RTL differ, or the result
    isn't the expected one."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def verify(kernel: str, numbers: range, machine: Machine) -> Outcome:
    """Run a kernel's cases on both sides."""
    outcome = Outcome()
    for number in numbers:
        case = case_of(kernel, number, machine)
        if isinstance(case, Refusal):
            outcome.counts["refused"] += 1
            continue
        session = VerifyingSession(machine)
        found, launch = case.launch(session)
        outcome.counts["launches"] += len(session.verifications)
        outcome.counts["cycles"] += launch.cycles
        name = f"{kernel}, case {number} on {machine.name}"
        outcome.differences += [f"{name}: {one}" for one in session.verifications if one.difference or not one.is_compared]
        if not np.array_equal(found, case.run.want()):
            outcome.differences.append(f"{name}: wrong result")
    return outcome


def main(names: list[str]) -> int:
    """Print a row for each kernel and the differences; 1 if there are any."""
    differences: list[str] = []
    print(f"| kernel ({CASES} cases) | machine | launches | cycles | refused | differences |\n|---|---|---|---|---|---|")
    for kernel in KERNELS:
        for name in names or MACHINES:
            outcome = verify(kernel, range(CASES), MACHINES[name])
            counts = [outcome.counts[what] for what in ("launches", "cycles", "refused")]
            print(f"| {kernel} | {name} |", *(f"{count:,} |" for count in counts), f"{len(outcome.differences)} |", flush=True)
            differences += outcome.differences
    print(*differences, sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
