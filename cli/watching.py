"""What `accel-sim watch` does after each save: assemble, lint, run, compare with what is right and with the last good run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from accelkit.cli.golden.case import Case, GoldenError, ProgramError, read_case
from accelkit.cli.golden.measure import Measured, measure
from accelkit.cli.golden.recorded import Data, Recorded, read_data
from accelkit.cli.golden.verdict import output_differences, stale_reasons
from accelkit.cli.warning_options import WarningSelection
from accelkit.simulator.difference import difference, has_difference
from accelkit.simulator.lines import from_json

MAX_CYCLES = 1 << 30  # an empty endless loop gets there in seconds, not in the minutes that other commands allow

Seen = Callable[[Sequence[Path]], None]


class Rounds:
    """Rounds over one case: that of a TOML file, which is read anew each time, or one of the command line.

    A run is good if it halts and its outputs are right: as recorded, or else as the case's reference has them, or else as in the first
    good run with these inputs. Cycles are compared with the last good run, at first with the record.
    """

    def __init__(self, case: Path | Case) -> None:
        self._case = case
        self._right: tuple[str, Recorded, Data] | None = None  # whose outputs they are
        self._last: tuple[str, int, Data] | None = None  # the last good run (or the record), its cycles and where they went

    def run(self, see: Seen) -> Iterator[str]:
        """A round's lines to print, as they come. `see` is told of files that the round depends on, each before it is run. Nothing that
        is wrong with them is raised."""
        try:
            if isinstance(self._case, Path):
                see([self._case])
                case = read_case(self._case)
            else:
                case = self._case
            see(_files(case))
            yield from self._run(case, see)
        except ProgramError:
            yield from self._not_good()  # the messages stand above
        except (GoldenError, OSError, ValueError) as error:
            yield f"error: {error}"
            yield from self._not_good()
        except MemoryError:
            yield "error: not enough memory on this computer"
            yield from self._not_good()

    def _run(self, case: Case, see: Seen) -> Iterator[str]:
        if case.kernel is None:
            raise GoldenError(f"{case.path}: a model's case; watch is for kernels")
        yield from _assemble(case.file(case.kernel), see)
        run = measure(replace(case, max_cycles=case.max_cycles or MAX_CYCLES), is_judged=case.recorded is None)
        if run.fault is not None:
            yield f"error: {run.fault}"
            yield from self._not_good()
            return
        yield from self._choose(case, run)
        yield from self._compare(case, run)

    def _choose(self, case: Case, run: Measured) -> Iterator[str]:
        """Settle what the outputs are compared with, and say so if it has become something else."""
        if case.recorded is not None:
            reasons = stale_reasons(case.recorded, run.identity)
            if not reasons:
                if self._right is None or self._right[1] != case.recorded:
                    data = read_data(case.path.parent, case.recorded)
                    self._right, self._last = ("recorded", case.recorded, data), ("the record", case.recorded.cycles, data)
                return
            yield f"the record says nothing of this run: {', '.join(reasons)}"
        if run.wrong is None and (self._right is None or stale_reasons(self._right[1], run.identity)):
            if self._right is not None:
                yield "other inputs, arguments or machine than before: comparisons begin anew"
            whose = f"{case.reference} has them" if case.reference is not None else "in the first good run"
            self._right, self._last = (whose, run.identity, run.data), None

    def _compare(self, case: Case, run: Measured) -> Iterator[str]:
        differences = [] if run.wrong is None else [f"{run.wrong}, by {case.reference or '[expected]'}"]
        if run.wrong is None and self._right is not None:
            whose, right, data = self._right
            differences = output_differences(right, data, run)[0]
            if not differences:
                yield f"outputs: {', '.join(run.outputs) or 'none'}: as {whose}"
        if differences:
            yield "outputs are wrong:"
            yield from (f"  {line}" for line in differences)
        cycles = run.identity.cycles
        if self._last is None:
            yield f"cycles: {cycles:,}"
        else:
            since, before, data = self._last
            yield f"cycles: {cycles:,} ({cycles - before:+,} since {since})"
            old, new = from_json(data.rows), from_json(run.rows)
            if has_difference(old, new):
                yield difference(old, new)
        if not differences:
            self._last = "the last good run", cycles, run.data

    def _not_good(self) -> Iterator[str]:
        if self._last is not None:
            yield f"{self._last[0]} took {self._last[1]:,} cycles"


def _files(case: Case) -> list[Path]:
    """Files that a case names. Not the record's data file, whose name is another one whenever it changes."""
    named = [case.kernel, *(value for value in case.inputs.values() if isinstance(value, str)), *case.expected.values()]
    named += [target.rpartition(":")[0] for target in (case.generator, case.reference) if target is not None]
    files = [case.path.parent / name for name in named if name]
    machine = case.path.parent / case.machine
    return [*files, machine] if machine.is_file() else files


def _assemble(path: Path, see: Seen) -> Iterator[str]:
    """Messages of assembler and lint, if the program is a source. ProgramError if it has errors."""
    if path.suffix != ".s":
        return
    from accelkit.assembler import AssemblyError, analyse, read_source
    from accelkit.assembler.diagnostics import render_all
    from accelkit.lint.check import lint_source

    try:
        source = read_source(os.path.relpath(path))
    except AssemblyError as error:
        yield str(error)
        raise ProgramError from error
    analysis = analyse([source])
    see(analysis.files)
    found, uncovered = list(analysis.diagnostics), list[str]()
    if analysis.program is not None:
        warned, uncovered = lint_source(analysis.program, {source.file: source.text}, source.folder)
        found += warned
    if shown := WarningSelection(()).apply(found):
        yield render_all(shown)
    yield from (f"{source.file}: not covered: {line}" for line in uncovered)
    if analysis.program is None:
        raise ProgramError
