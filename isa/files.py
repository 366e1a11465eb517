"""Reading of files that come from anywhere: no endless device, no file that fills the memory."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import IO, Any

MAX_FILE_BYTES = 1 << 27  # a source of three million lines


def cache_folder() -> Path:
    """Where what was computed once is kept between runs: $ACCELKIT_CACHE, else accelkit in $XDG_CACHE_HOME, else in ~/.cache.
    RuntimeError for a user without a home. (simulator.core.objects, which knows no other part, has the same rule.)"""
    if chosen := os.environ.get("ACCELKIT_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "accelkit"


def encode_names(text: str) -> bytes:
    """Text that names files as UTF-8; bytes of a name that are none go out as they came in (os.fsdecode's way)."""
    return text.encode(errors="surrogateescape")


def decode_names(content: bytes) -> str:
    """The text of `encode_names`."""
    return content.decode(errors="surrogateescape")


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; a text that can't be a file's name (Path.is_file raises for some) names none."""
    return os.path.isfile(path)  # noqa: PTH113 # see above


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file. OSError if it can't be read or has more than MAX_FILE_BYTES."""
    with Path(path).open("rb") as stream:
        return read_stream(stream)


def read_kept(path: Path) -> bytes:
    """The bytes of a file of the cache. OSError as `read_bytes`, and for what is no file: a pipe would be waited for for ever."""
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return read_bytes(path)


def read_stream(stream: IO[Any]) -> bytes:
    """The bytes of an open stream; OSError as `read_bytes`."""
    content: bytes = stream.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(errno.EFBIG, f"more than {MAX_FILE_BYTES >> 20} MiB")
    return content


def read_text_lines(path: str | Path) -> list[str] | None:
    """The lines of a text file, None if it can't be had or is no text. A program's file may name anything: only true files are read."""
    try:
        return read_bytes(path).decode("utf-8-sig").split("\n") if Path(path).is_file() else None
    except (OSError, ValueError):
        return None
