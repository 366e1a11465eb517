"""Planner of gathers by index maps that are known before the run: padding by edges, reflections and wraps, nearest resize, any Gather
with constant indices. Each is a few copies by the `move` kernel, see docs/kernels.md."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box, dense
from accelkit.kernels.copies import Copy, plan_copies
from accelkit.kernels.plan import Plan, Refusal

MOST_COPIES = 64  # launches of a plan: beyond that a launch's overhead costs more than the host
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """Part of an index map: result index `result + i * result_step` takes source index `source + i * source_step`, for i < count."""

    result: int
    result_step: int
    source: int
    source_step: int
    count: int


@dataclass(frozen=True)
class Map:
    """An index map in as few pieces as were found; each index of the pieces stands for `repeat` results in a row. More than MOST_COPIES
    pieces aren't all of them."""

    size: int  # results
    repeat: int
    pieces: tuple[Piece, ...]

    @staticmethod
    def of(indices: Sequence[int]) -> "Map":
        """The map of the indices; what repeats with a period (a resize by 3/2) needs a piece for each index of the period."""
        size = len(indices)
        repeat = next(
            f for f in range(size, 0, -1) if size % f == 0 and all(indices[i] == indices[i - i % f] for i in range(size))
        )
        firsts = indices[::repeat]
        best = tuple(islice(_pieces(firsts, 1), MOST_COPIES + 1))
        for period in range(2, min(len(firsts), MOST_COPIES) + 1):
            if len(best) == 1:
                break
            best = min(best, tuple(islice(_pieces(firsts, period), MOST_COPIES + 1)), key=len)
        return Map(size, repeat, best)


def _pieces(indices: Sequence[int], period: int) -> Iterator[Piece]:
    """Runs of equal steps in each residue class of the period."""
    for residue in range(period):
        members = indices[residue::period]
        first = 0
        while first < len(members):
            step = members[first + 1] - members[first] if first + 1 < len(members) else 0
            end = first + 1
            while end < len(members) and members[end] - members[end - 1] == step:
                end += 1
            yield Piece(residue + first * period, period, members[first], step, end - first)
            first = end


def axis_maps(elements: npt.NDArray[np.integer], shape: Shape) -> list[list[int]] | Refusal:
    """The index map of each axis of an operation that moves elements: `elements` is what it makes of a tensor of `shape` whose elements
    are 0, 1, 2, ... (so ONNX Runtime can be asked where an operator takes its elements from, roundings of a resize included)."""
    if elements.ndim != len(shape) or elements.size == 0:
        return Refusal(f"a result {list(elements.shape)} of {list(shape)}")
    maps = []
    for axis, indices in enumerate(np.unravel_index(elements, shape)):
        line = np.moveaxis(indices, axis, -1).reshape(-1, elements.shape[axis])
        if np.any(line != line[0]):
            return Refusal(f"indices of axis {axis} that depend on other axes")
        maps.append([int(index) for index in line[0]])
    return maps


def plan_gather(machine: Machine, shape: Shape, maps: Sequence[Sequence[int]]) -> Plan | Refusal:
    """y = x[np.ix_(*maps)] of a dense tensor of bytes: buffers "x" and "y"; `maps` has the source indices of each axis.

    Either all axes at once, a copy for each combination of their pieces, or one axis after the other through workspaces.
    """
    y_shape = tuple(len(indices) for indices in maps)
    if min((*shape, *y_shape)) < 1:
        return Refusal(f"an empty tensor: gather gives {list(y_shape)}")
    for axis, (indices, size) in enumerate(zip(maps, shape, strict=True)):
        if not 0 <= min(indices) <= max(indices) < size:
            return Refusal(f"indices {min(indices)}..{max(indices)} of axis {axis}, which has {size}")
    found = [Map.of(indices) for indices in maps]
    counts = [len(of_axis.pieces) for of_axis in found]
    plans: list[Plan | Refusal] = []
    if prod(counts) <= MOST_COPIES:
        copies = list(_copies(dense("x", shape), dense("y", y_shape), found))
        plans.append(plan_copies(machine, "gather", {"x": prod(shape)}, y_shape, copies))
    if sum(counts) <= MOST_COPIES and sum(count > 1 for count in counts) > 1:
        plans.append(_by_axis(machine, shape, found))
    if not plans:
        return Refusal(f"index maps with too many pieces; a plan has at most {MOST_COPIES} copies")
    good = [plan for plan in plans if isinstance(plan, Plan)]
    return min(good, key=lambda plan: plan.estimate_cycles) if good else plans[0]


def _copies(source: Box, result: Box, maps: Sequence[Map]) -> Iterator[Copy]:
    """A copy for each combination of pieces of all axes."""
    for pieces in product(*(of_axis.pieces for of_axis in maps)):
        src, dst = source, result
        for axis in reversed(range(len(maps))):
            repeat, piece = maps[axis].repeat, pieces[axis]
            dst = dst.split(axis, repeat)
            src = src.repeated(axis, repeat)
            dst = dst.cut(axis, piece.result, piece.count, piece.result_step)
            src = src.cut(axis, piece.source, piece.count, piece.source_step)
        yield src, dst


def _by_axis(machine: Machine, shape: Shape, maps: Sequence[Map]) -> Plan | Refusal:
    """One axis after the other, those first that make the tensor smallest."""
    order = sorted(range(len(shape)), key=lambda axis: maps[axis].size / shape[axis])
    order = [axis for axis in order if maps[axis].repeat > 1 or maps[axis].pieces != (Piece(0, 1, 0, 1, shape[axis]),)]
    workspaces: dict[str, int] = {}
    copies: list[Copy] = []
    name, sizes = "x", list(shape)
    for axis in order:
        source = dense(name, tuple(sizes))
        ones = [maps[a] if a == axis else Map.of(range(size)) for a, size in enumerate(sizes)]
        sizes[axis] = maps[axis].size
        name = "y" if axis == order[-1] else f"between{axis}"
        if name != "y":
            workspaces[name] = prod(sizes)
        copies += _copies(source, dense(name, tuple(sizes)), ones)
    return plan_copies(machine, "gather", {"x": prod(shape)}, tuple(sizes), copies, workspaces=workspaces)
