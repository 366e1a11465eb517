"""Places in memories by name, as the debugger takes them: a `.region`, a buffer argument, or rows and bytes by number."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import DTYPES, ArgumentKind
from accelkit.isa.row import Memory
from accelkit.simulator.core import memories as mem
from accelkit.simulator.recording import Recording

TYPES = ("int8", "uint8", "int32", "float32")
MEMORIES = {"sp": Memory.SCRATCHPAD, "acc": Memory.ACCUMULATOR, "dram": Memory.DRAM}
_PLAIN_COLUMNS = 16  # of DRAM in a line, where no buffer says how wide a row is


@dataclass(frozen=True)
class Place:
    """Rows (DRAM: bytes) `first` to `end - 1`; `row_bytes` make a row of the matrix."""

    name: str
    memory: Memory
    first: int
    end: int
    dtype: str
    row_bytes: int

    def read(self, memories: mem.Memories, dtype: str = "") -> NDArray[np.generic]:
        """A copy of its contents as elements of a type (its own by default), one after the other; ValueError if they are no whole number
        of them."""
        wanted = np.dtype(dtype or self.dtype)
        whole = {
            Memory.SCRATCHPAD: memories.scratchpad,
            Memory.ACCUMULATOR: memories.accumulator,
            Memory.DRAM: memories.dram,
        }[self.memory]
        data = whole[self.first : self.end].reshape(-1).view(np.uint8)
        for size, what in ((self.row_bytes, "a row"), (data.size, "the whole")):
            if size % wanted.itemsize:
                raise ValueError(f"{self.name}: {what} of {size} bytes holds no whole number of {wanted}")
        copy: NDArray[np.generic] = data.copy().view(wanted)
        return copy

    def columns(self, dtype: str = "") -> int:
        """Elements in a row of the matrix."""
        return self.row_bytes // np.dtype(dtype or self.dtype).itemsize


def find(recording: Recording, text: str) -> Place:
    """The place that a text names: REGION, BUFFER, `sp[FIRST:END]`, `acc[..]` (rows), `dram[..]` (bytes). ValueError."""
    if match := re.fullmatch(r"(sp|acc|dram)\[(\w+)(?::(\w+))?\]", text):
        try:
            first = int(match[2], 0)
            end = first + 1 if match[3] is None else int(match[3], 0)
        except ValueError:
            raise ValueError(f"{text}: rows are numbers, as in {match[1]}[0:8]") from None
        memory = MEMORIES[match[1]]
        size = _size(recording, memory)
        if not 0 <= first < end <= size:
            raise ValueError(f"{text}: expected 0 <= first < end <= {size}")
        return _rows(recording, text, memory, first, end)
    for region in recording.program.regions:
        if region.name == text:
            memory = MEMORIES[region.memory]
            return _rows(recording, text, memory, region.first_row, region.first_row + region.rows)
    for number, argument in enumerate(recording.program.arguments):
        if argument.name == text and argument.kind is not ArgumentKind.VALUE:
            return _buffer(recording, number)
    regions = [region.name for region in recording.program.regions]
    buffers = [a.name for a in recording.program.arguments if a.kind is not ArgumentKind.VALUE]
    names = ", ".join([*regions, *buffers]) or "none"
    raise ValueError(f"{text}: no region or buffer (there are: {names}); rows are sp[0:8], acc[0:8], bytes dram[0x0:0x40]")


def _size(recording: Recording, memory: Memory) -> int:
    m = recording.machine
    return {
        Memory.SCRATCHPAD: m.scratchpad_rows,
        Memory.ACCUMULATOR: m.accumulator_rows,
        Memory.DRAM: m.dram_bytes,
    }[memory]


def _rows(recording: Recording, text: str, memory: Memory, first: int, end: int) -> Place:
    """Rows of a memory as wide as they are, or bytes of DRAM."""
    m = recording.machine
    dtype, width = {
        Memory.SCRATCHPAD: ("int8", m.lanes),
        Memory.ACCUMULATOR: ("int32", 4 * m.array_columns),
        Memory.DRAM: ("uint8", _PLAIN_COLUMNS),
    }[memory]
    return Place(text, memory, first, end, dtype, width)


def _buffer(recording: Recording, number: int) -> Place:
    """A buffer argument, as wide as the last dimension of its shape."""
    argument = recording.program.arguments[number]
    address = int(recording.arguments[number])
    end = next((int(end) for first, end, _, _ in recording.buffers if first == address), address)
    dtype = DTYPES.get(argument.dtype, "uint8")
    names = [one.name for one in recording.program.arguments]
    width = argument.shape[-1] if len(argument.shape) > 1 else _PLAIN_COLUMNS
    if isinstance(width, str):
        width = int(recording.arguments[names.index(width)]) if width in names else _PLAIN_COLUMNS
    return Place(argument.name, Memory.DRAM, address, end, dtype, max(1, width) * np.dtype(dtype).itemsize)
