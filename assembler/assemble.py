"""The passes in order: parse, expand, resolve, encode, image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from accelkit.assembler.diagnostics import AssemblyError, Diagnostic, begin_run, in_order
from accelkit.assembler.encode import encode
from accelkit.assembler.expand import Expander
from accelkit.assembler.fits import MachineUse, check_fits
from accelkit.assembler.image import data_image, program_image
from accelkit.assembler.layout import Layout
from accelkit.assembler.parse import line_parser
from accelkit.assembler.resolve import Resolver
from accelkit.assembler.source import Source, read_source
from accelkit.assembler.unused import unused_names
from accelkit.isa.codec import codec_of
from accelkit.isa.grammar import default_grammar
from accelkit.isa.program import Program
from accelkit.isa.table import TABLE, Table


class Options(NamedTuple):
    """What the command line can say: folders of `-I`, constants of `-D` (name and expression), the machine of `-m`, and whether
    `Analysis.layout.lines` is wanted."""

    folders: tuple[Path, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    machine: str | None = None
    keeps_lines: bool = False


_NO_OPTIONS = Options()


@dataclass(frozen=True, eq=False)
class Analysis:
    """All that is known of sources. `program` is None if there are errors; `files` are those that were included."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    layout: Layout
    files: tuple[Path, ...]


def analyse(sources: Sequence[Source], table: Table = TABLE, grammar: str | None = None, options: Options = _NO_OPTIONS) -> Analysis:
    """Assemble sources into one program. Never raises for what is wrong with them: `diagnostics` says it, in order of the lines.

    `table` and `grammar` (Lark text, see isa/assembly.lark) replace the instruction set. MachineError if there is no such machine as
    `options.machine`.
    """
    begin_run()
    parser = line_parser(table, grammar if grammar is not None else default_grammar())
    resolver = Resolver(table, options.keeps_lines)
    expander = Expander(parser, table, resolver, options.folders, is_fast=not options.keeps_lines)
    for source in sources:
        expander.read(source, options.defines)
    layout = resolver.layout
    found = resolver.finish()
    found += encode(layout, codec_of(table))
    data, found_in_data = data_image(layout)
    found += found_in_data
    uses = [*resolver.cases.machines(), *([MachineUse(options.machine, Path())] if options.machine is not None else [])]
    found += check_fits(layout, uses)
    found += unused_names(layout, expander.all_macros)
    has_errors = any(one.severity == "error" for one in found)
    program = None if has_errors else program_image(sources[0].file, layout, data, table)
    return Analysis(program, in_order(found), layout, tuple(expander.files))


def assemble(source: str, file: str = "<string>", table: Table = TABLE, grammar: str | None = None) -> Program:
    """Assemble a source text; `file` names it in errors and in the line table. AssemblyError holds everything that is wrong with it."""
    return assembled([Source(source, file)], table, grammar)


def assemble_file(path: str | Path, table: Table = TABLE, grammar: str | None = None) -> Program:
    """Assemble a file. AssemblyError as `assemble`; OSError if it can't be read."""
    return assembled([read_source(path)], table, grammar)


def assembled(
    sources: Sequence[Source], table: Table = TABLE, grammar: str | None = None, options: Options = _NO_OPTIONS
) -> Program:
    """Assemble sources into one program; AssemblyError if there are errors."""
    analysis = analyse(sources, table, grammar, options)
    if analysis.program is None:
        raise AssemblyError([found for found in analysis.diagnostics if found.severity == "error"])
    return analysis.program
