"""Cycles by instruction against the RTL."""

from collections import Counter

import pytest

from accelkit.assembler import assemble
from accelkit.isa.units import QUEUED_UNITS
from accelkit.simulator.account import Account
from accelkit.simulator.rtl.verify import VerifyingSession
from tests.simulator.test_account import BLAMED

pytestmark = pytest.mark.rtl


def test_classes_are_the_rtl_s() -> None:
    """Instructions add up to classes that the RTL has counted too."""
    account = Account()
    session = VerifyingSession("tiny-8", check=False)
    session.observers = (account,)
    result = session.launch(assemble(BLAMED, "blamed.s"))
    assert session.verifications[0].difference is None
    found = Counter()  # type: ignore[var-annotated]
    for cell in account.cells():
        found[cell.unit, cell.cls] += cell.cycles
    for unit in QUEUED_UNITS:
        for cls, cycles in result.units[unit].items():
            assert found[unit, cls] == cycles
