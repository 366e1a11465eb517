"""What no program has used for long goes from the cache: every version of the library leaves its own there."""

import os
import time
from contextlib import suppress
from pathlib import Path

from accelkit.isa.files import cache_folder

UNUSED_DAYS = 30
_KINDS = ("jit-*", "plans-*", "parser-*")
_GOING = ".unused-"
_DAY_SECONDS = 86400


def mark_used(path: Path) -> None:
    """Note that a file or folder of the cache is in use, to the day."""
    with suppress(OSError):  # it isn't there, or is another user's
        if path.stat().st_mtime < time.time() - _DAY_SECONDS:
            os.utime(path)


def drop_unused() -> None:
    """Remove what has not been used for UNUSED_DAYS. Other processes may do the same, or begin to use it: they see all of it or nothing."""
    try:
        folder = cache_folder()
    except RuntimeError:  # a user without a home has no cache
        return
    oldest = time.time() - UNUSED_DAYS * _DAY_SECONDS
    for path in [path for kind in _KINDS for path in folder.glob(kind)]:
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.rename(path.with_name(f"{_GOING}{path.name}-{os.getpid()}"))
    import shutil  # takes 5 ms, which each start would pay

    for path in folder.glob(f"{_GOING}*"):  # of a process that was ended meanwhile, too
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
