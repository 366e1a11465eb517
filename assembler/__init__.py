"""Assembler: text to a Program. `assemble(source)` and `assemble_file(path)` raise AssemblyError with everything that is wrong;
`analyse(sources)` returns it, with symbols, places and lines."""

from accelkit.assembler.assemble import Analysis, Options, analyse, assemble, assemble_file, assembled
from accelkit.assembler.diagnostics import AssemblyError
from accelkit.assembler.source import Source, read_source

__all__ = ["Analysis", "AssemblyError", "Options", "Source", "analyse", "assemble", "assemble_file", "assembled", "read_source"]
