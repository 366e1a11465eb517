"""Timing and values of a launch on two threads: while instructions execute, the timing pass finds the ones that come after them."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache

from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.core import timing


def overlapped(
    config: st.Config, launch: st.Launch, consume: Callable[[st.Array, int], bool], enlarge: Callable[[int, st.Launch], st.Launch]
) -> tuple[int, st.Launch]:
    """What the timing pass does with `consume`, whose call runs beside the pass's next step. If it ends the launch, the chunk is the one
    that it was given; the rest of the state may be a step ahead."""
    rows = descriptors.rows()
    other: st.Array | None = None  # chunk
    consuming: Future[bool] | None = None
    given = launch
    try:
        while True:
            status = timing.advance(config, rows, *launch)
            if consuming is not None and consuming.result():
                return status, given
            count = int(launch.timing.chunk_count)
            if status != st.CHUNK_FULL:
                consuming = None
                if consume(launch.chunk, count) or status != st.POSTS_FULL:
                    return status, launch
                launch = enlarge(status, launch)
            else:
                given = launch
                consuming = _thread().submit(consume, launch.chunk, count)
                fresh = descriptors.records(st.RECORD, len(launch.chunk)) if other is None else other
                other, launch = launch.chunk, launch._replace(chunk=fresh)
            launch.timing.chunk_count = 0
    finally:
        if consuming is not None:  # an interrupt must not leave a thread at work on the memories
            wait([consuming])


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "values")
