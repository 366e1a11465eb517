"""`accel-as`: assembly text to an ELF file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelkit.cli.files import read_input, write_output

if TYPE_CHECKING:
    from accelkit.isa.program import Program

EXAMPLES = """
\b
Examples:
  accel-as kernel.s -o kernel.elf
  cat kernel.s | accel-as - -o - > kernel.elf

\b
Exit codes: 0 assembled, 1 errors in the source or a file that can't be read or written, 2 wrong usage.
"""


@click.command(name="accel-as", epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, allow_dash=True), help="ELF file to write; - is stdout.")
@click.option("--lint/--no-lint", "is_linting", default=True, show_default=True, help="Check synchronisation and accesses (docs/lint.md).")
@click.version_option(package_name="accelkit")
def main(source: str, output: str, is_linting: bool) -> None:
    """Assemble SOURCE (- is stdin). All errors of the file are reported in one run, the first 20 shown; the lint warns."""
    from accelkit.assembler import assemble
    from accelkit.assembler.diagnostics import AssemblyError
    from accelkit.assembler.source import decode_source, source_name
    from accelkit.isa.elf import write_elf

    file = "<stdin>" if source == "-" else source_name(source)
    try:
        text = decode_source(read_input(source), file)
        program = assemble(text, file)
    except AssemblyError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    write_output(output, write_elf(program))
    if is_linting:
        _lint(program, file, text, Path(source).parent)


def _lint(program: Program, file: str, text: str, folder: Path) -> None:
    """Show what the lint finds; it changes neither output nor exit code."""
    from accelkit.lint.check import lint_source

    warnings, uncovered = lint_source(program, {file: text}, folder)
    for warning in warnings:
        click.echo(warning.render(), err=True)
    for line in uncovered:
        click.echo(f"{program.name}: not covered: {line}", err=True)
