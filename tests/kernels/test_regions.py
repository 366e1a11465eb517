"""Regions of the kernels: where they lie decides whether units fight for a bank's port."""

from hypothesis import given
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.estimate import near_equal_parts
from accelkit.kernels.plan import MAX_COUNT
from accelkit.kernels.regions import Halves, lay_out
from tests.kernels.machines import machines

ROWS = st.integers(1, 300)


@given(machine=machines(), halves=st.builds(Halves, ROWS, ROWS, ROWS, ROWS))
def test_units_have_banks_of_their_own(machine: Machine, halves: Halves) -> None:
    """Regions never overlap and never leave the scratchpad. Unless the layout is serial, operands, parameters and outputs share no
    bank, and the operands only if the layout says so."""
    regions = lay_out(machine, halves)
    sizes = (halves.first, halves.second, halves.parameters, halves.outputs)
    if regions is None:
        assert 2 * sum(sizes) > machine.scratchpad_rows or max(sizes) > MAX_COUNT
        return
    bases = (regions.first, regions.second, regions.parameters, regions.outputs)
    rows = [range(base, base + 2 * size) for base, size in zip(bases, sizes, strict=True)]
    assert max(r.stop for r in rows) <= machine.scratchpad_rows
    banks = [{row // machine.scratchpad_bank_rows for row in r} for r in rows]
    for i in range(4):
        for j in range(i):
            assert not set(rows[i]) & set(rows[j])
            may_share = regions.is_serial or (regions.operands_share and (j, i) == (0, 1))
            assert may_share or not banks[i] & banks[j]


@given(total=st.integers(1, 5000), largest=st.integers(1, 5000))
def test_near_equal_parts(total: int, largest: int) -> None:
    """Parts fit, get smaller from one to the next and end with single elements; the first leaves as few parts as can be."""
    parts = list(near_equal_parts(total, largest))
    assert all(1 <= part <= largest for part in parts)
    assert parts == sorted(set(parts), reverse=True)
    assert -(-total // parts[0]) == -(-total // largest)
    assert parts[-1] == 1
