"""Stamps by lines and places (simulator/core/marks.py, simulator/byte_marks.py) against one stamp for each place."""

import numpy as np
import pytest

from accelkit.simulator import byte_marks
from accelkit.simulator.core import marks
from accelkit.simulator.core.memories import BY_HOST, LINE

PLACES = 12 * LINE


def rows_of(rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Start, rows, stride and places of a row, all inside; half of them in whole lines."""
    unit = LINE if rng.random() < 0.5 else 1
    count = int(rng.integers(1, 1 + 3 * LINE // unit)) * unit
    stride = int(rng.integers(-(LINE // unit), 1 + 2 * LINE // unit)) * unit
    rows = int(rng.integers(1, 5))
    reach = (rows - 1) * stride
    low, high = -min(0, reach), PLACES - count - max(0, reach)
    return int(rng.integers(low // unit, 1 + high // unit)) * unit, rows, stride, count


def places_of(start: int, rows: int, stride: int, count: int) -> list[int]:
    """Places of rows, one after another."""
    return [start + row * stride + place for row in range(rows) for place in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_stamps_are_those_of_the_latest_access(seed: int) -> None:
    """Whatever was marked in lines, in rows, alone or by the host, or unmarked: each place has its latest stamp, the first place above a
    number and the first without a stamp are found, and what is asked of lines alone never misses one."""
    rng = np.random.default_rng(seed)
    mine = byte_marks.make(PLACES)
    expected = np.zeros(PLACES, np.int64)
    for sequence in range(1, 60):
        start, rows, stride, count = rows_of(rng)
        kind = rng.integers(6)
        if kind == 0:
            marks.mark(mine, start, count, sequence)
            expected[start : start + count] = sequence
        elif kind == 1:
            marks.mark_one(mine, start, sequence)
            expected[start] = sequence
        elif kind == 2 and not expected[start : start + count].any():
            byte_marks.write(mine, start, count, BY_HOST)
            expected[start : start + count] = BY_HOST
        elif kind == 3:
            byte_marks.clear(mine, start, count)
            expected[start : start + count] = 0
        else:
            marks.mark_rows(mine, start, rows, stride, count, sequence)
            expected[places_of(start, rows, stride, count)] = sequence
        stamps = [marks.stamp(mine, place) for place in range(PLACES)]
        assert np.array_equal(np.maximum(stamps, 0), np.maximum(expected, 0))
        _ask(mine, expected, rows_of(rng), int(rng.integers(0, sequence + 1)))


def _ask(mine: byte_marks.Marks, expected: np.ndarray, where: tuple[int, int, int, int], known: int) -> None:
    start, _, _, count = where
    piece = expected[start : start + count]
    late, missing = np.flatnonzero(piece > known), np.flatnonzero(piece == 0)
    assert marks.above(mine, start, count, known) == (start + late[0] if len(late) else -1)
    assert marks.unmarked(mine, start, count) == (start + missing[0] if len(missing) else -1)
    several = expected[places_of(*where)]
    assert marks.may_rows_be_above(mine, *where, known) or (several <= known).all()
    assert not marks.are_rows_marked(mine, *where) or (several != 0).all()
