"""`accel-objdump`: an assembled program as text."""

from __future__ import annotations

import click

from accelkit.cli.files import read_input

EXAMPLES = """
\b
Examples:
  accel-objdump kernel.elf        arguments, instructions with labels, data
  accel-objdump -d kernel.elf     the instructions alone

\b
Exit codes: 0 shown, 1 a file that can't be read or is no program, 2 wrong usage.
"""


@click.command(name="accel-objdump", epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("program", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-d", "--disassemble", "is_code_only", is_flag=True, help="Show the instructions only.")
@click.version_option(package_name="accelkit")
def main(program: str, is_code_only: bool) -> None:
    """Disassemble PROGRAM, an ELF file that accel-as wrote (- is stdin)."""
    from accelkit.isa.elf import ElfError, read_elf
    from accelkit.isa.listing import instruction_lines, listing

    source = "<stdin>" if program == "-" else program
    try:
        image = read_elf(read_input(program), source)
    except ElfError as error:
        raise click.ClickException(str(error)) from None
    for line in instruction_lines(image) if is_code_only else listing(image):
        click.echo(line)
