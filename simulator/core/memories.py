"""Memories and the shadow state of the checker."""

from typing import NamedTuple

import numpy as np

from accelkit.simulator.core.state import Array, Config
from accelkit.simulator.core.vectors import WIDTH, WORD_BYTES

MAX_TAPS = 64
STAGES = 64  # more than any pipeline of the vector unit has


class Lanes(NamedTuple):
    """Registers of the vector unit's lanes (lanes.py), and what is on its way from them."""

    block: Array  # uint8 [parameter rows * lanes]
    weights: Array  # int64 [MAX_TAPS, lanes] less their zero point
    table: Array  # uint8 [table rows * lanes]
    taken: Array  # int64 [lanes] the source row of this beat
    sums: Array  # int64 [lanes] of the window so far, or the left operand
    words: Array  # int32 [lanes] the accumulator row of this beat
    scalars: Array  # int32 [3] scales and offset
    bits: Array  # int64 [1] of a sum in binary64
    results: Array  # uint8 [STAGES, widest row] by beat
    targets: Array  # int64 [STAGES] the rows that they go to, -1 for none


class Memories(NamedTuple):
    """Contents. Bytes are held unsigned; the signed view shares the scratchpad's memory."""

    scratchpad: Array  # uint8 [rows, lanes]
    scratchpad_signed: Array  # int8 view of it
    scratchpad_bytes: Array  # uint8 [rows * lanes] and in one dimension
    accumulator: Array  # int32 [rows, columns]
    dram: Array  # uint8 [bytes]
    packed: Array  # uint8 [2, groups of 16 columns, LAYERS, quads of rows, 64]: weights of the two buffers (see array.py)
    weight_sums: Array  # int32 [2, groups, 16] of each column
    active: Array  # int64 [4]: weight buffer of the latest run; 1 if a preload has filled the other since; layers of each buffer
    work: Array  # uint8: room for operands on their way
    places: Array  # int64 [8]: where four rows under way come from and go to
    sums: Array  # int32 [4, columns, made a multiple of 16] of those rows
    lanes: Lanes


LAYERS = 3  # of weights: -255 to 255 is three bytes at most


def make_lanes(config: Config) -> Lanes:
    """Registers that hold zeros."""
    return Lanes(
        block=np.zeros(config.parameter_rows * config.lanes, np.uint8),
        weights=np.zeros((MAX_TAPS, config.lanes), np.int64),
        table=np.zeros(config.table_rows * config.lanes, np.uint8),
        taken=np.zeros(config.lanes, np.int64),
        sums=np.zeros(config.lanes, np.int64),
        words=np.zeros(config.array_columns, np.int32),
        scalars=np.zeros(3, np.int32),
        bits=np.zeros(1, np.int64),
        results=np.zeros((STAGES, max(config.lanes, 4 * config.array_columns)), np.uint8),
        targets=np.full(STAGES, -1, np.int64),
    )


def make(config: Config) -> Memories:
    """Memories full of zeros."""
    lanes = config.lanes
    groups, quads = -(-lanes // WIDTH), -(-lanes // 4)
    scratchpad = np.zeros((config.scratchpad_rows, lanes), np.uint8)
    return Memories(
        scratchpad=scratchpad,
        scratchpad_signed=scratchpad.view(np.int8),
        scratchpad_bytes=scratchpad.reshape(-1),
        accumulator=np.zeros((config.accumulator_rows, lanes), np.int32),
        dram=np.zeros(config.dram_bytes, np.uint8),
        packed=np.zeros((2, groups, LAYERS, quads, WORD_BYTES), np.uint8),
        weight_sums=np.zeros((2, groups, WIDTH), np.int32),
        active=np.zeros(4, np.int64),
        # The largest that it holds: 256 rows of weights (weights._stage); 64 taps of 16 words (windows) are as much for one group.
        work=np.zeros(256 * WIDTH * groups, np.uint8),
        places=np.zeros(8, np.int64),
        sums=np.zeros((4, WIDTH * groups), np.int32),
        lanes=make_lanes(config),
    )


def weights(memories: Memories) -> Array:
    """Weights, less their zero point, that the latest run used: int64 [rows, columns]."""
    buffer = memories.active[0]
    _, groups, _, quads, _ = memories.packed.shape
    packed = memories.packed[buffer, :, : memories.active[2 + buffer]].view(np.int8)
    layers = packed.reshape(groups, -1, quads, WIDTH, 4).astype(np.int64)
    lanes = memories.scratchpad.shape[1]
    return layers.sum(axis=1).transpose(1, 3, 0, 2).reshape(4 * quads, WIDTH * groups)[:lanes, :lanes]


class Marks(NamedTuple):
    """The latest access of each of n places (rows, or bytes of DRAM): the larger of the place's stamp and its line's. An access stamps
    lines that it touches wholly, and place by place only what it touches of others."""

    lines: Array  # int64 [n / LINE]
    places: Array  # int64 [n]
    parts: Array  # int64 [n / LINE] largest stamp of any place of the line


LINE_SHIFT = 4
LINE = 1 << LINE_SHIFT
PORT_PLACES = 8  # of a bank's stamps: a power of two, for vectors, and at least the ports


class Shadow(NamedTuple):
    """What the checker knows. Stamps are numbers on a port, 0 for never, BY_HOST for a byte that the host wrote.

    Rows of both on-chip memories have one array, so that a function gets few: `written` has `span` places for each memory (a multiple of
    LINE, as many as the larger one has rows), `rows` as many for each memory, read or write, and port.
    """

    sizes: Array  # int64 [2]: rows of scratchpad and accumulator
    written: Array  # uint8 [memories * span] 1 or 0
    rows: Marks  # of [memories * 2 * ports * span]: latest read, or write, by a port
    bank: Array  # int64 [2 memories, banks, 2 * PORT_PLACES]: latest use, reads by port, then writes
    known: Array  # int64 [PORT_PLACES]: what the instruction in hand is ordered after; of its own unit's ports all
    buffers: Array  # int64 [n, 4]: first byte, end, 1 if writable, place of its first byte in `stored` and `loaded`; sorted
    dram: Array  # int64 [ports] latest load and latest store
    stored: Marks  # of the bytes of writable buffers: the latest store
    loaded: Marks  # and the latest load
    fault: Array  # int64 [8]: class, index in the chunk, value seen, limit, place, other port, other number

    @property
    def scratchpad_written(self) -> Array:
        """Rows of the scratchpad that have been written."""
        return self.written[: self.sizes[0]].view(np.bool_)

    @property
    def accumulator_written(self) -> Array:
        """Rows of the accumulator that have been written."""
        return self.written[len(self.written) // 2 :][: self.sizes[1]].view(np.bool_)


BY_HOST = -1

F_CLASS = 0
F_INDEX = 1
F_VALUE = 2
F_LIMIT = 3
F_PLACE = 4
F_OTHER_PORT = 5
F_OTHER_NUMBER = 6
F_COUNT = 8
