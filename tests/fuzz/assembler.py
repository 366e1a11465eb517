"""Fuzzing of `accel-as`, `accel-objdump` and the ELF loader, in process: mutated sources and random bytes.

    python -m tests.fuzz.assembler [--sources 200000] [--bytes 200000] [--seed 1]

Whatever comes in, a program comes out, or errors that have a place; in a second a run and in 300 MB. Each input follows from the seed and
its number alone: `--only N` repeats one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType

from accelkit.assembler import AssemblyError, Options, Source, analyse
from accelkit.assembler.codes import CODES
from accelkit.assembler.diagnostics import render_all
from accelkit.assembler.listing import listing, program_map
from accelkit.assembler.render import as_data
from accelkit.assembler.source import decode_source
from accelkit.isa.elf import ElfError, read_elf, section_headers, write_elf
from accelkit.isa.grammar import default_grammar, directives, table_terminals
from accelkit.isa.listing import as_data as program_data
from accelkit.isa.listing import instruction_lines, symbol_lines
from accelkit.isa.listing import listing as program_listing
from accelkit.lint.check import lint_source

ROOT = Path(__file__).parents[2]
MAX_SECONDS = 3.0  # an input goes through the assembler three times, and through the lint
MAX_BYTES = 300 << 20
_SPARE = [*"()[]{},:=+-*/%!~.;#'\"\\@|&^<>? \t\n", "->", "..", "<<", "1:", "1b", "1f", "0", "1", "0x", "1 << 40", "9" * 20, "é", "\0"]
_SPARE += ["\\x", "\\@", "\\()", "1.5", "1e400", "-", "N", "x[0]", ".", "32768", "1 / 0", '"\\q"']
_SPARE += ["machine=edge-16", "at=0", "over=x", "in 0 .. 1"]
_BLOCKS = [".if 1", ".if 0", ".else", ".endif", ".rept 3, i", ".endr", ".macro m a, b=1", ".endm", "m 1"]


@cache
def corpus() -> tuple[str, ...]:
    """Lines of all sources of the repository: kernels, fixtures, documentation's examples."""
    paths = [*ROOT.glob("kernels/asm/*.s"), *ROOT.glob("tests/asm/*/*.s"), *ROOT.glob("tests/asm/*/*.inc"), *ROOT.glob("docs/*.md")]
    texts = [path.read_text(errors="replace") for path in sorted(paths)]
    return tuple(line for text in texts for line in text.split("\n") if not line.startswith(";|") and len(line) < 200)


@cache
def words() -> tuple[str, ...]:
    """Words of the language."""
    terminals = [word for known in table_terminals().values() for word in known]
    return (*terminals, *directives(default_grammar()) * 4, *_SPARE * 2)


def mutated_source(seed: int, number: int) -> str:
    """Some lines that belong together, with some mutations."""
    draw = random.Random(seed * 1_000_003 + number)
    lines: list[str] = []
    for _ in range(draw.randint(1, 4)):
        start, length = draw.randrange(len(corpus())), draw.randint(1, 12)
        lines += corpus()[start : start + length]
    for _ in range(draw.randint(0, 8)):
        place = draw.randrange(len(lines))
        line = lines[place]
        cut = draw.randint(0, len(line))
        match draw.randrange(8):
            case 0:
                lines[place] = line[:cut] + draw.choice(words()) + line[cut:]
            case 1:
                lines[place] = line[:cut] + line[cut + draw.randint(1, 6) :]
            case 2:
                lines[place] = line[:cut] + draw.choice(corpus())[-20:]
            case 3:
                lines.insert(place, " ".join(draw.choice(words()) for _ in range(draw.randint(1, 6))))
            case 4:
                lines[place] = lines[draw.randrange(len(lines))]
            case 5:
                lines.insert(place, draw.choice(_BLOCKS))
            case 6:
                lines[place] = line[:cut] + chr(draw.choice([draw.randrange(128), draw.randrange(0x300), 0x1F600])) + line[cut:]
            case _:
                lines[place] = " ".join(draw.sample(line.split(), len(line.split())))
    return "\n".join(lines)


@cache
def images() -> tuple[bytes, ...]:
    """Files of some programs."""
    sources = [path.read_text() for path in sorted(ROOT.glob("tests/asm/ok/*.s"))]
    programs = [analyse([Source(source, "k.s")]).program for source in sources]
    return tuple(write_elf(program) for program in programs if program is not None)


def random_bytes(seed: int, number: int) -> bytes:
    """Bytes: random ones, or a program's file with some of them changed, cut, or moved."""
    draw = random.Random(seed * 1_000_003 + number)
    if draw.random() < 0.3:
        return draw.choice([b"", b"\x7fELF", b"\x7fELF\2\1\1"]) + draw.randbytes(draw.randrange(300))
    content = bytearray(draw.choice(images()))
    for _ in range(draw.randint(1, 6)):
        place = draw.randrange(len(content))
        match draw.randrange(5):
            case 0 | 1:
                content[place] = draw.randrange(256)
            case 2:
                content[place : place + 8] = draw.choice([0, 1, 0xFF, 1 << 31, (1 << 64) - 1]).to_bytes(8, "little")
            case 3:
                del content[place : place + draw.randint(1, 64)]
            case _:
                content[place:place] = draw.randbytes(draw.randint(1, 64))
        if not content:
            break
    return bytes(content)


def try_source(source: str) -> None:
    """A source through everything that accel-as, its lint and accel-objdump do with one."""
    origin = Source(source, "fuzz.s")
    analysis = analyse([origin], options=Options(keeps_lines=True))
    lines = source.split("\n")
    for found in analysis.diagnostics:
        assert found.code in CODES
        assert found.line.number >= 1
        if found.line.file == "fuzz.s" and found.line.origin is None:
            assert found.line.text == lines[found.line.number - 1].removesuffix("\r")
        assert 0 <= found.span.start <= found.span.end
        json.dumps(as_data(found))
    if analysis.diagnostics:
        assert render_all(analysis.diagnostics)
    short = analyse([origin])
    assert [one.message for one in short.diagnostics] == [one.message for one in analysis.diagnostics]
    assert (short.program is None) == (analysis.program is None) == any(one.severity == "error" for one in analysis.diagnostics)
    if analysis.program is not None and short.program is not None:
        assert short.program == analysis.program
        for _ in (*listing([origin], analysis.layout, analysis.program), *program_map(analysis.layout, analysis.program)):
            pass
        warned, uncovered = lint_source(analysis.program, {origin.file: source})
        assert all(one.line.number >= 1 for one in warned if one.line.file == origin.file)
        assert all("\n" not in line for line in uncovered)
        assert not warned or render_all(warned)
        image = write_elf(analysis.program)
        again = read_elf(image, "fuzz.elf")
        assert (again.words, again.data, again.arguments) == (analysis.program.words, analysis.program.data, analysis.program.arguments)
        try_bytes(image)


def try_bytes(content: bytes) -> None:
    """Bytes as a program's file, and as a source."""
    try:
        program = read_elf(content, "fuzz.elf")
    except ElfError as error:
        assert str(error).startswith("fuzz.elf: ")
    else:
        json.dumps(program_data(program))
        for _ in (*program_listing(program), *symbol_lines(program), *instruction_lines(program, source=lambda file: None)):
            pass
        section_headers(content, "fuzz.elf")
    try:
        text = decode_source(content, "fuzz.s")
    except AssemblyError as error:
        assert error.diagnostics[0].line.number >= 1
    else:
        analyse([Source(text, "fuzz.s")])


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TimeoutError("takes more than ten seconds")


def run(
    what: str, count: int, seed: int, attempt: Callable[[int], None], only: int | None = None, max_seconds: float = float("inf")
) -> Iterator[str]:
    """Try inputs; a line for each failure."""
    slowest, slowest_number = 0.0, 0
    for number in range(count) if only is None else (only,):
        signal.setitimer(signal.ITIMER_VIRTUAL, 10)
        start = time.process_time()
        try:
            attempt(number)
        except Exception as error:
            yield f"{what} --seed {seed} --only {number}: {type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        seconds = time.process_time() - start
        slowest, slowest_number = max((slowest, slowest_number), (seconds, number))
        if seconds > max_seconds:
            yield f"{what} --seed {seed} --only {number}: took {seconds:.1f} s"
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{what}: {count} inputs, the slowest (--only {slowest_number}) took {slowest:.2f} s, {megabytes} MB at most", file=sys.stderr)


def limit_memory() -> None:
    """Let this process grow by MAX_BYTES."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MAX_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> None:
    """Run as the module's docstring says; exit code 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sources", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _too_long)
    try_source("halt")
    images()
    limit_memory()
    failures = 0
    for what, count, attempt in (
        ("--sources", options.sources, lambda number: try_source(mutated_source(options.seed, number))),
        ("--bytes", options.bytes, lambda number: try_bytes(random_bytes(options.seed, number))),
    ):
        for failure in run(what, count, options.seed, attempt, options.only if count else None, MAX_SECONDS):
            print(failure)
            failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
