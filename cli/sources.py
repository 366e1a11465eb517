"""Texts of a program's source files, for listings."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accelkit.isa.program import Program


def read_sources(program: "Program", path: str) -> dict[str, list[str]]:
    """Lines of each source file that can be read and, for an ELF file at `path`, is no newer than it: else the lines are not its own."""
    texts: dict[str, list[str]] = {}
    is_source = Path(path).suffix == ".s"
    for file in dict.fromkeys(line.file for line in program.lines if line is not None):
        for candidate in (Path(file), Path(path).parent / file):  # as written, or beside the program
            try:
                if is_source or candidate.stat().st_mtime <= Path(path).stat().st_mtime:
                    texts[file] = candidate.read_text(encoding="utf-8", errors="replace").splitlines()
                    break
            except OSError:
                continue
    return texts
