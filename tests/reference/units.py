"""Queues and units of the reference machine, one cycle at a time. Every condition is the one of the table in docs/adr/0003, asked of
what has happened in the cycles before this one."""

from collections import deque
from collections.abc import Callable, Sequence

from accelkit.isa.machine import Machine
from accelkit.isa.units import CHANNELS, CycleClass, Port, Unit
from tests.reference.beats import Beat, Write, beats_of
from tests.reference.decoded import scratchpad_walks
from tests.reference.ports import banks
from tests.reference.tensor import Memories, Tensor

WAIT_CLASS = {
    Port.LOAD: CycleClass.WAIT_LOAD,
    Port.STORE: CycleClass.WAIT_STORE,
    Port.PRELOAD: CycleClass.WAIT_PRELOAD,
    Port.RUN: CycleClass.WAIT_RUN,
    Port.VECTOR: CycleClass.WAIT_VECTOR,
}
Delay = Callable[[int, int], int]  # cycles, by stream (unit; unit + 4: DRAM latency) and number of the unit's instruction
PORT_BUSY = None  # the first unmet condition is the unit's own port: the unit streams, so the cycle has a class already


def no_delay(_stream: int, _number: int) -> int:
    """The machine as it is."""
    return 0


class Stream:
    """An instruction that moves its beats, one a cycle; a beat on a page that is not open takes more."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.beats: deque[Beat] = deque(beats_of(tensor))
        self.delay = 0
        self.is_opening = False


class UnitState:
    """One unit: its queue, what streams, what has issued and not completed, its open page, its cycles by class; since when the oldest
    queued instruction has been ready to issue, if it is delayed."""

    def __init__(self, unit: Unit, machine: Machine, delay: Delay = no_delay) -> None:
        self.unit, self.machine, self.delay = unit, machine, delay
        self.issued: list[Tensor] = []
        self.ready: int | None = None
        self.queue: deque[Tensor] = deque()
        self.streams: list[Stream] = []
        self.in_flight: list[Tensor] = []
        self.open_page: int | None = None
        self.classes = dict.fromkeys(CycleClass, 0)

    def first_unmet(self, tensor: Tensor, cycle: int, tokens: Sequence[int]) -> list[CycleClass | None]:
        """The first condition that keeps the oldest queued instruction from issuing in this cycle, as a list of one; [] if none does."""
        if tensor.d >= cycle:
            return [CycleClass.EMPTY]
        if self._is_port_busy(tensor):
            return [PORT_BUSY]
        is_sync = tensor.name.startswith("sync")
        if (self.unit is Unit.VECTOR or is_sync) and self.in_flight:
            return [CycleClass.DRAIN]
        if self.unit in (Unit.LOAD, Unit.STORE) and len(self.in_flight) >= self.machine.outstanding:
            return [CycleClass.OUTSTANDING]
        for port in Port:
            if any(CHANNELS[number].producer is port and tokens[number] == 0 for number in tensor.waits):
                return [WAIT_CLASS[port]]
        if self.ready is None:
            self.ready = cycle
        return [CycleClass.BUSY] if cycle < self.ready + self.delay(self.unit, len(self.issued)) else []

    def _is_port_busy(self, tensor: Tensor) -> bool:
        streaming = [stream.tensor for stream in self.streams]
        if self.unit is not Unit.ARRAY:
            return bool(streaming)
        return any(
            other.name == tensor.name or self._shares_scratchpad_bank(other, tensor) for other in streaming
        )

    def _shares_scratchpad_bank(self, one: Tensor, other: Tensor) -> bool:
        def used(tensor: Tensor) -> set[int]:
            walks = scratchpad_walks(tensor.name, tensor.values, self.machine)
            return {bank for walk in walks for bank in banks(walk, self.machine.scratchpad_bank_rows)}

        return bool(used(one) & used(other))

    def issue(self, cycle: int) -> Tensor:
        """The oldest queued instruction leaves the queue."""
        tensor = self.queue.popleft()
        tensor.s = cycle
        if self.unit in (Unit.LOAD, Unit.STORE) and not tensor.name.startswith("sync"):
            self._delay_data(tensor, cycle)
        self.issued.append(tensor)
        self.ready = None
        self.streams.append(Stream(tensor))
        self.in_flight.append(tensor)
        return tensor

    def _delay_data(self, tensor: Tensor, cycle: int) -> None:
        """DRAM takes longer, and so much longer that the first data come after the last ones of the instruction before."""
        ordinary = tensor.latency()
        earliest = cycle
        for other in self.issued[-1:]:
            assert other.e is not None
            earliest = other.e + other.latency() + 1
        tensor.extra = max(self.delay(self.unit + 4, len(self.issued)), earliest - cycle - ordinary)

    def move_beats(self, cycle: int, memories: Memories) -> tuple[list[tuple[int, Write]], CycleClass | None]:
        """Move this cycle's beats: (delay, write) pairs that they leave, and the class of the cycle if something streams."""
        writes: list[tuple[int, Write]] = []
        found: CycleClass | None = None
        for stream in list(self.streams):
            beat = stream.beats[0]
            if self._waits_for_page(stream, beat):
                found = CycleClass.PAGE_MISS
                continue
            stream.beats.popleft()
            stream.is_opening = False
            write = beat.act(memories)
            if write is not None:
                writes.append((beat.delay, write))
            if stream.tensor.name != "preload":
                found = CycleClass.BUSY
            elif found is None:
                found = CycleClass.PRELOAD
            if not stream.beats:
                stream.tensor.e = cycle
                self.streams.remove(stream)
        return writes, found

    def _waits_for_page(self, stream: Stream, beat: Beat) -> bool:
        """Whether this cycle goes to opening the page of the next beat."""
        if beat.word is None:
            return False
        page = beat.word * self.machine.bus_bytes // self.machine.page_bytes
        if page != self.open_page and not stream.is_opening:
            stream.is_opening, stream.delay, self.open_page = True, self.machine.page_miss_cycles, page
        if stream.delay:
            stream.delay -= 1
            return True
        return False

    def complete(self, cycle: int) -> list[Tensor]:
        """Instructions that complete in this cycle."""
        done = [t for t in self.in_flight if t.e is not None and t.e + t.latency() == cycle]
        for tensor in done:
            tensor.c = cycle
            self.in_flight.remove(tensor)
        return done
