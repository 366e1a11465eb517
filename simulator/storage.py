"""What a session keeps between launches: the machine's memories, buffers in DRAM, and the checker's marks of both."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.machine import Machine
from accelkit.isa.units import Port
from accelkit.simulator import byte_marks, descriptors
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st


@dataclass(frozen=True)
class Buffer:
    """A declared range of DRAM. Loads may read it once it is written; stores may write it only if `is_writable`."""

    name: str
    address: int
    nbytes: int
    is_writable: bool


class Storage:
    """A machine's memories, and buffers in its DRAM."""

    def __init__(self, machine: Machine) -> None:
        self.machine = m = machine
        self.memories = mem.make(descriptors.config(m))
        ports = len(Port)
        span = -(-max(m.scratchpad_rows, m.accumulator_rows) // mem.LINE) * mem.LINE
        banks = max(m.scratchpad_banks, m.accumulator_banks)
        self.shadow = mem.Shadow(
            sizes=np.array([m.scratchpad_rows, m.accumulator_rows]),
            written=np.zeros(2 * span, np.uint8),
            rows=byte_marks.make(2 * 2 * ports * span),
            bank=np.zeros((2, banks, 2 * mem.PORT_PLACES), np.int64),
            known=np.full(mem.PORT_PLACES, st.FOREVER),
            buffers=np.zeros((0, 4), np.int64),
            dram=np.zeros(ports, np.int64),
            stored=byte_marks.make(),
            loaded=byte_marks.make(),
            fault=np.zeros(mem.F_COUNT, np.int64),
        )
        self._buffers: dict[str, Buffer] = {}
        self._in_order: list[Buffer] = []  # by address, as the rows of Shadow.buffers
        self._reserves: dict[str, Buffer] = {}
        self._stamps: dict[str, int] = {}  # of reserves: the first place of their marks
        self._end = 0
        self._stamped = 0  # bytes of writable buffers

    def allocate(self, name: str, nbytes: int, is_writable: bool = True) -> int:
        """Declare a new buffer of `nbytes` after the others, aligned to a bus word and to 64 bytes; its address."""
        address = self._next(name, nbytes)
        self.declare(name, address, nbytes, is_writable)
        return address

    def reserve(self, name: str, nbytes: int) -> int:
        """Keep DRAM after all buffers for ones that come and go: it holds only what is declared in it; its address."""
        address = self._next(name, nbytes)
        self._reserves[name] = Buffer(name, address, nbytes, is_writable=True)
        self._stamps[name] = self._stamp(nbytes)
        self._end = max(self._end, address + nbytes)
        return address

    def _next(self, name: str, nbytes: int) -> int:
        alignment = max(self.machine.bus_bytes, 64)
        address = -(-self._end // alignment) * alignment
        if address + nbytes > self.machine.dram_bytes:
            raise ValueError(
                f"buffer {name}: {nbytes} bytes at {address:#x} do not fit into DRAM of {self.machine.dram_bytes} bytes"
                f" ({self.machine.name}); choose a machine with more dram.size"
            )
        return address

    def declare(self, name: str, address: int, nbytes: int, is_writable: bool = True) -> None:
        """Declare a buffer at an address of your own; ValueError if the name is taken, or it overlaps another or leaves DRAM.

        In a reserve (`reserve`) nothing of it counts as written.
        """
        if name in self._buffers:
            raise ValueError(f"buffer {name} exists already")
        if nbytes <= 0 or address < 0 or address + nbytes > self.machine.dram_bytes:
            raise ValueError(f"buffer {name}: {nbytes} bytes at {address:#x} are no range of DRAM")
        row = bisect_left(self._in_order, address, key=_address)
        for other in self._in_order[max(0, row - 1) : row + 1]:
            if address < other.address + other.nbytes and other.address < address + nbytes:
                raise ValueError(f"buffer {name} overlaps buffer {other.name}")
        stamp = self._stamp_in_reserve(name, address, nbytes)
        if stamp is None:
            stamp = self._stamp(nbytes if is_writable else 0)
            self._end = max(self._end, address + nbytes)
        self._buffers[name] = Buffer(name, address, nbytes, is_writable)
        self._in_order.insert(row, self._buffers[name])
        before = self.shadow.buffers
        buffers = np.empty((len(before) + 1, 4), np.int64)
        buffers[:row], buffers[row + 1 :] = before[:row], before[row:]
        buffers[row] = address, address + nbytes, is_writable, stamp
        self.shadow = self.shadow._replace(buffers=buffers)

    def release(self, name: str) -> None:
        """Forget a buffer of a reserve, whose DRAM may then be declared again; KeyError if there is none."""
        buffer = self._buffers.pop(name)
        row = bisect_left(self._in_order, buffer.address, key=_address)
        del self._in_order[row]
        before = self.shadow.buffers
        self.shadow = self.shadow._replace(buffers=np.concatenate([before[:row], before[row + 1 :]]))

    def _stamp(self, nbytes: int) -> int:
        """Room for the checker's marks of so many writable bytes, in lines of their own; its first place."""
        first = self._stamped
        self._stamped += -(-nbytes // mem.LINE) * mem.LINE
        self.shadow = self.shadow._replace(
            stored=byte_marks.with_room(self.shadow.stored, self._stamped),
            loaded=byte_marks.with_room(self.shadow.loaded, self._stamped),
        )
        return first

    def _stamp_in_reserve(self, name: str, address: int, nbytes: int) -> int | None:
        """The place of a buffer's marks, which are taken off, in the reserve that it lies in; None if it lies in none."""
        for reserve in self._reserves.values():
            before, after = address - reserve.address, reserve.address + reserve.nbytes - address - nbytes
            if before >= 0 and after >= 0:
                first = self._stamps[reserve.name] + before
                byte_marks.clear(self.shadow.stored, first, nbytes)
                byte_marks.clear(self.shadow.loaded, first, nbytes)
                return first
            if before > -nbytes and after > -nbytes:
                raise ValueError(f"buffer {name} lies partly in the reserve {reserve.name}")
        return None

    def buffer(self, name: str) -> Buffer:
        """The buffer of that name; KeyError if there is none."""
        return self._buffers[name]

    def write(self, address: int, values: NDArray[np.generic]) -> None:
        """Copy an array's bytes to DRAM, as the host; the bytes count as written."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        if address < 0 or address + data.size > self.machine.dram_bytes:
            raise ValueError(f"{data.size} bytes at {address:#x} are no range of DRAM")
        self.memories.dram[address : address + data.size] = data
        for first, end, is_writable, place in self.shadow.buffers.tolist():
            low, high = max(first, address), min(end, address + data.size)
            if is_writable and low < high:
                byte_marks.write(self.shadow.stored, place + low - first, high - low, mem.BY_HOST)

    def read(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """A copy of DRAM bytes."""
        if address < 0 or nbytes < 0 or address + nbytes > self.machine.dram_bytes:
            raise ValueError(f"{nbytes} bytes at {address:#x} are no range of DRAM")
        data: NDArray[np.uint8] = self.memories.dram[address : address + nbytes].copy()
        return data


def _address(buffer: Buffer) -> int:
    return buffer.address
