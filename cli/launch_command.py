"""`accel-sim run` and `accel-sim verify`: launches of one program."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelkit.cli.common import (
    EXIT_FAULT,
    Exclusions,
    check_exclusions,
    check_targets,
    fail,
    pairs,
    write_array,
    write_file,
)
from accelkit.cli.files import check_outputs
from accelkit.cli.request import Request, jitter_option, launch_options
from accelkit.cli.tracing import TRACE_HELP, trace_path, tracing

if TYPE_CHECKING:
    from accelkit.isa.program import Program

_VERIFY_MAX_CYCLES = 1 << 26  # every event of it is kept for the comparison: up to 40 bytes a cycle


@click.command()
@launch_options
@click.option(
    "--out", "outputs", multiple=True, metavar="BUFFER=FILE.npy", help="Where to write a buffer afterwards."
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the result, and its cycles by line, as JSON (- is stdout).",
)
@click.option(
    "--annotate",
    is_flag=False,
    flag_value="lines",
    metavar="[=gantt]",
    type=click.Choice(["lines", "gantt"]),
    help="Print each source line with its count, cycles by reason and the line to blame; =gantt: a chart with a column per cycle.",
)
@click.option(
    "--window",
    "window_text",
    metavar="FIRST:LAST|line:FIRST-LAST",
    help="Cycles, or source lines, of the chart (default: its first 100 cycles) and of the timeline (default: all).",
)
@click.option("--trace", "trace_file", metavar="FILE", help=TRACE_HELP)
@jitter_option
@click.option(
    "--timing-only",
    is_flag=True,
    help="Cycles without values: no output, no checks; --in only for buffers whose size is open.",
)
@click.option("--functional-only", is_flag=True, help="Values without cycles: no checks, no report.")
@click.option("--dead-stores", "wants_dead_stores", is_flag=True, help="Warn of rows on chip that are written and never read.")
@click.option(
    "--diff",
    "diff_file",
    metavar="OTHER.json",
    type=click.Path(dir_okay=False),
    help="Print what changed by line and reason since the run that --json wrote there.",
)
def run(
    request: Request,
    outputs: tuple[str, ...],
    json_file: str | None,
    annotate: str | None,
    window_text: str | None,
    trace_file: str | None,
    diff_file: str | None,
    jitter: int | None,
    timing_only: bool,
    functional_only: bool,
    wants_dead_stores: bool,
) -> None:
    """Run PROGRAM (an ELF file, or a .s file to assemble first) and print cycles, and where they went, per unit.

    \b
    Examples:
      accel-sim run add.elf --arg n=64 --in a=a.npy --in b=b.npy --out c=c.npy
      accel-sim run add.s -m tiny-8 --json -
      accel-sim run add.s --arg n=64 --annotate
      accel-sim run add.s --arg n=64 --annotate=gantt --window 200:300
      accel-sim run add.s --arg n=64 --diff before.json
      accel-sim run add.s --arg n=64 --trace add.pftrace --window line:20-30
      accel-sim run add.s --arg n=64 --no-check --jitter 7
      accel-sim run add.s --arg n=64 --dead-stores
      accel-sim run add.s --arg n=64 --timing-only
      accel-sim run add.s --arg n=64 --in a=a.npy --in b=b.npy --out c=c.npy --functional-only

    \b
    Exit codes: 0 it halted; 1 a fault, a deadlock, the cycle bound, errors in
    a .s file; 2 bad options or input.
    """
    _check_options(
        {
            "--out": outputs, "--json": json_file, "--annotate": annotate, "--trace": trace_file, "--diff": diff_file, "--jitter": jitter,
            "--timing-only": timing_only, "--functional-only": functional_only, "--dead-stores": wants_dead_stores,
        }
    )  # fmt: skip
    program = request.program
    output_files = _output_files(program, outputs)
    trace = None if trace_file is None else trace_path(trace_file, program.name)
    written = {"--json": json_file, "--trace": trace, **{f"--out {name}": path for name, path in output_files.items()}}
    read = request.files if diff_file is None else [*request.files, diff_file]
    check_outputs({option: path for option, path in written.items() if path is not None}, read)
    if window_text is not None and annotate != "gantt" and trace_file is None:
        fail("--window is for --annotate=gantt and --trace")
    from accelkit.cli.analysis import Analysis, read_window
    from accelkit.simulator import Mode
    from accelkit.simulator.report import as_json, as_text
    from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

    mode = Mode.TIMING if timing_only else Mode.VALUES if functional_only else Mode.FULL
    analysis = Analysis(program, request.path, annotate, window_text, diff_file, wants_dead_stores)
    window = None if window_text is None else read_window(window_text, program)
    with tracing(trace_file, program.name, window, analysis.sources) as timelines:
        observers = () if functional_only else (*analysis.observers, *timelines)
        session = Session(request.machine, request.is_checking, observers, jitter or 0, mode)
        result, message = request.launch(session, DEFAULT_MAX_CYCLES)
    if json_file:
        report = {**as_json(program, request.machine, result), **analysis.as_json(request.machine), "message": message or None}
        write_file(json_file, (json_module.dumps(report, indent=2) + "\n").encode())
    if functional_only:
        click.echo(f"{program.name} on {request.machine.name}: {result.verdict.value}; no cycles with --functional-only")
    elif json_file != "-":
        click.echo(as_text(program, request.machine, result, analysis.lines()))
        for text in analysis.texts():
            click.echo(f"\n{text}")
    if warnings := analysis.warnings(request.machine):
        click.echo(warnings, err=True)
    if message:
        fail(message, EXIT_FAULT)
    for name, path in output_files.items():
        write_array(path, result[name])


_EXCLUDED: Exclusions = {
    "--timing-only": (("--functional-only", "--out"), "computes no values"),
    "--functional-only": (("--json", "--annotate", "--trace", "--diff", "--jitter", "--dead-stores"), "reports no cycles"),
}


def _check_options(given: dict[str, object]) -> None:
    check_exclusions(_EXCLUDED, given)
    if given["--functional-only"] and not given["--out"]:
        fail("--functional-only has nothing to show: give --out BUFFER=FILE.npy")


def _output_files(program: Program, outputs: tuple[str, ...]) -> dict[str, str]:
    """The file of each buffer of `--out`; the end with a message if the program has no such buffer."""
    files = pairs("--out", outputs)
    buffers = sorted(a.name for a in program.arguments if a.kind.value in ("out", "inout"))
    for name in files:
        if name not in buffers:
            fail(f"--out {name}: {program.name} has no output buffer of that name; it has {', '.join(buffers) or 'none'}")
    check_targets("--out", files)
    return files


@click.command()
@launch_options
@click.option(
    "--vcd",
    type=click.Path(dir_okay=False),
    help="Write the RTL's control signals as a waveform (memories left out).",
)
def verify(request: Request, vcd: str | None) -> None:
    """Run PROGRAM on the simulator and on the verilated RTL, and compare every event, class, register and byte.

    Needs the extra [rtl] and g++; the first run for a machine builds the RTL.

    \b
    Examples:
      accel-sim verify add.elf --arg n=64 --in a=a.npy --in b=b.npy
      accel-sim verify racy.s --no-check --vcd racy.vcd

    \b
    Exit codes: 0 both agree; 1 a difference, or errors in a .s file; 2 bad
    options or input.
    """
    check_outputs({} if vcd is None else {"--vcd": vcd}, request.files)
    try:
        from accelkit.simulator.rtl.build import RtlError
        from accelkit.simulator.rtl.verify import VerifyingSession

        session = VerifyingSession(request.machine, request.is_checking, Path(vcd) if vcd else None)
        _, message = request.launch(session, _VERIFY_MAX_CYCLES)
    except RtlError as error:
        fail(str(error))
    for verification in session.verifications:
        click.echo(str(verification))
    if message:
        click.echo(message, err=True)
    if any(v.difference is not None or not v.is_compared for v in session.verifications):
        raise SystemExit(EXIT_FAULT)
