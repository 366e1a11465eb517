"""The random program generator: what its kinds promise, that everything in the table occurs, that nothing but the arguments counts."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from accelkit.isa.codec import CODEC
from accelkit.isa.faults import FAULTS, Fault, FaultKind
from accelkit.isa.machine import Machine
from accelkit.isa.row import Memory
from accelkit.isa.table import TABLE
from accelkit.isa.units import CHANNELS
from accelkit.simulator.generator import KINDS, Case, Step, generate, shrink
from accelkit.simulator.generator.shrink import drop
from tests.reference.case import check_case, run_case
from tests.reference.machines import MACHINES
from tests.reference.tensor import TooLong

SHORT = [kind for kind in KINDS if kind != "long"]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """A few cases of each kind but the long one for small machines; more of those with a dispatch fault, of which there are many."""
    machines = [MACHINES[name] for name in ("tiny-8", "ones-4", "odd-6")]
    counts = dict.fromkeys(SHORT, 12) | {"dispatch_fault": 24}
    return [
        generate(machine, kind, seed)
        for machine in machines
        for kind, count in counts.items()
        for seed in range(count)
    ]


@pytest.mark.parametrize("machine", MACHINES)
def test_race_free_programs_are_clean(machine: str) -> None:
    """On the reference machine race-free programs halt, and the slow checker finds nothing but sums that overflow."""
    for seed in range(6):
        case = generate(MACHINES[machine], "race_free", seed)
        outcome = run_case(case)
        verdict = check_case(case, outcome)
        assert outcome.verdict == "halted"
        assert verdict is None or verdict.fault is Fault.OVERFLOW


def test_every_fault_and_verdict_occurs(cases: list[Case]) -> None:
    """The kinds together bring about every fault class and every verdict."""
    faults: Counter[Fault] = Counter()
    verdicts: Counter[str] = Counter()
    for case in cases:
        try:
            outcome = run_case(case)
        except TooLong:
            continue
        verdicts[outcome.verdict] += 1
        faults[outcome.fault] += 1
        if verdict := check_case(case, outcome):
            faults[verdict.fault] += 1
    assert set(verdicts) == {"halted", "dispatch fault", "port fault", "deadlock", "cycle bound"}
    assert {fault for fault in Fault if not faults[fault]} == set()
    assert set(FAULTS) | {Fault.NONE} == set(faults)


def test_every_row_operand_flag_and_channel_occurs(cases: list[Case]) -> None:
    """Every instruction occurs, every operand in a register and as x0 where that is allowed, every flag set and clear, every channel."""
    seen: set[tuple[str, str, bool]] = set()
    waits: set[int] = set()
    posts: set[int] = set()
    for case in cases:
        for step in case.steps:
            if not step.mnemonic:
                continue
            row = TABLE.by_mnemonic[step.mnemonic]
            seen.add((row.mnemonic, "", True))
            seen |= {
                (row.mnemonic, o.name, step.values.get(o.name, 0) != 0) for o in (*row.slots, *row.flags)
            }
            waits |= {
                c.number
                for c in CHANNELS
                if c.consumer is row.unit and step.values.get("wait", 0) >> c.wait_bit & 1
            }
            posts |= {
                c.number
                for c in CHANNELS
                if c.producer is row.port and step.values.get("post", 0) >> c.post_bit & 1
            }
    wanted = {
        (row.mnemonic, o.name, is_set)
        for row in TABLE.rows
        for o in (*row.slots, *row.flags)
        for is_set in (False, True)
    }
    # x0 would be 1 byte, which is not aligned
    wanted -= {("load.w", "bytes", False), ("store.w", "bytes", False)}
    assert wanted | {(row.mnemonic, "", True) for row in TABLE.rows} <= seen
    assert waits == posts == {channel.number for channel in CHANNELS}


def test_walks_reach_the_ends_of_memory_and_cross_banks() -> None:
    """Some instruction touches the first and the last row of each memory, some cross a bank edge, some DRAM rows a page edge."""
    machine = MACHINES["odd-6"]
    first_or_last: set[tuple[Memory, bool]] = set()
    crossings: set[Memory] = set()
    for seed in range(20):
        for tensor in run_case(generate(machine, "race_free", seed)).tensors:
            touched = tensor.touched()
            for memory, rows, size, edge in (
                (
                    Memory.SCRATCHPAD,
                    touched.scratchpad_write,
                    machine.scratchpad_rows,
                    machine.scratchpad_bank_rows,
                ),
                (
                    Memory.ACCUMULATOR,
                    touched.accumulator_write,
                    machine.accumulator_rows,
                    machine.accumulator_bank_rows,
                ),
                (Memory.DRAM, touched.dram_read, machine.dram_bytes, machine.page_bytes),
            ):
                first_or_last |= {
                    (memory, is_last) for is_last in (False, True) if (size - 1) * is_last in rows
                }
                if rows and min(rows) // edge != max(rows) // edge:
                    crossings.add(memory)
    assert first_or_last == {(memory, is_last) for memory in Memory for is_last in (False, True)}
    assert crossings == set(Memory)


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_follows_from_its_arguments(kind: str) -> None:
    """The same machine, kind and seed give the same case; another seed gives another."""
    machine = MACHINES["ones-4"]
    one, other = generate(machine, kind, 1), generate(machine, kind, 1)
    assert one.program.words == other.program.words
    assert (one.argument_words, one.dram, one.buffers, one.max_cycles) == (
        other.argument_words,
        other.dram,
        other.buffers,
        other.max_cycles,
    )
    assert np.array_equal(one.scratchpad, other.scratchpad)
    assert np.array_equal(one.accumulator, other.accumulator)
    assert generate(machine, kind, 2).program.words != one.program.words


def test_cases_fit_their_machine(cases: list[Case]) -> None:
    """Words, arguments and buffers are no more than the machine takes, and buffers don't overlap."""
    for case in cases:
        assert len(case.program.words) <= case.machine.instruction_words
        assert len(case.argument_words) <= case.machine.argument_words
        ends = [0]
        for buffer in sorted(case.buffers, key=lambda buffer: buffer.address):
            assert ends[-1] <= buffer.address
            ends.append(buffer.address + buffer.nbytes)
        assert ends[-1] <= case.machine.dram_bytes


# Sizes at the ends of what a machine file may say: little memory under wide rows, buses as wide as a quarter of DRAM, DRAM that four
# buffers don't divide.
SMALL = [
    replace(
        MACHINES["ones-4"],
        name=f"small-{lanes}-{bus_bytes}",
        array_rows=lanes,
        array_columns=lanes,
        scratchpad_banks=1,
        scratchpad_bank_bytes=lanes * rows,
        accumulator_banks=1,
        accumulator_bank_bytes=4 * lanes * rows,
        dram_bytes=dram_bytes,
        bus_bytes=bus_bytes,
        page_bytes=bus_bytes,
        instruction_words=16,
        argument_words=1,
    )
    for lanes, rows, bus_bytes, dram_bytes in ((2, 8, 4, 1 << 12), (4, 4, 1024, 1 << 12), (256, 1, 4, 4100), (256, 2, 1024, 5 << 10))
]


@pytest.mark.parametrize("machine", SMALL, ids=lambda machine: machine.name)
@pytest.mark.parametrize("kind", SHORT)
def test_cases_are_found_for_machines_of_any_size(machine: Machine, kind: str) -> None:
    """However small memories are, each seed gives a case, and its buffers lie in DRAM one after another."""
    for seed in range(6):
        case = generate(machine, kind, seed)
        assert len(case.program.words) <= 16
        end = 0
        for buffer in sorted(case.buffers, key=lambda buffer: buffer.address):
            assert end <= buffer.address
            assert buffer.nbytes > 0
            end = buffer.address + buffer.nbytes
        assert end <= machine.dram_bytes


def test_a_seed_of_many_attempts() -> None:
    """Operands are found where twenty draws of random counts fit nowhere."""
    assert generate(MACHINES["wide-4"], "dispatch_fault", 74).steps


def test_dropping_steps_keeps_branches_on_their_instruction() -> None:
    """A branch over dropped steps gets shorter; one that led to a dropped step leads to what follows it."""
    steps = (
        Step("bne", {"rs1": 1, "rs2": 0}, target=4),
        Step("addi", {"rd": 1, "rs1": 1, "imm": 1}),
        Step("addi", {"rd": 2, "rs1": 2, "imm": 2}),
        Step("jal", {"rd": 0}, target=1),
        Step("halt"),
    )
    words = [step.encode(place) for place, step in enumerate(drop(steps, 1, 2))]
    decoded = [CODEC.decode(word) for word in words]
    assert [one.row.mnemonic for one in decoded] == ["bne", "jal", "halt"]
    assert [decoded[0].values["imm"], decoded[1].values["imm"]] == [2, 0]


def test_shrinking_ends_with_what_the_failure_needs() -> None:
    """Shrunk for "dispatches a requantise", a program keeps that instruction, what gives its counts and bounds, and little else."""
    case = next(
        c for c in (generate(MACHINES["ones-4"], "race_free", seed) for seed in range(20)) if _requantises(c)
    )
    small = shrink(case, _requantises)
    assert _requantises(small)
    assert len(small.steps) <= 3


def _requantises(case: Case) -> bool:
    return any(tensor.name == "requantise" for tensor in run_case(case).tensors)


def test_shrinking_refuses_what_does_not_fail() -> None:
    """A predicate that is false of the case itself is a mistake of the caller."""
    case = replace(generate(MACHINES["ones-4"], "bound", 0), max_cycles=10)
    with pytest.raises(ValueError, match="does not fail"):
        shrink(case, lambda candidate: False)


def test_every_class_of_dispatch_fault_is_reached() -> None:
    """Each dispatch fault class is the outcome of some program made for it."""
    found = {
        run_case(generate(MACHINES["tiny-8"], "dispatch_fault", seed, length=6)).fault for seed in range(120)
    }
    assert {fault for fault, text in FAULTS.items() if text.kind is FaultKind.DISPATCH} <= found
