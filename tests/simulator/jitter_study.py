"""Random programs under delays of many seeds against the checker: `python -m tests.simulator.jitter_study` (`make stress`).

A program is *shown racy* by jitter if any seed leaves other memories than the machine itself, or ends otherwise. The claim is that the
checker, in its one run without delays, refuses every such program for order: a race, or unordered use of a bank. Times and races do not
depend on data, so that the question is asked of instructions without their values, in memories that count as written, with all of DRAM
as one buffer: no overflow, no read of what nothing wrote and no access outside buffers comes before.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.simulator import Session, descriptors
from accelkit.simulator.core import check
from accelkit.simulator.core import state as st
from accelkit.simulator.generator import Case, generate
from accelkit.simulator.observe import Ending
from accelkit.simulator.result import Verdict
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import launch, prepare

SEEDS = range(1, 21)
COUNTS = {"racy": 2400, "careless": 400, "port_fault": 400, "race_free": 1000}
"""Programs of each kind: half of the conflicts unordered; a few of everything missing; banks unordered; none."""
_FIRST = 5_000_000  # number of the first program: other ones than those of other tests


@dataclass
class Study:
    """What was found. `missed` names programs that jitter shows racy and the checker does not, or race-free ones that change."""

    programs: int = 0
    racy: Counter[str] = field(default_factory=Counter)  # programs that the checker refuses for order, by kind
    shown: Counter[str] = field(default_factory=Counter)  # programs that some seed changes, by kind
    firsts: Counter[str] = field(default_factory=Counter)  # what a plain checked run says first of those
    missed: list[str] = field(default_factory=list)

    @property
    def differing(self) -> int:
        """Programs that some seed changes."""
        return sum(self.shown.values())


def study(counts: Mapping[str, int]) -> Study:
    """So many programs of each kind, on all machines in turn."""
    found = Study()
    names = list(MACHINES)
    for kind, count in counts.items():
        for number in range(count):
            case = generate(MACHINES[names[number % len(names)]], kind, _FIRST + number)
            found.programs += 1
            is_refused = _is_refused(case)
            is_changed = _is_changed(case)
            found.racy[kind] += is_refused
            found.shown[kind] += is_changed
            if is_changed:
                plain = launch(prepare(case, is_checking=True), case)
                found.firsts[plain.fault.fault.name if plain.fault else plain.verdict.value] += 1
            if (is_changed and not is_refused) or (kind == "race_free" and (is_changed or is_refused)):
                found.missed.append(f"generate({case.machine.name}, {kind!r}, {case.seed})")
    return found


class _OrderCheck:
    """An observer that asks the checker about instructions in order of issue, and executes none."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.is_at_fault = False

    def begin(self, machine: Machine, program: Program) -> None:
        self._config = descriptors.config(machine)

    def see(self, launch: st.Launch) -> None:
        for index in range(int(launch.timing.chunk_count)):
            if not self.is_at_fault:
                arguments = self._config, descriptors.rows(), self._session.shadow, launch.chunk[index], index
                self.is_at_fault = check.check(*arguments)

    def end(self, ending: Ending) -> None:
        """Nothing to do."""


def _is_refused(case: Case) -> bool:
    """Whether the checker, or a bank's port, finds an order that lacks in the run without delays."""
    session = Session(case.machine, check=False)
    session.declare("dram", 0, case.machine.dram_bytes)
    session.write(0, np.zeros(case.machine.dram_bytes, np.uint8))
    session.shadow.scratchpad_written[:] = True
    session.shadow.accumulator_written[:] = True
    observer = _OrderCheck(session)
    session.observers = (observer,)
    result = launch(session, case)
    return observer.is_at_fault or result.verdict is Verdict.PORT_FAULT


def _is_changed(case: Case) -> bool:
    """Whether any seed leaves other memories, or another verdict, than the machine."""
    expected = _ending(case, 0)
    return any(_ending(case, seed) != expected for seed in SEEDS)


def _ending(case: Case, seed: int) -> tuple[Verdict, Fault | None, bytes]:
    session = prepare(case, is_checking=False)
    session.jitter = seed
    result = launch(session, case)
    left = b""
    if result.verdict is not Verdict.PORT_FAULT:  # it leaves memories unspecified
        left = b"".join(memory.tobytes() for memory in (session.memories.scratchpad, session.memories.accumulator, session.memories.dram))
    return result.verdict, result.fault.fault if result.fault else None, left


def main() -> int:
    """The whole study; 1 if the checker missed anything."""
    found = study(COUNTS)
    print(f"{found.programs} programs x {len(SEEDS)} seeds")
    for kind in COUNTS:
        print(f"  {kind:<11} {COUNTS[kind]:>5} programs; {found.racy[kind]:>4} refused for order; {found.shown[kind]:>4} changed by a seed")
    firsts = ", ".join(f"{name} {count}" for name, count in sorted(found.firsts.items()))
    print(f"  what a plain checked run says of those that a seed changes: {firsts}")
    print(f"  missed by the checker: {len(found.missed)}")
    for text in found.missed:
        print(f"    {text}")
    return 1 if found.missed else 0


if __name__ == "__main__":
    sys.exit(main())
