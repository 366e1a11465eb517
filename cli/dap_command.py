"""`accel-sim dap`: the debug adapter for editors."""

import sys

import click

from accelkit.cli.common import fail
from accelkit.cli.files import require_stdout


@click.command()
def dap() -> None:
    """Serve an editor's debugger over standard input and output (Debug Adapter Protocol).

    Editors start it themselves: docs/debugger.md says how to set up VS Code.

    \b
    Exit codes: 0 the editor disconnected; 2 input that is no message.
    """
    from accelkit.cli.dap import Adapter, ProtocolError

    require_stdout()
    try:
        Adapter(sys.stdin.buffer, sys.stdout.buffer).serve()
    except ProtocolError as error:
        fail(str(error))
