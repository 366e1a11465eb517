"""Cases in parallel, each in a process that has nothing of the others."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeVar

from accelkit.cli.golden.case import GoldenError

T = TypeVar("T")


def default_jobs() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(work: Callable[[str], T], cases: Sequence[Path], jobs: int) -> Iterator[T]:
    """Results of the cases in their order, as they come. GoldenError if a process is killed."""
    if min(jobs, len(cases)) <= 1:
        yield from map(work, map(str, cases))
        return
    context = multiprocessing.get_context("spawn")  # a copy of this process would have its threads' locks
    with ProcessPoolExecutor(min(jobs, len(cases)), context, _end_with_parent) as pool:
        try:
            yield from pool.map(work, map(str, cases))
        except BrokenProcessPool as error:
            pool.shutdown(cancel_futures=True)
            raise GoldenError("a process of a case was killed (no memory?); --jobs 1 shows at which case") from error


def _end_with_parent() -> None:
    """Ends this process when the one that started it has ended: a killed run would leave its processes waiting for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
