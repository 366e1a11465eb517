"""What messages add to a fault, against the whole history of every byte and row that the slow checker of tests/reference keeps.

ACCELKIT_PROGRAMS is the number of random programs of each kind, as in test_against_reference.
"""

import itertools
from collections import Counter, defaultdict

from accelkit.isa.faults import Fault
from accelkit.isa.row import Memory
from accelkit.simulator.generator import Case, generate
from accelkit.simulator.result import FaultReport
from accelkit.simulator.sanitiser.detail import Detail, Part
from tests.reference.case import initial_state, run_case
from tests.reference.checker import Place, State, accessed, check
from tests.reference.machine import Outcome
from tests.reference.machines import MACHINES
from tests.reference.tensor import Tensor, TooLong
from tests.simulator.test_against_reference import PROGRAMS, launch, prepare

CLASSES = (Fault.RACE, Fault.BANK_ORDER, Fault.UNINITIALISED, Fault.BUFFER, Fault.TOKEN_LEAK)


def is_part(part: Part, tensor: Tensor) -> bool:
    """Whether a part of a message is this instruction. A port fault ends the reference before some complete."""
    return (part.pc, part.issue) == (tensor.pc, tensor.s) and tensor.c in (None, part.complete)


def places_of(detail: Detail) -> set[int]:
    """The places that a message names."""
    return {place for first, last in detail.ranges for place in range(first, last + 1)}


def last_write(state: State, place: Place, but: Tensor | None = None) -> Tensor | None:
    """The latest instruction that wrote a place."""
    writers = [tensor for tensor, is_write in state.history[place] if is_write and tensor is not but]
    return writers[-1] if writers else None


def check_race(detail: Detail, culprit: Tensor, state: State, outcome: Outcome) -> None:
    """The other touched exactly these places too, one of the two writes, and the writers are the last before both."""
    memory, other = detail.memory, detail.of("other")
    assert memory is not None
    assert other is not None
    tensor = next(one for one in outcome.tensors if is_part(other, one))
    reads, writes = (set(places) for places in accessed(culprit))
    common = set()
    writers = []
    for place in reads | writes:
        kinds = {is_write for one, is_write in state.history[place] if one is tensor}
        if place[0] is memory and kinds and (True in kinds or place in writes):
            common.add(place[1])
            writers.append(last_write(state, place, but=tensor))
    assert places_of(detail) == common
    named = [part for part in detail.parts if part.role == "writer"]
    assert {one.number for one in writers if one} == {t.number for t in outcome.tensors for part in named if is_part(part, t)}


def check_uninitialised(detail: Detail, culprit: Tensor, state: State, outcome: Outcome) -> None:
    """These places were read and nothing wrote them; the others' writers are the last ones; the later writer is the first one."""
    memory = detail.memory
    assert memory is not None
    reads = {place for place in accessed(culprit)[0] if place[0] is memory}
    missing = {place for place in reads if not state.marks(memory)[place[1]]}
    assert places_of(detail) == {place for _, place in missing}
    writers = {last_write(state, place) for place in reads - missing} - {None}
    named = [part for part in detail.parts if part.role == "writer"]
    assert {one.number for one in writers if one} == {t.number for t in outcome.tensors for part in named if is_part(part, t)}
    later = [t for t in outcome.tensors if t.s is not None and (t.s, t.unit) > (culprit.s, culprit.unit) and missing & set(accessed(t)[1])]
    part = detail.of("later writer")
    if outcome.verdict == "port fault":
        return  # the run ends there, the message may look beyond
    assert (part is None) == (not later)
    if part is not None:
        assert is_part(part, min(later, key=lambda t: (t.s, t.unit)))


def check_bank_order(detail: Detail, culprit: Tensor, state: State, outcome: Outcome) -> None:
    """The other used the same port of a bank before."""
    other = detail.of("other")
    assert other is not None
    users = {t.number: t for users in state.port_users.values() for t in users}
    assert any(is_part(other, tensor) and tensor.unit is not culprit.unit for tensor in users.values())


def check_leak(detail: Detail, outcome: Outcome) -> None:
    """The posters are the latest on each channel that holds tokens, as many as it holds."""
    posts: dict[int, list[Tensor]] = defaultdict(list)
    for tensor in sorted((t for t in outcome.tensors if t.c is not None), key=lambda t: (t.c, t.number)):
        for channel in tensor.posts:
            posts[channel].append(tensor)
    left = [t.number for channel, count in enumerate(outcome.tokens) if count for t in posts[channel][-count:]]
    named = [part for part in detail.parts if part.role == "poster"]
    assert Counter(left) == Counter(t.number for part in named for t in outcome.tensors if is_part(part, t))


def check_buffer(detail: Detail, culprit: Tensor, state: State) -> None:
    """The bytes are those in no buffer that may be used so, or of a row that no single one holds."""
    reads, writes = accessed(culprit)
    touched = {byte for memory, byte in (writes if culprit.name.startswith("store") else reads) if memory is Memory.DRAM}
    good = {
        byte
        for byte in touched
        for first, size, is_writable in state.buffers
        if first <= byte < first + size and (is_writable or not culprit.name.startswith("store"))
    }
    assert places_of(detail) == touched - good or (touched == good and places_of(detail) <= touched)


def judge(case: Case, report: FaultReport) -> None:
    """Compare a message with the reference's history."""
    outcome, state = run_case(case), initial_state(case)
    verdict, detail = check(outcome, state, case.machine), report.detail
    assert verdict is not None
    assert detail is not None
    assert (verdict.fault, verdict.cycle) == (report.fault, report.cycle)
    if verdict.tensor is None:
        check_leak(detail, outcome)
        return
    assert is_part(detail.parts[0], verdict.tensor)
    if report.fault is Fault.RACE:
        check_race(detail, verdict.tensor, state, outcome)
    elif report.fault is Fault.UNINITIALISED:
        check_uninitialised(detail, verdict.tensor, state, outcome)
    elif report.fault is Fault.BANK_ORDER:
        check_bank_order(detail, verdict.tensor, state, outcome)
    elif report.fault is Fault.BUFFER:
        check_buffer(detail, verdict.tensor, state)


KINDS = ("racy", "port_fault", "uninitialised", "outside_buffers", "loose_tokens", "careless", "raw")


def test_random_programs() -> None:
    """Places, both instructions and writers of every fault of the checker are those of the history; every class occurs."""
    met: Counter[Fault] = Counter()
    for machine, kind, seed in itertools.product(("tiny-8", "ones-4"), KINDS, range(4 + 2 * PROGRAMS)):
        case = generate(MACHINES[machine], kind, seed)
        report = launch(prepare(case, is_checking=True), case).fault
        if report is None or report.fault not in CLASSES:
            continue
        try:
            judge(case, report)
        except TooLong:
            continue
        except AssertionError as error:
            raise AssertionError(f"{kind} on {machine}, seed {seed}: {report}") from error
        met[report.fault] += 1
    assert set(met) == set(CLASSES), met
