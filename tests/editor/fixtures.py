"""Sources that the tests of the editor's tools share."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
ASM = ROOT / "tests" / "asm"
VALID = sorted([*(ASM / "ok").glob("*.s"), *(ROOT / "kernels" / "asm").glob("*.s")])
SOURCES = [*VALID, *sorted((ASM / "err").glob("*.s"))]


def text(path: Path) -> str:
    """A fixture's text; some of the wrong ones are no UTF-8."""
    return path.read_bytes().decode("utf-8", errors="replace").replace("\r", "")


def name(path: Path) -> str:
    """The fixture's name in reports."""
    return f"{path.parent.name}-{path.stem}"
