"""Outcomes of slow functions of few arguments (searches for tilings, assembled kernels): kept within a process, and for models in files
that the next process reads.

An outcome is kept under all arguments of its function, in a folder named by a digest of the library's sources, so nothing that is read
can be stale, whatever a file is called. Files are replaced as a whole and carry a digest of their bytes: of two processes that write one
the later wins, and what is damaged counts as absent.
"""

import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from accelkit.isa.files import cache_folder, read_kept
from accelkit.isa.unused import drop_unused, mark_used

P = ParamSpec("P")
R = TypeVar("R")
Outcomes = dict[Any, Any]  # by function and arguments

_MOST_OUTCOMES = 4096  # in a process; tilings have some hundred bytes, and there are few kernels
_MOST_FILES = 64  # of a version; the oldest go first
_DIGEST_BYTES = 32
_SOURCES = ("isa", "assembler", "kernels")
_kept: Outcomes = {}
_in_use: list[Outcomes] = []  # by whom `recalled` serves, innermost last


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """The function, asked once for the same arguments, which must be hashable; with its outcome they must survive pickling."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def recall(*args: P.args, **kwargs: P.kwargs) -> R:
        key = (name, args, tuple(sorted(kwargs.items())))
        if key not in _kept:
            if len(_kept) >= _MOST_OUTCOMES:
                _kept.clear()
            _kept[key] = function(*args, **kwargs)
        outcome: R = _kept[key]
        for outcomes in _in_use:
            outcomes[key] = outcome
        return outcome

    return recall


@contextmanager
def recalled(*what: object) -> Iterator[None]:
    """Outcomes that are wanted inside come from the file of `what` (anything with a telling `repr`), where it has them; it gets those
    that it lacks. Without a cache folder that can be written, nothing is kept."""
    path = _folder() / f"{sha256(repr(what).encode()).hexdigest()[:16]}.pickle"
    read = _read(path)
    _kept.update(read)
    _in_use.append({})
    try:
        yield
    finally:
        used = _in_use.pop()
    if used.keys() - read.keys():
        with suppress(OSError):
            _write(path, used)


def _read(path: Path) -> Outcomes:
    try:
        data = read_kept(path)
    except OSError:
        return {}
    mark_used(path.parent)
    digest, body = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if sha256(body).digest() != digest:
        return {}
    try:
        outcomes: Outcomes = pickle.loads(body)
    except Exception:  # another Python or NumPy wrote it, whose modules have other names: what is raised has no common base
        return {}
    return outcomes


def _write(path: Path, outcomes: Outcomes) -> None:
    body = pickle.dumps(outcomes)
    if not path.parent.exists():  # the first of a version
        drop_unused()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(sha256(body).digest() + body)
        Path(name).replace(path)
    except BaseException:  # an interrupt too
        Path(name).unlink()
        raise
    files = sorted(path.parent.glob("*.pickle"), key=lambda path: path.stat().st_mtime)
    for old in files[:-_MOST_FILES]:
        old.unlink(missing_ok=True)


def _folder() -> Path:
    try:
        return cache_folder() / f"plans-{_sources_digest()}"
    except RuntimeError:  # a user without a home, as in containers
        return Path(os.devnull)


@cache
def _sources_digest() -> str:
    """Of what outcomes follow from, and of where it lies: assembled kernels name their files."""
    root = Path(__file__).parents[1]
    digest = sha256(str(root).encode())
    for part in _SOURCES:
        for path in sorted((root / part).rglob("*.*")):
            if path.suffix in (".py", ".s", ".lark"):
                digest.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
