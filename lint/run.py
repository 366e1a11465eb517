"""Cases run: the sequencer's trace, and the schedule that follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from accelkit.lint.cases import Setup
from accelkit.lint.effort import Effort
from accelkit.lint.schedule import Schedule, schedule
from accelkit.lint.sequencer import End, Sequencer, Trace
from accelkit.lint.words import Code


@dataclass
class Run:
    """A case with its trace and its schedule."""

    setup: Setup
    trace: Trace
    made: Schedule

    @property
    def has_ended(self) -> bool:
        """Whether it halts: everything dispatched and issued."""
        return self.trace.end is End.HALT and not self.made.is_deadlock


def run_cases(code: Code, setups: Sequence[Setup], effort: Effort) -> list[Run]:
    """The trace and the schedule of each case, as far as the effort goes."""
    runs = []
    for setup in setups:
        trace = Sequencer(code, setup.arguments, setup.machine).run(effort.left)
        effort.take(trace.steps)
        runs.append(Run(setup, trace, schedule(trace, setup.machine.queue_depth)))
    return runs
