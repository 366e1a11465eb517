"""How busy each port was over time, in a fixed number of columns however long the launches: an overview."""

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import Port
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.observe import Ending

COLUMNS = 4096  # at most; a power of two


class Activity:
    """An observer of the first `launches` launches, one after the other with `launch_cycles` between them.

    `width` is the cycles of a column, a power of two that grows with the time seen; `spans` are the first cycle and the one after the
    last of each launch. Memory doesn't grow with time.
    """

    sees_scalars = False

    def __init__(self, launches: int) -> None:
        self.width = 1
        self.spans: list[tuple[int, int]] = []
        self._launches = launches
        self._offset = 0
        # A beat's interval adds a part of its first column and whole columns from there on; its end takes both away again.
        self._parts = np.zeros((len(Port), COLUMNS), np.int64)
        self._steps = np.zeros((len(Port), COLUMNS + 1), np.int64)

    def begin(self, machine: Machine, program: Program) -> None:
        """A launch begins where the one before ended."""
        self._gap = machine.launch_cycles
        self._is_watching = len(self.spans) < self._launches

    def see(self, launch: st.Launch) -> None:
        """Add the beats of the instructions since the last call."""
        chunk = launch.chunk[: int(launch.timing.chunk_count)]
        if not self._is_watching or not len(chunk):
            return
        ports = np.asarray(descriptors.rows().port)[chunk["op"]]
        first, until = chunk["s"] + self._offset, chunk["e"] + 1 + self._offset
        self._widen(int(until.max()))
        self._edge(ports, first, 1)
        self._edge(ports, until, -1)

    def end(self, ending: Ending) -> None:
        """The launch as a whole."""
        if self._is_watching:
            self.spans.append((self._offset, self._offset + ending.cycles))
            self._widen(self._offset + ending.cycles)
            self._offset += ending.cycles + self._gap

    def busy(self) -> NDArray[np.int64]:
        """Cycles [port, column] in which the port was moving beats or opening pages, up to the end of the last launch."""
        whole = self._parts + np.cumsum(self._steps, axis=1)[:, :COLUMNS]
        last = self.spans[-1][1] if self.spans else 0
        return whole[:, : -(-last // self.width)]

    def _edge(self, ports: NDArray[np.int64], time: NDArray[np.int64], sign: int) -> None:
        column = time // self.width
        inside = column < COLUMNS  # an end at the very last cycle
        np.add.at(self._parts, (ports[inside], column[inside]), sign * ((column + 1) * self.width - time)[inside])
        np.add.at(self._steps, (ports[inside], column[inside] + 1), sign * self.width)

    def _widen(self, until: int) -> None:
        """Join columns in pairs until cycle `until - 1` has one."""
        while until > COLUMNS * self.width:
            whole = self._parts + np.cumsum(self._steps, axis=1)[:, :COLUMNS]
            self._parts[:] = 0
            self._steps[:] = 0
            self._parts[:, : COLUMNS // 2] = whole[:, 0::2] + whole[:, 1::2]
            self.width *= 2
