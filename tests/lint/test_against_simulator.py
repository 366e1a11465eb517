"""Lint and the simulator's checker on random programs: what the one calls certain the other confirms, and none of its faults is new.

ACCELKIT_PROGRAMS is the number of programs of each kind on each machine.
"""

import logging
import os

import numpy as np
import pytest

from accelkit.isa.faults import FAULTS, Fault, FaultKind
from accelkit.lint import sequencer
from accelkit.lint.cases import Buffer, Setup
from accelkit.lint.check import lint_program
from accelkit.lint.sources import Sources
from accelkit.simulator import LaunchError, Session
from accelkit.simulator.generator import KINDS, Case, generate
from accelkit.simulator.result import LaunchResult, Verdict
from tests.reference.machines import MACHINES

PROGRAMS = int(os.environ.get("ACCELKIT_PROGRAMS", "3"))
UNORDERED = {"W0901", "W0902", "W0903", "W0904", "W0910"}  # what the checker finds at an issue, whatever the data
CODES = {
    Fault.RACE: {"W0901", "W0902"},
    Fault.BANK_ORDER: {"W0903"},
    Fault.BANK_READ: {"W0901", "W0902", "W0903"},
    Fault.BANK_WRITE: {"W0901", "W0902", "W0903"},
    # nothing has written it in the order of the run; in another order what writes it may come first, and then it is a race
    Fault.UNINITIALISED: {"W0904", "W0901", "W0902"},
    Fault.BUFFER: {"W0910"},
    Fault.TOKEN_LEAK: {"W0906"},
}


def simulate(case: Case) -> LaunchResult:
    """The checked run."""
    session = Session(case.machine)
    for number, buffer in enumerate(case.buffers):
        session.declare(f"buffer{number}", buffer.address, buffer.nbytes, buffer.is_writable)
    for address, content in case.dram:
        session.write(address, np.frombuffer(content, np.uint8))
    session.memories.scratchpad[:] = case.scratchpad
    session.memories.accumulator[:] = case.accumulator
    session.shadow.scratchpad_written[:] = case.scratchpad_marks
    session.shadow.accumulator_written[:] = case.accumulator_marks
    try:
        return session.launch(case.program, case.argument_words, case.max_cycles)
    except LaunchError as error:
        return error.result


def setup_of(case: Case) -> Setup:
    """The same start for lint: argument words, buffers, what is initialised."""
    buffers = [
        Buffer(f"buffer{number}", buffer.address, buffer.nbytes, buffer.is_writable, not buffer.is_writable)
        for number, buffer in enumerate(case.buffers)
    ]
    return Setup(
        "case",
        case.machine,
        case.argument_words,
        tuple(buffers),
        (case.scratchpad_marks, case.accumulator_marks),
        tuple((address, len(content)) for address, content in case.dram),
    )


def contradiction(case: Case) -> str:
    """How lint and simulator contradict each other, "" if they don't."""
    report = lint_program(case.program, Sources(), setups=[setup_of(case)])
    seen = {finding.code for finding in report.findings if finding.cases}
    result = simulate(case)
    fault = result.fault.fault if result.fault else Fault.NONE
    what = f"lint {sorted(seen)}, not covered {report.uncovered}; simulator {result.verdict.value} {fault.name}"
    if fault is Fault.OVERFLOW or result.verdict is Verdict.BOUND:
        return ""  # a matter of data, or the run was stopped early: more may be wrong than it shows
    is_whole = not any("rdcycle" in text or "does not end" in text for text in report.uncovered)
    if fault is not Fault.NONE and FAULTS[fault].kind is not FaultKind.DISPATCH:
        return what if is_whole and not seen & CODES[fault] else ""
    if seen & UNORDERED:
        return what
    if result.verdict is Verdict.DEADLOCK:
        return what if is_whole and not seen & {"W0905", "W0907"} else ""
    if result.verdict is Verdict.DISPATCH_FAULT:
        return what if is_whole and "W0911" not in seen else ""
    return what if seen & {"W0905", "W0906", "W0907", "W0911"} else ""


@pytest.fixture(autouse=True)
def _quiet_and_quick(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """No log, and an early end for programs that count to millions: the simulator stops them as early."""
    caplog.set_level(logging.ERROR)
    monkeypatch.setattr(sequencer, "MOST_DISPATCHES", 200_000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", MACHINES)
def test_lint_and_simulator_agree(machine: str, kind: str) -> None:
    """What lint finds in a program (race, bank conflict, read of what nothing wrote, access outside buffers, leak, deadlock, dispatch
    fault) the checked run confirms, and a program that lint clears runs without any of them."""
    for seed in range(PROGRAMS):
        if found := contradiction(generate(MACHINES[machine], kind, seed)):
            pytest.fail(f"generate({machine}, {kind!r}, {seed}): {found}")
