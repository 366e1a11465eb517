"""Tokens that lint calls redundant, dropped: the checker still has nothing to object."""

import logging
from dataclasses import replace

import pytest

from accelkit.isa.table import POST, WAIT
from accelkit.isa.units import CHANNELS
from accelkit.lint.check import lint_program
from accelkit.lint.sources import Sources
from accelkit.simulator.generator import generate
from accelkit.simulator.generator.case import Case, Step
from accelkit.simulator.result import Verdict
from tests.lint.test_against_simulator import setup_of, simulate
from tests.reference.machines import MACHINES

PROGRAMS = 60


def without_redundant(case: Case) -> tuple[Case, int]:
    """The case without the tokens that lint calls redundant, and how many groups those are."""
    findings = lint_program(case.program, Sources(), setups=[setup_of(case)]).findings
    words = list(case.program.words)
    drops = [finding.drop for finding in findings if finding.drop is not None]
    for posts, waits, number in drops:
        for pc in posts:
            words[pc] &= ~(1 << POST.lsb + CHANNELS[number].post_bit)
        for pc in waits:
            words[pc] &= ~(1 << WAIT.lsb + CHANNELS[number].wait_bit)
    return replace(case, steps=tuple(Step(word=word) for word in words)), len(drops)


def test_dropping_what_is_redundant_does_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    """All groups that lint calls redundant can go at once: no race, no leak, no deadlock comes up. The programs have spare tokens."""
    caplog.set_level(logging.ERROR)
    dropped = 0
    for seed in range(PROGRAMS):
        for machine in ("edge-16", "odd-6"):
            case = generate(MACHINES[machine], "race_free", seed)
            if simulate(case).verdict is Verdict.HALTED:
                smaller, count = without_redundant(case)
                assert simulate(smaller).verdict is Verdict.HALTED, f"{machine}, seed {seed}"
                dropped += count
    assert dropped > 100
