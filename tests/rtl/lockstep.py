"""Random programs on the simulator and on the verilated RTL. `python -m tests.rtl.lockstep` runs the full set (`make verify`)."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.text import disassemble
from accelkit.simulator import LaunchError, Session
from accelkit.simulator.generator import KINDS, Case, generate, shrink
from accelkit.simulator.result import LaunchResult, Verdict
from accelkit.simulator.rtl.run import Memories, Rtl, RtlGaveUpError, rtl_of
from accelkit.simulator.rtl.verify import Difference, compare
from tests.kernels.machines import EDGE_32
from tests.reference.machines import MACHINES as REFERENCE_MACHINES

GIVE_UP = 200_000  # RTL cycles; raw bits can make an instruction of 2^48 rows
DEFAULT = "edge-16"
MACHINES: dict[str, Machine] = {
    **REFERENCE_MACHINES,
    "edge-32": replace(EDGE_32, dram_bytes=1 << 16),
}
COUNTS = {name: 3000 if name == DEFAULT else 300 for name in MACHINES}


def run_simulator(case: Case, is_checking: bool = False) -> tuple[Session, LaunchResult]:
    """The simulator's run of a case, whatever its verdict."""
    session = Session(case.machine, check=is_checking)
    for address, content in case.dram:
        session.write(address, np.frombuffer(content, np.uint8))
    session.memories.scratchpad[:] = case.scratchpad
    session.memories.accumulator[:] = case.accumulator
    try:
        return session, session.launch(case.program, case.argument_words, case.max_cycles, trace=True)
    except LaunchError as error:
        return session, error.result


def memories_of(case: Case) -> Memories:
    """A case's memories at the start."""
    dram = np.zeros(case.machine.dram_bytes, np.uint8)
    for address, content in case.dram:
        dram[address : address + len(content)] = np.frombuffer(content, np.uint8)
    return Memories(dram, case.scratchpad.copy(), case.accumulator.copy())


def memories_after(session: Session) -> Memories:
    """What a session's memories hold."""
    mine = session.memories
    return Memories(mine.dram, mine.scratchpad, mine.accumulator)


def difference(case: Case, rtl: Rtl, verdicts: Counter[str] | None = None) -> Difference | None:
    """The first difference of a case without checks; None also if it goes on for too long."""
    memories = memories_of(case)
    try:
        theirs = rtl.run(case.program.words, case.argument_words, memories, case.max_cycles, give_up=GIVE_UP)
    except RtlGaveUpError:
        return None
    session, result = run_simulator(case)
    if verdicts is not None:
        verdicts[result.verdict.value] += 1
    return compare(case.program, result, memories_after(session), theirs, memories)


def explain(case: Case, rtl: Rtl) -> str:
    """The difference of a case, and the smallest case that still has one."""
    small = shrink(case, lambda candidate: difference(candidate, rtl) is not None)
    lines = [
        f"generate({case.machine.name}, {case.kind!r}, {case.seed}): {difference(case, rtl)}",
        "small case:",
    ]
    for place, word in enumerate(small.program.words):
        try:
            lines.append(f"{place:4} {disassemble(word, place)}")
        except ValueError:
            lines.append(f"{place:4} {word:#034x}")
    return "\n".join([*lines, f"  {difference(small, rtl)}"])


def run_machine(name: str, count: int) -> int:
    """`count` programs, all kinds in turn, on one machine; the number of differences, which are printed."""
    rtl = rtl_of(MACHINES[name])
    verdicts: Counter[str] = Counter()
    differing = 0
    started = time.process_time()
    for number in range(count):
        case = generate(MACHINES[name], list(KINDS)[number % len(KINDS)], 1_000_000 + number // len(KINDS))
        if difference(case, rtl, verdicts) is not None:
            differing += 1
            print(explain(case, rtl))
    endings = ", ".join(
        f"{verdict.value} {verdicts[verdict.value]}" for verdict in Verdict if verdicts[verdict.value]
    )
    spent = time.process_time() - started
    print(
        f"{name:<10} {count:>5} programs, {differing} differ; {endings} ({spent:.0f} CPU seconds)", flush=True
    )
    return differing


def main(names: list[str]) -> int:
    """Run the full set on the machines named, or on all; 1 if anything differs."""
    return 1 if sum(run_machine(name, COUNTS[name]) for name in names or list(MACHINES)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
