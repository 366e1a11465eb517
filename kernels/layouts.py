"""Planners of layout operations: each is one copy by the `move` kernel, or a few, see docs/kernels.md.

Tensors are dense and row-major in DRAM, buffers "x" (concatenation: "x0", "x1", ...) and "y", one byte per element; an element of more
bytes is one more axis. Each planner gives a plan, or a Refusal with its reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box, dense, fill_moves
from accelkit.kernels.copies import plan_copies
from accelkit.kernels.elementwise import table_buffer
from accelkit.kernels.permute import MOST_BYTES, plan_permute
from accelkit.kernels.plan import ByteArray, Plan, Refusal
from accelkit.kernels.transpose import plan_matrix_transpose

Shape = tuple[int, ...]


def plan_transpose(machine: Machine, shape: Shape, order: Sequence[int]) -> Plan | Refusal:
    """Axis a of the result is axis `order[a]` of x, any permutation: a copy, or by the array where that is expected to cost less."""
    source = dense("x", shape).transposed(tuple(order))
    y_shape = source.shape
    copy = plan_copies(machine, "transpose", {"x": prod(shape)}, y_shape, [(source, dense("y", y_shape))])
    plans = [plan for plan in (copy, *_by_array(machine, shape, order)) if isinstance(plan, Plan)]
    if not plans:
        return copy
    return replace(min(plans, key=lambda plan: plan.estimate_cycles), kernel="transpose", output_shape=y_shape)


def _by_array(machine: Machine, shape: Shape, order: Sequence[int]) -> Iterator[Plan | Refusal]:
    """Plans for the array: axes in front that stay where they are, behind them a matrix, or a row of few bytes in any other order."""
    axes = [axis for axis in range(len(shape)) if shape[axis] > 1]
    places = [axes.index(axis) for axis in order if axis in axes]
    kept = next((at for at, axis in enumerate(places) if at != axis), len(axes))
    items, moved = prod(shape[axis] for axis in axes[:kept]), [axis - kept for axis in places[kept:]]
    sizes = [shape[axis] for axis in axes[kept:]]
    if not moved:
        return
    if moved == [*range(moved[0], len(moved)), *range(moved[0])]:
        yield plan_matrix_transpose(machine, items, prod(sizes[: moved[0]]), prod(sizes[moved[0] :]))
    if prod(sizes) <= MOST_BYTES:
        at = np.arange(prod(sizes)).reshape(sizes).transpose(moved)
        yield plan_permute(machine, items, [int(byte) for byte in at.reshape(-1)])


def plan_concat(
    machine: Machine, shapes: Sequence[Shape], axis: int, tables: Sequence[ByteArray | None] = ()
) -> Plan | Refusal:
    """The tensors "x0", "x1", ... one behind the other along an axis; each through its table of 256 entries where `tables` has one for
    it (tensors with scales and zero points of their own), in the same pass over the data."""
    ends = list(accumulate(shape[axis] for shape in shapes))
    y_shape = (*shapes[0][:axis], ends[-1], *shapes[0][axis + 1 :])
    pieces = [
        (dense(f"x{i}", shape), dense("y", y_shape).cut(axis, end - shape[axis], shape[axis]))
        for i, (shape, end) in enumerate(zip(shapes, ends, strict=True))
    ]
    inputs = {f"x{i}": prod(shape) for i, shape in enumerate(shapes)}
    with_table = {i: table for i, table in enumerate(tables) if table is not None}
    copies = [piece for i, piece in enumerate(pieces) if i not in with_table]
    lookups = [(*pieces[i], table_buffer(f"table{i}", table)) for i, table in with_table.items()]
    return plan_copies(machine, "concat", inputs, y_shape, copies, lookups=lookups)


def plan_slice(machine: Machine, shape: Shape, slices: Sequence[slice]) -> Plan | Refusal:
    """x[slices] as NumPy has it, steps of any sign; a part of a split is a slice, too."""
    source = dense("x", shape)
    for axis, piece in enumerate(slices):
        indices = range(*piece.indices(shape[axis]))
        source = source.cut(axis, indices.start, len(indices), indices.step)
    return plan_copies(machine, "slice", {"x": prod(shape)}, source.shape, [(source, dense("y", source.shape))])


def plan_pad(machine: Machine, shape: Shape, pads: Sequence[tuple[int, int]], value: int) -> Plan | Refusal:
    """`pads[axis]` elements of `value` before and behind x; negative ones cut x off."""
    y_shape = tuple(size + before + after for size, (before, after) in zip(shape, pads, strict=True))
    source, inside = dense("x", shape), dense("y", y_shape)
    borders: list[Box] = []
    for axis, (before, after) in enumerate(pads):
        full = inside
        count = shape[axis] + min(before, 0) + min(after, 0)
        source = source.cut(axis, max(0, -before), count)
        inside = inside.cut(axis, max(0, before), count)
        behind = (max(0, before) + count, after)
        if before == after > 0:  # both with one instruction
            both = full.cut(axis, 0, before)
            distance = behind[0] * full.pitches[axis]
            borders.append(replace(both, shape=(2, *both.shape), pitches=(distance, *both.pitches)))
        else:
            borders += [full.cut(axis, start, size) for start, size in ((0, before), behind) if size > 0]
    if min(y_shape) < 1 or min(source.shape) < 1:
        return Refusal(f"padding {list(shape)} by {list(pads)} leaves nothing")
    fills = fill_moves(borders, value, prod(y_shape))
    if isinstance(fills, Refusal):
        return fills
    return plan_copies(machine, "pad", {"x": prod(shape)}, y_shape, [(source, inside)], fills)


def plan_space_to_depth(machine: Machine, shape: Shape, block: int) -> Plan | Refusal:
    """NHWC: blocks of `block` x `block` pixels become the channels of one, as ONNX orders them."""
    images, height, width, channels = shape
    if height % block or width % block:
        return Refusal(f"an image of {height}x{width} pixels is not made of blocks of {block}x{block}")
    source = dense("x", shape).split(1, block).split(3, block).transposed((0, 1, 3, 2, 4, 5))
    y_shape = (images, height // block, width // block, block * block * channels)
    result = Box("y", 0, source.shape, dense("y", source.shape).pitches)
    return plan_copies(machine, "space to depth", {"x": prod(shape)}, y_shape, [(source, result)])


def plan_depth_to_space(machine: Machine, shape: Shape, block: int, is_column_first: bool = False) -> Plan | Refusal:
    """NHWC: the channels of a pixel become `block` x `block` pixels. ONNX's modes: DCR (channel = (row, column, depth)), or
    `is_column_first` CRD (channel = (depth, row, column))."""
    images, height, width, channels = shape
    if channels % (block * block):
        return Refusal(f"{channels} channels are not made of {block}x{block} pixels")
    depth = channels // (block * block)
    parts = (depth, block, block) if is_column_first else (block, block, depth)
    order = (0, 1, 4, 2, 5, 3) if is_column_first else (0, 1, 3, 2, 4, 5)
    source = dense("x", (images, height, width, *parts)).transposed(order)
    y_shape = (images, height * block, width * block, depth)
    result = Box("y", 0, source.shape, dense("y", source.shape).pitches)
    return plan_copies(machine, "depth to space", {"x": prod(shape)}, y_shape, [(source, result)])


def plan_repeat(machine: Machine, shape: Shape, times: Sequence[int]) -> Plan | Refusal:
    """Each element `times[axis]` times along each axis: resize to the nearest by whole factors."""
    source = dense("x", shape)
    for axis in reversed(range(len(shape))):
        source = source.repeated(axis, times[axis])
    y_shape = tuple(size * count for size, count in zip(shape, times, strict=True))
    result = Box("y", 0, source.shape, dense("y", source.shape).pitches)
    return plan_copies(machine, "repeat", {"x": prod(shape)}, y_shape, [(source, result)])


def plan_tile(machine: Machine, shape: Shape, times: Sequence[int]) -> Plan | Refusal:
    """x `times[axis]` times along each axis; a broadcast is a tile, too."""
    source = dense("x", shape)
    for axis in reversed(range(len(shape))):
        source = source.repeated(axis - 1, times[axis])
    y_shape = tuple(size * count for size, count in zip(shape, times, strict=True))
    result = Box("y", 0, source.shape, dense("y", source.shape).pitches)
    return plan_copies(machine, "tile", {"x": prod(shape)}, y_shape, [(source, result)])
