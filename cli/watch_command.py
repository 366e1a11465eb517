"""`accel-sim watch`: assembles, lints, runs and compares a kernel each time it is saved."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from accelkit.cli.common import fail, integer, load_array, pairs
from accelkit.cli.request import case_options

if TYPE_CHECKING:
    from accelkit.cli.golden.case import Case


@click.command()
@case_options
def watch(program: str, machine: str, numbers: tuple[str, ...], inputs: tuple[str, ...], max_cycles: int | None) -> None:
    """Assemble, lint and run PROGRAM now and whenever it or a file that it needs is saved, and show what has changed.

    PROGRAM is a .s file (or an ELF file, which is only run), or a golden case's
    .toml file, which says what it is run with. Outputs are compared with the record
    of the case, with its reference if nothing is recorded, else with the first good
    run; cycles, line by line, with the last good run. Errors don't end it; Ctrl-C does.

    \b
    Examples:
      accel-sim watch add.s --arg n=64 --in a=a.npy --in b=b.npy
      accel-sim watch goldens/add.case.toml

    \b
    Exit codes: 0 ended by Ctrl-C; 2 bad options or input at the start.
    """
    from accelkit.cli.saves import Saves
    from accelkit.cli.watching import Rounds

    if not Path(program).is_file():
        fail(f"{program}: there is no such file")
    if Path(program).suffix == ".toml":
        if numbers or inputs or max_cycles is not None:
            fail(f"{program}: a golden case says itself what it is run with; leave out --arg, --in and --max-cycles")
        rounds = Rounds(Path(program))
    else:
        rounds = Rounds(_case(program, machine, numbers, inputs, max_cycles))
    saves = Saves(pause)
    is_first = True
    with suppress(KeyboardInterrupt), _ended_well_by_interrupt():
        while True:
            saves.begin()
            for text in rounds.run(saves.add):
                click.echo(text)
            if is_first:
                click.echo(f"watching {_names(saves.files)}; Ctrl-C ends")
                is_first = False
            click.echo(f"\n== saved: {_names(saves.wait())}")


@contextmanager
def _ended_well_by_interrupt() -> Iterator[None]:
    """Ctrl-C ends the process at once with exit code 0, also while compiled code runs, which may take minutes and lets Python run no
    handler: a thread hears of the signal through a pipe."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:  # somebody ignores or handles it
        yield
        return
    heard, heard_of = os.pipe()
    os.set_blocking(heard_of, False)

    def wait() -> None:
        if os.read(heard, 1):
            click.echo()
            os._exit(0)

    thread = Thread(target=wait, daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(heard_of)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(before)
        os.close(heard_of)
        thread.join()
        os.close(heard)


def _names(files: Iterable[Path]) -> str:
    return ", ".join(os.path.relpath(file) for file in files)


def pause(seconds: float) -> None:
    """Wait. Tests have one that edits files instead."""
    time.sleep(seconds)


def _case(program: str, machine: str, numbers: tuple[str, ...], inputs: tuple[str, ...], max_cycles: int | None) -> Case:
    """The options as a case, so that it runs as goldens do; ends with a message where one can't be used."""
    from accelkit.cli.golden.case import Case
    from accelkit.isa.machine import MachineError, load_machine

    arguments = {name: integer(name, text) for name, text in pairs("--arg", numbers).items()}
    files = pairs("--in", inputs)
    if twice := sorted(arguments.keys() & files.keys()):
        fail(f"{twice[0]} is given by --arg and by --in")
    for name, path in files.items():
        load_array(f"--in {name}", path)
    try:
        load_machine(machine)
    except MachineError as error:
        fail(str(error))
    # Files are as seen from here, and messages name the command where they would name the case's file.
    return Case(
        Path("accel-sim watch"), Path(program).stem, program, None, machine, max_cycles=max_cycles, arguments=arguments, inputs=files
    )
