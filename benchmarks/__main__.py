"""`python -m benchmarks --date 2026-11-30`: runs the suite and writes its rows as JSON, with what they were measured on."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.details import details
from benchmarks.row import Row, UnavailableError, describe

_EPILOG = """examples:
  python -m benchmarks --date 2026-11-30
  python -m benchmarks --date 2026-11-30 gemm start --output build/some.json

exit codes: 0 all rows were measured (whether or not they reach their bars); 1 some could not be; 2 usage"""
_LEFT_OUT = 3  # exit code of a benchmark's process: what it needs isn't here


def suite() -> list[str]:
    """The benchmarks: modules of this folder that define `rows`. Found by their text: importing all would take seconds."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return [path.stem for path in files if "\ndef rows(" in path.read_text()]


def run_one(name: str) -> None:
    """Run one benchmark in this process: a line of JSON on standard output for each row, as soon as it is there."""
    try:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(json.dumps(row.to_json()), flush=True)
    except UnavailableError as error:
        print(error, file=sys.stderr)
        sys.exit(_LEFT_OUT)


def command(name: str) -> list[str]:
    """Runs one benchmark: rows on standard output, exit code 3 if it has to be left out."""
    return [sys.executable, "-m", "benchmarks", "--only", name]


class Run:
    """The suite on its way: each benchmark in a process of its own, so that none inherits another's memory, threads or failures."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, Row]] = []
        self.left_out: dict[str, str] = {}  # why, by benchmark
        self.failed: list[str] = []

    def run(self, names: list[str]) -> None:
        """Run benchmarks, with progress on standard error."""
        for index, name in enumerate(names, 1):
            started = time.monotonic()
            print(f"[{index}/{len(names)}] {name}", file=sys.stderr, flush=True)
            for row in self._one(name):
                self.rows.append((name, row))
                print(f"    {describe(row)}", file=sys.stderr, flush=True)
            print(f"    {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)

    def _one(self, name: str) -> Iterator[Row]:
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(command(name), stdout=subprocess.PIPE, stderr=errors, text=True, process_group=0) as process,
        ):
            try:
                for line in process.stdout or ():
                    yield Row.from_json(json.loads(line))
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            process.wait()
            errors.seek(0)
            complaint = errors.read().strip()
        if process.returncode == _LEFT_OUT:
            self.left_out[name] = complaint
            print(f"    left out: {complaint}", file=sys.stderr)
        elif process.returncode:
            self.failed.append(name)
            print(f"    FAILED (exit code {process.returncode}):\n{complaint}", file=sys.stderr)

    def to_json(self, head: dict[str, object]) -> str:
        """The file of results."""
        rows = [{"benchmark": name, **row.to_json()} for name, row in self.rows]
        results = {**head, "left_out": self.left_out, "failed": self.failed, "rows": rows}
        return json.dumps(results, indent=1) + "\n"


def write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_text(text)
    partial.replace(path)


def main() -> None:
    """Run, write, sum up."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run the benchmarks and write their rows, with details of the machine, as JSON.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = suite()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(known)} (default: all)")
    parser.add_argument("--date", help="date of the run, for the file")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"), help="default build/bench.json")
    parser.add_argument("--only", choices=known, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        run_one(arguments.only)
        return
    if unknown := [name for name in arguments.names if name not in known]:
        parser.error(f"no benchmark is called {unknown[0]}; expected some of {', '.join(known)}")
    if not arguments.date:
        parser.error("--date is missing; expected such as --date 2026-11-30")
    head, run = details(arguments.date), Run()
    try:
        run.run(arguments.names or known)
        run.left_out |= {name: "not asked for" for name in known if name not in (arguments.names or known)}
    except KeyboardInterrupt:
        print("interrupted: nothing is written", file=sys.stderr)
        sys.exit(130)
    write(arguments.output, run.to_json(head))
    judged = [row for _, row in run.rows if row.is_met is not None]
    print(f"{arguments.output}: {len(run.rows)} rows; {sum(bool(row.is_met) for row in judged)} of {len(judged)} bars reached")
    for row in judged:
        if not row.is_met:
            print(f"  missed: {describe(row)}")
    sys.exit(bool(run.failed))


if __name__ == "__main__":
    main()
