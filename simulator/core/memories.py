"""Memories and the shadow state of the checker."""

from typing import NamedTuple

from accelkit.simulator.core.state import Array


class Memories(NamedTuple):
    """Contents. Bytes are held unsigned; the signed view shares the scratchpad's memory."""

    scratchpad: Array  # uint8 [rows, lanes]
    scratchpad_signed: Array  # int8 view of it
    accumulator: Array  # int32 [rows, columns]
    dram: Array  # uint8 [bytes]
    weights: Array  # float32 [2, array rows, array columns]: whole numbers, exact (see array.run)
    active: Array  # int64 [2]: weight buffer of the latest run; 1 if a preload has filled the other since


class Shadow(NamedTuple):
    """What the checker knows. Stamps are numbers on a port, 0 for never, BY_HOST for a byte that the host wrote."""

    scratchpad_written: Array  # bool [rows]
    accumulator_written: Array  # bool [rows]
    scratchpad_write: Array  # int64 [ports, rows] latest write by a port
    scratchpad_read: Array  # int64 [ports, rows]
    accumulator_write: Array  # int64 [ports, rows]
    accumulator_read: Array  # int64 [ports, rows]
    bank: Array  # int64 [2 memories, read or write, banks, ports] latest use by a port
    buffers: Array  # int64 [n, 4]: first byte, end, 1 if writable, place of its first byte in `stored` and `loaded`; sorted
    stored: Array  # int64 [bytes of writable buffers] latest store
    loaded: Array  # int64 [bytes of writable buffers] latest load
    fault: Array  # int64 [8]: class, index in the chunk, value seen, limit, place, other port, other number


BY_HOST = -1

F_CLASS = 0
F_INDEX = 1
F_VALUE = 2
F_LIMIT = 3
F_PLACE = 4
F_OTHER_PORT = 5
F_OTHER_NUMBER = 6
F_COUNT = 8
