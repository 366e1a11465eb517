"""`accel-sim run` and `accel-sim verify`: launches of one program."""

import json as json_module
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accelkit.cli.common import (
    EXIT_FAULT,
    check_targets,
    ended_by_interrupt,
    fail,
    integer,
    load_array,
    load_program,
    pairs,
    write_array,
    write_file,
)
from accelkit.cli.files import check_outputs
from accelkit.cli.tracing import TRACE_HELP, trace_path, tracing

if TYPE_CHECKING:
    from accelkit.isa.machine import Machine
    from accelkit.isa.program import Program
    from accelkit.simulator import LaunchResult, Session

_VERIFY_MAX_CYCLES = 1 << 26  # every event of it is kept for the comparison: up to 40 bytes a cycle
_CASE_OPTIONS = (
    click.argument("program", type=click.Path(dir_okay=False)),
    click.option(
        "--machine",
        "-m",
        default="edge-16",
        show_default=True,
        metavar="NAME|FILE",
        help="Preset or TOML file.",
    ),
    click.option(
        "--arg",
        "numbers",
        multiple=True,
        metavar="NAME=VALUE",
        help="A number argument (0x.. and negative too).",
    ),
    click.option(
        "--in", "inputs", multiple=True, metavar="BUFFER=FILE.npy", help="Contents of a buffer argument."
    ),
    click.option(
        "--max-cycles",
        type=click.IntRange(1, 1 << 60),
        help="End there if the program has not. [default: 2^34; verify: 2^26; watch: 2^30]",
    ),
)
_CHECK = click.option("--check/--no-check", default=True, help="Check for races, unwritten reads, ... [default: check]")


JITTER = click.IntRange(1, (1 << 32) - 1)
jitter_option = click.option(
    "--jitter",
    type=JITTER,
    default=None,
    metavar="SEED",
    help="Delay units and DRAM accesses legally, as the seed (from 1) has it: what does the result depend on?",
)


@dataclass(frozen=True)
class Request:
    """What the shared options ask for."""

    program: "Program"
    machine: "Machine"
    values: dict[str, object]
    max_cycles: int | None  # None: the command's own
    is_checking: bool
    path: str  # of the program
    others: tuple[str, ...] = ()  # files that the options name

    @property
    def files(self) -> list[str]:
        """All files that are read: an output must not take the place of one. The program's sources are among them."""
        sources = dict.fromkeys(line.file for line in self.program.lines if line is not None)
        return [self.path, *self.others, *sources]

    def launch(self, session: "Session", default_max_cycles: int) -> tuple["LaunchResult", str]:
        """The result and, if the program did not halt, the message."""
        from accelkit.simulator import ArgumentError, LaunchError

        try:
            with ended_by_interrupt():
                return session.run(self.program, self.max_cycles or default_max_cycles, **self.values), ""
        except LaunchError as error:
            return error.result, str(error)
        except (ArgumentError, ValueError) as error:
            fail(str(error))
        except MemoryError as error:  # 16 bytes for a byte that a program may write, 48 for a token that nothing takes
            fail(f"{self.program.name}: not enough memory on this computer: {error}")


def make_request(
    program: str, machine: str, numbers: tuple[str, ...], inputs: tuple[str, ...], max_cycles: int | None, check: bool
) -> Request:
    """The request of options as written; ends with a message if one can't be used."""
    from accelkit.isa.machine import MachineError, load_machine

    loaded = load_program(program)
    try:
        target = load_machine(machine)
    except MachineError as error:
        fail(str(error))
    values: dict[str, object] = {name: integer(name, text) for name, text in pairs("--arg", numbers).items()}
    input_files = pairs("--in", inputs)
    if twice := sorted(values.keys() & input_files.keys()):
        fail(f"{twice[0]} is given by --arg and by --in")
    values |= {name: load_array(f"--in {name}", path) for name, path in input_files.items()}
    return Request(loaded, target, values, max_cycles, check, program, (machine, *input_files.values()))


def case_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options that say what a program runs with."""
    for option in reversed(_CASE_OPTIONS):
        command = option(command)
    return command


def launch_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the shared options, as a `request`."""

    @wraps(command)
    def wrapped(
        program: str, machine: str, numbers: tuple[str, ...], inputs: tuple[str, ...],
        max_cycles: int | None, check: bool, **options: Any,
    ) -> None:  # fmt: skip
        command(make_request(program, machine, numbers, inputs, max_cycles, check), **options)

    return case_options(_CHECK(wrapped))


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

    \b
    Exit codes: 0 it halted; 1 a fault, a deadlock, the cycle bound, errors in
    a .s file; 2 bad options or input.
    """
    program = request.program
    output_files = pairs("--out", outputs)
    buffers = sorted(a.name for a in program.arguments if a.kind.value in ("out", "inout"))
    for name in output_files:
        if name not in buffers:
            has = ", ".join(buffers) or "none"
            fail(f"--out {name}: {program.name} has no output buffer of that name; it has {has}")
    check_targets("--out", output_files)
    trace = None if trace_file is None else trace_path(trace_file, program.name)
    written = {"--json": json_file, "--trace": trace, **{f"--out {name}": path for name, path in output_files.items()}}
    read = request.files if diff_file is None else [*request.files, diff_file]
    check_outputs({option: path for option, path in written.items() if path is not None}, read)
    if window_text is not None and annotate != "gantt" and trace_file is None:
        fail("--window is for --annotate=gantt and --trace")
    from accelkit.cli.analysis import Analysis, read_window
    from accelkit.simulator.report import as_json, as_text
    from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

    analysis = Analysis(program, request.path, annotate, window_text, diff_file, wants_dead_stores)
    window = None if window_text is None else read_window(window_text, program)
    with tracing(trace_file, program.name, window, analysis.sources) as timelines:
        session = Session(request.machine, request.is_checking, [*analysis.observers, *timelines], jitter or 0)
        result, message = request.launch(session, DEFAULT_MAX_CYCLES)
    if json_file:
        report = {**as_json(program, request.machine, result), **analysis.as_json(request.machine), "message": message or None}
        write_file(json_file, (json_module.dumps(report, indent=2) + "\n").encode())
    if json_file != "-":
        click.echo(as_text(program, request.machine, result, analysis.lines()))
        for text in analysis.texts():
            click.echo(f"\n{text}")
    if warnings := analysis.warnings(request.machine):
        click.echo(warnings, err=True)
    if message:
        fail(message, EXIT_FAULT)
    for name, path in output_files.items():
        write_array(path, result[name])


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
