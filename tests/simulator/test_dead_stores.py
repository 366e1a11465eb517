"""Dead stores of random programs, against a list of every access that the reference machine makes; and the warning's whole text."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelkit.assembler import assemble
from accelkit.cli.accel_sim import main
from accelkit.isa.row import Memory
from accelkit.simulator import LaunchError, Session
from accelkit.simulator.generator import generate
from accelkit.simulator.sanitiser.dead_stores import DeadStores, as_text
from tests.reference.case import run_case
from tests.reference.checker import Place, accessed
from tests.reference.machine import Outcome
from tests.reference.machines import MACHINES
from tests.reference.tensor import Tensor, TooLong
from tests.simulator.test_against_reference import PROGRAMS, prepare

Counts = dict[int, tuple[int, int, int]]  # by instruction: rows written, overwritten, left


def expected(outcome: Outcome) -> Counts:
    """Counted access by access."""
    unread: dict[Place, Tensor] = {}
    written: Counter[int] = Counter()
    overwritten: Counter[int] = Counter()
    issued = [tensor for tensor in outcome.tensors if tensor.s is not None]
    for tensor in sorted(issued, key=lambda one: (one.s or 0, one.unit)):
        reads, writes = accessed(tensor)
        for place in reads:
            unread.pop(place, None)
        for place in writes:
            if place[0] is Memory.DRAM:
                continue
            written[tensor.pc] += 1
            if place in unread and unread[place] is not tensor:
                overwritten[unread[place].pc] += 1
            unread[place] = tensor
    left = Counter(tensor.pc for tensor in unread.values())
    return {pc: (written[pc], overwritten[pc], left[pc]) for pc in overwritten.keys() | left.keys()}


@pytest.mark.parametrize("machine", ["tiny-8", "ones-4", "odd-6"])
def test_random_programs(machine: str) -> None:
    """Rows written, overwritten and left, of each instruction; both kinds occur."""
    totals = [0, 0]
    for kind in ("race_free", "control"):
        for seed in range(PROGRAMS):
            case = generate(MACHINES[machine], kind, seed)
            session, observer = prepare(case, is_checking=False), DeadStores()
            session.observers = (observer,)
            try:
                session.launch(case.program, case.argument_words, case.max_cycles)
                counts = expected(run_case(case))
            except (LaunchError, TooLong):
                continue
            found = {one.pc: (one.written, one.overwritten, one.left) for one in observer.found()}
            assert found == counts, f"{kind} on {machine}, seed {seed}"
            totals = [totals[n] + sum(one[n + 1] for one in counts.values()) for n in range(2)]
    assert all(totals)


DEAD = """\
.region tile, sp[4]
.region sums, acc[4], at=8
        li      t0, 4
        li      t1, tile
        li      t2, sums
        li      s0, 3
        fill.w  acc[t2], rows=t0
loop:   fill.b  sp[t1], rows=t0
        addi    s0, s0, -1
        bnez    s0, loop
        fill.b  sp[t1]              post(array.0)
        preload sp[t1], rows=t0     wait(load.0)
        halt
"""
TEXT = """\
dead.s:7:9: warning: dead store: of 4 rows written, nothing reads 4 (128 bytes): 4 left at halt
    fill.w acc[t2], rows=t0
  the first: accumulator row 8 (in sums), written in cycle 5
dead.s:8:9: warning: dead store: of 12 rows written, nothing reads 9 (72 bytes): 9 overwritten
    fill.b sp[t1], rows=t0
  the first: scratchpad row 0 (in tile), written in cycle 9, overwritten in cycle 13 by dead.s:8:9 (fill.b sp[t1], rows=t0)
"""


def test_text() -> None:
    """How many rows and bytes, how they end, and the first one with both instructions."""
    observer, program = DeadStores(), assemble(DEAD, "dead.s")
    session = Session("tiny-8", observers=[observer])
    session.launch(program)
    assert as_text(observer.found(), program, session.machine) + "\n" == TEXT
    session.launch(assemble("halt\n", "halt.s"))
    assert observer.found() == []


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings go to standard error and leave the exit code alone; after a fault there are none; without the option nothing is said."""
    monkeypatch.chdir(tmp_path)
    Path("dead.s").write_text(DEAD)
    result = CliRunner().invoke(main, ["run", "dead.s", "-m", "tiny-8", "--dead-stores"])
    assert (result.exit_code, result.stderr) == (0, TEXT)
    assert CliRunner().invoke(main, ["run", "dead.s", "-m", "tiny-8"]).stderr == ""
    Path("bad.s").write_text(DEAD.replace("halt", "store.b dram[zero], sp[t1], bytes=t0"))
    result = CliRunner().invoke(main, ["run", "bad.s", "-m", "tiny-8", "--dead-stores"])
    assert (result.exit_code, "dead store" in result.stderr) == (1, False)
