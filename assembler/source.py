"""Source files: their text, their names, and where included ones are found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from accelkit.assembler.diagnostics import AssemblyError, Diagnostic
from accelkit.assembler.syntax import Line, Span
from accelkit.isa.files import read_bytes


class Source(NamedTuple):
    """A text to assemble. `file` names it in messages and in the line table; `folder` is where files that it names are looked for."""

    text: str
    file: str = "<string>"
    folder: Path = Path()


def read_source(path: str | Path, file: str | None = None) -> Source:
    """A source file. AssemblyError if it is no text; OSError if it can't be read."""
    shown = file if file is not None else source_name(path)
    return Source(decode_source(read_bytes(path), shown), shown, Path(path).parent)


def source_name(path: str | PurePath) -> str:
    """The name under which a file stands in errors and in the line table: as given, but never an absolute path, so that the same
    source gives the same bytes wherever it lies."""
    pure = PurePosixPath(path)
    return pure.name if pure.is_absolute() else str(pure)


def split_lines(text: str) -> list[str]:
    """The lines of a text. LF ends a line, and CR before it belongs to the end; nothing else does."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def find_include(name: str, includer: Source, folders: Sequence[Path]) -> tuple[Path, str] | None:
    """Path and shown name of an included file: beside the including file, else in the folders of `-I` in order."""
    for folder in (includer.folder, *folders):
        path = folder / name
        if path.is_file():
            if folder is includer.folder:
                return path, source_name(PurePosixPath(includer.file).parent / name)
            return path, source_name(name)
    return None


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
