"""Throughput and start-up of `accel-as`, in CPU time of whole processes, beside GNU as in the same run.

    python -m benchmarks.assembler [--lines 1000000]

The sources are generated: instructions with literal operands; a label and a branch on every line; a kernel of 1,000 lines like
those of the library (every line its own registers, constants and comments), linted too, as is the default: it has 379 findings and
no case to run. GNU as gets as many lines of its own target's instructions.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.row import Row, print_rows

SEED = 1
LINES = 1_000_000
SCRIPTS = Path(sys.executable).parent
KERNELS = Path(__file__).parents[1] / "kernels" / "asm"


def literal_lines(count: int) -> Iterator[str]:
    """Instructions whose operands are registers and numbers."""
    draw = random.Random(SEED)
    for number in range(count):
        match number % 4:
            case 0:
                yield f"        addi    t{draw.randrange(10)}, a{draw.randrange(8)}, {draw.randrange(100000)}"
            case 1:
                yield f"        li      s{draw.randrange(12)}, {draw.randrange(1 << 31):#x}"
            case 2:
                yield f"        add     t{draw.randrange(10)}, x{draw.randrange(32)}, t1"
            case _:
                operands = f"sp[s{draw.randrange(12)}], dram[a0], bytes=t{draw.randrange(10)}, rows=t1"
                yield f"        load.b  {operands}  post(array.0)"


def symbol_lines(count: int) -> Iterator[str]:
    """A label on every line, and a branch to one of the last hundred."""
    draw = random.Random(SEED)
    for number in range(count):
        yield f"L{number}:  bne     t{draw.randrange(10)}, t1, L{max(0, number - draw.randrange(100))}"


def kernel_lines(count: int) -> Iterator[str]:
    """A kernel: declarations, then code with constants, labels, arguments and comments."""
    draw = random.Random(SEED)
    yield from (f"        .arg    argument{number}, value             # number {number}" for number in range(40))
    yield from (f"        .equ    CONSTANT{number}, {number} * 2" for number in range(40))
    for number in range(count - 81):
        register = f"t{draw.randrange(10)}"
        match number % 5:
            case 0:
                yield f"        larg    {register}, args[argument{draw.randrange(40)}]    # {number}"
            case 1:
                yield f"        addi    {register}, a{draw.randrange(8)}, CONSTANT{draw.randrange(40)} + {number}"
            case 2:
                yield f"step{number}:"
            case 3:
                yield f"        bnez    {register}, step{number - 1}"
            case _:
                yield f"        run     acc[{register}], sp[s{draw.randrange(12)}], rows=t1 accumulate  wait(load.0) post(vector.0)"
    yield "        halt"


def gnu_lines(count: int) -> Iterator[str]:
    """Instructions of x86-64 with a register and a number."""
    draw = random.Random(SEED)
    for number in range(count):
        yield f"        {('addl', 'movl', 'xorl', 'cmpl')[number % 4]}    ${draw.randrange(100000)}, %e{'abcd'[draw.randrange(4)]}x"


def cpu_seconds(command: Sequence[str | Path], repeats: int = 1) -> float:
    """The least CPU time of a command, user and system, over some runs; modules are compiled once, as where they are installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir()) / f"accelkit-benchmark-{os.getuid()}"))
    best = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


SHAPES = {"literal operands": literal_lines, "a label a line": symbol_lines}


class Bench:
    """A folder for the sources, and the commands that read them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.accel_as = SCRIPTS / "accel-as"

    def assemble(self, source: Iterator[str], repeats: int = 1, *options: str) -> float:
        """CPU seconds of accel-as."""
        path = self._written(source)
        return cpu_seconds([self.accel_as, path, "-o", self.folder / "out.elf", *options], repeats)

    def gnu(self, lines: int) -> float | None:
        """CPU seconds of GNU as; None where there is none."""
        gnu = shutil.which("as")
        return cpu_seconds([gnu, self._written(gnu_lines(lines)), "-o", self.folder / "gnu.o"]) if gnu else None

    def kernel(self, name: str, *options: str) -> float:
        """CPU seconds of accel-as on a kernel of the library."""
        return cpu_seconds([self.accel_as, KERNELS / f"{name}.s", "-o", self.folder / "out.elf", *options], 5)

    def linear(self, source: Callable[[int], Iterator[str]]) -> tuple[float, float]:
        """CPU seconds for 10,000 and for 100,000 lines."""
        small, big = (self.assemble(source(count), 3, "--no-lint") for count in (10_000, 100_000))
        return small, big

    def _written(self, source: Iterator[str]) -> Path:
        path = self.folder / "source.s"
        path.write_text("\n".join(source) + "\n")
        return path


def rows() -> Iterator[Row]:
    """Those of the suite."""
    yield from measure(LINES)


def measure(lines: int) -> Iterator[Row]:
    """Throughput, growth with lines, kernels and start-up, in CPU time of whole processes."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        speed = lines / bench.assemble(literal_lines(lines), 1, "--no-lint") / 1000
        gnu = bench.gnu(lines)
        against = ("x GNU as, its own instructions", speed * gnu * 1000 / lines) if gnu else ("", None)
        yield Row(f"accel-as --no-lint, {lines:,} lines", "", speed, "k lines/s", *against, "figure >= 100")
        for title, source in SHAPES.items():
            small, big = bench.linear(source)
            yield Row(f"accel-as --no-lint, 100,000 lines, {title}", "", big, "s", "x the time of 10,000 lines", big / small, "ratio <= 11")
        for kernel in ("gemm", "conv2d"):
            seconds, without = bench.kernel(kernel), bench.kernel(kernel, "--no-lint")
            yield Row(f"accel-as {kernel}.s, lint of its cases", "", seconds, "s", "x the time without lint", seconds / without)
        seconds, without = (bench.assemble(kernel_lines(1000), 20, *options) for options in ((), ("--no-lint",)))
        python = cpu_seconds([sys.executable, "-c", "pass"], 10)
        yield Row("accel-as, a kernel of 1,000 lines", "", seconds, "s", "x the time without lint", seconds / without, "figure <= 0.15")
        help_seconds = cpu_seconds([bench.accel_as, "--help"], 10)
        yield Row("accel-as --help", "", help_seconds, "s", "x python -c pass", help_seconds / python, "figure <= 0.06")


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=LINES, help="lines of the large file")
    lines = parser.parse_args().lines
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    print_rows(measure(lines))


if __name__ == "__main__":
    main()
