"""Cases of the kernels that move bytes; NumPy says what they give."""

from collections.abc import Callable

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.gather import plan_gather
from accelkit.kernels.layouts import (
    plan_concat,
    plan_depth_to_space,
    plan_pad,
    plan_repeat,
    plan_slice,
    plan_space_to_depth,
    plan_tile,
    plan_transpose,
)
from accelkit.kernels.permute import plan_permute
from accelkit.kernels.plan import Refusal
from accelkit.kernels.transpose import plan_matrix_transpose
from tests.kernels.suite_draw import Draw, Run
from tests.reference.quantised import Array


def transpose(machine: Machine, draw: Draw) -> Run:
    """Any order of four axes."""
    shape = draw.shape(4, 9)
    order = tuple(int(axis) for axis in draw.rng.permutation(4))
    x = draw.bytes_of(shape)
    return Run(plan_transpose(machine, shape, order), {"x": x}, lambda: x.transpose(order))


def matrices(machine: Machine, draw: Draw) -> Run:
    """Matrices with rows and columns exchanged, on the array; where it can't, by a copy."""
    shape = (draw.size(1, 3), draw.size(1, 90), draw.size(1, 90))
    x = draw.bytes_of(shape)
    plan = plan_matrix_transpose(machine, *shape)
    if isinstance(plan, Refusal) and "banks of their own" in plan.reason:
        plan = plan_transpose(machine, shape, (0, 2, 1))
    return Run(plan, {"x": x}, lambda: x.transpose(0, 2, 1))


def permute(machine: Machine, draw: Draw) -> Run:
    """Bytes of rows in any order, by a product."""
    order = [int(byte) for byte in draw.rng.permutation(draw.size(1, 60))]
    x = draw.bytes_of((draw.size(1, 60), len(order)))
    return Run(plan_permute(machine, len(x), order), {"x": x}, lambda: x[:, order])


def concat(machine: Machine, draw: Draw) -> Run:
    """Two or three tensors along any axis, some through tables."""
    shape, axis = draw.shape(3), draw.size(0, 2)
    shapes = [(*shape[:axis], draw.size(1, 20), *shape[axis + 1 :]) for _ in range(draw.size(2, 3))]
    parts = [draw.bytes_of(part) for part in shapes]
    tables = [draw.pick([None, draw.bytes_of((256,))]) for _ in shapes]

    def want() -> Array:
        looked_up = [part if table is None else table[part] for part, table in zip(parts, tables, strict=True)]
        return np.concatenate(looked_up, axis)

    return Run(plan_concat(machine, shapes, axis, tables), {f"x{i}": part for i, part in enumerate(parts)}, want)


def cut(machine: Machine, draw: Draw) -> Run:
    """A slice of each axis, steps of both signs."""
    shape = draw.shape(3)
    slices = tuple(draw.pick([slice(None), slice(size // 3, None, 2), slice(None, None, -1)]) for size in shape)
    x = draw.bytes_of(shape)
    return Run(plan_slice(machine, shape, slices), {"x": x}, lambda: x[slices])


def pad(machine: Machine, draw: Draw) -> Run:
    """A border of one value."""
    shape, value = draw.shape(3), draw.size(0, 255)
    pads = [draw.pair(0, 3) for _ in shape]
    x = draw.bytes_of(shape)
    return Run(plan_pad(machine, shape, pads, value), {"x": x}, lambda: np.pad(x, pads, constant_values=np.uint8(value)))


def blocks(machine: Machine, draw: Draw) -> Run:
    """Space to depth, or depth to space."""
    block, channels = draw.size(2, 3), draw.size(1, 6)
    n, h, w = draw.shape(3, 4)
    if draw.pick([True, False]):
        x = draw.bytes_of((n, h * block, w * block, channels))
        plan = plan_space_to_depth(machine, x.shape, block)
        split = x.reshape(n, h, block, w, block, channels)
        return Run(plan, {"x": x}, lambda: split.transpose(0, 1, 3, 2, 4, 5).reshape(n, h, w, -1))
    x = draw.bytes_of((n, h, w, block * block * channels))
    split = x.reshape(n, h, w, block, block, channels)
    plan = plan_depth_to_space(machine, x.shape, block)
    return Run(plan, {"x": x}, lambda: split.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block, w * block, channels))


def repeat(machine: Machine, draw: Draw) -> Run:
    """Elements repeated in place, or the whole tensor."""
    shape = draw.shape(3, 8)
    times = (draw.size(1, 3), 1, draw.size(1, 3))
    x = draw.bytes_of(shape)
    if draw.pick([True, False]):
        return Run(plan_tile(machine, shape, times), {"x": x}, lambda: np.tile(x, times))
    return Run(
        plan_repeat(machine, shape, times), {"x": x}, lambda: np.repeat(np.repeat(x, times[0], 0), times[2], 2)
    )


def gather(machine: Machine, draw: Draw) -> Run:
    """Each axis whole, reflected at its ends, or resized."""
    shape = (draw.size(2, 9), draw.size(2, 9), draw.size(1, 20))
    maps = []
    for size in shape:
        out = draw.size(1, 20)
        reflected = [*range(size - 1, 0, -1), *range(size)]
        maps.append(draw.pick([list(range(size)), reflected, [i * size // out for i in range(out)]]))
    x = draw.bytes_of(shape)
    return Run(plan_gather(machine, shape, maps), {"x": x}, lambda: x[np.ix_(*maps)])


KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    "transpose": transpose,
    "transpose, matrices": matrices,
    "permute": permute,
    "concat": concat,
    "slice": cut,
    "pad": pad,
    "space to depth": blocks,
    "repeat": repeat,
    "gather": gather,
}
