"""Differential fuzzing of the dispatcher and its kernels: one operator at a time, or a few, against ONNX Runtime.

    python -m tests.fuzz.operators [--cases 130] [--family convolution ...] [--seed 1] [--only NUMBER] [--jobs 2]

Runs so many cases of each family, first all pairs of features, and prints what was met. Each case follows from family, seed and
number alone.
A failure is made smaller and written to build/fuzz/ as a model with its inputs, and the command that repeats it.
Exit code: 0 if all outputs are equal, no cell is empty and nothing was refused but what can't be exact; else 1.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.operators.campaign import INEXACT, cases, fuzz, redrawn
from tests.fuzz.operators.case import shrink, write_reproducer
from tests.fuzz.operators.families import FAMILIES

_FOLDER = Path("build/fuzz")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.operators", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=130, help="of each family")
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
            wrong |= bool(failures or coverage.empty() or set(coverage.refused) - INEXACT)
    print(f"{outputs:,} outputs compared with ONNX Runtime")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
