"""`accel-lint`: races, credits, deadlocks and dead work of a kernel, on the cases that it declares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from accelkit.cli.common import EXIT_FAULT, fail
from accelkit.cli.files import SafeCommand

EXAMPLES = """
\b
Examples:
  accel-lint kernel.s
  accel-lint kernel.s --fix | patch -p0      order what is unordered
  accel-lint kernel.elf --json
  accel-lint --explain W0902

\b
Exit codes: 0 nothing found, 1 findings or errors in the source, 2 wrong usage or a file that is no program.
"""


def _explain(_context: click.Context, _option: click.Parameter, code: str | None) -> None:
    if code is None:
        return
    from accelkit.cli.explain import explanation

    click.echo(explanation(code))
    sys.exit(0)


@click.command(cls=SafeCommand, name="accel-lint", epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("program", type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "is_json", is_flag=True, help="Write the report as JSON to standard output.")
@click.option("--fix", "is_fixing", is_flag=True, help="Write a diff of the source (a .s file) that mends what it can; it changes no file.")
@click.option("--explain", metavar="CODE", callback=_explain, expose_value=False, is_eager=True, help="Say what a code means, and exit.")
@click.version_option(package_name="accelkit")
def main(program: str, is_json: bool, is_fixing: bool) -> None:
    """Check PROGRAM (a .s or ELF file) on the cases that it declares with .case. Findings hold for every timing of the machine."""
    from accelkit.cli.common import load_program
    from accelkit.isa.files import read_bytes
    from accelkit.lint.check import lint_program
    from accelkit.lint.render import report_json, report_text
    from accelkit.lint.sources import Sources

    path = Path(program)
    image = load_program(program)
    texts = {}
    if path.suffix == ".s":
        from accelkit.assembler.source import decode_source, source_name

        file = source_name(path)
        texts[file] = decode_source(read_bytes(path), file)
    sources = Sources(texts, path.parent)
    report = lint_program(image, sources, path.parent)
    if is_json:
        click.echo(json.dumps(report_json(report, image, sources), indent=2))
    elif text := report_text(report, image, sources):
        click.echo(text, err=is_fixing)
    if is_fixing:
        from accelkit.lint.fix import proposed_diff

        if path.suffix != ".s":
            fail(f"--fix needs the source: {program} is no .s file")
        diff = proposed_diff(image, report, texts, path.parent)
        click.echo(diff, nl=False)
    sys.exit(EXIT_FAULT if report.findings else 0)
