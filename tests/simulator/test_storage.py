"""Buffers of a session: which may be declared, and the table that the checker sees."""

import numpy as np
import pytest

from accelkit.simulator.session import Session

SPAN = 640


@pytest.mark.parametrize("seed", range(5))
def test_buffers_that_come_and_go(seed: int) -> None:
    """A buffer can be declared just where it overlaps none that is there; the checker's table has those that are there, by address."""
    rng = np.random.default_rng(seed)
    session = Session("tiny-8")
    base = session.reserve("reserve", SPAN)
    there: dict[str, tuple[int, int]] = {}
    refused = 0
    for number in range(300):
        if there and rng.random() < 0.4:
            name = str(rng.choice(sorted(there)))
            session.release(name)
            del there[name]
        else:
            first = base + int(rng.integers(SPAN))
            end = min(base + SPAN, first + int(rng.integers(1, 80)))
            over = [other for other, (low, high) in there.items() if first < high and low < end]
            name = f"b{number}"
            if over:
                refused += 1
                with pytest.raises(ValueError, match=rf"buffer {name} overlaps buffer ({'|'.join(over)})$"):
                    session.declare(name, first, end - first)
            else:
                session.declare(name, first, end - first)
                there[name] = first, end
        expected = [[first, end, 1, first - base] for first, end in sorted(there.values())]
        assert session.shadow.buffers.tolist() == expected
    assert 20 < refused < 200
