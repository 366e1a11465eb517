"""`accel-as`: assembly text to an ELF file."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accelkit.cli import warning_options
from accelkit.cli.files import SafeCommand, check_outputs, read_input, write_output
from accelkit.isa.files import encode_names

if TYPE_CHECKING:
    from accelkit.assembler import Analysis, Source
    from accelkit.assembler.diagnostics import Diagnostic

EXAMPLES = """
\b
Examples:
  accel-as kernel.s -o kernel.elf
  accel-as kernel.s shared/divide.s -I include -D TILE=64 -o kernel.elf
  accel-as kernel.s -o kernel.elf -MD --listing kernel.lst --map kernel.map
  cat kernel.s | accel-as - -o - > kernel.elf
  accel-as --explain E0603

\b
Exit codes: 0 assembled, 1 errors in the source or a file that can't be read or written, 2 wrong usage.
"""
_WRITABLE = click.Path(dir_okay=False, allow_dash=True)
_DEFINE = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)(?:=(.+))?")


def _explain(context: click.Context, _: click.Parameter, code: str | None) -> None:
    """`--explain CODE`: print and end."""
    if code is None:
        return
    from accelkit.cli.explain import explanation

    click.echo(explanation(code))
    context.exit()


@click.command(cls=SafeCommand, name="accel-as", epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-o", "--output", required=True, type=_WRITABLE, help="ELF file to write; - is stdout.")
@click.option("-I", "folders", multiple=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Look for .include files here too.")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a constant (1 without a value).")
@click.option("-m", "--machine", metavar="MACHINE", help="Check that the program fits this machine (preset or TOML file).")
@click.option("--listing", type=_WRITABLE, help="Write what became of every line; - is stdout.")
@click.option("--map", "map_file", type=_WRITABLE, help="Write where sections, regions, tokens and symbols lie; - is stdout.")
@click.option("-MD", "has_dependencies", is_flag=True, help="Write the files read to OUTPUT with suffix .d, as a rule for make.")
@click.option("-W", "warnings", multiple=True, metavar="NAME", help=warning_options.HELP)
@click.option("--lint/--no-lint", "is_linting", default=True, show_default=True, help="Check synchronisation and accesses (docs/lint.md).")
@click.option("--diagnostics", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Form of messages on stderr.")
@click.option("--explain", metavar="CODE", is_eager=True, expose_value=False, callback=_explain, help="Explain a code and end.")
@click.version_option(package_name="accelkit")
def main(
    sources: tuple[str, ...],
    output: str,
    folders: tuple[Path, ...],
    defines: tuple[str, ...],
    machine: str | None,
    listing: str | None,
    map_file: str | None,
    has_dependencies: bool,
    warnings: tuple[str, ...],
    is_linting: bool,
    diagnostics: str,
) -> None:
    """Assemble SOURCES (- is stdin) into one program. All errors are reported in one run, the first 20 shown; the lint warns."""
    _collect_less()
    selection = warning_options.WarningSelection(warnings)
    if has_dependencies and output == "-":
        raise click.UsageError("-MD names its file after OUTPUT, which is stdout here")
    if sources.count("-") > 1:
        raise click.UsageError("- stands twice among the sources: stdin can be read only once")
    rule = str(Path(output).with_suffix(".d")) if has_dependencies else None
    outputs = {"-o": output, "--listing": listing, "--map": map_file, "-MD": rule}
    check_outputs({option: path for option, path in outputs.items() if path is not None}, sources)
    constants = _constants(defines)
    from accelkit.assembler import AssemblyError, Options, analyse
    from accelkit.isa.elf import write_elf

    texts: list[Source] = []
    uncovered: list[str] = []
    try:
        texts = [_read(path) for path in sources]
        analysis = analyse(texts, options=Options(folders, constants, machine, keeps_lines=listing is not None))
    except AssemblyError as error:
        _report(error.diagnostics, [], diagnostics)
        sys.exit(1)
    except _machine_error() as error:
        raise click.BadParameter(str(error), param_hint="-m") from None
    found = list(analysis.diagnostics)
    if is_linting and analysis.program is not None:
        from accelkit.lint.check import lint_source

        warned, uncovered = lint_source(analysis.program, {text.file: text.text for text in texts}, texts[0].folder)
        found += warned
    shown = selection.apply(found)
    _report(shown, [f"{texts[0].file}: not covered: {line}" for line in uncovered], diagnostics)
    if analysis.program is None or any(one.severity == "error" for one in shown):
        sys.exit(1)
    check_outputs({option: path for option, path in outputs.items() if path is not None}, [str(path) for path in analysis.files])
    write_output(output, write_elf(analysis.program))
    _write_others(texts, analysis, listing, map_file)
    if rule is not None:
        names = " ".join(_escaped(path) for path in (*sources, *map(str, analysis.files)) if path != "-")
        write_output(rule, encode_names(f"{_escaped(output)}: {names}\n"))


def _collect_less() -> None:
    """A run makes next to no cycles: to look for them as often as usual takes a tenth of it."""
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, *thresholds[1:])
    click.get_current_context().call_on_close(lambda: gc.set_threshold(*thresholds))


def _machine_error() -> type[Exception]:
    """Looked up when something is raised: most runs name no machine, and need not load what reads one."""
    from accelkit.isa.machine import MachineError

    return MachineError


def _read(path: str) -> Source:
    from accelkit.assembler.source import Source, decode_source, source_name

    file = "<stdin>" if path == "-" else source_name(path)
    return Source(decode_source(read_input(path), file), file, Path(path).parent)


def _constants(defines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    constants = []
    for define in defines:
        match = _DEFINE.fullmatch(define)
        if match is None:
            raise click.BadParameter(f"{define!r}: expected NAME or NAME=VALUE", param_hint="-D")
        constants.append((match[1], match[2] or "1"))
    return tuple(constants)


def _write_others(texts: list[Source], analysis: Analysis, listing: str | None, map_file: str | None) -> None:
    if listing is None and map_file is None:
        return
    from accelkit.assembler import listing as lists

    assert analysis.program is not None
    if listing is not None:
        write_output(listing, encode_names("".join(f"{line}\n" for line in lists.listing(texts, analysis.layout, analysis.program))))
    if map_file is not None:
        write_output(map_file, encode_names("".join(f"{line}\n" for line in lists.program_map(analysis.layout, analysis.program))))


def _report(diagnostics: Any, uncovered: list[str], form: str) -> None:
    """Messages on stderr: text for people, or one JSON document."""
    found: list[Diagnostic] = list(diagnostics)
    if form == "json":
        import json

        from accelkit.assembler.render import as_data

        click.echo(json.dumps({"diagnostics": [as_data(one) for one in found], "uncovered": uncovered}, indent=1), err=True)
        return
    if found:
        from accelkit.assembler.diagnostics import render_all

        click.echo(render_all(found), err=True)
    for line in uncovered:
        click.echo(line, err=True)


def _escaped(path: str) -> str:
    """A file name as make reads it."""
    return path.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
