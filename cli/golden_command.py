"""`accel-sim golden`: outputs and cycles of kernels and models, recorded and checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from accelkit.cli.common import EXIT_FAULT, EXIT_USAGE, check_files, ended_by_interrupt, fail, write_file

EXIT_STALE = 3
_JOBS = click.option("--jobs", "-j", type=click.IntRange(1, 256), metavar="N", help="Processes. [default: one for each processor]")
_CASES = click.argument("folders", nargs=-1, required=True, metavar="DIR|CASE.toml...", type=click.Path(path_type=Path))


@click.group()
def golden() -> None:
    """Record what kernels and models give, and check it from then on.

    A case is a file case.toml or NAME.case.toml anywhere under DIR: docs/goldens.md.

    \b
    Examples:
      accel-sim golden record goldens
      accel-sim golden check goldens

    \b
    Exit codes: those of its commands.
    """


@golden.command("record")
@_CASES
@_JOBS
def record_command(folders: tuple[Path, ...], jobs: int | None) -> None:
    """Run each case and write outputs, cycles, ISA version and machine into it.

    What the case's reference (a model's is ONNX Runtime) contradicts is not
    recorded. Refused where the variable CI is set.

    \b
    Examples:
      accel-sim golden record goldens
      accel-sim golden record goldens/add.case.toml

    \b
    Exit codes: 0 all are recorded; 1 a run ends badly or contradicts its
    reference; 2 bad options, or a case that can't be used.
    """
    _refuse_in_ci("record")
    _record(_find(folders), jobs)


@golden.command("check")
@_CASES
@_JOBS
@click.option("--junit", metavar="FILE.xml", type=click.Path(dir_okay=False), help="Write the verdicts as JUnit XML.")
@click.option("--github", is_flag=True, help="Print annotations for GitHub, too.")
@click.option("--update", is_flag=True, help="Afterwards record the cases that aren't as recorded (refused where CI is set).")
def check_command(folders: tuple[Path, ...], jobs: int | None, junit: str | None, github: bool, update: bool) -> None:
    """Run each case and compare it with its record: every bit of the outputs, and the cycles.

    A difference is shown as its first element with the line that wrote it, and as
    the change of cycles by line. Cases recorded for another ISA version, machine or
    input are stale rather than wrong.

    \b
    Examples:
      accel-sim golden check goldens --junit goldens.xml --github
      accel-sim golden check goldens --update

    \b
    Exit codes: 0 all are as recorded; 1 an output or cycles differ; 2 bad
    options, or a case that can't be used; 3 cases are stale, no other is wrong.
    With --update those of record.
    """
    if update:
        _refuse_in_ci("check --update")
    from accelkit.cli.golden.reports import as_github, as_junit, as_table
    from accelkit.cli.golden.verdict import Checked, Verdict, check

    cases = _find(folders)
    if junit is not None and junit != "-":
        check_files(cases, [("--junit", junit)])
    results: list[Checked] = _run(check, cases, jobs)
    if junit is not None:
        write_file(junit, as_junit(results))
    if junit != "-":
        click.echo(as_table(results))
    if github:
        for line in as_github(results):
            click.echo(line)
    if update:
        _record([Path(result.path) for result in results if result.verdict is not Verdict.OK], jobs)
        return
    verdicts = {result.verdict for result in results}
    if verdicts & {Verdict.WRONG, Verdict.CYCLES}:
        raise SystemExit(EXIT_FAULT)
    if Verdict.UNUSABLE in verdicts:
        raise SystemExit(EXIT_USAGE)
    if Verdict.STALE in verdicts:
        raise SystemExit(EXIT_STALE)


def _find(folders: tuple[Path, ...]) -> list[Path]:
    from accelkit.cli.golden.case import GoldenError, find_cases

    try:
        return find_cases(folders)
    except (GoldenError, OSError) as error:
        fail(str(error))


def _run(work: Callable[[str], Any], cases: list[Path], jobs: int | None) -> list[Any]:
    from accelkit.cli.golden.case import GoldenError
    from accelkit.cli.golden.pool import default_jobs, run_all

    try:
        with ended_by_interrupt():
            return list(run_all(work, cases, jobs or default_jobs()))
    except GoldenError as error:
        fail(str(error))


def _record(cases: list[Path], jobs: int | None) -> None:
    from accelkit.cli.golden.recording import Record, record

    results: list[Record] = _run(record, cases, jobs)
    for result in results:
        if result.problem:
            click.echo(f"error: {result.name} is not recorded: {result.problem}", err=True)
        else:
            click.echo(f"{result.name}: {result.cycles:,} cycles recorded; outputs compared with {result.reference}")
    if any(result.problem and result.is_usable for result in results):
        raise SystemExit(EXIT_FAULT)
    if any(result.problem for result in results):
        raise SystemExit(EXIT_USAGE)


def _refuse_in_ci(command: str) -> None:
    if os.environ.get("CI"):
        fail(f"golden {command} is for people who read the difference; it is refused where CI is set (CI={os.environ['CI']})")
