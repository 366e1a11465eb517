"""Room for launches: arrays that one launch after the other uses. Making and clearing them takes as long as a short launch."""

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.simulator import descriptors
from accelkit.simulator.core import state as st
from accelkit.simulator.decode import MOST_PROGRAMS, decode_program


class Room:
    """The arrays of a machine's launches that nobody watches. A launch has them to itself until the next one is made.

    What a launch reads before it writes it is made as it is in new arrays; all else keeps what launches before have left there. Shapes of
    a program's instructions stay known: they follow from program and machine.
    """

    def __init__(self, machine: Machine) -> None:
        fresh = descriptors.launch(machine, decode_program(()), [], 1, np.zeros(st.PORTS, np.int64), is_tracing=False)
        timing = descriptors.records(st.TIMING, 1)
        timing[0] = fresh.timing
        self._words = timing.view(np.int64, np.ndarray)
        self._fresh = self._words.copy()
        self._unwatched = fresh._replace(timing=timing[0])
        self._no_chunk = fresh.chunk[:0]
        self._arguments: dict[int, st.Array] = {}  # by number
        self._shapes: dict[int, tuple[st.Array, st.Array]] = {}  # by identity of the decoded program, which is kept with them

    def launch(
        self, code: st.Array, arguments: tuple[int, ...], max_cycles: int, sequence: st.Array, jitter: int, has_chunk: bool
    ) -> st.Launch:
        """A launch as `descriptors.launch` makes it, without trace and log; without a chunk if nothing is to be executed."""
        unwatched = self._unwatched
        self._words[:] = self._fresh
        descriptors.start(unwatched.timing, max_cycles, sequence, jitter)
        memory = self._arguments.get(len(arguments))
        if memory is None:
            memory = self._arguments[len(arguments)] = np.zeros(len(arguments), np.int64)
        memory[:] = arguments
        memory &= 0xFFFFFFFF
        return unwatched._replace(
            code=code,
            arguments=memory,
            shapes=self._shapes_of(code),
            chunk=unwatched.chunk if has_chunk else self._no_chunk,
        )

    def _shapes_of(self, code: st.Array) -> st.Array:
        known = self._shapes.get(id(code))
        if known is None:
            if len(self._shapes) >= MOST_PROGRAMS:
                self._shapes.clear()
            known = self._shapes[id(code)] = code, descriptors.records(st.SHAPE, len(code))
        return known[1]
