"""Launches of the `window` kernel: depthwise convolution, average and maximum over windows, on the vector unit, see docs/kernels.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from math import prod

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.conv2d_values import geometry_values
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.epilogue import Y_STAYS, Kind, epilogue_cycles, extra_rows
from accelkit.kernels.estimate import PARAMETER_ROWS, VECTOR_LATENCY_CYCLES, near_equal_parts, parts
from accelkit.kernels.memo import remembered
from accelkit.kernels.plan import MAX_COUNT
from accelkit.kernels.residency import NOTHING_STAYS, Stays

MAX_WEIGHT_TAPS = 64  # weight rows that the vector unit holds
TILE_SCALARS = 190  # cycles of the scalar instructions of a tile, counted in asm/window.s, and
BLOCK_SCALARS = 7  # of each of its channel blocks


class Operation(IntEnum):
    """What is done with a window; the numbers are those of asm/window.s."""

    DEPTHWISE = 0
    AVERAGE = 2
    MAXIMUM = 4


@dataclass(frozen=True)
class WindowTiles:
    """Sizes of a full tile: pixels of y, channel blocks."""

    height: int
    width: int
    blocks: int

    def __str__(self) -> str:
        return f"{self.height}x{self.width} pixels x {self.blocks} channel blocks"

    def x_size(self, geometry: Geometry) -> tuple[int, int]:
        """Rows and pixels of x, padding included, that a full tile needs."""
        return (
            (self.height - 1) * geometry.strides[0] + geometry.span[0],
            (self.width - 1) * geometry.strides[1] + geometry.span[1],
        )


@dataclass(frozen=True)
class WindowFit:
    """A tiling, the rows of its halves and the first rows of its regions, and its expected cycles."""

    tiles: WindowTiles
    x_half: int
    weight_half: int
    parameter_half: int
    output_half: int
    table_base: int
    middle_base: int
    output_base: int
    is_serial: bool
    cycles: int


def window_tilings(machine: Machine, geometry: Geometry) -> Iterator[WindowTiles]:
    """Near-equal parts of the output; the scratchpad may still be too small."""
    rows = machine.scratchpad_rows // 2
    for blocks in near_equal_parts(-(-geometry.channels // machine.lanes), MAX_COUNT // machine.lanes):
        for width in near_equal_parts(geometry.out_size[1], max(1, rows // blocks)):
            for height in near_equal_parts(geometry.out_size[0], max(1, rows // (blocks * width))):
                yield WindowTiles(height, width, blocks)


@remembered  # networks repeat their layers
def fit_window(
    machine: Machine,
    geometry: Geometry,
    operation: Operation,
    tiles: WindowTiles | None = None,
    table: Kind = Kind.NONE,
    stays: Stays = NOTHING_STAYS,
) -> WindowFit | None:
    """The tiling with the fewest expected cycles, or the prescribed one; None if none fits."""
    fits = (
        _fit(machine, geometry, operation, candidate, table, stays)
        for candidate in (window_tilings(machine, geometry) if tiles is None else [tiles])
    )
    return min((fit for fit in fits if fit), key=lambda fit: fit.cycles, default=None)


def _fit(
    machine: Machine, geometry: Geometry, operation: Operation, tiles: WindowTiles, table: Kind, stays: Stays
) -> WindowFit | None:
    """Load writes x, weights, parameters and the table, the vector unit the tile before its table, and outputs, which store reads: they
    lie in different banks, or the kernel is serial."""
    x_half = 0 if stays.x else tiles.blocks * prod(tiles.x_size(geometry))
    weights = tiles.blocks * geometry.taps if operation is Operation.DEPTHWISE else 0
    parameters = 0 if operation is Operation.MAXIMUM else tiles.blocks * PARAMETER_ROWS
    outputs = tiles.blocks * tiles.height * tiles.width
    if max(x_half, weights, parameters, outputs) > MAX_COUNT:
        return None
    table_base = 2 * (x_half + weights + parameters)
    sizes = (table_base + extra_rows(machine, table, 0), 0 if table is Kind.NONE else outputs, 0 if stays.y else 2 * outputs)
    for bank, is_serial in ((machine.scratchpad_bank_rows, False), *(() if stays.is_any() else ((1, True),))):
        _, middle_base, output_base, end = accumulate((-(-size // bank) * bank for size in sizes), initial=0)
        if end <= machine.scratchpad_rows:
            cycles = _cycles(machine, geometry, operation, tiles, is_serial, table, stays)
            bases = (table_base, middle_base, output_base)
            return WindowFit(tiles, x_half, weights, parameters, outputs, *bases, is_serial, cycles)
    return None


def _cycles(
    machine: Machine,
    geometry: Geometry,
    operation: Operation,
    tiles: WindowTiles,
    is_serial: bool,
    table: Kind,
    stays: Stays,
) -> int:
    """Expected cycles: for each tile those of the busiest unit, and those of the first load and the last store."""
    total: float = 0
    first = last = 0
    for height, vertical in parts(geometry.out_size[0], tiles.height):
        for width, horizontal in parts(geometry.out_size[1], tiles.width):
            for blocks, count in parts(-(-geometry.channels // machine.lanes), tiles.blocks):
                tile = WindowTiles(height, width, blocks)
                load, vector, store = _tile_cycles(machine, geometry, operation, tile, stays)
                vector += epilogue_cycles(machine, table, blocks * height * width)
                first, last = first or load, store
                scalars = TILE_SCALARS + BLOCK_SCALARS * blocks
                busiest = load + vector + store if is_serial else max(load, vector, store, scalars)
                total += vertical * horizontal * count * busiest
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return int(geometry.images * total + first + last + latency + TILE_SCALARS)


def _tile_cycles(
    machine: Machine, geometry: Geometry, operation: Operation, tile: WindowTiles, stays: Stays
) -> tuple[int, int, int]:
    """Cycles of load, vector unit and store."""
    lanes, rows = machine.lanes, tile.height * tile.width
    channels = min(tile.blocks * lanes, geometry.channels)
    x_height, x_width = (min(size, all_) for size, all_ in zip(tile.x_size(geometry), geometry.size, strict=True))
    load = dma_cycles(machine, channels, x_width, geometry.x_pitches[2], x_height, geometry.x_pitches[1])
    if stays.x:
        load = 0
    preface = 0
    if operation is not Operation.MAXIMUM:
        preface += PARAMETER_ROWS
        load += dma_cycles(machine, lanes, tile.blocks * PARAMETER_ROWS, lanes)
    if operation is Operation.DEPTHWISE:
        preface += geometry.taps
        load += dma_cycles(machine, lanes, tile.blocks * geometry.taps, lanes)
    vector = tile.blocks * (preface + rows * geometry.taps + VECTOR_LATENCY_CYCLES)
    _, row, pixel = geometry.y_pitches
    store = dma_cycles(machine, channels, tile.width, pixel, tile.height, row, continues=channels == pixel)
    return load, vector, 0 if stays.y else store


def window_values(
    machine: Machine,
    geometry: Geometry,
    operation: Operation,
    fit: WindowFit,
    is_unsigned: bool,
    x_fill: int,
    stays: Stays = NOTHING_STAYS,
) -> dict[str, int]:
    """Value arguments of asm/window.s, but for zero points, bounds and a table. `x_fill` is the byte of the padding."""
    x_height, x_width = (stays.x.height, stays.x.width) if stays.x else fit.tiles.x_size(geometry)
    values = geometry_values(geometry) | {
        "lines": geometry.kernel[0],
        "columns": geometry.kernel[1],
        "operation": operation + is_unsigned,
        "x_fill": x_fill,
        "lanes": machine.lanes,
        "blocks": -(-geometry.channels // machine.lanes),
        "height_tile": fit.tiles.height,
        "width_tile": fit.tiles.width,
        "block_tile": fit.tiles.blocks,
        "x_width": x_width,
        "x_block_rows": x_height * x_width,
        "x_height_all": fit.tiles.blocks * x_height,
        "x_plane_step": geometry.strides[0] * x_width,
        "line_step": geometry.dilations[0] * x_width,
        "x_base": 0,
        "x_half": fit.x_half,
        "weight_base": 2 * fit.x_half,
        "weight_half": fit.weight_half,
        "parameter_base": 2 * (fit.x_half + fit.weight_half),
        "parameter_half": fit.parameter_half,
        "output_base": fit.output_base,
        "output_half": fit.output_half,
        "ending": int(fit.is_serial),
        "table_base": fit.table_base,
        "middle_base": fit.middle_base,
        "x_stays": 0,
        "y_block_rows": 0,
    }
    if stays.x:
        values |= {"x_stays": 1, "x_base": stays.x.pixel(-geometry.pads[0], -geometry.pads[1])}
    if stays.y:
        values |= {
            "output_base": stays.y.pixel(0, 0),
            "y_row_pitch": stays.y.width,
            "y_block_rows": stays.y.block_rows,
            "ending": values["ending"] | Y_STAYS,
        }
    return values
