"""`accelkit as`, `accelkit objdump`, `accelkit lint`, `accelkit sim`, `accelkit lsp`: the same commands under one name of our own.

Another package on the index also installs a script `accel-sim`; whichever is installed last wins that name.
"""

from __future__ import annotations

import click

from accelkit.cli import accel_as, accel_lint, accel_lsp, accel_objdump, accel_sim
from accelkit.cli.files import SafeGroup


@click.group(cls=SafeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelkit")
def accelkit() -> None:
    """Assembler, disassembler, lint and simulator of an AI accelerator."""


accelkit.add_command(accel_as.main, "as")
accelkit.add_command(accel_objdump.main, "objdump")
accelkit.add_command(accel_lint.main, "lint")
accelkit.add_command(accel_sim.main, "sim")
accelkit.add_command(accel_lsp.main, "lsp")
