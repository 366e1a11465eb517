"""Tilings of the `conv2d` kernel: which there are, what scratchpad they need, what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d_geometry import Geometry
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
from accelkit.kernels.residency import NOTHING_STAYS, Stays
from accelkit.kernels.search import Work, all_parts

BORDER_INSTRUCTIONS = 3
CONV2D_SCALARS = Scalars(step=230, round=30, product=7, tile=40, block=6)


@dataclass(frozen=True)
class Conv2dTiles:
    """Sizes of a full tile: pixels of y, column blocks, and of a step: channels of x (a multiple of the lanes, or all)."""

    height: int
    width: int
    blocks: int
    channels: int

    def __str__(self) -> str:
        return f"{self.height}x{self.width} pixels x {self.blocks} column blocks x {self.channels} channels"

    def x_size(self, geometry: Geometry) -> tuple[int, int]:
        """Rows and pixels of x, padding included, that a full tile needs."""
        return (
            (self.height - 1) * geometry.strides[0] + geometry.span[0],
            (self.width - 1) * geometry.strides[1] + geometry.span[1],
        )


def conv2d_tilings(machine: Machine, geometry: Geometry) -> Iterator[Conv2dTiles]:
    """Near-equal parts of the output whose tile fits an accumulator half; the scratchpad may still be too small."""
    _, acc_rows = accumulator_halves(machine)
    lanes = machine.lanes
    k_blocks = -(-geometry.channels // lanes)
    for blocks in near_equal_parts(-(-geometry.outputs // lanes), min(acc_rows, MAX_COUNT // lanes)):
        for width in near_equal_parts(geometry.out_size[1], acc_rows // blocks):
            for height in near_equal_parts(geometry.out_size[0], acc_rows // (blocks * width)):
                for channel_blocks in near_equal_parts(k_blocks, MAX_COUNT // lanes):
                    yield Conv2dTiles(height, width, blocks, min(channel_blocks * lanes, geometry.channels))


def conv2d_halves(
    machine: Machine,
    geometry: Geometry,
    tiles: Conv2dTiles,
    epilogue: Kind = Kind.NONE,
    stays: Stays = NOTHING_STAYS,
) -> Halves:
    """Rows of the regions, as the head of asm/conv2d.s lays them out. What stays needs none."""
    outputs = tiles.blocks * tiles.height * tiles.width
    return Halves(
        first=0 if stays.x else -(-tiles.channels // machine.lanes) * prod(tiles.x_size(geometry)),
        second=tiles.blocks * geometry.taps * tiles.channels,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=0 if stays.y else outputs,
        extra=0 if stays.residual else extra_rows(machine, epilogue, outputs),
        middle=0 if epilogue is Kind.NONE else outputs,
    )


def conv2d_work(
    machine: Machine,
    geometry: Geometry,
    tiles: Conv2dTiles,
    epilogue: Kind = Kind.NONE,
    stays: Stays = NOTHING_STAYS,
) -> Work:
    """The products of `conv2d_passes`."""
    repeats = geometry.groups * geometry.images
    heights = all_parts(geometry.out_size[0], tiles.height)
    widths = all_parts(geometry.out_size[1], tiles.width)
    rows = [(height * width, repeats * vertical * horizontal) for height, vertical in heights for width, horizontal in widths]
    rounds = [(-(-size // machine.lanes) * geometry.taps, count) for size, count in all_parts(geometry.channels, tiles.channels)]
    is_plain = epilogue is Kind.NONE and not stays.is_any()
    blocks = all_parts(-(-geometry.outputs // machine.lanes), tiles.blocks)
    return Work(rows, blocks, rounds, 0 if is_plain else epilogue_scalars(epilogue))


def conv2d_passes(
    machine: Machine,
    geometry: Geometry,
    tiles: Conv2dTiles,
    epilogue: Kind = Kind.NONE,
    stays: Stays = NOTHING_STAYS,
) -> list[tuple[Pass, int]]:
    """What the kernel does, pass by pass: a pass is all column blocks of one tile of pixels."""
    repeats = geometry.groups * geometry.images
    passes: list[tuple[Pass, int]] = []
    for height, vertical in parts(geometry.out_size[0], tiles.height):
        for width, horizontal in parts(geometry.out_size[1], tiles.width):
            tile = replace(tiles, height=height, width=width)
            blocks = parts(-(-geometry.outputs // machine.lanes), tiles.blocks)
            costs = [
                (_tile_cost(machine, geometry, replace(tile, blocks=size), epilogue, stays), count)
                for size, count in blocks
            ]
            passes.append((costs, repeats * vertical * horizontal))
    return passes


def _tile_cost(machine: Machine, geometry: Geometry, tile: Conv2dTiles, epilogue: Kind, stays: Stays) -> TileCost:
    lanes, rows = machine.lanes, tile.height * tile.width
    columns = min(tile.blocks * lanes, geometry.outputs)
    _, row, pixel = geometry.y_pitches
    steps = []
    x_height, x_width = (min(size, all_) for size, all_ in zip(tile.x_size(geometry), geometry.size, strict=True))
    for channels, count in parts(geometry.channels, tile.channels):
        _, x_row, x_pixel = geometry.x_pitches
        weights = geometry.taps * channels
        load = 0 if stays.x else dma_cycles(machine, channels, x_width, x_pixel, x_height, x_row)
        load += dma_cycles(machine, lanes, weights, lanes, tile.blocks, geometry.taps * geometry.channels * lanes)
        steps.append((StepCost(load, -(-channels // lanes) * geometry.taps, tile.blocks, rows), count))
    once = dma_cycles(machine, lanes, tile.blocks * PARAMETER_ROWS, lanes)
    once += 0 if stays.residual else residual_cycles(machine, epilogue, columns, tile.width, pixel, tile.height, row)
    first, count = steps[0]
    with_parameters = (replace(first, load=first.load + once), 1)
    steps[:1] = [with_parameters, (first, count - 1)] if count > 1 else [with_parameters]
    store = dma_cycles(machine, columns, tile.width, pixel, tile.height, row, continues=columns == pixel)
    if epilogue is Kind.NONE and not stays.is_any():
        return TileCost(steps, store)
    cycles = epilogue_cycles(machine, epilogue, tile.blocks * rows)
    instructions = epilogue_instructions(epilogue, tile.blocks if stays.y else 1)
    if stays.y and stays.y.has_border(geometry.out_size):
        pixels = prod(geometry.out_size)
        cycles += tile.blocks * (stays.y.block_rows - pixels) * rows // pixels  # all of it in one of the tiles
        instructions += BORDER_INSTRUCTIONS
    return TileCost(steps, 0 if stays.y else store, cycles, instructions, epilogue_scalars(epilogue))
