"""Search for the tiling that is expected to take the fewest cycles, among hundreds or thousands of them.

`estimate_cycles` is exact enough to choose by, and slow; so it is asked only where two lower bounds of it leave a chance: what the
array and the sequencer have to do, of all tilings at once, then what the busiest unit has to do, of one. The order in which
candidates are looked at changes nothing: the fewest cycles win (an estimate counts for no less than the busiest unit), then the lower
bound of the busiest unit, then the first tiling.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.estimate import (
    PARAMETER_ROWS,
    VECTOR_LATENCY_CYCLES,
    Pass,
    Scalars,
    estimate_cycles,
    least_cycles,
)
from accelkit.kernels.regions import APART, NO_ROOM, SERIAL, Halves, Regions, arrangement, lay_out

Tiles = TypeVar("Tiles")
Sizes = npt.NDArray[np.int64]  # of one kind, of all tilings
Parts = Sequence[tuple[Any, Any]]  # sizes of parts, and how many of each; numbers or Sizes


@dataclass(frozen=True)
class Fit(Generic[Tiles]):
    """A tiling with its place in the scratchpad and its expected cycles."""

    tiles: Tiles
    halves: Halves
    regions: Regions
    cycles: int


@dataclass(frozen=True)
class Work:
    """Products of all tilings at once: rows that stream in a tile (and how many such passes), column blocks of a tile, k blocks (of all
    taps) of a step, and cycles of the sequencer in a tile besides those of a plain one."""

    rows: Parts
    blocks: Parts
    rounds: Parts
    scalars: int = 0


def all_parts(total: int, sizes: Any) -> list[tuple[Any, Any]]:
    """Like `parts`, of all tilings: full parts, then the rest, of which there may be none."""
    return [(sizes, total // sizes), (total % sizes, total % sizes > 0)]


def choose(
    machine: Machine,
    kernel: Scalars,
    tilings: Iterable[Tiles],
    halves_of: Callable[[Tiles], Halves],
    work_of: Callable[[Tiles], Work],
    passes_of: Callable[[Tiles], Sequence[tuple[Pass, int]]],
) -> Fit[Tiles] | None:
    """The tiling with the fewest expected cycles among those that fit the scratchpad, None if none fits.

    `halves_of` and `work_of` must also take a tiling whose fields are arrays.
    """
    candidates = list(tilings)
    if not candidates:
        return None
    together = _stack(candidates)
    kinds = np.broadcast_to(arrangement(machine, halves_of(together)), len(candidates))
    bounds = _least_run(machine, kernel, work_of(together), kinds != APART)
    places = np.flatnonzero(kinds != NO_ROOM)
    waiting: list[tuple[int, int, int, Any]] = [(int(bounds[place]), -1, int(place), None) for place in places]
    heapify(waiting)
    best = (sys.maxsize, 0, -1, 0)  # what it counts for, lower bound, place, expected cycles
    while waiting and waiting[0][0] <= best[0]:
        bound, least, place, passes = heappop(waiting)
        operands_share, is_serial = bool(kinds[place] != APART), bool(kinds[place] == SERIAL)
        if passes is None:
            passes = passes_of(candidates[place])
            least = least_cycles(machine, passes, operands_share)
            heappush(waiting, (max(bound, least), least, place, passes))
        else:
            cycles = estimate_cycles(machine, kernel, passes, operands_share, is_serial)
            best = min(best, (max(cycles, least), least, place, cycles))
    _, _, place, cycles = best
    if place < 0:
        return None
    halves = halves_of(candidates[place])
    regions = lay_out(machine, halves)
    assert regions is not None
    return Fit(candidates[place], halves, regions, cycles)


def _stack(tilings: Sequence[Tiles]) -> Tiles:
    """One tiling whose fields are those of all, as arrays."""
    first: Any = tilings[0]
    names = [field.name for field in fields(first)]
    together: Tiles = replace(first, **{name: np.array([getattr(tiles, name) for tiles in tilings], np.int64) for name in names})
    return together


def _least_run(machine: Machine, kernel: Scalars, work: Work, operands_share: npt.NDArray[np.bool_]) -> Sizes:
    """Lower bounds of `estimate_cycles`: what its recurrence over the array alone comes to, from the first load to the last store."""
    shared, depth = machine.array_rows * operands_share, machine.queue_depth // 2
    longest = depth * (np.maximum(work.rows[0][0], machine.array_rows) + shared)  # products that a queue holds when a tile ends
    total = np.zeros_like(shared)
    (full_rounds, full_steps), (_, rest_steps) = work.rounds
    for rows, passes in work.rows:
        product = np.maximum(rows, machine.array_rows) + shared
        for blocks, tiles in work.blocks:
            queued = np.minimum(depth, full_rounds * blocks) * product
            cycles = np.maximum(0, _tile_scalars(kernel, work, blocks) - longest)
            cycles = cycles + (full_steps + rest_steps - 1) * np.maximum(0, kernel.step - queued)
            for rounds, steps in work.rounds:
                products = rounds * blocks
                cycles = cycles + steps * np.maximum(products * product, kernel.round * rounds + kernel.product * products)
            total = total + passes * tiles * cycles
    around = machine.dram_read_latency_cycles + 2 * machine.array_rows + machine.array_columns
    around += PARAMETER_ROWS + VECTOR_LATENCY_CYCLES + machine.dram_write_latency_cycles
    result: Sizes = total + around - _tile_scalars(kernel, work, work.blocks[0][0])  # no tile has ended before the first
    return result


def _tile_scalars(kernel: Scalars, work: Work, blocks: Any) -> Any:
    """Cycles of the sequencer from the last product of a tile to the first of the next."""
    return kernel.step + kernel.tile + kernel.block * blocks + work.scalars
