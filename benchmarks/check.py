"""Regressions of speed, by count of instructions: `python -m benchmarks.check` (`make bench-check`).

Not by seconds, which a busy machine stretches, nor by the processor's counters, which virtual machines rarely
have: valgrind's callgrind counts, the same each time. It knows no AVX-512, so the core is compiled for x86-64-v3
here, and it knows nothing of caches that miss. Counts hold for the versions of Python and packages that they were recorded with.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.__main__ import write
from benchmarks.details import commit, versions

_EPILOG = """examples:
  python -m benchmarks.check
  python -m benchmarks.check --record 2026-11-30

exit codes: 0 no workload needs more than 5 % more instructions than recorded; 1 some do; 2 they can't be counted or compared here"""
RECORD = Path(__file__).with_name("instructions.json")
CACHE = Path(__file__).parents[1] / "build" / "bench-check"
TOLERANCE_PERCENT = 5
_PACKAGES = ("numpy", "numba", "llvmlite", "lark")
_FEATURES = "+avx2,+fma,+bmi,+bmi2,+popcnt,+lzcnt,+f16c,+movbe"  # of x86-64-v3, all that valgrind knows


def environment() -> dict[str, str]:
    """The same code and the same order of sets in every run; OpenBLAS chooses by what valgrind's processor has."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    return {
        **kept,
        "ACCELKIT_CACHE": str(CACHE),
        "NUMBA_CPU_NAME": "x86-64-v3",
        "NUMBA_CPU_FEATURES": _FEATURES,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def count() -> dict[str, int]:
    """Instructions by workload. RuntimeError if the workloads fail, FileNotFoundError without valgrind."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        raise FileNotFoundError("found no valgrind, which counts the instructions; install it (Debian, Ubuntu: valgrind)")
    command = [sys.executable, "-m", "benchmarks.counted"]
    print("compiling for x86-64-v3, where that isn't done yet ...", file=sys.stderr)
    _run(command)
    print("counting (a minute or two) ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        _run([valgrind, "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", *command])
        return parse([path.read_text() for path in sorted(out.parent.glob("out.*"), key=lambda path: int(path.suffix[1:]))])


def _run(command: list[str]) -> None:
    root = Path(__file__).parents[1]
    result = subprocess.run(command, env=environment(), cwd=root, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command[:2])} ... failed:\n{result.stderr[-2000:]}")


def parse(dumps: list[str]) -> dict[str, int]:
    """Label and total of each of callgrind's dumps."""
    counts = {}
    for text in dumps:
        label, total = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M), re.search(r"^totals: (\d+)$", text, re.M)
        if label and total:
            counts[label[1]] = int(total[1])
    return counts


def compare(recorded: dict[str, int], counted: dict[str, int]) -> tuple[list[str], bool]:
    """A line for each workload, and whether none needs more than the tolerance allows. A workload that isn't recorded is no regression."""
    lines, is_well = [], True
    for name, now in counted.items():
        before = recorded.get(name)
        if before is None:
            lines.append(f"{name:58} {now:15,}  not recorded")
            continue
        is_more = 100 * (now - before) > TOLERANCE_PERCENT * before
        is_less = 100 * (before - now) > TOLERANCE_PERCENT * before
        is_well &= not is_more
        verdict = "MORE" if is_more else "less: record it" if is_less else ""
        lines.append(f"{name:58} {now:15,} {before:15,} {now / before - 1:+7.1%}  {verdict}".rstrip())
    gone = recorded.keys() - counted.keys()
    return [*lines, *(f"{name:58} is recorded and was not counted" for name in sorted(gone))], is_well and not gone


def main() -> None:
    """Count, then compare or record."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.check",
        description="Count the instructions of some workloads and compare them with what is recorded.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--record", metavar="DATE", help=f"keep the counts in benchmarks/{RECORD.name}, dated")
    date, used = parser.parse_args().record, versions(_PACKAGES)
    recorded: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {"versions": None, "instructions": {}}
    if not date and recorded["versions"] != used:
        _fail(f"counts were recorded with {recorded['versions']}, here are {used}; record them anew on a commit that is known to be good")
    try:
        counted = count()
    except (FileNotFoundError, RuntimeError) as error:
        _fail(str(error))
    lines, is_well = compare(recorded["instructions"], counted)
    print("\n".join(lines))
    if date:
        write(RECORD, json.dumps({"date": date, "commit": commit(), "versions": used, "instructions": counted}, indent=1) + "\n")
        return
    print(f"recorded {recorded['date']}, commit {recorded['commit']}: " + ("no regression" if is_well else "REGRESSION"))
    sys.exit(not is_well)


def _fail(text: str) -> None:
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
