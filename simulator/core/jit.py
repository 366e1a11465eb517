"""Numba as the core uses it: compiled code is cached in a folder named by a digest of the sources.

Numba's own cache notices a change of the function's file only, not of a callee in another file or of a constant; so every
version of the core has a folder of its own.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])
numba_config: Any = config  # its settings are made at run time: type checkers do not know them


def _sources_digest() -> str:
    digest = hashlib.sha256(f"{numba.__version__}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code of this version of the core is kept: under ACCELKIT_CACHE, else XDG_CACHE_HOME, else ~/.cache."""
    base = os.environ.get("ACCELKIT_CACHE")
    if not base:
        base = str(Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "accelkit")
    return Path(base) / f"jit-{_sources_digest()}"


def _home() -> Path:
    """The user's folder; for a user of whom the system knows none (containers), a place where nothing can be written."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def is_cold() -> bool:
    """True if nothing of this version has been compiled yet, so that the first run will take a while."""
    return not numba_config.DISABLE_JIT and not any(cache_folder().rglob("*.nbi"))


def _prepare() -> Path | None:
    """Make the cache folder; None (compile anew each time) where it can't be written."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


FOLDER = _prepare()


def njit(function: F) -> F:
    """`numba.njit` with the project's settings."""
    return _compile(function, _nrt=True)


def njit_bare(function: F) -> F:
    """Like `njit`, without counting references to arrays, which is most of the time of small functions that get many: only for those that
    make no array (a view is not one)."""
    return _compile(function, _nrt=False)


def njit_inline(function: F) -> F:
    """Like `njit_bare`, but part of each caller: for what is called once per instruction, where even passing many arrays costs much."""
    return _compile(function, _nrt=False, forceinline=True)


def _compile(function: F, **options: Any) -> F:
    """The cache folder is Numba's global setting, read when a function is decorated:
    it is put back so that other users of Numba in the process keep theirs."""
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(FOLDER or before)
    try:
        compiled: Any = numba.njit(cache=FOLDER is not None, error_model="numpy", nogil=True, **options)(function)
        return compiled  # type: ignore[no-any-return]
    finally:
        numba_config.CACHE_DIR = before
