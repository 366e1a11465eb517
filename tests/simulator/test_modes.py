"""Launches for cycles alone and for values alone against launches for both."""

from dataclasses import replace

import numpy as np
import pytest

from accelkit.simulator import LaunchResult, Mode, Session
from accelkit.simulator.generator import KINDS, generate
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, PROGRAMS, launch, prepare

MEMORIES = ("scratchpad", "accumulator", "dram")


def run(machine: str, kind: str, seed: int, mode: Mode) -> tuple[LaunchResult, Session, dict[str, bytes]]:
    """Result and session of a random program, and what the memories held before."""
    case = generate(MACHINES[machine], kind, seed)
    session = prepare(case, is_checking=False)
    session.mode = mode
    before = {name: getattr(session.memories, name).tobytes() for name in MEMORIES}
    return launch(session, case), session, before


def plain(result: LaunchResult) -> LaunchResult:
    """Without the arrays, which have no equality of their own, and without what the sanitiser found out about a fault."""
    fault = result.fault and replace(result.fault, detail=None)
    return replace(result, trace=None, fault=fault)


@pytest.mark.parametrize(("machine", "kind"), [pair for pair in PAIRS if pair[1] != "long"])
def test_timing_alone(machine: str, kind: str) -> None:
    """Every number of a result, events of instructions among them, is the same without values, whatever a program does, and no byte of a
    memory changes."""
    for seed in range(PROGRAMS):
        expected, _, _ = run(machine, kind, seed, Mode.FULL)
        result, session, before = run(machine, kind, seed, Mode.TIMING)
        assert plain(result) == plain(expected)
        assert expected.trace is not None
        assert np.array_equal(result.trace, expected.trace)
        assert {name: getattr(session.memories, name).tobytes() for name in MEMORIES} == before


@pytest.mark.parametrize("machine", MACHINES)
def test_values_alone(machine: str) -> None:
    """A program without races leaves the same memories."""
    assert "race_free" in KINDS
    for seed in range(PROGRAMS):
        _, expected, _ = run(machine, "race_free", seed, Mode.FULL)
        _, session, _ = run(machine, "race_free", seed, Mode.VALUES)
        for name in MEMORIES:
            assert np.array_equal(getattr(session.memories, name), getattr(expected.memories, name))


def test_only_full_sessions_check() -> None:
    """A session for one of the two has no checker to switch on."""
    assert [Session("tiny-8", mode=mode).is_checking for mode in Mode] == [True, False, False]
