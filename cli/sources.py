"""Texts of a program's source files, for listings."""

from pathlib import Path
from typing import TYPE_CHECKING

from accelkit.isa.files import read_text_lines

if TYPE_CHECKING:
    from accelkit.isa.program import Program


def read_sources(program: "Program", path: str) -> dict[str, list[str]]:
    """Lines of each source file that can be read and, for an ELF file at `path`, is no newer than it: else the lines are not its own."""
    texts: dict[str, list[str]] = {}
    is_source = Path(path).suffix == ".s"
    for file in dict.fromkeys(line.file for line in program.lines if line is not None):
        for candidate in (Path(file), Path(path).parent / file):  # as written, or beside the program
            lines = read_text_lines(candidate) if is_source or _is_older(candidate, path) else None
            if lines is not None:
                texts[file] = lines
                break
    return texts


def _is_older(candidate: Path, path: str) -> bool:
    try:
        return candidate.stat().st_mtime <= Path(path).stat().st_mtime
    except (OSError, ValueError):  # no such file, or a name that no file can have
        return False
