"""`accel-sim`: run programs and models on the simulator. Heavy imports happen inside the commands."""

import json as json_module

import click

from accelkit.cli.common import fail
from accelkit.cli.dap_command import dap
from accelkit.cli.debug_command import debug
from accelkit.cli.files import SafeGroup
from accelkit.cli.golden_command import golden
from accelkit.cli.launch_command import run, verify
from accelkit.cli.model_command import model
from accelkit.cli.quantize_command import quantize
from accelkit.cli.stress_command import stress
from accelkit.cli.watch_command import watch


@click.group(cls=SafeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelkit")
def main() -> None:
    """Run programs for the accelerator, cycle-accurately.

    \b
    Examples:
      accel-sim run gemm.elf --arg M=64 --in a=a.npy --out c=c.npy
      accel-sim watch gemm.s --arg M=64 --in a=a.npy
      accel-sim debug gemm.elf --arg M=64 --in a=a.npy
      accel-sim machines --show edge-16
      accel-sim model net.onnx --input x.npy --compare
      accel-sim quantize net.onnx --data calib.npz -o int8.onnx
      accel-sim verify gemm.elf --arg M=64 --in a=a.npy
      accel-sim golden check goldens
      accel-sim stress gemm.elf --arg M=64 --in a=a.npy

    \b
    Exit codes: 0 all is well; 1 the program or model is at fault (a fault, a
    deadlock, the cycle bound, a difference); 2 bad options or input.
    """


for command in (run, watch, debug, dap, model, quantize, verify, golden, stress):
    main.add_command(command)


@main.command()
@click.option("--show", metavar="NAME|FILE", help="Show one machine's values.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def machines(show: str | None, is_json: bool) -> None:
    """List the machines that ship, or show one.

    \b
    Examples:
      accel-sim machines
      accel-sim machines --show my-machine.toml

    \b
    Exit codes: 0 all is well; 2 bad options or a machine that can't be used.
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
            click.echo(f"{key.path:<24} {getattr(machine, key.attribute):>12,}{unit:<17} {key.meaning}")
    else:
        for machine in chosen:
            click.echo(
                f"{machine.name:<12} {f'{machine.array_rows}x{machine.array_columns}':<9} {machine.description}"
            )
