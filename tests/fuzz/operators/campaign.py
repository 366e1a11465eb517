"""Runs many cases of a family and keeps account of what they met."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from random import Random

from tests.fuzz.operators.case import Case, Outcome, machine, run
from tests.fuzz.operators.families import FAMILIES
from tests.fuzz.operators.space import Chooser, Coverage

# ONNX Runtime sums in float there, so that its result depends on the order: see docs/operators.md.
INEXACT = {"QLinearAveragePool: not-exact"}
_DRAWS = 50  # sizes that ONNX Runtime refuses are drawn again


def cases(family: str, seed: int) -> Iterator[Case]:
    """All cases of a family, without end."""
    rng = Random(f"{family} {seed}")
    chooser = Chooser(FAMILIES[family].space, rng)
    while True:
        choice = chooser.next()
        sizes = FAMILIES[family].draw(choice, rng, machine(choice["machine"]).lanes)
        yield Case(family, choice, {**sizes, "seed": rng.randrange(1 << 30)})


def redrawn(case: Case) -> tuple[Case, Outcome]:
    """The outcome of a case, whose sizes are drawn again as long as they contradict each other or ONNX Runtime refuses them."""
    rng = Random(str(case))
    for _ in range(_DRAWS):
        try:
            return case, run(case)
        except ValueError as error:
            problem = str(error)
        sizes = FAMILIES[case.family].draw(case.choice, rng, machine(case.choice["machine"]).lanes)
        case = Case(case.family, case.choice, {**sizes, "seed": rng.randrange(1 << 30)})
    return case, Outcome(f"no sizes for this choice: {problem}")


def fuzz(family: str, count: int, seed: int, pool: ProcessPoolExecutor | None = None) -> tuple[Coverage, list[tuple[Case, str]]]:
    """What so many cases met, and the failures."""
    coverage, failures = Coverage(FAMILIES[family].space), []
    chosen = list(islice(cases(family, seed), count))
    outcomes = map(redrawn, chosen) if pool is None else pool.map(redrawn, chosen, chunksize=8)
    for case, outcome in outcomes:
        if outcome.failure:
            failures.append((case, outcome.failure))
        elif outcome.refused:
            coverage.refused.update(outcome.refused)
        else:
            coverage.add(case.choice, outcome.outputs)
    return coverage, failures
