"""`accel-sim debug`: moves about in a launch, forwards and backwards."""

import sys
from collections.abc import Iterator

import click

from accelkit.cli.common import EXIT_USAGE, fail
from accelkit.cli.files import read_input
from accelkit.cli.request import Request, jitter_option, launch_options

_PROMPT = "(debug) "


@click.command()
@launch_options
@click.option("--script", type=click.Path(dir_okay=False), metavar="FILE", help="Commands, one a line. [default: stdin]")
@jitter_option
def debug(request: Request, script: str | None, jitter: int | None) -> None:
    """Run PROGRAM and move about in what happened: to breakpoints, by instruction or cycle, forwards and backwards.

    The command `help` lists the commands. A script, or commands from a pipe, end at the first wrong one.

    \b
    Examples:
      accel-sim debug add.s --arg n=64 --in a=a.npy --in b=b.npy
      accel-sim debug add.s --arg n=64 --script find.txt
      printf 'break loop\\ncontinue\\nprint acc[0:4]\\n' | accel-sim debug add.s

    \b
    Exit codes: 0 all commands were done; 1 errors in a .s file; 2 bad
    options or input, a wrong command in a script.
    """
    from accelkit.cli.debugger import CommandError, Debugger
    from accelkit.cli.sources import read_sources
    from accelkit.simulator.recording import record
    from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

    is_interactive = script is None and sys.stdin.isatty()
    lines = _typed() if is_interactive else iter(_script(script or "-"))
    session = Session(request.machine, request.is_checking, jitter=jitter or 0)
    recording = record(session, request.program, lambda: request.launch(session, DEFAULT_MAX_CYCLES))
    debugger = Debugger(recording, read_sources(request.program, request.path))
    result = recording.result
    click.echo(f"{request.program.name}: {result.verdict.value} after {result.cycles:,} cycles, {result.instructions:,} instructions")
    for text in debugger.execute("where"):
        click.echo(text)
    for number, line in enumerate(lines, 1):
        if not is_interactive and line.strip():
            click.echo(f"{_PROMPT}{line.strip()}")
        try:
            for text in debugger.execute(line):
                click.echo(text)
        except CommandError as error:
            if not is_interactive:
                fail(f"{script or 'stdin'}:{number}: {error}", EXIT_USAGE)
            click.echo(f"error: {error}", err=True)
        if debugger.is_done:
            return


def _script(path: str) -> list[str]:
    try:
        return read_input(path).decode().splitlines()
    except click.ClickException as error:
        fail(error.message)
    except UnicodeDecodeError as error:
        fail(f"{path}: not UTF-8 text: {error.reason} at byte {error.start}")


def _typed() -> Iterator[str]:
    """Lines that a person types, until the end of input."""
    while True:
        try:
            yield input(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return
