"""A launch that a fault stops, on every path: what is reported may depend on the program alone, not on who watches or on how much is
handed over at a time."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.isa.faults import Fault
from accelkit.simulator import LaunchError, LaunchResult, Session, descriptors
from accelkit.simulator.account import Account
from accelkit.simulator.activity import Activity
from accelkit.simulator.core import jit
from accelkit.simulator.core import state as st
from accelkit.simulator.generator import generate
from accelkit.simulator.result import Verdict
from tests.reference.case import run_case
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, PROGRAMS, prepare

FAULTY = (
    "racy",
    "port_fault",
    "loose_tokens",
    "dispatch_fault",
    "uninitialised",
    "outside_buffers",
    "careless",
    "raw",
    "deadlock",
)


def outcome(session: Session, *arguments: Any, trace: bool) -> tuple[LaunchResult, str]:
    """Result, without its trace, and message of a launch."""
    try:
        result, message = session.launch(*arguments, trace=trace), ""
    except LaunchError as error:
        result, message = error.result, str(error)
    return replace(result, trace=None), message


def plain(session: Session) -> bool:
    """Nobody watches."""
    return False


def traced(session: Session) -> bool:
    """All events are kept."""
    return True


def watched(session: Session) -> bool:
    """Observers see each dispatch."""
    session.observers = (Account(), Activity(1))
    return False


def watched_without_scalars(session: Session) -> bool:
    """Observers see dispatches that waited."""
    session.observers = (Activity(1),)
    return False


def on_threads(session: Session) -> bool:
    """Values beside timing."""
    session.threads = 2
    return False


PATHS = (plain, traced, watched, watched_without_scalars, on_threads)
"""Each prepares a session, and says whether to trace."""


def hand_over(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Make launches with room for so many instructions, dispatches and trace rows at a time."""
    whole = descriptors.launch

    def launch(*arguments: Any, **options: Any) -> st.Launch:
        made = whole(*arguments, **options)
        return made._replace(chunk=made.chunk[:most], log=made.log[:most], trace=made.trace[:most])

    monkeypatch.setattr(descriptors, "launch", launch)


@pytest.mark.parametrize("kind", FAULTY)
def test_same_on_every_path(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdict, cycles, classes, registers, traffic, the fault with its story and the message are the same with and without trace,
    observers and threads, whether one instruction is handed over at a time or all."""
    for number, machine in enumerate(machine for machine, its in PAIRS if its == kind):
        for seed in range(PROGRAMS):
            case = generate(MACHINES[machine], kind, 300 + seed)
            outcomes = []
            for most in (1, 2048):
                with monkeypatch.context() as patch:
                    hand_over(patch, most)
                    for path in PATHS:
                        session = prepare(case, is_checking=True)
                        session.jitter = number % 2 * 5
                        trace = path(session)
                        outcomes.append(
                            outcome(session, case.program, case.argument_words, case.max_cycles, trace=trace)
                        )
            assert all(found == outcomes[0] for found in outcomes), (machine, seed)


@pytest.mark.parametrize("kind", ["racy", "uninitialised", "outside_buffers", "careless"])
def test_as_far_as_the_sequencer_was(kind: str) -> None:
    """What the checker stops at cycle s has dispatched what the reference machine dispatches up to the first dispatch at s or later, and
    its cycles are those up to the last event of these instructions that does not wait for a later one."""
    stopped = 0
    for machine in [machine for machine, its in PAIRS if its == kind]:
        for seed in range(PROGRAMS):
            case = generate(MACHINES[machine], kind, 300 + seed)
            expected = run_case(case)
            with pytest.MonkeyPatch.context() as patch:
                hand_over(patch, 16)
                session = prepare(case, is_checking=True)
                try:
                    result = session.launch(case.program, case.argument_words, case.max_cycles, trace=True)
                except LaunchError as error:
                    result = error.result
            if result.verdict is not Verdict.CHECKER_FAULT or expected.verdict == "port fault":
                continue
            assert result.fault is not None
            assert result.trace is not None
            if result.fault.fault is Fault.TOKEN_LEAK:
                continue
            stopped += 1
            before = sum(event[1] < result.fault.cycle for event in expected.events)
            assert result.instructions == min(before + 1, len(expected.events))
            events = np.array(expected.events[: result.instructions])
            is_known = result.trace[:, 2] >= 0
            assert np.array_equal(result.trace[:, :2], events[:, :2])
            assert np.array_equal(result.trace[is_known], events[is_known])
            assert result.cycles == 1 + result.trace[:, [1, 4]].max()
    assert stopped > PROGRAMS


LONG = """
        larg    a0, args[0]
        li      t0, 1
        li      t1, 3000
loop:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        addi    t1, t1, -1
        bnez    t1, loop
        li      t2, 4096
        load.b  sp[zero], dram[t2], bytes=t0, rows=t0, stride=t0
        li      t1, 3000
more:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        addi    t1, t1, -1
        bnez    t1, more
        halt
"""


def prepared() -> tuple[Session, list[int]]:
    """A session with an input buffer, and arguments for LONG."""
    session = Session("edge-16")
    return session, [session.allocate("x", 64, is_writable=False)]


@pytest.mark.skipif(jit.IS_INTERPRETED, reason="tens of thousands of instructions")
def test_long_launch() -> None:
    """So is a launch whose fault comes after more instructions than are handed over at once, at the sizes that are used; nothing of
    what follows the fault is in it."""
    outcomes = []
    for path in PATHS:
        session, words = prepared()
        trace = path(session)
        outcomes.append(outcome(session, assemble(LONG, "long.s"), words, trace=trace))
    assert all(found == outcomes[0] for found in outcomes)
    result, _ = outcomes[0]
    assert result.fault is not None
    assert result.fault.fault is Fault.BUFFER
    assert 9000 < result.instructions < 9400


STORE = """
        larg    a0, args[0]
        li      t0, 1
        store.b dram[a0], sp[zero], bytes=t0, rows=t0, stride=t0
        halt
"""


def test_launch_after_one_that_was_interrupted() -> None:
    """A launch that ends in an exception leaves marks of what it executed; the next one is ordered after these."""
    session, words = prepared()
    session.write(session.allocate("y", 64), np.zeros(64, np.uint8))

    class Interrupt(Activity):
        def see(self, launch: st.Launch) -> None:
            if launch.timing.dispatches > 8000:
                raise KeyboardInterrupt

    session.observers = (Interrupt(1),)
    with pytest.raises(KeyboardInterrupt):
        session.launch(assemble(LONG, "long.s"), words)
    session.observers = ()
    assert session.launch(assemble(STORE), [64]).verdict is Verdict.HALTED
