"""Mutation study: every wait and post of every kernel dropped, moved or swapped, and who notices. `make mutation` prints the table.

A mutant is judged on the kernel's cases. *Lint* looks at the program alone. The *checker* runs it (any fault, deadlock or leak
counts). *Delays* runs it unchecked on the same machine with other latencies and compares outputs with the kernel's: a wrong output, a
port fault or a deadlock counts. What none of them notices does no harm in these cases.
"""

import logging
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.table import POST, WAIT
from accelkit.isa.text import disassemble
from accelkit.isa.units import CHANNELS, Channel
from accelkit.kernels.plan import Place
from accelkit.kernels.programs import kernel_program
from accelkit.lint.channels import posts_of, waits_of
from accelkit.lint.check import lint_program
from accelkit.lint.sources import Sources
from accelkit.lint.words import Word, decode
from accelkit.simulator import LaunchError, Session
from tests.lint.kernel_cases import ASM, CASES, Planned

HARMLESS = {"W0908", "W0909"}  # findings of waste, not of harm
MAX_CYCLES = 1_000_000
# Latencies (read, write, page miss) that reorder units legally: each is slow or fast in turn.
DELAYS = ((1, 1, 0), (1, 2000, 0), (2000, 1, 0), (300, 40, 500), (17, 333, 50))


COLUMNS = {"harmful": 7, "lint": 4, "checker": 7, "delays only": 11, "nobody": 6}  # and their widths


@dataclass(frozen=True)
class Mutant:
    """A changed program: which instruction, and what was done to it."""

    kernel: str
    pc: int
    change: str
    program: Program

    @property
    def text(self) -> str:
        """The mutant in a line."""
        line = self.program.lines[self.pc]
        return f"{self.kernel}.s:{line.line if line else self.pc}: {self.change}: {disassemble(kernel_program(self.kernel).words[self.pc])}"


@dataclass(frozen=True)
class Verdict:
    """Who notices a mutant."""

    lint: bool
    checker: bool
    delays: bool

    @property
    def is_harmful(self) -> bool:
        """Whether something goes wrong when it runs."""
        return self.checker or self.delays


def mutants(kernel: str) -> Iterator[Mutant]:
    """All mutants of a kernel: each wait and post dropped, given to a neighbour of its unit or port, or put on the other channel."""
    program = kernel_program(kernel)
    code = decode(program.words)
    for pc, word in enumerate(code):
        if word is None or not word.row.is_tensor:
            continue
        for channel in waits_of(word):
            later = _neighbour(code, pc, 1, lambda other, unit=word.row.unit: other.row.unit is unit)
            yield from _changes(kernel, program, pc, "wait", channel, later)
        for channel in posts_of(word):
            earlier = _neighbour(code, pc, -1, lambda other, port=word.row.port: other.row.port is port)
            yield from _changes(kernel, program, pc, "post", channel, earlier)


def _neighbour(code: Sequence[Word | None], pc: int, step: int, fits) -> int | None:  # type: ignore[no-untyped-def]
    pcs = range(pc + step, len(code) if step > 0 else -1, step)
    return next((other for other in pcs if (word := code[other]) is not None and fits(word)), None)


def _changes(
    kernel: str, program: Program, pc: int, side: str, channel: Channel, neighbour: int | None
) -> Iterator[Mutant]:
    lsb, bit = (WAIT.lsb, channel.wait_bit) if side == "wait" else (POST.lsb, channel.post_bit)
    name = f"{side}({channel.wait_text if side == 'wait' else channel.post_text})"
    mask = 1 << lsb + bit
    yield Mutant(kernel, pc, f"{name} dropped", _with(program, {pc: program.words[pc] ^ mask}))
    if neighbour is not None and not program.words[neighbour] & mask:
        words = {pc: program.words[pc] ^ mask, neighbour: program.words[neighbour] | mask}
        yield Mutant(kernel, pc, f"{name} moved {'down' if side == 'wait' else 'up'}", _with(program, words))
    twin = next(c for c in CHANNELS if (c.producer, c.consumer) == (channel.producer, channel.consumer) and c != channel)
    other = 1 << lsb + (twin.wait_bit if side == "wait" else twin.post_bit)
    yield Mutant(kernel, pc, f"{name} swapped", _with(program, {pc: program.words[pc] ^ mask ^ other}))


def _with(program: Program, words: dict[int, int]) -> Program:
    changed = tuple(words.get(pc, word) for pc, word in enumerate(program.words))
    return replace(program, words=changed, allowances=())


def judge(mutant: Mutant) -> Verdict:
    """Lint, checker and delays on all cases of the kernel."""
    report = lint_program(mutant.program, Sources(), ASM)
    lint = any(finding.code not in HARMLESS for finding in report.findings)
    cases = CASES[mutant.kernel]
    checker = any(_outcome(mutant.program, case.on()[0], case, True) is None for case in cases)
    delays = any(
        _outcome(mutant.program, slowed, case, False) != _right_outcome(mutant.kernel, number)
        for number, case in enumerate(cases)
        for slowed in _slowed(case.on()[0])
    )
    return Verdict(lint, checker, delays)


def _slowed(machine: Machine) -> Iterator[Machine]:
    for read, write, miss in DELAYS:
        yield replace(machine, dram_read_latency_cycles=read, dram_write_latency_cycles=write, page_miss_cycles=miss)


@cache
def _right_outcome(kernel: str, number: int) -> bytes | None:
    case = CASES[kernel][number]
    return _outcome(kernel_program(kernel), case.on()[0], case, True)


def _outcome(program: Program, machine: Machine, case: Planned, is_checking: bool) -> bytes | None:
    """What the program leaves in the output, None if it does not halt, or the checker objects."""
    _, plan = case.on()
    session = Session(replace(machine, dram_bytes=1 << 20), check=is_checking)
    rng = np.random.default_rng(11)
    scratchpad = session.memories.scratchpad
    if case.is_kept:
        scratchpad[:] = rng.integers(0, 256, scratchpad.shape, np.uint8)
        session.shadow.scratchpad_written[:] = True
    addresses = {}
    for buffer in plan.buffers:
        addresses[buffer.name] = session.allocate(buffer.name, buffer.nbytes, buffer.is_writable)
        packed = buffer.packed()
        content = rng.integers(0, 256, buffer.nbytes, np.uint8) if packed is None else packed
        if not buffer.is_writable:
            session.write(addresses[buffer.name], content)
    (step,) = plan.steps
    places = {a.name: step.places.get(a.name, Place(a.name)) for a in program.arguments if a.name not in step.values}
    words = [
        addresses[places[a.name].buffer] + places[a.name].offset if a.name in places else step.values[a.name]
        for a in program.arguments
    ]
    try:
        session.launch(program, words, MAX_CYCLES)
    except LaunchError:
        return None
    if not plan.output:  # it stays, above all that the launch uses otherwise
        return scratchpad[len(scratchpad) // 2 :].tobytes()
    return session.read(addresses[plan.output], plan.buffer(plan.output).nbytes).tobytes()


def study(kernel: str, fraction: float, seed: int = 0) -> dict[Mutant, Verdict]:
    """Verdicts of a seeded fraction of a kernel's mutants."""
    chosen = random.Random(f"{kernel}/{seed}")
    return {mutant: judge(mutant) for mutant in mutants(kernel) if chosen.random() < fraction}


def main(fraction: float) -> None:
    """Print the table and every mutant that lint misses or that does no harm."""
    logging.disable(logging.ERROR)
    print(f"{'kernel':8} mutants", *(f"{name:>{width}}" for name, width in COLUMNS.items()))
    rest = []
    for kernel in CASES:
        verdicts = study(kernel, fraction)
        counts: Counter[str] = Counter()
        for mutant, verdict in verdicts.items():
            counts["harmful"] += verdict.is_harmful
            counts["lint"] += verdict.is_harmful and verdict.lint
            counts["checker"] += verdict.checker
            counts["delays only"] += verdict.delays and not verdict.lint and not verdict.checker
            counts["nobody"] += not verdict.is_harmful and not verdict.lint
            if verdict.is_harmful != verdict.lint or not verdict.is_harmful:
                who = "lint only" if verdict.lint else "nobody" if not verdict.is_harmful else "not lint"
                rest.append(f"{who}: {mutant.text}")
        numbers = [f"{counts[name]:{width}}" for name, width in COLUMNS.items()]
        print(f"{kernel:8} {len(verdicts):7}", *numbers, flush=True)
    print(*rest, sep="\n")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
