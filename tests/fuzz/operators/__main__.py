"""Differential fuzzing of the dispatcher and its kernels: one operator at a time, or a few, against ONNX Runtime.

    python -m tests.fuzz.operators [--cases 400] [--family convolution ...] [--seed 1] [--only NUMBER] [--jobs 2]

Runs so many cases of each family, first all pairs of features, and prints what was met. Each case follows from family, seed and number alone.
A failure is made smaller and written to build/fuzz/ as a model with its inputs, and the command that repeats it.
Exit code: 0 if all outputs are equal and no cell is empty, else 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random

from tests.fuzz.operators.case import Case, Outcome, machine, run, shrink, write_reproducer
from tests.fuzz.operators.families import FAMILIES
from tests.fuzz.operators.space import Chooser, Coverage

_FOLDER = Path("build/fuzz")
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


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.operators", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=400, help="of each family")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case of the family alone")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    families = arguments.family or list(FAMILIES)
    if arguments.only is not None:
        case = next(islice(cases(families[0], arguments.seed), arguments.only, None))
        case, outcome = redrawn(case)
        print(case, outcome, sep="\n")
        return int(bool(outcome.failure))
    outputs, wrong = 0, False
    with ProcessPoolExecutor(arguments.jobs, get_context("spawn")) as pool:
        for family in families:
            coverage, failures = fuzz(family, arguments.cases, arguments.seed, pool)
            outputs += coverage.outputs
            print(coverage.table(), flush=True)
            for case, failure in failures[:5]:
                print(f"  FAILURE: {failure}")
                small = shrink(case)
                print(f"    {dict(small.choice)} {dict(small.sizes)}")
                print(f"    {write_reproducer(small, _FOLDER / family)}", flush=True)
            print(f"  {len(failures)} failures")
            wrong |= bool(failures or coverage.empty())
    print(f"{outputs:,} outputs compared with ONNX Runtime")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
