"""Launches that are known already (simulator/reuse.py) against the same launches made from the beginning.

A session that is traced makes each launch from the beginning: it is the reference.
"""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.isa.faults import Fault
from accelkit.isa.units import Unit
from accelkit.simulator import LaunchError, LaunchResult, Mode, Session
from accelkit.simulator.core import timing
from accelkit.simulator.generator import Case, generate
from accelkit.simulator.reuse import Known
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, PROGRAMS, prepare

LAUNCHES = 6


def launch(session: Session, case: Case, trace: bool) -> tuple[LaunchResult, str]:
    """Result, without its trace, and message of a launch."""
    try:
        result, message = session.launch(case.program, case.argument_words, case.max_cycles, trace), ""
    except LaunchError as error:
        result, message = error.result, str(error)
    return replace(result, trace=None), message


def disturb(session: Session, case: Case, rng: np.random.Generator) -> None:
    """What can happen between two launches: other data, rows and bytes that count as not written, full accumulators, other buffers."""
    kind = rng.integers(6)
    if kind == 0:
        for buffer in case.buffers:
            session.write(buffer.address, rng.integers(0, 256, buffer.nbytes, np.uint8))
    elif kind == 1:
        session.memories.accumulator[:] = np.int32(2**31 - 1 - rng.integers(2000))
    elif kind == 2 and session.is_checking:
        rows = rng.integers(0, len(session.shadow.scratchpad_written), 3)
        session.shadow.scratchpad_written[rows] = False
    elif kind == 3 and session.is_checking and len(session.shadow.buffers):
        number = rng.integers(len(session.shadow.buffers))
        session.shadow.buffers[number, 2] ^= 1 if session.shadow.buffers[number, 2] else 0


def known(session: Session) -> list[Known]:
    """The launches that a session knows."""
    return [entry for entry in session._launches._entries.values() if entry is not None]


@pytest.mark.parametrize(
    ("machine", "kind", "is_checking"),
    [
        (*pair, is_checking)
        for pair in PAIRS
        for is_checking in (True, False)
        if is_checking or pair[0] == "tiny-8"
    ],
)
def test_random_programs(machine: str, kind: str, is_checking: bool) -> None:
    """Launch after launch of a program, undisturbed or with something else between: every number, message, memory and mark is that of
    launches from the beginning."""
    for seed in range(PROGRAMS if kind != "long" else 1):
        case = generate(MACHINES[machine], kind, 500 + seed)
        sessions = [prepare(case, is_checking) for _ in range(2)]
        for number in range(LAUNCHES):
            found, expected = (
                launch(session, case, trace) for session, trace in zip(sessions, (False, True), strict=True)
            )
            assert found == expected, (seed, number)
            if expected[0].verdict.value == "port fault":
                break  # memories are unspecified
            mine, theirs = sessions
            for name in ("scratchpad", "accumulator", "dram"):
                assert np.array_equal(getattr(mine.memories, name), getattr(theirs.memories, name)), (
                    seed,
                    number,
                    name,
                )
            assert np.array_equal(mine.shadow.written, theirs.shadow.written)
            if number > 1:
                for session in sessions:
                    disturb(session, case, np.random.default_rng([seed, number]))


COPY = """
        .token loaded = load -> store.0

        larg    a0, args[0]
        larg    a1, args[1]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0    post(loaded)
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0    wait(loaded)
        halt
"""


def copying(is_writable: bool) -> tuple[Session, list[int]]:
    """A session with two buffers, and arguments for COPY."""
    session = Session("edge-16")
    x = session.allocate("x", 256, is_writable)
    y = session.allocate("y", 256)
    return session, [x, y]


def test_third_launch_is_known() -> None:
    """The first launch only leaves a note, the second a record; the third copies the data of its time."""
    session, words = copying(is_writable=False)
    program = assemble(COPY)
    for number in range(4):
        session.write(words[0], np.full(256, number, np.uint8))
        result = session.launch(program, words)
        assert session.read(words[1], 256).tolist() == [number] * 256
        assert [entry.result == result for entry in known(session)] == [True] * (number > 0)


def test_input_that_counts_as_unwritten_again() -> None:
    """A known launch whose input lies in a buffer that was declared anew faults like a new one."""
    session = Session("edge-16")
    place = session.reserve("place", 256)
    y = session.allocate("y", 256)
    program = assemble(COPY)
    for _ in range(3):
        session.declare("x", place, 256)
        session.write(place, np.zeros(256, np.uint8))
        session.launch(program, [place, y])
        session.release("x")
    assert len(known(session)) == 1
    session.declare("x", place, 256)
    with pytest.raises(LaunchError) as caught:
        session.launch(program, [place, y])
    assert caught.value.result.fault is not None
    assert caught.value.result.fault.fault is Fault.UNINITIALISED


SUM = """
        .token loaded = load -> array.0

        larg    a0, args[0]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0    post(loaded)
        preload sp[zero], rows=t0, columns=t0                       wait(loaded)
        run     acc[zero], sp[zero], rows=t0, accumulate
        run     acc[t0], sp[zero], rows=t0
        halt
"""


def test_sum_that_overflows_after_all() -> None:
    """Data make a sum of a known launch overflow: fault, message, memories and marks are those of a launch from the beginning."""
    outcomes = []
    for trace in (False, True):
        session = Session("edge-16")
        x = session.allocate("x", 256, is_writable=False)
        session.write(x, np.ones(256, np.uint8))
        session.shadow.accumulator_written[:16] = True
        program = assemble(SUM, "sum.s")
        for _ in range(3):
            session.launch(program, [x], trace=trace)
        assert len(known(session)) == (not trace)
        session.memories.accumulator[5, 3] = 2**31 - 1
        with pytest.raises(LaunchError) as caught:
            session.launch(program, [x], trace=trace)
        fault = caught.value.result.fault
        assert fault is not None
        assert fault.fault is Fault.OVERFLOW
        memories = session.memories.accumulator.tolist(), session.shadow.written.tolist()
        outcomes.append((str(caught.value), caught.value.result.cycles, memories))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("kind", sorted({kind for _, kind in PAIRS}))
def test_cycles_alone_of_random_programs(kind: str) -> None:
    """Launches for cycles alone, with other arguments, bounds and delays in between and buffers that change: every number and message is
    that of launches from the beginning, and so is how far the ports have counted."""
    for seed in range(PROGRAMS if kind != "long" else 1):
        case = generate(MACHINES["tiny-8"], kind, 900 + seed)
        sessions = [prepare(case, is_checking=False) for _ in range(2)]
        rng = np.random.default_rng([900, seed])
        for number in range(2 * LAUNCHES):
            words = [word ^ int(rng.integers(3)) // 2 for word in case.argument_words]
            jitter, bound = int(rng.integers(2)), max(1, case.max_cycles - int(rng.integers(2)))
            other = replace(case, argument_words=words, max_cycles=bound)
            for session in sessions:
                session.mode, session.jitter = Mode.TIMING, jitter
            if number == LAUNCHES:
                for session in sessions:
                    disturb(session, case, np.random.default_rng(seed))
            found, expected = (
                launch(session, other, trace) for session, trace in zip(sessions, (False, True), strict=True)
            )
            assert found == expected, (seed, number)
            assert sessions[0]._sequence.tolist() == sessions[1]._sequence.tolist()


def test_second_launch_for_cycles_alone_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the first one's result without a timing pass; other arguments, another bound or seed are another launch, which takes one."""
    passes: list[object] = []
    advance = timing.advance
    monkeypatch.setattr(
        timing, "advance", lambda *arguments: (passes.append(arguments), advance(*arguments))[1]
    )
    session = Session("edge-16", mode=Mode.TIMING)
    program = assemble(COPY)
    results = [session.launch(program, [0, 4096]) for _ in range(3)]
    assert results[0] is results[1] is results[2]
    assert len(passes) == 1
    longer = session.launch(program, [0, 4104])
    assert longer.cycles > results[0].cycles
    assert session.launch(program, [0, 4096], results[0].cycles).cycles == results[0].cycles
    assert len(passes) == 3
    session.jitter = 7
    assert session.launch(program, [0, 4096]).cycles > results[0].cycles
    assert session.launch(assemble(COPY), [0, 4096]).cycles > results[0].cycles
    assert len(passes) == 5


def test_known_cycles_of_words_that_are_no_integers() -> None:
    """A word that equals a known launch's but is no integer is refused as it is the first time."""
    session = Session("edge-16", mode=Mode.TIMING)
    program = assemble(COPY)
    session.launch(program, [0, 4096])
    with pytest.raises(TypeError):
        session.launch(program, [0, 4096.0])  # type: ignore[list-item]


def test_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of all launches together stay below a bound."""
    monkeypatch.setattr("accelkit.simulator.reuse.MOST_BYTES", 40_000)
    session, words = copying(is_writable=False)
    for offset in range(8):
        program = assemble(COPY.replace("t0, 16", f"t0, {offset + 1}"))
        for _ in range(2):
            session.write(words[0], np.zeros(256, np.uint8))
            session.launch(program, words)
    kept = known(session)
    assert 0 < len(kept) < 8
    assert sum(entry.nbytes for entry in kept) <= 40_000


CHANGES: tuple[Callable[[Any], object], ...] = (
    lambda held: held.update({0: 1}),
    lambda held: held.clear(),
    lambda held: held.pop(0, None),
    lambda held: held.popitem(),
    lambda held: held.setdefault(0, 1),
    lambda held: held.__setitem__(0, 1),
    lambda held: held.__delitem__(next(iter(held), 0)),
    lambda held: held.__ior__({0: 1}),
)


@pytest.mark.parametrize("mode", [Mode.FULL, Mode.TIMING])
def test_results_cannot_be_changed(mode: Mode) -> None:
    """Results of known launches are one object, so whoever tries to change one is refused, in whatever way; a copy can be changed, and a
    result goes through pickle and deepcopy as it is."""
    session, words = copying(is_writable=False)
    session.write(words[0], np.zeros(256, np.uint8))
    session.mode = mode
    program = assemble(COPY)
    first, second, third, fourth = (session.launch(program, words) for _ in range(4))
    assert third is fourth
    held: Any
    for held in (third.units, third.units[Unit.LOAD], third.sequencer, third.traffic, third.outputs):
        before = dict(held)
        for change in CHANGES:
            with pytest.raises(TypeError, match=r"can't be changed.*\.copy\(\)"):
                change(held)
        assert held == before
        assert type(held.copy()) is dict
    assert first == second == third
    for other in (pickle.loads(pickle.dumps(third)), copy.deepcopy(third)):
        assert other == third
        assert type(other.units[Unit.LOAD]) is type(third.units[Unit.LOAD])
