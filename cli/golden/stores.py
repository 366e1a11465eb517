"""Which instruction wrote a byte of DRAM: what points from a wrong element to a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import Port
from accelkit.simulator import Session, descriptors
from accelkit.simulator.core import marks
from accelkit.simulator.core import state as st
from accelkit.simulator.observe import Ending


class Stores:
    """An observer that keeps instruction and cycle of issue of each store, 24 bytes for each."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.int64]] = []
        self._is_store = np.asarray(descriptors.rows().port) == Port.STORE

    def begin(self, machine: Machine, program: Program) -> None:
        """Nothing to do."""

    def see(self, launch: st.Launch) -> None:
        """Keep the stores of these instructions."""
        records = launch.chunk[: launch.timing.chunk_count]
        found = records[self._is_store[records["op"]]]
        self._parts.append(np.stack([found["sequence"], found["pc"], found["s"]]))

    def end(self, ending: Ending) -> None:
        """Nothing to do."""

    def writer(self, session: Session, buffer: str, offset: int) -> tuple[int, int] | None:
        """Instruction and cycle of the latest store to a byte of a buffer; None if no store of the launch wrote it."""
        address = session.buffer(buffer).address
        first, place = next((int(row[0]), int(row[3])) for row in session.shadow.buffers if row[0] == address)
        stamp = marks.stamp(session.shadow.stored, place + address - first + offset)
        for part in self._parts:
            found = np.flatnonzero(part[0] == stamp)
            if stamp > 0 and len(found):
                return int(part[1, found[0]]), int(part[2, found[0]])
        return None
