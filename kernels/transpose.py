"""Planner of the `transpose` kernel: matrices of bytes with rows and columns exchanged, on the array, see docs/kernels.md."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.estimate import PARAMETER_ROWS, near_equal_parts
from accelkit.kernels.packing import pack_parameters
from accelkit.kernels.plan import MAX_COUNT, Buffer, Plan, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import memory_text

TILE_SCALARS = 70  # cycles of the scalar instructions of a tile, counted in asm/transpose.s, and
BLOCK_SCALARS = 9  # of each of its blocks


@dataclass(frozen=True)
class _Fit:
    """A tile, its halves' rows, and the cycles of the whole with such tiles."""

    rows: int
    columns: int
    tile_half: int
    output_half: int
    bases: tuple[int, int, int]  # of the unit matrix, parameters, outputs
    cycles: int


def plan_matrix_transpose(machine: Machine, items: int, rows: int, columns: int) -> Plan | Refusal:
    """y[items, columns, rows] from x[items, rows, columns], bytes in dense buffers "x" and "y"; or why there is no plan."""
    if min(items, rows, columns) < 1:
        return Refusal(f"an empty tensor: {items} matrices of {rows} x {columns}")
    if problem := program_problem(machine, "transpose"):
        return Refusal(problem)
    fits = (_fit(machine, items, rows, columns, *tile) for tile in _tiles(machine, rows, columns))
    fit = min((fit for fit in fits if fit), key=lambda fit: fit.cycles, default=None)
    if fit is None:
        return Refusal(f"four regions in banks of their own don't fit {memory_text(machine)}")
    lanes, nbytes = machine.lanes, items * rows * columns
    unit, parameters = np.eye(lanes, dtype=np.uint8).reshape(-1), pack_parameters(0, 1.0, lanes, lanes)
    buffers = (
        Buffer("x", nbytes),
        Buffer("unit", unit.size, contents=unit),
        Buffer("parameters", parameters.size, contents=parameters),
        Buffer("y", nbytes, is_writable=True),
    )
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    values = {
        "y_bytes": nbytes,
        "items": items,
        "rows": rows,
        "columns": columns,
        "item_bytes": rows * columns,
        "lanes": lanes,
        "row_tile": fit.rows,
        "column_tile": fit.columns,
        "row_blocks": -(-fit.rows // lanes),
        "last_row_blocks": -(-(rows % fit.rows) // lanes),
        "tile_base": 0,
        "tile_half": fit.tile_half,
        "unit_base": fit.bases[0],
        "parameter_base": fit.bases[1],
        "output_base": fit.bases[2],
        "output_half": fit.output_half,
    }
    return Plan(
        kernel="transpose",
        machine=machine,
        buffers=buffers,
        steps=(Step("transpose", values),),
        output="y",
        output_shape=(items, columns, rows),
        output_dtype=np.dtype(np.uint8),
        macs=0,
        estimate_cycles=fit.cycles,
        tiling=f"{fit.rows} x {fit.columns} bytes",
    )


def _tiles(machine: Machine, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Near-equal parts, in whole blocks, whose outputs fit half the accumulator."""
    lanes, half = machine.lanes, machine.accumulator_rows // 2
    for row_blocks in near_equal_parts(-(-rows // lanes), min(half, MAX_COUNT // lanes)):
        for column_blocks in near_equal_parts(-(-columns // lanes), min(half // row_blocks, MAX_COUNT) // lanes or 1):
            yield min(row_blocks * lanes, rows), min(column_blocks * lanes, columns)


def _fit(machine: Machine, items: int, rows: int, columns: int, tile_rows: int, tile_columns: int) -> _Fit | None:
    """The tile's place: tiles, unit matrix, parameters and outputs each in banks that no other unit uses."""
    lanes, bank = machine.lanes, machine.scratchpad_bank_rows
    row_blocks, column_blocks = -(-tile_rows // lanes), -(-tile_columns // lanes)
    tile_half, output_half = column_blocks * tile_rows, row_blocks * tile_columns
    banks = [-(-size // bank) for size in (2 * tile_half, lanes, PARAMETER_ROWS, 2 * output_half)]
    if sum(banks) > machine.scratchpad_banks or 2 * output_half > machine.accumulator_rows or tile_half > MAX_COUNT:
        return None
    blocks = row_blocks * column_blocks
    load = dma_cycles(machine, tile_columns, tile_rows, columns)
    store = dma_cycles(machine, tile_rows, tile_columns, rows)
    array = blocks * max(lanes, BLOCK_SCALARS) + 2 * (machine.array_rows + machine.array_columns)
    busiest = max(load, array, PARAMETER_ROWS + output_half, store, TILE_SCALARS + blocks * BLOCK_SCALARS)
    tiles = items * -(-rows // tile_rows) * -(-columns // tile_columns)
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    ends = load + array + PARAMETER_ROWS + output_half + store
    bases = (banks[0] * bank, sum(banks[:2]) * bank, sum(banks[:3]) * bank)
    return _Fit(tile_rows, tile_columns, tile_half, output_half, bases, (tiles - 1) * busiest + ends + latency)
