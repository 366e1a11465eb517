"""Observers of launches: they are shown every dispatch and every issued instruction while a launch runs, and change nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.simulator.core import state as st


@dataclass(frozen=True)
class Ending:
    """How a launch ended. `is_complete` unless a port or checker fault cut it short, where sums up to `cycles` mean nothing. `label` is
    what the session's user said it was for."""

    launch: st.Launch
    cycles: int
    is_complete: bool
    label: str = ""


class Observer(Protocol):
    """Is shown each launch of a session from beginning to end. One that has an attribute `sees_scalars` which is False can do without the
    dispatches that did not wait, which are most of a program: the launch costs less if all of its observers can."""

    def begin(self, machine: Machine, program: Program) -> None:
        """A launch begins."""

    def see(self, launch: st.Launch) -> None:
        """Dispatches `launch.log[:timing.log_count]` (if no observer sees scalars: those that waited) and, in order of issue, instructions
        `launch.chunk[:timing.chunk_count]`, each of them once. Both arrays are used again afterwards."""

    def end(self, ending: Ending) -> None:
        """The launch has ended."""


def sees_scalars(observers: Sequence[Observer]) -> bool:
    """Whether one of them has to be shown every dispatch."""
    return any(getattr(observer, "sees_scalars", True) for observer in observers)
