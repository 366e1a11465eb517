"""A launch as it went: every dispatch and every issued instruction, and what memories held before; the debugger moves about in it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import CHANNELS
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.observe import Ending
from accelkit.simulator.result import LaunchResult
from accelkit.simulator.session import Session

MOST_DISPATCHES = 2_000_000  # half a GB of records
NEVER = 1 << 62


@dataclass(frozen=True)
class Dispatch:
    """One dispatch and its events in cycles; `unit` -1 for scalars, events NEVER where there is none."""

    pc: int
    unit: int
    d: int
    s: int
    e: int
    c: int


@dataclass(frozen=True)
class Recording:
    """A whole launch. `records` are in order of issue; `end` is the cycle after everything, or that of a fault that cut it short."""

    program: Program
    machine: Machine
    result: LaunchResult
    message: str  # empty if it halted
    jitter: int  # seed of its delays, 0 for none
    end: int
    dispatches: list[Dispatch]
    records: st.Array
    code: st.Array
    arguments: NDArray[np.int64]
    scratchpad: NDArray[np.uint8]  # memories before the launch
    accumulator: NDArray[np.int32]
    dram: NDArray[np.uint8]  # up to the end of the last buffer
    buffers: NDArray[np.int64]  # [n, 4] (memories.Shadow)

    def next_dispatch(self, cycle: int) -> int:
        """Index of the first dispatch at `cycle` or later; `len(dispatches)` if there is none."""
        low, high = 0, len(self.dispatches)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.dispatches[middle].d < cycle else (low, middle)
        return low

    @cached_property
    def token_changes(self) -> list[tuple[int, int, int, int]]:
        """(cycle from which it holds, channel, +1 or -1, pc) of every post and every wait, in order of cycles."""
        rows = descriptors.rows()
        changes: list[tuple[int, int, int, int]] = []
        for record in self.records:
            unit, port = rows.unit[record.op], rows.port[record.op]
            pairs = ((record.wait, rows.wait_channel[unit], record.s, -1), (record.post, rows.post_channel[port], record.c, 1))
            for mask, channels, cycle, step in pairs:
                for bit in range(int(mask).bit_length()):
                    if mask >> bit & 1:
                        changes.append((int(cycle) + 1, int(channels[bit]), step, int(record.pc)))
        return sorted(changes, key=lambda change: change[0])

    def tokens(self, cycle: int) -> dict[str, int]:
        """Tokens that each channel holds when the cycle begins, of those that hold any."""
        counts = [0] * len(CHANNELS)
        for at, channel, step, _ in self.token_changes:
            if at > cycle:
                break
            counts[channel] += step
        return {str(channel): counts[channel.number] for channel in CHANNELS if counts[channel.number]}


class _Recorder:
    """An observer that keeps one launch."""

    def __init__(self, session: Session) -> None:
        memories = session.memories
        self._session = session
        self.scratchpad, self.accumulator = memories.scratchpad.copy(), memories.accumulator.copy()
        self._logs: list[NDArray[np.int64]] = []
        self._chunks: list[st.Array] = []
        self._count = 0

    def begin(self, machine: Machine, program: Program) -> None:
        self.buffers = self._session.shadow.buffers
        end = int(self.buffers[:, 1].max()) if len(self.buffers) else 0
        self.dram = self._session.memories.dram[:end].copy()

    def see(self, launch: st.Launch) -> None:
        self._count += int(launch.timing.log_count)
        if self._count > MOST_DISPATCHES:
            raise ValueError(
                f"over {MOST_DISPATCHES:,} dispatches: more than the debugger keeps; likely fix: a smaller problem, or an"
                " earlier end by --max-cycles"
            )
        self._logs.append(launch.log[: launch.timing.log_count, [st.LOG_PC, st.LOG_CYCLE]].copy())
        self._chunks.append(launch.chunk[: launch.timing.chunk_count].copy())

    def end(self, ending: Ending) -> None:
        self.launch = ending.launch
        self.is_complete = ending.is_complete
        self.log = np.concatenate(self._logs)
        self.records = np.concatenate(self._chunks).view(np.recarray)


def record(session: Session, program: Program, launch: Callable[[], tuple[LaunchResult, str]]) -> Recording:
    """Record the one launch of `program` that `launch` makes in the session; it returns the result and the message of one that did not
    halt. ValueError if the launch is too long to keep."""
    recorder = _Recorder(session)
    before = session.observers
    session.observers = (*before, recorder)
    try:
        result, message = launch()
    finally:
        session.observers = before
    end = result.cycles
    if not recorder.is_complete and result.fault is not None:
        end = result.fault.cycle
    code = recorder.launch.code
    return Recording(
        program=program,
        machine=session.machine,
        result=result,
        message=message,
        jitter=session.jitter,
        end=end,
        dispatches=_dispatches(recorder.log, recorder.records, code, end),
        records=recorder.records,
        code=code,
        arguments=recorder.launch.arguments,
        scratchpad=recorder.scratchpad,
        accumulator=recorder.accumulator,
        dram=recorder.dram,
        buffers=recorder.buffers,
    )


def _dispatches(log: NDArray[np.int64], records: st.Array, code: st.Array, end: int) -> list[Dispatch]:
    """Dispatches up to the end with their events; those after a fault that cut the launch short never took place."""
    rows = descriptors.rows()
    events = np.full((len(log), 3), NEVER, np.int64)
    for place, name in enumerate(("s", "e", "c")):
        events[records.number, place] = records[name]
    units = [int(rows.unit[code[pc].op]) if 0 <= pc < len(code) else -1 for pc, _ in log]
    return [
        Dispatch(int(pc), unit if unit < st.UNITS else -1, int(d), int(s), int(e), int(c))
        for (pc, d), unit, (s, e, c) in zip(log, units, events, strict=True)
        if d <= end
    ]
