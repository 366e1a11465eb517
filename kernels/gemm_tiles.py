"""Tilings of the `gemm` kernel: which there are, what scratchpad they need, what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from accelkit.isa.machine import Machine
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.epilogue import (
    Kind,
    epilogue_cycles,
    epilogue_instructions,
    epilogue_scalars,
    extra_rows,
    residual_cycles,
)
from accelkit.kernels.estimate import (
    PARAMETER_ROWS,
    Pass,
    Scalars,
    StepCost,
    TileCost,
    near_equal_parts,
    parts,
)
from accelkit.kernels.plan import MAX_COUNT
from accelkit.kernels.regions import Halves, accumulator_halves
from accelkit.kernels.search import Work, all_parts

GEMM_SCALARS = Scalars(step=120, round=16, product=7, tile=40, block=6)


@dataclass(frozen=True)
class GemmShape:
    """y[M, N] = a[M, K] @ b[K, N] with pitches in bytes; a packed b lies in blocks of the array's width."""

    M: int
    N: int
    K: int
    a_pitch: int
    b_pitch: int
    y_pitch: int
    b_is_packed: bool


@dataclass(frozen=True)
class GemmTiles:
    """Sizes of a full tile: rows of a, column blocks of b, and of a step: bytes along K (a multiple of the lanes, or all)."""

    rows: int
    blocks: int
    depth: int

    def __str__(self) -> str:
        return f"{self.rows} rows x {self.blocks} column blocks x {self.depth} of K"


def gemm_tilings(machine: Machine, shape: GemmShape) -> Iterator[GemmTiles]:
    """Near-equal parts of M, N and K whose tile fits an accumulator half; the scratchpad may still be too small."""
    _, acc_rows = accumulator_halves(machine)
    lanes = machine.lanes
    n_blocks, k_blocks = -(-shape.N // lanes), -(-shape.K // lanes)
    for blocks in near_equal_parts(n_blocks, min(acc_rows, MAX_COUNT // lanes)):
        for rows in near_equal_parts(shape.M, acc_rows // blocks):
            for depth_blocks in near_equal_parts(k_blocks, MAX_COUNT // lanes):
                yield GemmTiles(rows, blocks, min(depth_blocks * lanes, shape.K))


def gemm_halves(machine: Machine, tiles: GemmTiles, epilogue: Kind = Kind.NONE) -> Halves:
    """Rows of the regions, as the head of asm/gemm.s lays them out."""
    outputs = tiles.blocks * tiles.rows
    return Halves(
        first=-(-tiles.depth // machine.lanes) * tiles.rows,
        second=tiles.blocks * tiles.depth,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=outputs,
        extra=extra_rows(machine, epilogue, outputs),
        middle=0 if epilogue is Kind.NONE else outputs,
    )


def gemm_work(machine: Machine, shape: GemmShape, tiles: GemmTiles, epilogue: Kind = Kind.NONE) -> Work:
    """The products of `gemm_passes`."""
    rounds = [(-(-depth // machine.lanes), count) for depth, count in all_parts(shape.K, tiles.depth)]
    blocks = all_parts(-(-shape.N // machine.lanes), tiles.blocks)
    scalars = 0 if epilogue is Kind.NONE else epilogue_scalars(epilogue)
    return Work(all_parts(shape.M, tiles.rows), blocks, rounds, scalars)


def gemm_passes(
    machine: Machine, shape: GemmShape, tiles: GemmTiles, epilogue: Kind = Kind.NONE
) -> list[tuple[Pass, int]]:
    """What the kernel does, pass by pass: a pass is all column blocks of one tile of rows."""
    blocks = parts(-(-shape.N // machine.lanes), tiles.blocks)
    return [
        (
            [
                (_tile_cost(machine, shape, GemmTiles(rows, size, tiles.depth), epilogue), count)
                for size, count in blocks
            ],
            passes,
        )
        for rows, passes in parts(shape.M, tiles.rows)
    ]


def _tile_cost(machine: Machine, shape: GemmShape, tile: GemmTiles, epilogue: Kind) -> TileCost:
    lanes = machine.lanes
    columns = min(tile.blocks * lanes, shape.N)
    once = dma_cycles(machine, lanes, tile.blocks * PARAMETER_ROWS, lanes)
    once += residual_cycles(machine, epilogue, columns, tile.rows, shape.y_pitch)
    steps = []
    for depth, count in parts(shape.K, tile.depth):
        load = dma_cycles(machine, depth, tile.rows, shape.a_pitch)
        if shape.b_is_packed:
            load += dma_cycles(machine, lanes, depth, lanes, tile.blocks, shape.K * lanes)
        else:
            load += dma_cycles(machine, columns, depth, shape.b_pitch)
        steps.append((StepCost(load, -(-depth // lanes), tile.blocks, tile.rows), count))
    first, count = steps[0]
    with_parameters = (replace(first, load=first.load + once), 1)
    steps[:1] = [with_parameters, (first, count - 1)] if count > 1 else [with_parameters]
    store = dma_cycles(machine, columns, tile.rows, shape.y_pitch, continues=columns == shape.y_pitch)
    if epilogue is Kind.NONE:
        return TileCost(steps, store)
    cycles = epilogue_cycles(machine, epilogue, tile.blocks * tile.rows)
    return TileCost(steps, store, cycles, epilogue_instructions(epilogue), epilogue_scalars(epilogue))
