"""Initial memories of a case: buffers in DRAM, scratchpad and accumulator contents left by earlier launches."""

import struct
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.simulator.generator.case import Buffer

BUFFER_ALIGNMENT = 64


@dataclass(frozen=True)
class Image:
    """Initial contents and marks as in `Case`. `dram_written` marks the bytes that the host has written (up to the last buffer);
    `parameter_blocks` are scratchpad rows where a parameter block with sensible biases and scales begins."""

    buffers: tuple[Buffer, ...]
    dram: tuple[tuple[int, bytes], ...]
    dram_written: npt.NDArray[np.bool_]
    scratchpad: npt.NDArray[np.uint8]
    accumulator: npt.NDArray[np.int32]
    scratchpad_marks: npt.NDArray[np.bool_]
    accumulator_marks: npt.NDArray[np.bool_]
    parameter_blocks: tuple[int, ...]


def make_image(machine: Machine, random: Random, *, is_warm: bool = True) -> Image:
    """Random contents; with `is_warm` every on-chip row has been written by an earlier launch, else none has and all hold 0."""
    buffers = _buffers(machine, random)
    dram = tuple(
        (buffer.address, _contents(buffer.nbytes, random)) for buffer, is_written in buffers if is_written
    )
    written = np.zeros(max(buffer.address + buffer.nbytes for buffer, _ in buffers), np.bool_)
    for address, content in dram:
        written[address : address + len(content)] = True
    scratchpad = np.zeros((machine.scratchpad_rows, machine.lanes), np.uint8)
    accumulator = np.zeros((machine.accumulator_rows, machine.array_columns), np.int32)
    blocks: tuple[int, ...] = ()
    if is_warm:
        scratchpad[:] = np.frombuffer(random.randbytes(scratchpad.size), np.uint8).reshape(scratchpad.shape)
        words = np.frombuffer(random.randbytes(4 * accumulator.size), np.int32).reshape(accumulator.shape)
        accumulator[:] = words >> 11
        accumulator[::3] = words[::3] & -0x7C000001 | 0x3C000000  # binary32 numbers from 2^-7 to 2, of either sign
        blocks = _parameter_blocks(scratchpad, machine, random)
    return Image(
        buffers=tuple(buffer for buffer, _ in buffers),
        dram=dram,
        dram_written=written,
        scratchpad=scratchpad,
        accumulator=accumulator,
        scratchpad_marks=np.full(machine.scratchpad_rows, is_warm),
        accumulator_marks=np.full(machine.accumulator_rows, is_warm),
        parameter_blocks=blocks,
    )


def _buffers(machine: Machine, random: Random) -> list[tuple[Buffer, bool]]:
    """A few buffers in order of address and whether the host has written them: input, output, both. One ends where DRAM ends if DRAM
    is small."""
    size = max(4 * machine.lanes, min(machine.dram_bytes // 8, 16 * machine.lanes * random.randint(1, 8)))
    alignment = max(BUFFER_ALIGNMENT, machine.bus_bytes)
    if machine.dram_bytes < 16 * alignment:
        alignment = BUFFER_ALIGNMENT  # else there would be no room between the edges
    most = machine.dram_bytes // 4 // alignment * alignment - alignment
    buffers: list[tuple[Buffer, bool]] = []
    address = 0
    for is_writable, is_written in ((False, True), (True, True), (True, False), (False, True)):
        nbytes = min(size, most) - random.choice((0, 0, 1, 4, 7))
        buffers.append((Buffer(address, nbytes, is_writable), is_written))
        address += -(-nbytes // alignment) * alignment + alignment * random.randrange(3)
    if machine.dram_bytes <= 1 << 20:
        last, is_written = buffers.pop()
        start = (machine.dram_bytes - last.nbytes) // alignment * alignment
        buffers.append((Buffer(start, machine.dram_bytes - start, last.is_writable), is_written))
    return buffers


def _contents(nbytes: int, random: Random) -> bytes:
    """Bytes, or small words whose sums do not overflow soon."""
    if random.random() < 0.5:
        return random.randbytes(nbytes)
    words = [random.randint(-(1 << 20), 1 << 20) for _ in range(nbytes // 4 + 1)]
    return struct.pack(f"<{len(words)}i", *words)[:nbytes]


def _parameter_blocks(scratchpad: npt.NDArray[np.uint8], machine: Machine, random: Random) -> tuple[int, ...]:
    """Write parameter blocks at a few rows: small biases, scales that bring accumulators into 8 bits, some of them extreme."""
    places = machine.scratchpad_rows // machine.parameter_rows  # none in a scratchpad of a few rows
    count = min(places, max(1, min(6, places // 4)))
    rows = sorted(random.sample(range(places), count))
    for row in rows:
        biases = [random.randint(-(1 << 16), 1 << 16) for _ in range(machine.array_columns)]
        scales = [
            random.choice((2.0**-12, 0.5, random.uniform(0, 0.01), -0.003, 1e-42))
            for _ in range(machine.array_columns)
        ]
        block = struct.pack(f"<{len(biases)}i{len(scales)}f", *biases, *scales)
        first = row * machine.parameter_rows
        scratchpad[first : first + machine.parameter_rows] = np.frombuffer(block, np.uint8).reshape(
            -1, machine.lanes
        )
    return tuple(row * machine.parameter_rows for row in rows)
