"""Systolic array: what runs do, with weights as preloads packed them (weights.py).

A run takes source bytes as unsigned (signed ones plus 128); what that and their zero point add is a multiple of each column's sum of
weights, with which its sums begin.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import Memories
from accelkit.simulator.core.state import Array
from accelkit.simulator.core.weights import packed_place

ROWS = 4  # of the source at a time, so that packed weights are read once for all of them


@njit
def wrap(value: int) -> int:
    """A sum modulo 2^32, as a signed 32-bit number."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


@njit_inline
def run(memories: Memories, flags: int, values: Array) -> bool:
    """Stream rows through the weights into accumulator rows; True if a 32-bit sum wrapped."""
    active = memories.active
    if active[1]:
        active[0] = 1 - active[0]
        active[1] = 0
    layers = active[2 + active[0]]
    if memories.scratchpad.shape[1] == v.WIDTH and layers <= 2:
        return _stream_16(memories, flags, values, layers == 2)
    return _stream(memories, flags, values)


@njit_inline
def _start(memories: Memories, flags: int, values: Array, group: int) -> v.Vector:
    """What the sums of a group of columns begin with."""
    buffer = memories.active[0]
    zero_point = values[g.SLOT_RUN_ZP] + (0 if flags & g.FLAG_RUN_U8 else 128)
    sums = v.words(memories.weight_sums, (buffer * memories.packed.shape[1] + group) * v.WORD_BYTES)
    return sums * v.number(-zero_point)


@njit_inline
def _flip(flags: int) -> v.Vector:
    """What makes signed bytes unsigned: 128 more."""
    return v.number(0 if flags & g.FLAG_RUN_U8 else -0x7F7F7F80)


@njit_inline
def _stream_16(memories: Memories, flags: int, values: Array, is_double: bool) -> bool:
    """For an array of 16 columns: each layer of its weights is four vectors, and there are one or two."""
    scratchpad, accumulator = memories.scratchpad, memories.accumulator
    place = packed_place(memories, memories.active[0], 0, 0, 0)
    w0, w1 = v.words(memories.packed, place), v.words(memories.packed, place + 64)
    w2, w3 = v.words(memories.packed, place + 128), v.words(memories.packed, place + 192)
    x0, x1 = v.words(memories.packed, place + 256), v.words(memories.packed, place + 320)
    x2, x3 = v.words(memories.packed, place + 384), v.words(memories.packed, place + 448)
    start = _start(memories, flags, values, 0)
    flip = _flip(flags)
    kept = v.number(-1 if flags & g.FLAG_RUN_ACCUMULATE else 0)
    wrapped = v.number(0)
    for plane in range(values[g.SLOT_RUN_PLANES]):
        source = (values[g.SLOT_RUN_SP] + plane * values[g.SLOT_RUN_PLANE_STEP]) * v.WIDTH
        target = (values[g.SLOT_RUN_ACC] + plane * values[g.SLOT_RUN_ACC_PLANE_STEP]) * v.WORD_BYTES
        for _ in range(values[g.SLOT_RUN_ROWS]):
            a = v.word_everywhere(scratchpad, source) ^ flip
            b = v.word_everywhere(scratchpad, source + 4) ^ flip
            c = v.word_everywhere(scratchpad, source + 8) ^ flip
            d = v.word_everywhere(scratchpad, source + 12) ^ flip
            sums = v.dot(v.dot(v.dot(v.dot(start, a, w0), b, w1), c, w2), d, w3)
            if is_double:
                sums = v.dot(v.dot(v.dot(v.dot(sums, a, x0), b, x1), c, x2), d, x3)
            before = v.words(accumulator, target) & kept
            after = before + sums
            v.put_words(accumulator, target, after)
            wrapped = wrapped | ((before ^ after) & (sums ^ after))
            source += values[g.SLOT_RUN_STEP] * v.WIDTH
            target += values[g.SLOT_RUN_ACC_STEP] * v.WORD_BYTES
    return v.has_negative(wrapped)


@njit_inline
def _stream(memories: Memories, flags: int, values: Array) -> bool:
    """For any array, four rows at a time."""
    lanes = memories.scratchpad.shape[1]
    rows = values[g.SLOT_RUN_ROWS]
    total = rows * values[g.SLOT_RUN_PLANES]
    width = 4 * memories.packed.shape[3]
    has_wrapped = False
    plane = row = 0
    source = memories.scratchpad_bytes
    at = memories.places
    for first in range(0, total, ROWS):
        count = min(ROWS, total - first)
        for place in range(count):
            at[place] = lanes * (
                values[g.SLOT_RUN_SP] + plane * values[g.SLOT_RUN_PLANE_STEP] + row * values[g.SLOT_RUN_STEP]
            )
            at[ROWS + place] = (
                values[g.SLOT_RUN_ACC] + plane * values[g.SLOT_RUN_ACC_PLANE_STEP] + row * values[g.SLOT_RUN_ACC_STEP]
            )
            row += 1
            if row == rows:
                plane, row = plane + 1, 0
        for place in range(count, ROWS):
            at[place] = at[0]
        if lanes % v.WIDTH:
            for place in range(ROWS):
                v.copy(memories.work, place * width, source, at[place], lanes)
            _multiply(memories, memories.work, flags, values, 0, width, 2 * width, 3 * width)
        else:
            _multiply(memories, source, flags, values, at[0], at[1], at[2], at[3])
        for place in range(count):
            has_wrapped |= _accumulate(memories, flags, at[ROWS + place], place)
    return has_wrapped


@njit
def _multiply(
    memories: Memories, source: Array, flags: int, values: Array, first: int, second: int, third: int, fourth: int
) -> None:
    """Four rows, at these offsets, times the weights, to `sums`."""
    _, groups, _, quads, _ = memories.packed.shape
    packed, sums = memories.packed, memories.sums
    buffer = memories.active[0]
    flip = _flip(flags)
    for group in range(groups):
        a = _start(memories, flags, values, group)
        b = c = d = a
        place = packed_place(memories, buffer, group, 0, 0)
        for _ in range(memories.active[2 + buffer]):
            for offset in range(0, 4 * quads, 4):
                weights = v.words(packed, place)
                a = v.dot(a, v.word_everywhere(source, first + offset) ^ flip, weights)
                b = v.dot(b, v.word_everywhere(source, second + offset) ^ flip, weights)
                c = v.dot(c, v.word_everywhere(source, third + offset) ^ flip, weights)
                d = v.dot(d, v.word_everywhere(source, fourth + offset) ^ flip, weights)
                place += v.WORD_BYTES
        to = group * v.WORD_BYTES
        row_bytes = groups * v.WORD_BYTES
        v.put_words(sums, to, a)
        v.put_words(sums, to + row_bytes, b)
        v.put_words(sums, to + 2 * row_bytes, c)
        v.put_words(sums, to + 3 * row_bytes, d)


@njit
def _accumulate(memories: Memories, flags: int, row: int, place: int) -> bool:
    """Add one of the four rows of sums to an accumulator row, or overwrite it; True if one wrapped."""
    accumulator, sums = memories.accumulator, memories.sums
    columns = accumulator.shape[1]
    is_adding = flags & g.FLAG_RUN_ACCUMULATE != 0
    if columns % v.WIDTH:
        has_wrapped = False
        for n in range(columns):
            total = int(sums[place, n]) + (int(accumulator[row, n]) if is_adding else 0)
            accumulator[row, n] = wrap(total)
            has_wrapped |= wrap(total) != total
        return has_wrapped
    kept = v.number(-1 if is_adding else 0)
    wrapped = v.number(0)
    for offset in range(0, 4 * columns, v.WORD_BYTES):
        target = 4 * columns * row + offset
        added = v.words(sums, 4 * columns * place + offset)
        before = v.words(accumulator, target) & kept
        after = before + added
        v.put_words(accumulator, target, after)
        wrapped = wrapped | ((before ^ after) & (added ^ after))
    return v.has_negative(wrapped)
