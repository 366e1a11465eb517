"""Launches that use the arrays of the ones before (simulator/room.py) against launches with arrays of their own."""

from dataclasses import replace

import numpy as np
import pytest

from accelkit.simulator import Mode, Session
from accelkit.simulator.generator import KINDS, generate
from accelkit.simulator.reuse import Launches
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PROGRAMS
from tests.simulator.test_reuse import launch

LAUNCHES = 60


@pytest.mark.parametrize("mode", [Mode.FULL, Mode.TIMING])
def test_one_after_the_other(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random programs in random order, faulty ones between others, each several times with other arguments and delays, in one session that
    times each launch: results, messages and memories are those of a session that is traced and so makes new arrays each time."""
    monkeypatch.setattr(Launches, "find", lambda *_: None)
    monkeypatch.setattr(Launches, "is_seen", lambda *_: False)
    for seed in range(PROGRAMS):
        rng = np.random.default_rng([31, seed])
        cases = [generate(MACHINES["tiny-8"], kind, 700 + seed) for kind in KINDS if kind != "long"]
        sessions = [Session(MACHINES["tiny-8"], check=False, mode=mode) for _ in range(2)]
        for number in range(LAUNCHES):
            case = cases[rng.integers(len(cases))]
            words = [word ^ int(rng.integers(3)) // 2 for word in case.argument_words]
            case = replace(case, argument_words=words if rng.integers(2) else case.argument_words)
            jitter = int(rng.integers(3)) // 2 * (1 + number)
            for session in sessions:
                session.jitter = jitter
                for address, content in case.dram:
                    session.write(address, np.frombuffer(content, np.uint8))
            mine, theirs = sessions
            found, expected = launch(mine, case, trace=False), launch(theirs, case, trace=True)
            assert found == expected, (seed, number)
            for name in ("scratchpad", "accumulator", "dram"):
                if expected[0].verdict.value == "port fault":  # then they are unspecified
                    getattr(mine.memories, name)[:] = getattr(theirs.memories, name)
                assert np.array_equal(getattr(mine.memories, name), getattr(theirs.memories, name)), (seed, number, name)
