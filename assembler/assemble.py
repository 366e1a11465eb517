"""The passes in order: parse, resolve, encode, image. (Expansion of macros and includes will stand between parse and resolve.)"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from accelkit.assembler.diagnostics import AssemblyError, Diagnostic
from accelkit.assembler.encode import encode
from accelkit.assembler.image import data_image, program_image
from accelkit.assembler.parse import parse
from accelkit.assembler.resolve import resolve
from accelkit.assembler.syntax import Line, Span
from accelkit.isa.codec import Codec
from accelkit.isa.grammar import default_grammar
from accelkit.isa.program import Program
from accelkit.isa.table import TABLE, Table


def assemble(source: str, file: str = "<string>", table: Table = TABLE, grammar: str | None = None) -> Program:
    """Assemble a source text; `file` names it in errors and in the line table.

    `table` and `grammar` (Lark text, see isa/assembly.lark) replace the instruction set. AssemblyError holds everything that is
    wrong with the source.
    """
    lines, found = parse(source, file, table, grammar if grammar is not None else default_grammar())
    layout, found_in_symbols = resolve(lines, table)
    words, found_in_instructions = encode(layout, Codec(table))
    data, found_in_data = data_image(layout)
    if found := found + found_in_symbols + found_in_instructions + found_in_data:
        raise AssemblyError(found)
    return program_image(file, words, layout, data)


def assemble_file(path: str | Path, table: Table = TABLE, grammar: str | None = None) -> Program:
    """Assemble a file. AssemblyError as `assemble`; OSError if it can't be read."""
    file = source_name(path)
    return assemble(decode_source(Path(path).read_bytes(), file), file, table, grammar)


def source_name(path: str | Path) -> str:
    """The name under which a file stands in errors and in the line table: as given, but never an absolute path, so that the same
    source gives the same bytes wherever it lies."""
    pure = PurePosixPath(path)
    return pure.name if pure.is_absolute() else str(pure)


def decode_source(content: bytes, file: str) -> str:
    """The text of a source file; AssemblyError if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", errors="replace")
        number, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
        text = content.split(b"\n")[number - 1].decode("utf-8", errors="replace")
        place = Line(file, number, text)
        message = f"byte {content[error.start]:#04x} is no UTF-8 text"
        raise AssemblyError([Diagnostic("E0108", message, place, Span(column, column + 1), ("save the file as UTF-8",))]) from None
