"""`accel-sim`: run programs and models on the simulator. Heavy imports happen inside the commands."""

import json as json_module

import click

from accelkit.cli.common import (
    EXIT_FAULT,
    fail,
    integer,
    load_array,
    load_program,
    pairs,
    write_array,
    write_file,
)
from accelkit.cli.model_command import model


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelkit")
def main() -> None:
    """Run programs for the accelerator, cycle-accurately.

    \b
    Examples:
      accel-sim run gemm.elf --arg M=64 --in a=a.npy --out c=c.npy
      accel-sim machines --show edge-16
      accel-sim model net.onnx --input x.npy --compare

    \b
    Exit codes: 0 all is well; 1 the program or model is at fault (a fault, a
    deadlock, the cycle bound, a difference); 2 bad options or input.
    """


main.add_command(model)


@main.command()
@click.option("--show", metavar="NAME|FILE", help="Show one machine's values.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def machines(show: str | None, is_json: bool) -> None:
    """List the machines that ship, or show one.

    \b
    Examples:
      accel-sim machines
      accel-sim machines --show my-machine.toml
    """
    from dataclasses import asdict

    from accelkit.isa.machine import KEYS, MachineError, load_machine, presets

    try:
        chosen = [load_machine(name) for name in ([show] if show else presets())]
    except MachineError as error:
        fail(str(error))
    if is_json:
        values = [{**asdict(machine), "digest": machine.digest} for machine in chosen]
        click.echo(json_module.dumps(values[0] if show else values, indent=2))
    elif show:
        machine = chosen[0]
        click.echo(
            f"{machine.name}: {machine.description}\nclock = {machine.clock_ghz:g} GHz, digest {machine.digest}"
        )
        for key in KEYS:
            unit = "" if key.unit == "count" else f" {key.unit}"
            click.echo(f"{key.path:<24} {getattr(machine, key.attribute):>12,}{unit:<16} {key.meaning}")
    else:
        for machine in chosen:
            click.echo(
                f"{machine.name:<12} {machine.array_rows}x{machine.array_columns:<5} {machine.description}"
            )


@main.command()
@click.argument("program", type=click.Path(dir_okay=False))
@click.option(
    "--machine", "-m", default="edge-16", show_default=True, metavar="NAME|FILE", help="Preset or TOML file."
)
@click.option(
    "--arg", "numbers", multiple=True, metavar="NAME=VALUE", help="A number argument (0x.. and negative too)."
)
@click.option(
    "--in", "inputs", multiple=True, metavar="BUFFER=FILE.npy", help="Contents of a buffer argument."
)
@click.option(
    "--out", "outputs", multiple=True, metavar="BUFFER=FILE.npy", help="Where to write a buffer afterwards."
)
@click.option(
    "--max-cycles",
    type=click.IntRange(min=1),
    default=1 << 40,
    help="End there if the program has not. [default: 2^40]",
)
@click.option(
    "--check/--no-check", default=True, help="Check for races, unwritten reads, ... [default: check]"
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the result as JSON (- is stdout).",
)
def run(
    program: str,
    machine: str,
    numbers: tuple[str, ...],
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    max_cycles: int,
    check: bool,
    json_file: str | None,
) -> None:
    """Run PROGRAM (an ELF file, or a .s file to assemble first) and print cycles, and where they went, per unit.

    \b
    Examples:
      accel-sim run add.elf --arg n=64 --in a=a.npy --in b=b.npy --out c=c.npy
      accel-sim run add.s -m tiny-8 --json -
    """
    loaded = load_program(program)
    values: dict[str, object] = {name: integer(name, text) for name, text in pairs("--arg", numbers).items()}
    input_files = pairs("--in", inputs)
    output_files = pairs("--out", outputs)
    if twice := sorted(values.keys() & input_files.keys()):
        fail(f"{twice[0]} is given by --arg and by --in")
    buffers = {a.name for a in loaded.arguments if a.kind.value in ("out", "inout")}
    for name in output_files:
        if name not in buffers:
            fail(
                f"--out {name}: {loaded.name} has no output buffer of that name; it has {', '.join(sorted(buffers)) or 'none'}"
            )
    from accelkit.simulator import ArgumentError, LaunchError, MachineError, Session, load_machine
    from accelkit.simulator.report import as_json, as_text

    values |= {name: load_array(f"--in {name}", path) for name, path in input_files.items()}
    message = ""
    try:
        target = load_machine(machine)
        result = Session(target, check).run(loaded, max_cycles, **values)
    except (MachineError, ArgumentError, ValueError) as error:
        fail(str(error))
    except LaunchError as error:
        result, message = error.result, str(error)
    if json_file:
        text = (
            json_module.dumps({**as_json(loaded, target, result), "message": message or None}, indent=2)
            + "\n"
        )
        write_file(json_file, text.encode())
    if json_file != "-":
        click.echo(as_text(loaded, target, result))
    if message:
        fail(message, EXIT_FAULT)
    for name, path in output_files.items():
        write_array(path, result[name])
