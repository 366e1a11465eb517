"""`accel-lsp`: the language server for editors."""

from __future__ import annotations

import click

from accelkit.cli.common import fail
from accelkit.cli.files import SafeCommand, require_stdout

EXAMPLES = """
\b
Editors start it themselves: docs/editor.md says how to set up VS Code, Neovim and Emacs.
"""


@click.command(cls=SafeCommand, name="accel-lsp", epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="accelkit")
def main() -> None:
    """Serve an editor over standard input and output (Language Server Protocol)."""
    require_stdout()
    try:
        import pygls  # noqa: F401  # the extra's package: a missing one is told apart from a broken server
    except ImportError:
        fail("the language server needs pygls: pip install 'accelkit[lsp]'")
    from accelkit.editor.server import make_server
    from accelkit.lint.check import lint_source
    from accelkit.lint.fix import proposed_source

    make_server(lint_source, proposed_source).start_io()
