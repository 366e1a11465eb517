"""`accel-objdump`: an assembled program as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import click

from accelkit.cli.files import SafeCommand, read_input
from accelkit.isa.files import read_text_lines

EXAMPLES = """
\b
Examples:
  accel-objdump kernel.elf        arguments, instructions with labels, data
  accel-objdump -d kernel.elf     the instructions alone
  accel-objdump -S kernel.elf     instructions with the lines they were written on
  accel-objdump -h -t kernel.elf  sections and symbols

\b
Exit codes: 0 shown, 1 a file that can't be read or is no program, 2 wrong usage.
"""


@click.command(cls=SafeCommand, name="accel-objdump", epilog=EXAMPLES)
@click.argument("program", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-d", "--disassemble", "has_code", is_flag=True, help="Show the instructions.")
@click.option("-S", "--source", "has_source", is_flag=True, help="Show the instructions with their source lines, where those can be read.")
@click.option("-t", "--syms", "has_symbols", is_flag=True, help="Show the symbols.")
@click.option("-h", "--headers", "has_headers", is_flag=True, help="Show the sections: name, offset in the file, bytes.")
@click.option("--json", "is_json", is_flag=True, help="Show everything as one JSON document.")
@click.version_option(package_name="accelkit")
def main(program: str, has_code: bool, has_source: bool, has_symbols: bool, has_headers: bool, is_json: bool) -> None:
    """Show PROGRAM, an ELF file that accel-as wrote (- is stdin)."""
    from accelkit.isa.elf import ElfError, read_elf, section_headers
    from accelkit.isa.listing import as_data, instruction_lines, listing, symbol_lines

    shown = "<stdin>" if program == "-" else program
    content = read_input(program)
    try:
        image = read_elf(content, shown)
    except ElfError as error:
        raise click.ClickException(str(error)) from None
    if is_json:
        import json

        sections = [{"name": one.name, "offset": one.offset, "bytes": one.size} for one in section_headers(content, shown) if one.name]
        click.echo(json.dumps(as_data(image) | {"sections": sections}, indent=1))
        return
    parts: list[tuple[str, Iterator[str]]] = []
    if has_headers:
        headers = section_headers(content, shown)
        parts.append(("Sections:", (f"{one.offset:8} {one.size:8}  {one.name}" for one in headers if one.name)))
    if has_symbols:
        parts.append(("Symbols:", symbol_lines(image)))
    if has_code or has_source:
        lines = instruction_lines(image, source=_finder(Path(program).parent) if has_source else None)
        parts.append(("Instructions:", lines))
    if not parts:
        parts.append(("", listing(image)))
    for number, (title, text) in enumerate(parts):
        if len(parts) > 1:
            click.echo(f"{chr(10) if number else ''}{title}")
        for line in text:
            click.echo(line)


def _finder(folder: Path) -> Callable[[str], Sequence[str] | None]:
    """Source files by name: from where the command runs, or beside the program."""

    @cache
    def lines(file: str) -> Sequence[str] | None:
        for path in (Path(file), folder / file):
            if (found := read_text_lines(path)) is not None:
                return found
        return None

    return lines
