"""Cycles by instruction against the cycle classes of the timing pass (which equal the RTL's), and who is to blame.

ACCELKIT_PROGRAMS is the number of random programs of each kind on each machine, as in test_against_reference.
"""

from collections import Counter

import pytest

from accelkit.assembler import assemble
from accelkit.isa.units import CycleClass, SequencerClass, Unit
from accelkit.simulator import LaunchError, LaunchResult, Session
from accelkit.simulator.account import Account
from accelkit.simulator.generator import generate
from tests.reference.machines import MACHINES
from tests.simulator.test_against_reference import PAIRS, prepare, seeds

Sums = dict[tuple[Unit, CycleClass | SequencerClass], int]


def sums(account: Account) -> Sums:
    """Cycles of the account by unit and class."""
    counts: Counter[tuple[Unit, CycleClass | SequencerClass]] = Counter()
    for cell in account.cells():
        counts[cell.unit, cell.cls] += cell.cycles
    return {key: cycles for key, cycles in counts.items() if cycles}


def classes(result: LaunchResult) -> Sums:
    """Cycles of the result by unit and class."""
    queued = {(unit, cls): n for unit, found in result.units.items() for cls, n in found.items() if n}
    return {**queued, **{(Unit.SEQUENCER, cls): n for cls, n in result.sequencer.items() if n}}


@pytest.mark.parametrize("machine, kind", PAIRS)
def test_random_programs(machine: str, kind: str) -> None:
    """For every unit and class, instructions add up to the launch's cycles, whatever ended it (but a fault at issue, which cuts it
    short), with the checker and without."""
    for seed in seeds(kind):
        case = generate(MACHINES[machine], kind, seed)
        for is_checking in (False, True):
            session, account = prepare(case, is_checking), Account()
            session.observers = (account,)
            try:
                result = session.launch(case.program, case.argument_words, case.max_cycles)
            except LaunchError as error:
                result = error.result
            if account.is_complete:
                assert sums(account) == classes(result), f"{kind} on {machine}, seed {seed}"


BLAMED = """
        li      s0, 64
        fill.b  sp[zero], rows=s0, fill=zero            # 1
        sync.load                                       # 2: drains 1
        fill.b  sp[zero], rows=s0, fill=zero            # 3
        fill.b  sp[zero], rows=s0, fill=zero            # 4
        fill.b  sp[zero], rows=s0, fill=zero            # 5
        fill.b  sp[zero], rows=s0, fill=zero            # 6
        fill.b  sp[zero], rows=s0, fill=zero  post(store.0)     # 7
        fill.b  sp[zero], rows=s0, fill=zero            # 8: for room in the queue of 4
        sync.store wait(load.0)                         # 9: for 7
        fence                                           # 10: for 8
        halt
"""


def test_who_is_to_blame() -> None:
    """Drain, queue, token and fence each name the instruction of the comments above (tiny-8: queues of 4)."""
    account = Account()
    Session("tiny-8", check=False, observers=[account]).launch(assemble(BLAMED, "blamed.s"))
    blamed = {(cell.pc, cell.cls.name): cell.blame for cell in account.cells() if cell.blame >= 0}
    assert blamed[2, "DRAIN"] == 1
    assert blamed[9, "WAIT_LOAD"] == 7
    assert blamed[10, "FENCE"] == 8
    assert blamed[8, "QUEUE_LOAD"] == 4
    assert all(blame < pc for (pc, _), blame in blamed.items())


def test_launches_of_one_program_add_up() -> None:
    """Accounts go on from launch to launch, and refuse another program."""
    account, program = Account(), assemble(BLAMED, "blamed.s")
    session = Session("tiny-8", check=False, observers=[account])
    first = session.launch(program).cycles
    once = sums(account)
    session.launch(program)
    assert account.cycles == 2 * first
    assert sums(account) == {key: 2 * cycles for key, cycles in once.items()}
    with pytest.raises(ValueError, match="an account is of one program"):
        session.launch(assemble("halt\n", "other.s"))


def test_tokens_that_nothing_takes() -> None:
    """More posts than the account has room for at first, and more cells."""
    lines = ["loop: addi s0, s0, 1", *["sync.load post(store.0)"] * 40, "slti t0, s0, 50", "bnez t0, loop", "halt"]
    account = Account()
    result = Session("tiny-8", check=False, observers=[account]).launch(assemble("\n".join(lines) + "\n", "posts.s"))
    assert sums(account) == classes(result)
