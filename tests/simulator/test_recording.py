"""The debugger's states: at the end they are what the launch left, in between what shorter launches and the timing contract say."""

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.isa.program import Program
from accelkit.simulator import LaunchError, LaunchResult, Session
from accelkit.simulator.generator import generate
from accelkit.simulator.recording import Recording, record
from accelkit.simulator.rewind import Rewind
from accelkit.simulator.stops import breakpoint_at, watch
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import prepare

KINDS = ("racy", "race_free", "dispatch_fault", "deadlock")


def recorded(session: Session, program: Program, words: tuple[int, ...] = (), max_cycles: int = 100_000) -> Recording:
    """The recording of a launch, however it ends."""

    def launch() -> tuple[LaunchResult, str]:
        try:
            return session.launch(program, words, max_cycles), ""
        except LaunchError as error:
            return error.result, str(error)

    return record(session, program, launch)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", ["tiny-8", "ones-4"])
def test_last_state(machine: str, kind: str) -> None:
    """Memories and registers after the last cycle are those that the launch left, for racy programs without the checker too."""
    compared = 0
    for seed in range(4):
        case = generate(MACHINES[machine], kind, seed)
        session = prepare(case, is_checking=False)
        recording = recorded(session, case.program, tuple(case.argument_words), case.max_cycles)
        if recording.end < recording.result.cycles:
            continue  # a port fault: memories are unspecified
        state = Rewind(recording)
        state.go(recording.end)
        for name in ("scratchpad", "accumulator", "dram"):
            same = np.array_equal(getattr(state.memories, name), getattr(session.memories, name))
            assert same, f"{kind} on {machine}, seed {seed}: {name}"
        assert tuple(state.registers) == recording.result.registers
        compared += 1
    assert compared


def test_registers_are_those_of_shorter_launches() -> None:
    """At the beginning of cycle t registers are what a launch that may only run for t cycles leaves."""
    case = generate(MACHINES["tiny-8"], "race_free", 1)
    recording = recorded(prepare(case, is_checking=True), case.program, tuple(case.argument_words))
    state = Rewind(recording)
    for cycle in np.linspace(1, recording.end - 1, 12).astype(int).tolist():
        shorter = recorded(prepare(case, is_checking=True), case.program, tuple(case.argument_words), cycle)
        state.go(cycle)
        assert tuple(state.registers) == shorter.result.registers, cycle


def test_backwards_is_where_it_was() -> None:
    """Any state reached from a later cycle equals the one reached from an earlier one."""
    case = generate(MACHINES["tiny-8"], "race_free", 2)
    recording = recorded(prepare(case, is_checking=True), case.program, tuple(case.argument_words))
    there = Rewind(recording)
    there.go(recording.end)
    for cycle in (recording.end // 3, recording.end // 2, recording.end // 5):
        there.go(cycle)
        fresh = Rewind(recording)
        fresh.go(cycle)
        assert np.array_equal(there.memories.scratchpad, fresh.memories.scratchpad)
        assert np.array_equal(there.memories.accumulator, fresh.memories.accumulator)
        assert np.array_equal(there.memories.dram, fresh.memories.dram)
        assert np.array_equal(there.registers, fresh.registers)


PRODUCT = """
        .region A, sp[8]
        .region C, acc[8]
        li      t0, 8
        li      t1, 3
        fill.b  sp[zero], rows=t0, fill=t1      post(array.0)
        preload sp[zero], rows=t0, columns=t0   wait(load.0)
loop:   run     acc[zero], sp[zero], rows=t0    post(store.0)
        sync.store                              wait(run.0)
        halt
"""


def test_rows_appear_when_the_contract_says() -> None:
    """Row k of a run streams in cycle s + k and is written rows + columns + 1 cycles later (ADR 0003): seen from the next one on."""
    recording = recorded(Session("tiny-8"), assemble(PRODUCT, "p.s"))
    run = next(one for one in recording.dispatches if one.pc == 4)
    m = recording.machine
    state = Rewind(recording)
    for row in range(8):
        written = run.s + row + m.array_rows + m.array_columns + 1
        state.go(written)
        assert not state.memories.accumulator[row].any()
        state.go(written + 1)
        assert (state.memories.accumulator[row] == 8 * 9).all()
    assert run.c == run.s + 7 + m.array_rows + m.array_columns + 1
    assert [cycle for cycle, _ in watch(recording, "C").hits] == [run.s + row + m.array_rows + m.array_columns + 2 for row in range(8)]


def test_stops() -> None:
    """A label stops at the dispatch, an access at the issue, a token in the cycle after its post completes and after its wait issues."""
    recording = recorded(Session("tiny-8"), assemble(PRODUCT, "p.s"))
    fill, preload, run = (next(one for one in recording.dispatches if one.pc == pc) for pc in (2, 3, 4))
    cycles = {
        ("loop",): [run.d],
        ("p.s:8",): [run.d],
        ("read", "A"): [preload.s, run.s],
        ("write", "sp[7]"): [fill.s],
        ("access", "sp[8:16]"): [],
        ("token", "load->array.0"): [fill.c + 1, preload.s + 1],
    }
    for words, expected in cycles.items():
        assert [cycle for cycle, _ in breakpoint_at(recording, list(words)).hits] == expected, words
    assert recording.tokens(fill.c) == {}
    assert recording.tokens(fill.c + 1) == {"load->array.0": 1}
    assert [cycle for cycle, _ in watch(recording, "t1").hits] == [2]
