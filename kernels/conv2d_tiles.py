"""Tilings of the `conv2d` kernel: which there are, what scratchpad they need, what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.estimate import PARAMETER_ROWS, Tiling, dma_cycles, estimate_cycles, near_equal_parts
from accelkit.kernels.plan import MAX_COUNT
from accelkit.kernels.regions import Halves, Regions, accumulator_halves


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


def conv2d_halves(machine: Machine, geometry: Geometry, tiles: Conv2dTiles) -> Halves:
    """Rows of the regions, as the head of asm/conv2d.s lays them out."""
    return Halves(
        first=-(-tiles.channels // machine.lanes) * prod(tiles.x_size(geometry)),
        second=tiles.blocks * geometry.taps * tiles.channels,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=tiles.blocks * tiles.height * tiles.width,
    )


def estimate_conv2d(machine: Machine, geometry: Geometry, tiles: Conv2dTiles, regions: Regions) -> int:
    """Expected cycles, by which the planner chooses."""
    lanes = machine.lanes
    x_height, x_width = tiles.x_size(geometry)
    channel_blocks = -(-tiles.channels // lanes)
    columns = min(tiles.blocks * lanes, geometry.outputs)
    load_x = x_height * dma_cycles(machine, tiles.channels, x_width, geometry.x_pitches[2])
    load_w = dma_cycles(machine, lanes, tiles.blocks * geometry.taps * tiles.channels, lanes)
    pixel_tiles = geometry.out_size[0] / tiles.height * geometry.out_size[1] / tiles.width
    tiling = Tiling(
        tiles=geometry.groups * geometry.images * pixel_tiles * -(-geometry.outputs // lanes) / tiles.blocks,
        steps=-(-geometry.channels // lanes) / channel_blocks,
        rounds=channel_blocks * geometry.taps,
        blocks=tiles.blocks,
        rows=tiles.height * tiles.width,
        load_cycles=load_x + load_w,
        store_cycles=tiles.height * dma_cycles(machine, columns, tiles.width, geometry.y_pitches[2]),
        operands_share=regions.operands_share,
        is_serial=regions.is_serial,
    )
    return estimate_cycles(machine, tiling)
