"""Observers of kernels: cycles by instruction add up, and a timeline's reader finds the summary's cycles."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from accelkit.isa.machine import load_machine
from accelkit.isa.units import CycleClass, Unit
from accelkit.kernels.plan import Refusal
from accelkit.simulator import LaunchResult, Session
from accelkit.simulator.account import Account
from tests.kernels.suite import KERNELS, case_of
from tests.simulator.test_timeline import FORMATS, MACHINE, traced

TRACKS = {"load": Unit.LOAD, "store": Unit.STORE, "run": Unit.ARRAY, "vector": Unit.VECTOR}


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels(kernel: str) -> None:
    """Each unit's cycles add up to the launch's, for every kernel, and each cycle that waits names an instruction."""
    machine = load_machine("tiny-8")
    for number in range(2):
        case = case_of(kernel, number, machine)
        if isinstance(case, Refusal):
            continue
        launches = Launches()
        case.launch(Session(machine, observers=[launches]))
        for account in launches.accounts:
            by_unit: Counter[Unit] = Counter()
            for cell in account.cells():
                by_unit[cell.unit] += cell.cycles
                is_wait = "WAIT" in cell.cls.name or "QUEUE" in cell.cls.name or cell.cls.name in ("DRAIN", "OUTSTANDING", "FENCE")
                assert is_wait == (cell.blame >= 0), cell
            assert by_unit == dict.fromkeys(Unit, account.cycles)


class Launches:
    """An account for each launch, as each may be of another program."""

    def __init__(self) -> None:
        self.accounts: list[Account] = []

    def begin(self, machine, program) -> None:  # type: ignore[no-untyped-def]
        """A new account."""
        self.accounts.append(Account())
        self.accounts[-1].begin(machine, program)

    def see(self, launch) -> None:  # type: ignore[no-untyped-def]
        """The latest account sees it."""
        self.accounts[-1].see(launch)

    def end(self, ending) -> None:  # type: ignore[no-untyped-def]
        """The latest account ends."""
        self.accounts[-1].end(ending)


def kernel(name: str) -> Callable[[Session], LaunchResult]:
    """A run of a kernel's first case."""
    case = case_of(name, 0, MACHINE)
    assert not isinstance(case, Refusal)
    return lambda session: case.launch(session)[1]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["gemm", "conv2d", "depthwise"])
def test_busy_cycles(kind: str, name: str) -> None:
    """Beats of each unit, less those of opened pages, and stalls by class are the summary's; no two slices of a track overlap."""
    read, result = traced(kind, kernel(name))
    for track, unit in TRACKS.items():
        beats = [one for one in read.slices if one[0] == track and one[1] == "beats"]
        misses = sum(int(str(one[5].get("page_misses", 0))) for one in beats)
        busy = sum(until - first for _, _, _, first, until, _ in beats) - misses * MACHINE.page_miss_cycles
        assert busy == result.units[unit][CycleClass.BUSY]
    for unit in TRACKS.values():
        tracks = ("preload", "run") if unit is Unit.ARRAY else (unit.name.lower(),)
        for cls in CycleClass:
            if cls.name.startswith("WAIT") or cls in (CycleClass.DRAIN, CycleClass.OUTSTANDING):
                text = cls.name.lower().replace("_", " ")
                found = sum(u - f for track, kind_of, n, f, u, _ in read.slices if track in tracks and (kind_of, n) == ("stall", text))
                assert found == result.units[unit][cls], (unit, cls)
    for track in {one[0] for one in read.slices}:
        times = sorted((first, until) for of, _, _, first, until, _ in read.slices if of == track)
        assert all(until <= first for (_, until), (first, _) in pairwise(times)), track
