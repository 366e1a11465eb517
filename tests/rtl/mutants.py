"""Mutants of the RTL, each of which the lockstep has to catch. `make mutants` builds and runs them all and prints the verdicts."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from accelkit.simulator.generator import KINDS, Case, generate
from accelkit.simulator.rtl.build import RtlError, build, sources
from accelkit.simulator.rtl.run import Rtl, RtlGaveUpError
from accelkit.simulator.rtl.verify import compare
from tests.rtl import real
from tests.rtl.lockstep import MACHINES, memories_after, memories_of, run_simulator
from tests.rtl.races import races
from tests.rtl.requantise import MAKERS, build_lane, count_differences

MACHINE = MACHINES["odd-6"]  # small, and no size is a power of two
PROGRAMS = 30  # of each kind, before a mutant counts as missed
DISPATCH_FAULTS = 1000  # more of that kind: two faults of one instruction, or one that misses a limit by 1, are rare
KINDS_WITH_AN_END = [kind for kind in KINDS if kind != "raw"]  # raw bits may take for ever
REAL_FILES = ("real_lane.sv", "fused_lane.sv", "multiply_lane.sv", "divide_lane.sv", "byte_lane.sv")
REAL_FILES += ("round_to_f32.sv", "normal_f32.sv")  # their cases are rare in random programs
SLACK = 1000  # cycles that the RTL may go on for after the simulator's last


@dataclass(frozen=True)
class Mutant:
    """One change to one file: see mutants.toml."""

    name: str
    file: str
    old: str
    new: str
    equivalent: str = ""


def mutants() -> list[Mutant]:
    """All mutants of mutants.toml."""
    document = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return [Mutant(**entry) for entry in document["mutant"]]


def changed_text(mutant: Mutant) -> str:
    """The mutant's file; ValueError if the text to change isn't there exactly once."""
    text = sources()[mutant.file]
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"mutant {mutant.name!r}: {mutant.old!r} stands {text.count(mutant.old)} times in {mutant.file}"
        )
    return text.replace(mutant.old, mutant.new)


def catch(mutant: Mutant) -> str:
    """What gave the mutant away; empty if nothing did."""
    changed = {mutant.file: changed_text(mutant)}
    if mutant.file == "requantise_lane.sv":
        lane = build_lane(changed)
        for maker in MAKERS:
            if wrong := sum(count_differences(lane, maker, seed, 25_000) for seed in range(4)):
                return f"{wrong} of 100,000 bytes ({maker.__name__})"
        return ""
    try:
        rtl = Rtl(MACHINE, build(MACHINE, changed=changed))
    except RtlError as error:
        raise ValueError(f"mutant {mutant.name!r} does not build: {error}") from error
    if mutant.file in REAL_FILES:
        for name in real.MAKERS:
            if wrong := real.count_differences(rtl, name, 0, 1000):
                return f"{wrong} results ({name})"
    for case in _cases():
        session, result = run_simulator(case)
        memories = memories_of(case)
        words, give_up = case.program.words, result.cycles + SLACK
        try:
            theirs = rtl.run(words, case.argument_words, memories, case.max_cycles, give_up)
        except RtlGaveUpError:
            return f"does not end ({case.kind} {case.seed})"
        if found := compare(case.program, result, memories_after(session), theirs, memories):
            return f"{found.what} ({case.kind} {case.seed})"
    return ""


def _cases() -> Iterator[Case]:
    """Random programs of all kinds, races at every distance, then more dispatch faults."""
    for number in range(PROGRAMS):
        for kind in KINDS_WITH_AN_END:
            yield generate(MACHINE, kind, number)
    yield from races(MACHINE)
    for number in range(PROGRAMS, DISPATCH_FAULTS):
        yield generate(MACHINE, "dispatch_fault", number)


def main(names: Sequence[str]) -> int:
    """Run all mutants, or those named, and print a line each; 1 if one that isn't equivalent was missed."""
    chosen = [mutant for mutant in mutants() if not names or mutant.name in names]
    missed = 0
    with ProcessPoolExecutor(max_workers=2) as pool:
        for mutant, found in zip(chosen, pool.map(catch, chosen), strict=True):
            verdict = (
                f"caught: {found}"
                if found
                else f"equivalent: {mutant.equivalent}"
                if mutant.equivalent
                else "MISSED"
            )
            missed += not found and not mutant.equivalent
            print(f"{mutant.name:<38} {mutant.file:<20} {verdict}", flush=True)
    print(f"{len(chosen)} mutants, {sum(1 for m in chosen if m.equivalent)} equivalent, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
