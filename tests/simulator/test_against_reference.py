"""Random programs on the simulator and on the slow reference machine of tests/reference: no difference is allowed.

ACCELKIT_PROGRAMS is the number of programs of each kind on each machine; the default suits CI.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from accelkit.isa.faults import Fault
from accelkit.isa.text import disassemble
from accelkit.isa.units import QUEUED_UNITS
from accelkit.simulator import LaunchError, Session
from accelkit.simulator.generator import KINDS, Case, generate, shrink
from accelkit.simulator.result import LaunchResult
from tests.reference.case import check_case, initial_state, run_case
from tests.reference.checker import Verdict, check
from tests.reference.machine import Outcome
from tests.reference.machines import MACHINES
from tests.reference.tensor import TooLong

PROGRAMS = int(os.environ.get("ACCELKIT_PROGRAMS", "3"))


PAIRS = [
    (machine, kind)
    for machine in MACHINES
    for kind in KINDS
    if kind != "long" or machine in ("tiny-8", "ones-4")
]
"""Machines and kinds; long programs take seconds and run on one machine that can overlap all units and on one that can't."""


def seeds(kind: str) -> range:
    """Seeds of a kind: long programs are a tenth as many."""
    return range(-(-PROGRAMS // 10) if kind == "long" else PROGRAMS)


def prepare(case: Case, is_checking: bool) -> Session:
    """A session with the case's memories, marks and buffers."""
    session = Session(case.machine, check=is_checking)
    for number, buffer in enumerate(case.buffers):
        session.declare(f"buffer{number}", buffer.address, buffer.nbytes, buffer.is_writable)
    for address, content in case.dram:
        session.write(address, np.frombuffer(content, np.uint8))
    session.memories.scratchpad[:] = case.scratchpad
    session.memories.accumulator[:] = case.accumulator
    session.shadow.scratchpad_written[:] = case.scratchpad_marks
    session.shadow.accumulator_written[:] = case.accumulator_marks
    return session


def launch(session: Session, case: Case) -> LaunchResult:
    """The simulator's run of a case, whatever its verdict."""
    try:
        return session.launch(case.program, case.argument_words, case.max_cycles, trace=True)
    except LaunchError as error:
        return error.result


def differences(case: Case) -> list[str]:
    """What differs between a run without checker and the reference machine's, a line each."""
    try:
        expected = run_case(case)
    except TooLong:
        return []
    session = prepare(case, is_checking=False)
    return compare(expected, launch(session, case), session)


def compare(expected: Outcome, result: LaunchResult, session: Session) -> list[str]:
    """What differs between an outcome and a result; port faults leave nothing but themselves to compare."""
    fault = (
        (result.fault.fault, result.fault.pc, result.fault.cycle) if result.fault else (Fault.NONE, -1, -1)
    )
    pairs: dict[str, tuple[Any, Any]] = {
        "verdict": (expected.verdict, result.verdict.value),
        "fault": ((expected.fault, expected.fault_pc, expected.fault_cycle), fault),
    }
    if expected.verdict != "port fault":
        assert result.trace is not None
        pairs["cycles"] = (expected.cycles, result.cycles)
        pairs["registers"] = (expected.registers, result.registers)
        pairs["events"] = (expected.events, [tuple(row) for row in result.trace.tolist()])
        pairs["sequencer"] = (expected.sequencer, result.sequencer)
        pairs |= {unit.name: (expected.units[unit], result.units[unit]) for unit in QUEUED_UNITS}
        for name in ("scratchpad", "accumulator", "dram"):
            pairs[name] = tuple(
                getattr(side, name).tolist() for side in (expected.memories, session.memories)
            )
    return [f"{name}: {_first_difference(*pair)}" for name, pair in pairs.items() if pair[0] != pair[1]]


def verdict_differences(case: Case) -> list[str]:
    """The verdicts of the checked run and of reference machine and slow checker, if they differ."""
    try:
        outcome = run_case(case)
    except TooLong:
        return []
    return compare_verdicts(outcome, check_case(case, outcome), launch(prepare(case, is_checking=True), case))


def compare_verdicts(outcome: Outcome, verdict: Verdict | None, result: LaunchResult) -> list[str]:
    """The verdict that reference machine and slow checker expect and that of a checked run, if they differ."""
    expected = (outcome.verdict, outcome.fault, outcome.fault_pc, outcome.fault_cycle)
    if verdict:
        pc = verdict.tensor.pc if verdict.tensor else outcome.events[-1][0]
        expected = ("checker fault", verdict.fault, pc, verdict.cycle)
    found = (result.verdict.value, Fault.NONE, -1, -1)
    if result.fault:
        found = (result.verdict.value, result.fault.fault, result.fault.pc, result.fault.cycle)
    return [] if found == expected else [f"reference {expected}, simulator {found}"]


def _first_difference(expected: Any, found: Any) -> str:
    """Where two values differ first, for nested lists and dictionaries."""
    if isinstance(expected, dict):
        keys = [key for key in expected if expected[key] != found[key]]
        return ", ".join(f"{key.name} {expected[key]} != {found[key]}" for key in keys)
    if isinstance(expected, list) and len(expected) == len(found):
        place = next(n for n, (one, other) in enumerate(zip(expected, found, strict=True)) if one != other)
        return f"[{place}] {_first_difference(expected[place], found[place])}"
    return f"{expected} != {found}"


def _text(word: int) -> str:
    try:
        return disassemble(word)
    except ValueError:
        return f"(illegal) {word:#034x}"


def assert_none(case: Case, find: Callable[[Case], list[str]]) -> None:
    """Fail with a small case that still differs, if `find` finds a difference."""
    if not (found := find(case)):
        return
    small = shrink(case, lambda candidate: bool(find(candidate)))
    lines = [f"{place:4} {_text(word)}" for place, word in enumerate(small.program.words)]
    header = f"generate({case.machine.name}, {case.kind!r}, {case.seed})"
    pytest.fail(
        "\n".join([header, *found, f"small case, arguments {small.argument_words}:", *lines, *find(small)])
    )


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


@pytest.mark.parametrize(("machine", "kind"), PAIRS)
def test_every_event_class_and_byte_is_the_reference_machines(machine: str, kind: str) -> None:
    """Without checker: verdict, fault, cycles, registers, events, classes and memories are those of stepping every cycle, also where
    units race."""
    for seed in seeds(kind):
        assert_none(generate(MACHINES[machine], kind, seed), differences)


@pytest.mark.parametrize(("machine", "kind"), PAIRS)
def test_the_checker_finds_what_the_slow_checker_finds(machine: str, kind: str) -> None:
    """With checker: the same verdict, fault class, first faulting instruction and cycle as the per-byte checker."""
    for seed in seeds(kind):
        assert_none(generate(MACHINES[machine], kind, seed), verdict_differences)


def test_sums_of_what_an_instruction_reads_and_writes() -> None:
    """A `maximum` writes rows that it reads some beats later, before or after the write: a sum of these must wrap in both or in neither."""
    assert_none(generate(MACHINES["odd-6"], "racy", 11), verdict_differences)


@pytest.mark.parametrize("kind", ["race_free", "deadlock", "dispatch_fault", "bound", "uninitialised"])
@pytest.mark.parametrize("machine", MACHINES)
def test_launches_of_a_session_start_afresh_with_what_memories_hold(machine: str, kind: str) -> None:
    """The same program again in the same session: units, tokens, pages and order start anew, memories and marks stay."""
    case = generate(MACHINES[machine], kind, 100)
    plain, checked = prepare(case, is_checking=False), prepare(case, is_checking=True)
    state = initial_state(case)
    for _ in range(3):
        outcome = run_case(case)
        assert compare(outcome, launch(plain, case), plain) == []
        if state is not None:
            verdict = check(outcome, state, case.machine)
            assert compare_verdicts(outcome, verdict, launch(checked, case)) == []
            state = state.after_launch() if verdict is None else None
        case = replace(
            case,
            scratchpad=outcome.memories.scratchpad,
            accumulator=outcome.memories.accumulator,
            dram=((0, outcome.memories.dram.tobytes()),),
        )
