"""Walks as views, against a loop over all steps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accelkit.isa.row import Memory
from accelkit.lint.walk import Walk, joined

LEVELS = st.lists(st.tuples(st.integers(1, 5), st.integers(-7, 7)), max_size=3)


def steps(base: int, levels: list[tuple[int, int]]) -> list[int]:
    """Every row of a walk, outermost level first, with repeats."""
    rows = [base]
    for count, step in levels:
        rows = [row + step * index for row in rows for index in range(count)]
    return rows


@given(levels=LEVELS, nbytes=st.integers(1, 6))
def test_views_touch_what_the_walk_touches(levels: list[tuple[int, int]], nbytes: int) -> None:
    """The elements of a view, with its levels joined, are the bytes of all rows, each found again by its place in the view."""
    base = 200
    rows = steps(base, levels)
    expected = [row + byte for row in rows for byte in range(nbytes)]
    memory = Memory.SCRATCHPAD if nbytes == 1 else Memory.DRAM
    walk = Walk(memory, False, base, joined(levels), min(rows), max(rows) + nbytes - 1, nbytes)
    numbers = np.arange(20, 400)
    seen = walk.view(numbers, origin=20).reshape(-1).tolist()
    assert set(seen) == set(expected)
    assert [walk.at(place) for place in range(len(seen))] == seen
    two = walk.view(np.stack([numbers, -numbers]), origin=20)
    assert two.shape[0] == 2
    assert (two[0] == -two[1]).all()


def test_overlapping_walks_have_no_repeats() -> None:
    """A walk over rows that overlap is as long as the rows that it touches: 65535 planes of 32768 rows, one row apart, are 98302 rows."""
    assert joined([(65535, 1), (32768, 1)]) == ((98302, 1),)
    assert joined([(3, -4), (4, -2)]) == ((8, -2),)
