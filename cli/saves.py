"""Waiting until files are saved, by looking at them from time to time: that works on every file system, network ones and containers too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

INTERVAL_SECONDS = 0.1

Stamp = tuple[int, int, int] | None  # of a file that isn't there: None


class Saves:
    """Files and what they looked like when they were last read. `pause` waits for so many seconds."""

    def __init__(self, pause: Callable[[float], None]) -> None:
        self._pause = pause
        self._seen: dict[Path, Stamp] = {}

    @property
    def files(self) -> list[Path]:
        """All of them."""
        return list(self._seen)

    def begin(self) -> None:
        """What is read from now on is as the files are now."""
        self._seen = _look(self._seen)

    def add(self, files: Sequence[Path]) -> None:
        """More files, which are about to be read."""
        self._seen |= _look(file for file in files if file not in self._seen)

    def wait(self) -> list[Path]:
        """The files that have been saved since they were read, once that has come to rest: editors write in several steps."""
        before: dict[Path, Stamp] = {}
        while True:
            self._pause(INTERVAL_SECONDS)
            now = _look(self._seen)
            if now == before and now != self._seen:
                return [file for file, stamp in now.items() if stamp != self._seen[file]]
            before = now


def _look(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except (OSError, ValueError):  # not there, or a name that no file can have
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
