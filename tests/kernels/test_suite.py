"""Every named machine runs the whole kernel suite."""

from dataclasses import replace

import numpy as np
import pytest

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import Refusal
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS
from tests.kernels.suite import KERNELS, case_of

CASES = 8  # of each kernel


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel(kernel: str, machine: Machine) -> None:
    """The kernel's cases: 0 differences, no fault, no race, no token left. Few are refused, and only for what the machine lacks."""
    refused = []
    for number in range(CASES):
        case = case_of(kernel, number, machine)
        if isinstance(case, Refusal):
            refused.append(case.reason)
            continue
        found, launch = case.launch(Session(machine))
        np.testing.assert_array_equal(found, case.run.want(), err_msg=f"{kernel}, case {number}")
        for classes in launch.units.values():
            assert sum(classes.values()) == launch.cycles
    most = CASES if kernel == "conv2d that stays" and machine.scratchpad_banks == 1 else CASES // 4
    assert len(refused) <= most, refused
    assert all("fits" in reason for reason in refused), refused


@pytest.mark.parametrize("machine", PRESETS[:2], ids=lambda machine: machine.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_delays(kernel: str, machine: Machine) -> None:
    """Legal delays of all units (docs/adr/0015) change no result, with the checker, which finds nothing, and without, where values follow
    time."""
    for number in range(4):
        case = case_of(kernel, number, machine)
        if not isinstance(case, Refusal):
            found, _ = case.launch(Session(machine, check=number % 2 == 0, jitter=100 + number))
            np.testing.assert_array_equal(found, case.run.want(), err_msg=f"{kernel}, case {number}")


@pytest.mark.parametrize("kernel", KERNELS)
def test_rectangular_array(kernel: str) -> None:
    """No kernel runs on an array with fewer rows than columns, or more: the machine file refuses such an array, a planner too."""
    for rows in (4, 16):
        case = case_of(kernel, 0, replace(PRESETS[1], array_rows=rows))
        assert case == Refusal(f"an array of {rows}x8 PEs; kernels need as many rows as columns")


@pytest.mark.parametrize("kernel", KERNELS)
def test_small_memories(kernel: str) -> None:
    """A machine whose instruction or argument memory can't hold the program is refused, never overrun."""
    for change in ({"instruction_words": 16}, {"argument_words": 4}):
        case = case_of(kernel, 0, replace(PRESETS[1], **change))
        assert isinstance(case, Refusal)
        assert "has memory for" in case.reason
