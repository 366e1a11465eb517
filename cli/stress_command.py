"""`accel-sim stress`: many runs of a program with legal delays, until one has another output."""

import json
import sys
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from accelkit.cli.common import EXIT_FAULT, ended_by_interrupt, fail, shown_progress, write_file
from accelkit.cli.files import check_outputs
from accelkit.cli.request import Request, launch_options

if TYPE_CHECKING:
    import numpy as np

    from accelkit.isa.program import Program
    from accelkit.simulator.stress import Launch, OutputChange, Store, Stress

_MOST_SEEDS = 1_000_000


@click.command()
@launch_options
@click.option("--seeds", type=click.IntRange(1, _MOST_SEEDS), default=100, show_default=True, help="Run with seeds 1 to this.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, allow_dash=True), help="Write the findings as JSON (- is stdout).")
def stress(request: Request, seeds: int, json_file: str | None) -> None:
    """Run PROGRAM with the legal delays of many seeds, up to the first that has another output.

    Units and DRAM accesses are delayed as `accel-sim run --jitter SEED` does it. First the checker looks for races, in a run
    without delays, whose answer holds for every timing; --no-check leaves that out.

    \b
    Examples:
      accel-sim stress add.s --arg n=64 --in a=a.npy --in b=b.npy
      accel-sim stress add.elf --arg n=64 --seeds 1000 --no-check
      accel-sim stress add.elf --arg n=64 --json -

    \b
    Exit codes: 0 no fault, and the same outputs with every seed; 1 a race or
    another fault, another output, errors in a .s file; 2 bad options or input.
    """
    check_outputs({} if json_file is None else {"--json": json_file}, request.files)
    from accelkit.simulator import ArgumentError
    from accelkit.simulator.session import DEFAULT_MAX_CYCLES
    from accelkit.simulator.stress import Stress

    try:
        with ended_by_interrupt():
            max_cycles = request.max_cycles or DEFAULT_MAX_CYCLES
            runs = Stress(request.program, request.machine, request.values, max_cycles, request.is_checking)
            report = _Report(request.program, runs, seeds)
            for seed in shown_progress(range(1, seeds + 1), "seeds") if runs.has_outputs else ():
                if report.add(runs.run(seed)):
                    break
    except (ArgumentError, ValueError) as error:
        fail(str(error))
    except MemoryError as error:
        fail(f"{request.program.name}: not enough memory on this computer: {error}")
    if json_file:
        write_file(json_file, (json.dumps(report.as_json(), indent=2) + "\n").encode())
    if json_file != "-":
        for text in report.texts():
            click.echo(text)
    if report.has_finding:
        sys.exit(EXIT_FAULT)


def _number(value: "np.generic") -> int | float | str:
    """An element for JSON, which knows no NaN and no infinity."""
    number: int | float = value.item()
    return number if isinstance(number, int) or isfinite(number) else str(number)


class _Report:
    """What the runs gave, as text and as JSON."""

    def __init__(self, program: "Program", runs: "Stress", seeds: int) -> None:
        self._program, self._runs, self._seeds = program, runs, seeds
        self._cycles: list[int] = []
        self._found: Launch | None = None
        self._change: OutputChange | None = None

    def add(self, launch: "Launch") -> bool:
        """Take in a seed's run; True if it is the first with another output or ending."""
        self._cycles.append(launch.result.cycles)
        if not self._runs.is_changed(launch):
            return False
        self._found, self._change = launch, self._runs.change(launch)
        return True

    @property
    def has_finding(self) -> bool:
        """Whether anything is wrong."""
        return self._found is not None or bool(self._message)

    @property
    def _message(self) -> str:
        """What is wrong without delays."""
        return (self._runs.checked.message if self._runs.checked else "") or self._runs.plain.message

    def texts(self) -> Iterator[str]:
        """The report for a person."""
        name, runs = self._program.name, self._runs
        if self._message:
            yield self._message
        if not runs.has_outputs:
            return
        if self._message:
            yield ""
        if self._found is None:
            same = "the same outputs" if runs.plain.result.outputs else "the same end (there is no output buffer to compare)"
            order = "" if runs.checked is None or self._message else ", and no race in any timing"
            yield f"{name}: {self._seeds} seeds: {same} as without delays{order}"
            yield f"{runs.plain.result.cycles:,} cycles without delays, {min(self._cycles):,} to {max(self._cycles):,} with them"
            return
        seed = self._found.seed
        tried = f" (those of {seed - 1} before it change nothing)" if seed > 1 else ""
        if self._change is None:
            yield f"{name}: the delays of seed {seed} end it otherwise{tried}:\n{self._found.message}"
        else:
            yield f"{name}: the delays of seed {seed} change an output{tried}:"
            yield from self._change_text(self._change)
        if not self._message and runs.checked is not None:
            yield "no race: the program reads the clock (rdcycle), and what it does depends on it"
        check = "" if runs.checked is not None and not self._message else " --no-check"
        yield f"to see that run: accel-sim run{check} --jitter {seed}, or debug, with the same program and arguments"

    def _change_text(self, change: "OutputChange") -> Iterator[str]:
        element = f"{change.buffer}[{', '.join(map(str, change.element))}]"
        size = self._runs.plain.result[change.buffer].size
        yield f"  {element} = {change.delayed}, without delays {change.plain} ({change.differing:,} of {size:,} elements differ)"
        delayed, plain = change.delayed_store, change.plain_store
        if delayed is not None and plain is not None and delayed.pc == plain.pc:
            yield f"  {self._store_text(delayed)}, without delays {plain.cycle:,}"
        else:
            yield f"  {self._store_text(delayed)}\n  without delays {self._store_text(plain)}"

    def _store_text(self, store: "Store | None") -> str:
        from accelkit.simulator.explain import instruction, where

        if store is None:
            return "no store wrote it"
        return f"written by {where(self._program, store.pc)} ({instruction(self._program, store.pc)}), issued in cycle {store.cycle:,}"

    def as_json(self) -> dict[str, Any]:
        """The report as data."""
        runs = self._runs
        return {
            "program": self._program.name,
            "seeds": len(self._cycles),
            "verdict": (runs.checked or runs.plain).result.verdict.value,
            "message": self._message or None,
            "cycles": runs.plain.result.cycles,
            "delayed_cycles": [min(self._cycles), max(self._cycles)] if self._cycles else None,
            "finding": None if self._found is None else self._finding(self._found),
        }

    def _finding(self, found: "Launch") -> dict[str, Any]:
        change = self._change
        output = None
        if change is not None:
            output = {
                "buffer": change.buffer,
                "element": list(change.element),
                "plain": _number(change.plain),
                "delayed": _number(change.delayed),
                "differing": change.differing,
                "plain_store": self._store_json(change.plain_store),
                "delayed_store": self._store_json(change.delayed_store),
            }
        return {"seed": found.seed, "verdict": found.result.verdict.value, "message": found.message or None, "output": output}

    def _store_json(self, store: "Store | None") -> dict[str, Any] | None:
        from accelkit.simulator.explain import where

        return None if store is None else {"place": where(self._program, store.pc), "pc": store.pc, "cycle": store.cycle}
