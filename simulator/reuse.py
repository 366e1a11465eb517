"""Launches that are known already: the same program with the same arguments on the same machine takes the same cycles (time never
depends on data), and is checked with the same verdict if what it reads has been written and its buffers are the same.

The second such launch of a session is recorded, later ones execute the record: values only. It is kept where nothing can differ:
it halted, no checker found anything, nobody watches. Of a launch for cycles alone the result is kept, from the first one on.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import Program
from accelkit.isa.row import Memory
from accelkit.isa.units import Port
from accelkit.simulator import descriptors
from accelkit.simulator.byte_marks import Places
from accelkit.simulator.core import again
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.core.execute import CHECK_NOTHING, CHECK_OVERFLOW, execute
from accelkit.simulator.result import LaunchResult

MOST_BYTES = 48 << 20  # of a session's records
_MOST_ENTRIES = 1 << 14
_FIRST_ROOM = 1 << 12
_RESULT_BYTES = 8 << 10  # of a result and its key, about

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Basis:
    """What the checker's verdict on a launch rests on, and what it leaves marked."""

    written_before: NDArray[np.uint8]  # rows, as in Shadow
    written_after: NDArray[np.uint8]
    buffers: Ints  # rows of Shadow.buffers that it touches
    loaded: Places  # bytes of writable buffers
    stored: Places

    def holds(self, shadow: mem.Shadow) -> bool:
        """Whether everything it rests on is so now; what is written stays so, so mostly it is."""
        now = shadow.buffers
        places = np.searchsorted(now[:, 0], self.buffers[:, 0])
        if len(now) < len(self.buffers) or (len(places) and places.max() >= len(now)):
            return False
        return (
            np.array_equal(now[places], self.buffers)
            and bool((shadow.written >= self.written_before).all())
            and self.loaded.are_marked(shadow.stored)
        )

    def leave(self, shadow: mem.Shadow, stamp: int) -> None:
        """Mark what the launch writes."""
        np.maximum(shadow.written, self.written_after, out=shadow.written)
        self.stored.mark(shadow.stored, stamp)


@dataclass(frozen=True)
class Known:
    """A launch that is known: its result, how far ports counted, its instructions in order of issue (core/again.py), what its verdict
    rests on (None: not checked)."""

    program: Program  # kept, so that its identity stays its own
    result: LaunchResult
    counted: Ints
    forms: st.Array
    kept: again.Kept
    basis: Basis | None

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return _RESULT_BYTES + int(self.forms.nbytes) + sum(int(array.nbytes) for array in self.kept)

    def holds(self, shadow: mem.Shadow) -> bool:
        """Whether the verdict would be the same now."""
        return self.basis is None or self.basis.holds(shadow)

    def leave(self, shadow: mem.Shadow, sequence: Ints) -> None:
        """Mark what the launch writes; `sequence` is how far the ports have counted after it."""
        if self.basis is not None:
            self.basis.leave(shadow, int(sequence[Port.STORE]))

    def execute(self, config: st.Config, memories: mem.Memories, shadow: mem.Shadow) -> int:
        """Execute the instructions; the number of the first whose sum overflows, if that is checked (it is the last one executed), else
        -1."""
        rows = descriptors.rows()
        checks = CHECK_NOTHING if self.basis is None else CHECK_OVERFLOW
        is_stopped = execute(config, rows, memories, shadow, self.forms, 0, checks, self.kept)
        return int(shadow.fault[mem.F_INDEX]) if is_stopped else -1


_NO_FORMS = descriptors.records(st.RECORD, 0)


def timed(program: Program, result: LaunchResult, counted: Ints) -> Known:
    """A launch for cycles alone, which halted: there is nothing to execute."""
    return Known(program, result, counted, _NO_FORMS, again.NOTHING, basis=None)


class Launches:
    """The launches of a session that have been seen, and those of them that are known. The oldest are forgotten when there are too many."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, Known | None] = {}
        self._nbytes = 0
        self._written = np.zeros(0, np.uint8)

    def find(self, key: Hashable, program: Program) -> Known | None:
        """The launch, if it is known."""
        known = self._entries.get(key)
        return known if known is not None and known.program is program else None

    def is_seen(self, key: Hashable) -> bool:
        """Whether there was such a launch before; there is one now."""
        is_seen = key in self._entries
        self._entries.setdefault(key, None)
        while len(self._entries) > _MOST_ENTRIES:
            self._forget()
        return is_seen

    def keep(self, key: Hashable, known: Known | None) -> None:
        """Keep a launch that was not known, if it can be."""
        if known is None:
            return
        if known.basis is not None:
            known = replace(known, basis=self._shared(known.basis))
        self._entries[key] = known
        self._nbytes += known.nbytes
        while self._nbytes > MOST_BYTES:
            self._forget()

    def _shared(self, basis: Basis) -> Basis:
        """The same, with marks of rows that it has in common with others kept once: soon all rows are written."""
        marks = []
        for written in (basis.written_before, basis.written_after):
            if not np.array_equal(written, self._written):
                self._written = written
            marks.append(self._written)
        return replace(basis, written_before=marks[0], written_after=marks[1])

    def _forget(self) -> None:
        oldest = self._entries.pop(next(iter(self._entries)))
        self._nbytes -= oldest.nbytes if oldest is not None else 0


class Recorder:
    """Records a launch that is under way."""

    def __init__(self, program: Program, shadow: mem.Shadow, sequence: Ints, is_checking: bool) -> None:
        self._program, self._shadow, self._sequence = program, shadow, sequence.copy()
        self._is_checking = is_checking
        self._written = shadow.written.copy()
        self._buffers: set[int] = set()
        self._latest = np.full(len(program.words), -1, np.int64)
        self._counts = np.zeros(again.COUNTS, np.int64)
        self._forms = np.zeros((_FIRST_ROOM // 16, again.FORM_FIELDS), np.int64)
        self._numbers = np.zeros(_FIRST_ROOM, np.int32)
        self._addresses = np.zeros(_FIRST_ROOM, np.uint32)
        self.is_too_large = False

    def see(self, launch: st.Launch) -> None:
        """Record the instructions that were handed over."""
        count = int(launch.timing.chunk_count)
        if not count or self.is_too_large:
            return
        forms, numbers, addresses = self._counts.tolist()
        self._forms = _with_room(self._forms, forms + count)
        self._numbers = _with_room(self._numbers, numbers + count)
        self._addresses = _with_room(self._addresses, addresses + st.ACCESSES * count)
        again.keep(
            descriptors.rows(), launch.chunk, count, self._latest, self._forms, self._numbers, self._addresses, self._counts
        )
        if self._is_checking:
            self._find_buffers(launch.chunk[:count])
        forms, numbers, addresses = self._counts.tolist()
        kept = ((self._forms, forms), (self._numbers, numbers), (self._addresses, addresses))
        self.is_too_large |= sum(array[:count].nbytes for array, count in kept) > MOST_BYTES

    def _find_buffers(self, chunk: st.Array) -> None:
        """Note the buffers of DRAM accesses; one that spans several isn't kept."""
        rows, buffers = descriptors.rows(), self._shadow.buffers
        ops = chunk["op"]
        for number in range(st.ACCESSES):
            on_dram = (rows.access[ops, number, st.ACCESS_MEMORY] == Memory.DRAM) & (number < rows.accesses[ops])
            low, high = chunk["low"][on_dram, number], chunk["high"][on_dram, number]
            if len(low):
                found = np.searchsorted(buffers[:, 0], low, side="right") - 1
                self.is_too_large |= bool((found < 0).any() or (high >= buffers[found, 1]).any())
                self._buffers.update(np.unique(found).tolist())

    def known(self, result: LaunchResult, sequence: Ints) -> Known | None:
        """The launch, which halted; None if it can't be kept."""
        if self.is_too_large:
            return None
        forms, numbers, addresses = self._counts.tolist()
        return Known(
            program=self._program,
            result=result,
            counted=sequence - self._sequence,
            forms=_as_records(self._forms[:forms]),
            kept=again.Kept(self._numbers[:numbers].copy(), self._addresses[:addresses].copy()),
            basis=self._basis() if self._is_checking else None,
        )

    def _basis(self) -> Basis:
        shadow = self._shadow
        buffers = shadow.buffers[sorted(self._buffers)]
        writable = [(int(place), int(end - first)) for first, end, is_writable, place in buffers if is_writable]
        return Basis(
            written_before=self._written,
            written_after=shadow.written.copy(),
            buffers=buffers,
            loaded=Places.above(shadow.loaded, writable, int(self._sequence[Port.LOAD])),
            stored=Places.above(shadow.stored, writable, int(self._sequence[Port.STORE])),
        )


def _as_records(forms: Ints) -> st.Array:
    """Records of the forms, for execution: all but the addresses."""
    records = descriptors.records(st.RECORD, len(forms))
    records["op"], records["flag_bits"] = forms[:, again.OP], forms[:, again.FLAGS]
    records["e"] = forms[:, again.BEATS]
    records["c"] = records["e"] + forms[:, again.STAGES]
    records["values"] = forms[:, again.VALUES : again.MASKS]
    return records


def _with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, made longer if it has not `size` elements."""
    if len(array) >= size:
        return array
    longer = np.zeros((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
