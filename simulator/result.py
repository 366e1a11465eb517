"""What a launch gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.faults import Fault
from accelkit.isa.row import Memory
from accelkit.isa.units import CycleClass, SequencerClass, Unit
from accelkit.simulator.read_only import ReadOnly
from accelkit.simulator.sanitiser.detail import Detail


class Verdict(Enum):
    """How a launch ended."""

    HALTED = "halted"
    DISPATCH_FAULT = "dispatch fault"
    PORT_FAULT = "port fault"
    CHECKER_FAULT = "checker fault"
    DEADLOCK = "deadlock"
    BOUND = "cycle bound"


@dataclass(frozen=True)
class FaultReport:
    """Where a launch went wrong; `cycle` is that of the dispatch (dispatch faults, token leaks) or of the issue. Checker and port faults
    have a `detail`."""

    fault: Fault
    pc: int
    cycle: int
    detail: Detail | None = None


@dataclass(frozen=True)
class Traffic:
    """Bytes that instructions read from and wrote to a memory: whole rows on chip, in DRAM what the instructions ask for."""

    read: int
    written: int


@dataclass(frozen=True)
class LaunchResult:
    """Cycles and verdict of a launch, and what it moved. Launches may share it: its dictionaries can't be changed.

    `units[unit][cycle class]` are cycles and add up to `cycles` for each unit, as does `sequencer`. `trace` (if asked for) has a row
    (pc, dispatch, issue, last beat, completion) for each dispatch in order, -1 where there is no such event. Of a launch that a port or
    checker fault ends at the issue of an instruction, all that is what was known by then: dispatches up to the first one at that cycle or
    later, and events of these that wait for no later one. Then cycles don't add up.
    """

    verdict: Verdict
    cycles: int
    registers: tuple[int, ...]
    units: Mapping[Unit, Mapping[CycleClass, int]]
    sequencer: Mapping[SequencerClass, int]
    fault: FaultReport | None
    traffic: Mapping[Memory, Traffic]
    instructions: int
    trace: NDArray[np.int64] | None = None
    outputs: Mapping[str, NDArray[np.generic]] = field(default_factory=ReadOnly)

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        """The output buffer `name` (Session.run only)."""
        return self.outputs[name]


class LaunchError(Exception):
    """A launch that did not halt. `result` has everything known of it; the text says what happened, where, and the likely fix."""

    def __init__(self, result: LaunchResult, text: str) -> None:
        super().__init__(text)
        self.result = result
