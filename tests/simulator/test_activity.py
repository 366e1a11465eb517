"""The overview of busy ports against the interval of every instruction, cycle by cycle."""

from __future__ import annotations

import numpy as np
import pytest

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CycleClass, Port, Unit
from accelkit.simulator import LaunchError, activity, descriptors
from accelkit.simulator.activity import Activity
from accelkit.simulator.core import state as st
from accelkit.simulator.generator import generate
from accelkit.simulator.observe import Ending
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, prepare


class Beats:
    """Keeps port, first cycle and the one after the last of every instruction, and the cycles, of each launch."""

    def __init__(self) -> None:
        self.beats: list[list[tuple[int, int, int]]] = []
        self.cycles: list[int] = []

    def begin(self, machine: Machine, program: Program) -> None:
        self.beats.append([])

    def see(self, launch: st.Launch) -> None:
        ports = descriptors.rows().port
        for record in launch.chunk[: int(launch.timing.chunk_count)]:
            self.beats[-1].append((int(ports[record["op"]]), int(record["s"]), int(record["e"]) + 1))

    def end(self, ending: Ending) -> None:
        self.cycles.append(ending.cycles)


@pytest.mark.parametrize("columns", [16, 4096])
@pytest.mark.parametrize("machine, kind", PAIRS[::5])
def test_columns_hold_every_beat(machine: str, kind: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each column has the busy cycles of its part of the first two launches, however often columns were joined; the third isn't seen."""
    monkeypatch.setattr(activity, "COLUMNS", columns)
    case = generate(MACHINES[machine], kind, 5)
    session, seen, beats = prepare(case, False), Activity(2), Beats()
    session.observers = (seen, beats)
    for _ in range(3):
        try:
            result = session.launch(case.program, case.argument_words, case.max_cycles)
        except LaunchError as error:
            result = error.result
    gap = session.machine.launch_cycles
    spans = [(0, beats.cycles[0]), (beats.cycles[0] + gap, sum(beats.cycles[:2]) + gap)]
    assert seen.spans == spans
    busy = seen.busy()
    assert busy.shape[1] <= columns
    assert seen.width == 1 or 2 * busy.shape[1] > columns // 2
    size = busy.shape[1] * seen.width
    whole = np.zeros((len(Port), size), np.int64)
    for (offset, _), launch in zip(spans, beats.beats, strict=False):
        for port, first, until in launch:
            whole[port, offset + first : offset + until] += 1
    assert np.array_equal(busy, whole[:, :size].reshape(len(Port), -1, seen.width).sum(axis=2))
    if result.fault is None:  # the report's classes say the same of units with one port
        for port, unit in ((Port.LOAD, Unit.LOAD), (Port.STORE, Unit.STORE), (Port.VECTOR, Unit.VECTOR)):
            classes = result.units[unit]
            assert busy[port].sum() == 2 * (classes[CycleClass.BUSY] + classes[CycleClass.PAGE_MISS])
