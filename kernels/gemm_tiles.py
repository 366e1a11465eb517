"""Tilings of the `gemm` kernel: which there are, what scratchpad they need, what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass

from accelkit.isa.machine import Machine
from accelkit.kernels.estimate import PARAMETER_ROWS, Tiling, dma_cycles, estimate_cycles, near_equal_parts
from accelkit.kernels.plan import MAX_COUNT
from accelkit.kernels.regions import Halves, Regions, accumulator_halves


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


def gemm_halves(machine: Machine, tiles: GemmTiles) -> Halves:
    """Rows of the regions, as the head of asm/gemm.s lays them out."""
    return Halves(
        first=-(-tiles.depth // machine.lanes) * tiles.rows,
        second=tiles.blocks * tiles.depth,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=tiles.blocks * tiles.rows,
    )


def estimate_gemm(machine: Machine, shape: GemmShape, tiles: GemmTiles, regions: Regions) -> int:
    """Expected cycles, by which the planner chooses."""
    lanes = machine.lanes
    columns = min(tiles.blocks * lanes, shape.N)
    load_a = dma_cycles(machine, tiles.depth, tiles.rows, shape.a_pitch)
    if shape.b_is_packed:
        load_b = dma_cycles(machine, lanes, tiles.blocks * tiles.depth, lanes)
    else:
        load_b = dma_cycles(machine, columns, tiles.depth, shape.b_pitch)
    depth_blocks = -(-tiles.depth // lanes)
    tiling = Tiling(
        tiles=shape.M / tiles.rows * -(-shape.N // lanes) / tiles.blocks,
        steps=-(-shape.K // lanes) / depth_blocks,
        rounds=depth_blocks,
        blocks=tiles.blocks,
        rows=tiles.rows,
        load_cycles=load_a + load_b,
        store_cycles=dma_cycles(machine, columns, tiles.rows, shape.y_pitch),
        operands_share=regions.operands_share,
        is_serial=regions.is_serial,
    )
    return estimate_cycles(machine, tiling)
