"""Assembler: text to a Program. `assemble(source)` and `assemble_file(path)` raise AssemblyError with everything that is wrong."""

from accelkit.assembler.assemble import assemble, assemble_file
from accelkit.assembler.diagnostics import AssemblyError

__all__ = ["AssemblyError", "assemble", "assemble_file"]
