"""Runs of a program under the delays of many seeds (docs/adr/0015): does any leave another output, and who wrote it?

The checker's run without delays comes first: what it says of order holds for every timing. If it finds a fault, or is left out, seeds
run without the checker, so that values follow time; else with it, which is faster and sees what a program does that reads the clock.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.units import Port
from accelkit.simulator import arguments, descriptors
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jitter import MOST
from accelkit.simulator.observe import Ending
from accelkit.simulator.result import LaunchError, LaunchResult, Verdict
from accelkit.simulator.session import LARGEST_MAX_CYCLES, Session


@dataclass(frozen=True)
class Launch:
    """One run of the program: `seed` 0 is the machine without delays. `message` says why it did not halt; then there are no outputs."""

    seed: int
    result: LaunchResult
    message: str


@dataclass(frozen=True)
class Store:
    """Who wrote an element last: instruction and cycle of its issue."""

    pc: int
    cycle: int


@dataclass(frozen=True)
class OutputChange:
    """The first element of an output in which two runs differ, of how many, with both values and who wrote it in either run."""

    buffer: str
    element: tuple[int, ...]
    plain: np.generic
    delayed: np.generic
    differing: int
    plain_store: Store | None  # None: no store wrote it
    delayed_store: Store | None


class Stress:
    """A program with its arguments on a machine, run without delays and then with those of seeds.

    `checked` is the run with the checker, `plain` the one that others are compared with; both are without delays and may be the same one.
    ArgumentError and ValueError as `Session.run`.
    """

    def __init__(
        self, program: Program, machine: Machine, values: Mapping[str, object], max_cycles: int, check: bool = True
    ) -> None:
        self._program, self._machine, self._values, self._max_cycles = program, machine, values, max_cycles
        self.checked = self._launch(Session(machine)) if check else None
        self._is_checking = self.checked is not None and not self.checked.message
        self.plain = self.checked if self.checked and self._is_checking else self._launch(Session(machine, check=False))

    @property
    def has_outputs(self) -> bool:
        """Whether there is something to compare with: the program halts without delays."""
        return self.plain.result.verdict is Verdict.HALTED

    def run(self, seed: int) -> Launch:
        """The run with the delays of a seed."""
        return self._launch(Session(self._machine, self._is_checking, jitter=seed))

    def is_changed(self, launch: Launch) -> bool:
        """Whether a run ended otherwise than the plain one, or left another output."""
        mine, plain = launch.result, self.plain.result
        if mine.verdict is not plain.verdict:
            return True
        return any(mine[name].tobytes() != plain[name].tobytes() for name in plain.outputs)

    def change(self, launch: Launch) -> OutputChange | None:
        """What is other in a run's outputs; None if nothing is. Both runs are made again to see who wrote it."""
        for name, plain in self.plain.result.outputs.items():
            delayed = launch.result.outputs.get(name)
            if delayed is None or plain.tobytes() == delayed.tobytes():
                continue
            left, right = (a.reshape(-1).view(np.uint8).reshape(a.size, a.itemsize) for a in (plain, delayed))
            places = np.flatnonzero((left != right).any(axis=1))
            first = int(places[0])
            nbytes = int(np.flatnonzero(left[first] != right[first])[0])  # the byte of it that differs
            return OutputChange(
                buffer=name,
                element=tuple(int(place) for place in np.unravel_index(first, plain.shape)),
                plain=plain.reshape(-1)[first],
                delayed=delayed.reshape(-1)[first],
                differing=len(places),
                plain_store=self._store_of(0, name, first * plain.itemsize + nbytes),
                delayed_store=self._store_of(launch.seed, name, first * plain.itemsize + nbytes),
            )
        return None

    def _launch(self, session: Session) -> Launch:
        bound = self._max_cycles
        if session.jitter:  # as much later as delays can make the end
            bound = min(LARGEST_MAX_CYCLES, self.plain.result.cycles + 2 * MOST * self.plain.result.instructions)
        try:
            return Launch(session.jitter, session.run(self._program, bound, **self._values), "")
        except LaunchError as error:
            return Launch(session.jitter, error.result, str(error))

    def _store_of(self, seed: int, buffer: str, offset: int) -> Store | None:
        session = Session(self._machine, self._is_checking, jitter=seed)
        finder = _LastStore(session, arguments.buffer_names(self._program)[buffer], offset)
        session.observers = (finder,)
        self._launch(session)
        return finder.found


class _LastStore:
    """An observer that finds the latest store to a byte of a buffer."""

    def __init__(self, session: Session, buffer: str, offset: int) -> None:
        self._session, self._buffer, self._offset = session, buffer, offset
        self._is_store = np.asarray(descriptors.rows().port) == Port.STORE
        self.found: Store | None = None

    def begin(self, machine: Machine, program: Program) -> None:
        """The buffer has its address now."""
        self._address = self._session.buffer(self._buffer).address + self._offset

    def see(self, launch: st.Launch) -> None:
        """Look at the stores of a chunk, the last one first."""
        records = launch.chunk[: launch.timing.chunk_count]
        for record in records[self._is_store[records["op"]]][::-1]:
            if record["op"] != g.OP_SYNC_STORE and any(self._address in row for row in _rows(record["values"])):
                self.found = Store(int(record["pc"]), int(record["s"]))
                return

    def end(self, ending: Ending) -> None:
        """Nothing to do."""


def _rows(values: NDArray[np.int64]) -> Iterator[range]:
    """DRAM bytes of each row of a store."""
    for plane in range(int(values[g.SLOT_STORE_B_PLANES])):
        for row in range(int(values[g.SLOT_STORE_B_ROWS])):
            first = int(values[g.SLOT_STORE_B_DRAM] + plane * values[g.SLOT_STORE_B_PLANE_STRIDE] + row * values[g.SLOT_STORE_B_STRIDE])
            yield range(first, first + int(values[g.SLOT_STORE_B_BYTES]))
