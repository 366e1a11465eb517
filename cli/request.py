"""The options that say which program runs, with what, on which machine: shared by the commands that launch one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from accelkit.cli.common import ended_by_interrupt, fail, integer, load_array, load_program, pairs

if TYPE_CHECKING:
    from accelkit.isa.machine import Machine
    from accelkit.isa.program import Program
    from accelkit.simulator import LaunchResult, Session

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
jitter_option = click.option(
    "--jitter",
    type=click.IntRange(1, (1 << 32) - 1),
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
