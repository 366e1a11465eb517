"""The slow, obvious machine: every cycle steps sequencer, queues, units, tokens and memories, one beat at a time.

An executable form of docs/adr/0003 and 0005 that knows no recurrence: it asks in every cycle what can happen and counts what it sees.
Within a cycle all decisions and reads see what the cycles before have left; writes, completions and posts come after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.units import CHANNELS, QUEUED_UNITS, CycleClass, SequencerClass, Unit
from tests.reference.beats import Write
from tests.reference.ports import port_fault
from tests.reference.sequencer import Sequencer
from tests.reference.tensor import Memories, Tensor, TooLong
from tests.reference.units import Delay, UnitState, no_delay

MOST_CYCLES = 200_000


@dataclass(frozen=True)
class Outcome:
    """Verdict ("halted", "dispatch fault", "port fault", "deadlock", "cycle bound") and all that a run leaves.

    `events` has (pc, d, s, e, c) for every dispatch in order, -1 for what did not happen. `issuer` is the unit of a port fault.
    """

    verdict: str
    fault: Fault
    fault_pc: int
    fault_cycle: int
    issuer: int
    cycles: int
    registers: tuple[int, ...]
    memories: Memories
    events: list[tuple[int, int, int, int, int]]
    tensors: list[Tensor]
    fences: list[int]
    tokens: list[int]
    units: dict[Unit, dict[CycleClass, int]]
    sequencer: dict[SequencerClass, int]


@dataclass
class ReferenceMachine:
    """State of one launch; `run` steps it to its end."""

    machine: Machine
    memories: Memories
    sequencer: Sequencer
    max_cycles: int
    tokens: list[int] = field(default_factory=lambda: [0] * len(CHANNELS))
    later: dict[int, list[Write]] = field(
        default_factory=dict
    )  # writes by the cycle at whose end they take place
    last_event: int = 0
    delay: Delay = no_delay

    def __post_init__(self) -> None:
        self.units = {unit: UnitState(unit, self.machine, self.delay) for unit in QUEUED_UNITS}
        self.history: list[dict[Unit, CycleClass]] = []
        self.sequencer_history: list[SequencerClass] = []

    def run(self) -> Outcome:
        """Step until nothing is left to do or nothing can happen any more."""
        cycle = 0
        while True:
            if cycle > MOST_CYCLES:
                raise TooLong
            can_dispatch = self._step_sequencer(cycle)
            issued = self._issue(cycle)
            for tensor in issued:  # of units that issue in the same cycle the lower number has the port
                active = [
                    t
                    for s in self.units.values()
                    for t in s.in_flight
                    if t.s != cycle or t.unit < tensor.unit
                ]
                fault = port_fault(tensor, active, cycle, self.machine)
                if fault is not Fault.NONE:
                    return self._outcome("port fault", fault, tensor.pc, cycle, tensor.unit)
            self._move(cycle)
            is_idle = not any(s.in_flight or s.ready is not None for s in self.units.values()) and not issued
            if (
                is_idle
                and not can_dispatch
                and all(t.d < cycle for s in self.units.values() for t in s.queue)
            ):
                return self._end()
            self._complete(cycle)
            cycle += 1

    def _step_sequencer(self, cycle: int) -> bool:
        """Dispatch if possible; False if the sequencer has stopped or waits for a queue or a fence."""
        sequencer = self.sequencer
        if sequencer.verdict:
            self.sequencer_history.append(SequencerClass.ENDED)
            return False
        waiting = sequencer.waits_for(self.units, cycle)
        if cycle >= self.max_cycles:
            is_going_on = any(s.in_flight for s in self.units.values()) or self._can_issue(cycle)
            if waiting in (None, SequencerClass.BRANCH) or is_going_on:
                sequencer.verdict = "cycle bound"
            self.sequencer_history.append(SequencerClass.ENDED)
            return False
        self.sequencer_history.append(SequencerClass.DISPATCH if waiting is None else waiting)
        if waiting is None:
            sequencer.dispatch(self.units, cycle)
            self.last_event = cycle
        return waiting in (None, SequencerClass.BRANCH)

    def _can_issue(self, cycle: int) -> bool:
        return any(
            s.queue and (not s.first_unmet(s.queue[0], cycle, self.tokens) or s.ready is not None) for s in self.units.values()
        )

    def _issue(self, cycle: int) -> list[Tensor]:
        """Issue what can issue, in the order of unit numbers; the reason why not stands in the history for this cycle."""
        issued = []
        self.history.append({})
        for unit, state in self.units.items():
            unmet = (
                state.first_unmet(state.queue[0], cycle, self.tokens) if state.queue else [CycleClass.EMPTY]
            )
            if unmet:
                if unmet[0] is not None:
                    self.history[cycle][unit] = unmet[0]
                continue
            tensor = state.issue(cycle)
            issued.append(tensor)
            for number in tensor.waits:
                self.tokens[number] -= 1
        return issued

    def _move(self, cycle: int) -> None:
        """This cycle's beats read, then the writes that are due take place."""
        for unit, state in self.units.items():
            writes, cycle_class = state.move_beats(cycle, self.memories)
            if cycle_class is not None:
                self.history[cycle][unit] = cycle_class
            for delay, write in writes:
                self.later.setdefault(cycle + delay, []).append(write)
        for write in self.later.pop(cycle, []):
            write()

    def _complete(self, cycle: int) -> None:
        for state in self.units.values():
            for tensor in state.complete(cycle):
                self.last_event = cycle
                for number in tensor.posts:
                    self.tokens[number] += 1

    def _end(self) -> Outcome:
        """The verdict once nothing can happen any more."""
        sequencer = self.sequencer
        is_stuck = any(state.queue for state in self.units.values())
        if not sequencer.verdict or (sequencer.verdict == "halted" and is_stuck):
            return self._outcome("deadlock", Fault.NONE, -1, -1, -1)
        return self._outcome(
            sequencer.verdict, sequencer.fault, sequencer.fault_pc, sequencer.fault_cycle, -1
        )

    def _outcome(self, verdict: str, fault: Fault, pc: int, cycle: int, issuer: int) -> Outcome:
        total = self.last_event + 1
        units = {
            unit: {cls: sum(cycle.get(unit) is cls for cycle in self.history[:total]) for cls in CycleClass}
            for unit in QUEUED_UNITS
        }
        spent = self.sequencer_history[:total]
        return Outcome(
            verdict=verdict,
            fault=fault,
            fault_pc=pc,
            fault_cycle=cycle,
            issuer=issuer,
            cycles=total,
            registers=tuple(self.sequencer.registers),
            memories=self.memories,
            events=[_events(*dispatch) for dispatch in self.sequencer.dispatched],
            tensors=self.sequencer.tensors,
            fences=self.sequencer.fences,
            tokens=self.tokens,
            units=units,
            sequencer={cls: spent.count(cls) for cls in SequencerClass},
        )


def _events(pc: int, d: int, tensor: Tensor | None) -> tuple[int, int, int, int, int]:
    if tensor is None:
        return pc, d, -1, -1, -1
    return pc, d, *(-1 if event is None else event for event in (tensor.s, tensor.e, tensor.c))  # type: ignore[return-value]


def run(
    words: Sequence[int],
    machine: Machine,
    argument_words: Sequence[int] = (),
    *,
    scratchpad: npt.NDArray[np.uint8] | None = None,
    accumulator: npt.NDArray[np.int32] | None = None,
    dram: npt.NDArray[np.uint8] | None = None,
    max_cycles: int = MOST_CYCLES,
    delay: Delay = no_delay,
) -> Outcome:
    """Run a program without checker. Memories are copied: uint8 [rows, lanes], int32 [rows, columns], uint8 [bytes]; zeros by default.
    `delay` is that of docs/adr/0015.

    Raises TooLong if that would take minutes.
    """
    memories = Memories(
        np.zeros((machine.scratchpad_rows, machine.lanes), np.uint8)
        if scratchpad is None
        else scratchpad.copy(),
        np.zeros((machine.accumulator_rows, machine.array_columns), np.int32)
        if accumulator is None
        else accumulator.copy(),
        np.zeros(machine.dram_bytes, np.uint8) if dram is None else dram.copy(),
    )
    sequencer = Sequencer(words, argument_words, machine)
    return ReferenceMachine(machine, memories, sequencer, max_cycles, delay=delay).run()
