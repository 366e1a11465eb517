"""The state of a recorded launch at the beginning of any cycle.

Forwards the beats go on from where they are; backwards they start again from the beginning: the machine is deterministic, so that this
is the state that was. Memories are executed beat by beat in the order of the RTL (core/replay.py).
"""

import numpy as np
from numpy.typing import NDArray

from accelkit.simulator import descriptors, passes
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import replay, sequencer
from accelkit.simulator.core import state as st
from accelkit.simulator.recording import Recording


class Rewind:
    """Memories and registers of a recorded launch at the beginning of `cycle`: all that earlier cycles did, nothing of this one."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._config = descriptors.config(recording.machine)
        self._issues = np.array(recording.records.s, np.int64)
        self._reset()

    def _reset(self) -> None:
        recording = self._recording
        self.memories = mem.make(self._config)
        self.memories.scratchpad[:] = recording.scratchpad
        self.memories.accumulator[:] = recording.accumulator
        self.memories.dram[: len(recording.dram)] = recording.dram
        self._pipes = passes.pipes(recording.machine, recording.jitter)
        self._begun = 0  # records
        self._timing = descriptors.record(st.TIMING)
        self._executed = 0  # dispatches
        self.cycle = 0

    def go(self, cycle: int) -> None:
        """Move to the beginning of a cycle."""
        if cycle < self.cycle:
            self._reset()
        self.cycle = cycle
        records = self._recording.records
        until = int(np.searchsorted(self._issues, cycle))  # those with s < cycle
        replay.replay(
            self._config, descriptors.rows(), self.memories, self._pipes, records[self._begun : until], until - self._begun
        )
        self._begun = until
        replay.run_until(self._config, self.memories, self._pipes, cycle)
        self.go_registers(cycle)

    def go_registers(self, cycle: int) -> None:
        """Move the registers alone forwards to the beginning of a cycle."""
        recording = self._recording
        while self._executed < len(recording.dispatches) and recording.dispatches[self._executed].d < cycle:
            one = recording.dispatches[self._executed]
            self._executed += 1
            if one.unit < 0 and 0 <= one.pc < len(recording.code) and recording.code[one.pc].op:
                sequencer.execute_scalar(self._timing, recording.code[one.pc], recording.arguments, one.pc, one.d)

    @property
    def registers(self) -> NDArray[np.int64]:
        """The 32 registers as unsigned values."""
        values: NDArray[np.int64] = self._timing.registers.copy()
        return values
