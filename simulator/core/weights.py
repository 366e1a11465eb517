"""Systolic array: what preloads do.

A preload packs its weights, less their zero point, as bytes: four of a column, for the four source bytes that they meet, in a lane. Those
that don't fit a byte (9 bits with a zero point) go on in a second and third layer.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import vectors as v
from accelkit.simulator.core.jit import njit, njit_inline
from accelkit.simulator.core.memories import LAYERS, Memories
from accelkit.simulator.core.state import Array


@njit_inline
def preload(memories: Memories, flags: int, values: Array) -> None:
    """Weights to the buffer that the latest run does not use; zero past the valid rows and columns."""
    active = memories.active
    active[1] = 1
    buffer = 1 - active[0]
    lanes = memories.scratchpad.shape[1]
    first = values[g.SLOT_PRELOAD_SP] * lanes
    step = values[g.SLOT_PRELOAD_STEP] * lanes
    source = memories.scratchpad_bytes
    if flags & g.FLAG_PRELOAD_TRANSPOSED or lanes % v.WIDTH:
        _stage(memories, flags, values)
        source = memories.work
        first, step = 0, v.WIDTH * memories.packed.shape[1]
    layer = 0
    while _pack(memories, source, first, step, flags, values, buffer, layer):
        layer += 1
    active[2 + buffer] = layer + 1


@njit
def _stage(memories: Memories, flags: int, values: Array) -> None:
    """The weights' bytes as a plain block of whole vectors in the workspace."""
    width = v.WIDTH * memories.packed.shape[1]
    is_transposed = flags & g.FLAG_PRELOAD_TRANSPOSED != 0
    for k in range(values[g.SLOT_PRELOAD_ROWS]):
        for n in range(values[g.SLOT_PRELOAD_COLUMNS]):
            line, lane = (n, k) if is_transposed else (k, n)
            row = values[g.SLOT_PRELOAD_SP] + line * values[g.SLOT_PRELOAD_STEP]
            memories.work[k * width + n] = memories.scratchpad[row, lane]


@njit_inline
def _pack(
    memories: Memories, source: Array, first: int, step: int, flags: int, values: Array, buffer: int, layer: int
) -> bool:
    """One layer of the weights; True if there is more to them."""
    groups, quads = memories.packed.shape[1], memories.packed.shape[3]
    rows, columns = values[g.SLOT_PRELOAD_ROWS], values[g.SLOT_PRELOAD_COLUMNS]
    is_unsigned = flags & g.FLAG_PRELOAD_U8 != 0
    zero_point = v.number(values[g.SLOT_PRELOAD_ZP])
    byte = v.number(0xFF)
    more = v.number(0)
    for group in range(groups):
        valid = v.below(columns - v.WIDTH * group)
        sums = v.number(0)
        for quad in range(quads):
            packed = v.number(0)
            place = v.number(1)
            for row in range(4 * quad, min(4 * quad + 4, rows)):
                offset = first + row * step + v.WIDTH * group
                weight = v.unsigned_bytes(source, offset) if is_unsigned else v.signed_bytes(source, offset)
                weight = (weight - zero_point) & valid
                sums = sums + weight
                for _ in range(layer):
                    weight = weight - _to_byte(weight)
                fitting = _to_byte(weight)
                more = more | (weight ^ fitting)
                packed = packed | (fitting & byte) * place
                place = place * v.number(256)
            v.put_words(memories.packed, packed_place(memories, buffer, group, layer, quad), packed)
        v.put_words(memories.weight_sums, (buffer * groups + group) * v.WORD_BYTES, sums)
    return v.has_negative(more | (v.number(0) - more))


@njit_inline
def _to_byte(x: v.Vector) -> v.Vector:
    return v.larger(v.smaller(x, v.number(127)), v.number(-128))


@njit_inline
def packed_place(memories: Memories, buffer: int, group: int, layer: int, quad: int) -> int:
    """Offset of packed weights."""
    _, groups, _, quads, _ = memories.packed.shape
    return int((((buffer * groups + group) * LAYERS + layer) * quads + quad) * v.WORD_BYTES)
