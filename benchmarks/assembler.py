"""Throughput and start-up of `accel-as`, in CPU time of whole processes, beside GNU as in the same run.

    python -m benchmarks.assembler [--lines 1000000]

The sources are generated: instructions with literal operands; a label and a branch to it on every second line; a kernel of 1,000 lines like
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
from collections.abc import Iterator, Sequence
from pathlib import Path

SEED = 1
SCRIPTS = Path(sys.executable).parent


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines of the large file")
    lines = parser.parse_args().lines
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        accel_as = SCRIPTS / "accel-as"

        def assemble(file: str, source: Iterator[str], repeats: int = 1, options: Sequence[str] = ("--no-lint",)) -> float:
            (folder / file).write_text("\n".join(source) + "\n")
            return cpu_seconds([accel_as, folder / file, "-o", folder / "out.elf", *options], repeats)

        large = assemble("large.s", literal_lines(lines))
        print(f"accel-as, literal operands   {lines:9} lines {large:7.2f} s {lines / large / 1000:8.0f} k lines/s")
        if gnu := shutil.which("as"):
            (folder / "gnu.s").write_text("\n".join(gnu_lines(lines)) + "\n")
            seconds = cpu_seconds([gnu, folder / "gnu.s", "-o", folder / "gnu.o"])
            print(f"GNU as, its own instructions {lines:9} lines {seconds:7.2f} s {lines / seconds / 1000:8.0f} k lines/s")
        for title, source in (("literal operands", literal_lines), ("a label a line", symbol_lines)):
            small, big = (assemble("linear.s", source(count), 3) for count in (10_000, 100_000))
            print(f"accel-as, {title:16}   10 k lines {small:6.2f} s, 100 k lines {big:6.2f} s: {big / small:5.1f} times")
        for kernel_name in ("gemm", "conv2d"):
            command = [accel_as, f"kernels/asm/{kernel_name}.s", "-o", folder / "out.elf"]
            without, with_lint = cpu_seconds([*command, "--no-lint"], 5), cpu_seconds(command, 5)
            print(f"accel-as, {kernel_name:6} {1000 * without:6.0f} ms, with lint of its cases {1000 * with_lint:6.0f} ms")
        without, kernel = (assemble("kernel.s", kernel_lines(1000), 20, options) for options in (("--no-lint",), ()))
        print(f"accel-as, a kernel of 1,000 lines  {1000 * kernel:6.0f} ms, without lint {1000 * without:6.0f} ms")
        print(f"accel-as --help                    {1000 * cpu_seconds([accel_as, '--help'], 10):6.0f} ms")
        print(f"python -c pass                     {1000 * cpu_seconds([sys.executable, '-c', 'pass'], 10):6.0f} ms")


if __name__ == "__main__":
    main()
