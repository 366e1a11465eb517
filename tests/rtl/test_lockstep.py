"""Simulator and RTL on random programs: the fraction of `make verify` that CI runs."""

from __future__ import annotations

import os

import pytest

from accelkit.simulator.generator import KINDS, generate
from accelkit.simulator.rtl.run import rtl_of
from tests.rtl.lockstep import DEFAULT, MACHINES, difference, explain

pytestmark = pytest.mark.rtl

SHARE = int(
    os.environ.get("ACCELKIT_RTL_PROGRAMS", "4")
)  # of each kind; the default machine runs three times as many


@pytest.mark.parametrize("name", MACHINES)
def test_simulator_and_rtl_agree_on_everything(name: str) -> None:
    """With checks off, verdict, every event, cycle class, register and byte are the same, whatever kind of program; of a port
    fault class, instruction and cycle."""
    rtl = rtl_of(MACHINES[name])
    for kind in KINDS:
        for seed in range(SHARE * (3 if name == DEFAULT else 1)):
            case = generate(MACHINES[name], kind, seed)
            if difference(case, rtl) is not None:
                pytest.fail(explain(case, rtl))
