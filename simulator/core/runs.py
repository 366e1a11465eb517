"""On-chip walks as runs: rows of equal steps, one run after another."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Record

Runs = tuple[int, int, int, int, int, int, int, int]


@njit
def longest(config: Config, access: Array, record: Record) -> Runs:
    """The four levels of an on-chip walk, counts and steps; the longest one first, so that most rows are in one loop."""
    n0, s0 = footprint.level_or_one(config, record, access, 0)
    n1, s1 = footprint.level_or_one(config, record, access, 1)
    n2, s2 = footprint.level_or_one(config, record, access, 2)
    n3, s3 = footprint.level_or_one(config, record, access, 3)
    if n1 > n0:
        n0, s0, n1, s1 = n1, s1, n0, s0
    if n2 > n0:
        n0, s0, n2, s2 = n2, s2, n0, s0
    if n3 > n0:
        n0, s0, n3, s3 = n3, s3, n0, s0
    return n0, s0, n1, s1, n2, s2, n3, s3


@njit
def closest(config: Config, access: Array, record: Record) -> Runs:
    """The same, but the level whose rows are neighbours first, if there is one."""
    n0, s0, n1, s1, n2, s2, n3, s3 = longest(config, access, record)
    if s1 == 1 and n1 > 1:
        return n1, s1, n0, s0, n2, s2, n3, s3
    if s2 == 1 and n2 > 1:
        return n2, s2, n1, s1, n0, s0, n3, s3
    if s3 == 1 and n3 > 1:
        return n3, s3, n1, s1, n2, s2, n0, s0
    return n0, s0, n1, s1, n2, s2, n3, s3


@njit
def count(runs: Runs) -> int:
    """How many runs there are."""
    return runs[2] * runs[4] * runs[6]


@njit
def first_row(access: Array, record: Record, runs: Runs, number: int) -> int:
    """First row of the number-th run."""
    _, _, n1, s1, n2, s2, _, s3 = runs
    outer = number // n1
    offset = number % n1 * s1 + outer % n2 * s2 + outer // n2 * s3
    return int(record.values[access[st.ACCESS_BASE]] + offset)
