"""Beat-level races, simulator against RTL."""

from __future__ import annotations

from collections import Counter

import pytest

from accelkit.simulator.rtl.run import rtl_of
from tests.rtl.lockstep import MACHINES, difference
from tests.rtl.races import races

pytestmark = pytest.mark.rtl


@pytest.mark.parametrize("name", ["odd-6", "tiny-8"])
def test_a_reader_sees_half_written_rows_as_the_rtl_has_them(name: str) -> None:
    """Whatever the distance between a writer and a reader of the same rows, all memories are the same: which bytes of a row a beat
    writes and when, and reads of an edge before its writes."""
    verdicts: Counter[str] = Counter()
    for case in races(MACHINES[name]):
        found = difference(case, rtl_of(MACHINES[name]), verdicts)
        assert found is None, (case.kind, case.seed, str(found))
    assert verdicts["halted"] > sum(verdicts.values()) // 2
