"""Jitter: delays are legal and drawn from the seed alone, and only programs that the checker refuses show them in their values."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from accelkit.isa.machine import Machine
from accelkit.isa.table import TABLE
from accelkit.isa.units import CHANNELS, QUEUED_UNITS, Port, Unit, channels_posted, channels_waited
from accelkit.simulator import LaunchResult, Session
from accelkit.simulator.account import Account
from accelkit.simulator.core import jit
from accelkit.simulator.core.jitter import MOST, delay
from accelkit.simulator.generator import KINDS as ALL_KINDS
from accelkit.simulator.generator import generate
from accelkit.simulator.recording import Recording
from accelkit.simulator.rewind import Rewind
from tests.reference.case import check_case, run_case
from tests.reference.machines import MACHINES
from tests.reference.tensor import TooLong
from tests.simulator.jitter_study import COUNTS, study
from tests.simulator.test_account import classes, sums
from tests.simulator.test_against_reference import PROGRAMS, compare, compare_verdicts, launch, prepare
from tests.simulator.test_recording import recorded

SEEDS = (1, 2, 7, (1 << 32) - 1)
KINDS = ("race_free", "racy", "deadlock", "dispatch_fault")


def jittered(machine: str, kind: str, number: int, seed: int, is_checking: bool = False) -> tuple[Recording, Session]:
    """The recording of a random program with delays of a seed."""
    case = generate(MACHINES[machine], kind, number)
    session = prepare(case, is_checking)
    session.jitter = seed
    return recorded(session, case.program, tuple(case.argument_words), case.max_cycles), session


def violations(machine: Machine, recording: Recording) -> list[str]:
    """What ADR 0003 forbids whatever the delays, found in the events one by one."""
    records = sorted(recording.records, key=lambda one: int(one.number))
    rows = [TABLE.by_opcode[int(record.op)] for record in records]
    found = [*_token_violations(records)]
    for port in Port:
        completions = [int(record.c) for record, row in zip(records, rows, strict=True) if row.port is port]
        if completions != sorted(completions):
            found.append(f"{port.name}: completions out of order")
    for unit in QUEUED_UNITS:
        of_unit = [record for record, row in zip(records, rows, strict=True) if row.unit is unit]
        for place in range(len(of_unit)):
            found += [f"{unit.name}: {what}" for what in _unit_violations(machine, unit, of_unit[: place + 1])]
    return found


def _token_violations(records: list[np.record]) -> Iterator[str]:
    """Waits that take a token before it was posted; the n-th wait takes the n-th post."""
    posts: list[list[int]] = [[] for _ in CHANNELS]
    waits: list[list[int]] = [[] for _ in CHANNELS]
    for record in records:
        row = TABLE.by_opcode[int(record.op)]
        assert row.port is not None
        for channel in channels_posted(row.port):
            if record.post >> channel.post_bit & 1:
                posts[channel.number].append(int(record.c))
        for channel in channels_waited(row.unit):
            if record.wait >> channel.wait_bit & 1:
                waits[channel.number].append(int(record.s))
    for channel in CHANNELS:
        if any(post >= wait for post, wait in zip(posts[channel.number], waits[channel.number], strict=False)):
            yield f"{channel}: a token was taken before it was posted"


def _unit_violations(machine: Machine, unit: Unit, records: list[np.record]) -> Iterator[str]:
    """What the last of a unit's records does too early, seen from those before it."""
    *earlier, record = records
    before = earlier[-1] if earlier else None
    if record.s <= record.d or (before is not None and record.s <= before.s):
        yield "issue out of order"
    if unit is not Unit.ARRAY and before is not None and record.s <= before.e:
        yield "beats overlap"
    if len(earlier) >= machine.queue_depth and record.d <= earlier[-machine.queue_depth].s:
        yield "more in the queue than it holds"
    if unit in (Unit.LOAD, Unit.STORE):
        if len(earlier) >= machine.outstanding and record.s <= earlier[-machine.outstanding].c:
            yield "more in flight than allowed"
        moves = before is not None and record.c > record.e and before.c > before.e
        if before is not None and moves and record.s + record.c - record.e <= before.c:
            yield "data overtakes data"
    is_sync = TABLE.by_opcode[int(record.op)].mnemonic.startswith("sync.")
    if (is_sync or unit is Unit.VECTOR) and any(record.s <= other.c for other in earlier):
        yield "not drained"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", ["tiny-8", "ones-4", "no-miss"])
def test_delays_are_legal(machine: str, kind: str) -> None:
    """Whatever the seed, tokens, units, ports, queues, latencies and drains keep the order that ADR 0003 promises."""
    for number in range(PROGRAMS):
        for seed in SEEDS:
            recording, _ = jittered(machine, kind, number, seed)
            assert violations(MACHINES[machine], recording) == [], (number, seed)


@pytest.mark.parametrize("kind", [kind for kind in ALL_KINDS if kind not in ("long", "raw")])
@pytest.mark.parametrize("machine", ["tiny-8", "ones-4", "odd-6"])
def test_every_event_class_and_byte_is_the_reference_machines(machine: str, kind: str) -> None:
    """With the delays of a seed, racy or not: the same as the machine that steps every cycle and holds instructions and data back."""
    for number in range(PROGRAMS):
        case, seed = generate(MACHINES[machine], kind, 700 + number), number + 1
        try:
            expected = run_case(case, partial(delay, seed))
        except TooLong:
            continue
        session = prepare(case, is_checking=False)
        session.jitter = seed
        assert compare(expected, launch(session, case), session) == [], (number, seed)
        checked = prepare(case, is_checking=True)
        checked.jitter = seed
        assert compare_verdicts(expected, check_case(case, expected), launch(checked, case)) == [], (number, seed)


def test_illegal_delays_are_seen() -> None:
    """The test above can fail: a latency that does not keep data in order, or an issue before its token, is found."""
    recording, _ = jittered("tiny-8", "race_free", 1, 1)
    loads = [one for one in recording.records if TABLE.by_opcode[int(one.op)].mnemonic == "load.b"]
    loads[0].c += 5000
    assert "LOAD: completions out of order" in violations(MACHINES["tiny-8"], recording)
    recording, _ = jittered("tiny-8", "race_free", 1, 1)
    waiting = next(one for one in recording.records if one.wait)
    waiting.s = waiting.d + 1
    assert violations(MACHINES["tiny-8"], recording)


def test_a_seed_is_a_timing_of_its_own() -> None:
    """The same seed gives the same events with checker, observers or neither, 0 those of the machine; other seeds give others."""
    case = generate(MACHINES["tiny-8"], "race_free", 4)  # the checker finds nothing: the trace is whole

    def events(seed: int, is_checking: bool, is_observed: bool) -> LaunchResult:
        session = prepare(case, is_checking)
        session.jitter = seed
        session.observers = (Account(),) if is_observed else ()
        return launch(session, case)

    plain = events(0, False, False)
    seen = {plain.trace.tobytes()} if plain.trace is not None else set()
    for seed in SEEDS:
        first = events(seed, False, False)
        assert first.trace is not None
        for is_checking, is_observed in ((True, False), (False, True)):
            again = events(seed, is_checking, is_observed)
            assert np.array_equal(again.trace, first.trace)
        assert first.cycles > plain.cycles
        seen.add(first.trace.tobytes())
    assert len(seen) == 1 + len(SEEDS)


def test_range_of_delays() -> None:
    """About half of the delays are 0, the others up to a bound of the stream's own; every bound from 0 to MOST occurs."""
    bounds = set()
    for seed in range(1, 60):
        drawn = [delay(seed, 3, number) for number in range(400)]
        assert min(drawn) == 0
        assert drawn.count(0) > 100
        bounds.add(max(drawn).bit_length())
    assert bounds == set(range(MOST.bit_length() + 1))
    assert max(delay(seed, 0, number) for seed in range(1, 60) for number in range(400)) <= MOST


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_cycles_by_line_add_up(kind: str, seed: int) -> None:
    """Delays are BUSY cycles of their unit and instruction: classes add up to the cycles, and instructions to the classes."""
    for number in range(PROGRAMS):
        case = generate(MACHINES["tiny-8"], kind, number)
        session, account = prepare(case, is_checking=False), Account()
        session.observers, session.jitter = (account,), seed
        result = launch(session, case)
        if account.is_complete:
            assert sums(account) == classes(result)
            assert {sum(shares.values()) for shares in result.units.values()} == {result.cycles}


@pytest.mark.parametrize("machine", ["tiny-8", "ones-4"])
def test_beats_agree_with_whole_instructions(machine: str) -> None:
    """Of a race-free program beats in order of time leave what whole instructions in order of issue leave, with delayed data too."""
    for number in range(PROGRAMS):
        for seed in SEEDS:
            recording, session = jittered(machine, "race_free", number, seed)
            state = Rewind(recording)
            state.go(recording.end)
            for name in ("scratchpad", "accumulator", "dram"):
                same = np.array_equal(getattr(state.memories, name), getattr(session.memories, name))
                assert same, f"{machine}, program {number}, seed {seed}: {name}"


@pytest.mark.skipif(jit.IS_INTERPRETED, reason="thousands of launches")
def test_the_checker_finds_what_jitter_shows() -> None:
    """Every random program whose memories or verdict any of the seeds changes is refused by the checker for an order that lacks; none
    of the race-free ones changes (`make stress` does it for all)."""
    found = study({kind: count // 40 for kind, count in COUNTS.items()})
    assert found.missed == []
    assert found.differing > found.programs // 10


def test_seeds_are_32_bit_numbers() -> None:
    """A seed out of range is refused."""
    for seed in (-1, 1 << 32):
        with pytest.raises(ValueError, match="jitter"):
            Session("tiny-8", jitter=seed)
