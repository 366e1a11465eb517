"""Timing and values on two threads: nothing of a launch may depend on it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from accelkit.simulator import LaunchError, LaunchResult, Session, descriptors, threads
from accelkit.simulator.core import state as st
from accelkit.simulator.generator import generate
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, PROGRAMS, prepare


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handover after every three instructions."""
    whole = descriptors.launch

    def launch(*arguments: Any, **options: Any) -> st.Launch:
        return whole(*arguments, **options)._replace(chunk=descriptors.records(st.RECORD, 3))

    monkeypatch.setattr(descriptors, "launch", launch)


def run(machine: str, kind: str, seed: int, is_checking: bool, count: int) -> tuple[LaunchResult, str, Session]:
    """Result, message and session of a random program."""
    case = generate(MACHINES[machine], kind, seed)
    session = prepare(case, is_checking)
    session.threads = count
    try:
        return session.launch(case.program, case.argument_words, case.max_cycles), "", session
    except LaunchError as error:
        return error.result, str(error), session


def state(session: Session) -> list[np.ndarray]:
    """Memories and marks."""

    def arrays(value: Any) -> Iterator[np.ndarray]:
        if isinstance(value, np.ndarray):
            yield value
        else:
            for part in value:
                yield from arrays(part)

    return [*arrays(session.memories), *arrays(session.shadow)]


@pytest.mark.parametrize("is_checking", [True, False])
@pytest.mark.parametrize(("machine", "kind"), [pair for pair in PAIRS if pair[1] != "long"])
def test_same_launches(machine: str, kind: str, is_checking: bool) -> None:
    """Verdict, cycles, classes, registers, messages, memories and marks are the same, wherever a program ends and for whatever reason."""
    for seed in range(PROGRAMS):
        expected, expected_text, one = run(machine, kind, seed, is_checking, 1)
        result, text, two = run(machine, kind, seed, is_checking, 2)
        assert text == expected_text
        assert result == expected
        assert all(np.array_equal(*pair) for pair in zip(state(two), state(one), strict=True))


def test_failure_waits_for_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the timing pass is interrupted, no instruction executes after the launch has ended."""
    steps = threads.timing.advance
    calls: list[int] = []

    def advance(*arguments: object) -> int:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return int(steps(*arguments))

    monkeypatch.setattr(threads.timing, "advance", advance)
    case = generate(MACHINES["tiny-8"], "race_free", 0)
    session = prepare(case, is_checking=True)
    session.threads = 2
    with pytest.raises(KeyboardInterrupt):
        session.launch(case.program, case.argument_words, case.max_cycles)
    after = [part.copy() for part in state(session)]
    threads._thread().submit(int).result()  # whatever was still to do is done
    assert all(np.array_equal(*pair) for pair in zip(state(session), after, strict=True))
