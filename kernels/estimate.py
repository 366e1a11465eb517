"""What a tiling costs, roughly: planners choose among tilings by it, and nothing else rests on it.

The simulator is the judge of cycles. These formulas leave out the latencies that overlap and the queues.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from accelkit.isa.machine import Machine

# Scalar instructions of the kernels, counted in asm/*.s: a step's bookkeeping, a k block's, a product's.
STEP_SCALARS = 130
ROUND_SCALARS = 20
PRODUCT_SCALARS = 7
TILE_SCALARS = 30  # the end of a tile, and of each of its column blocks
BLOCK_SCALARS = 6
PARAMETER_ROWS = 8
VECTOR_LATENCY_CYCLES = 7


def dma_cycles(machine: Machine, row_bytes: int, rows: int, pitch: int) -> int:
    """Cycles to move `rows` DRAM rows of `row_bytes` bytes, `pitch` bytes apart, pages included."""
    if row_bytes * rows == 0:
        return 0
    pieces = -(-row_bytes // machine.lanes)
    words = -(-row_bytes // machine.bus_bytes) + (1 if pitch % machine.bus_bytes else 0)
    span = min(pitch, -(-row_bytes // machine.page_bytes) * machine.page_bytes)
    misses = -(-rows * span // machine.page_bytes)
    return rows * max(pieces, words) + misses * machine.page_miss_cycles


def near_equal_parts(total: int, largest: int) -> Iterator[int]:
    """Sizes of the parts of `total`, at most `largest` each, largest first: the few coarsest cuts, then ever finer ones."""
    if largest < 1:
        return
    coarsest = -(-total // largest)
    counts = [coarsest, coarsest + 1, coarsest + 2]
    while counts[-1] < total:
        counts.append(counts[-1] * 3 // 2)
    last = 0
    for count in counts:
        part = -(-total // min(count, total))
        if part != last:
            yield part
        last = part


@dataclass(frozen=True)
class Tiling:
    """Sizes that decide the cost: a tile is `steps` steps, a step `rounds` k blocks (of all taps) of `blocks` products of `rows` rows.

    `tiles` may be a fraction where the last tiles are smaller.
    """

    tiles: float
    steps: float
    rounds: float
    blocks: int
    rows: int
    load_cycles: int  # of a step
    store_cycles: int  # of a tile
    operands_share: bool
    is_serial: bool


def estimate_cycles(machine: Machine, tiling: Tiling) -> int:
    """Expected cycles of a launch."""
    product = max(tiling.rows, machine.array_rows) + (machine.array_rows if tiling.operands_share else 0)
    products = tiling.rounds * tiling.blocks
    requantise = PARAMETER_ROWS + tiling.rows + VECTOR_LATENCY_CYCLES
    vector = tiling.blocks * requantise
    # Between two steps the sequencer is busy with scalars, while the array lives on what its queue holds: preloads and runs.
    queued = min(machine.queue_depth // 2, products) * product
    tile_scalars = TILE_SCALARS + BLOCK_SCALARS * tiling.blocks
    compute = products * product + machine.array_rows + max(0, STEP_SCALARS - queued)
    scalars = STEP_SCALARS + ROUND_SCALARS * tiling.rounds + PRODUCT_SCALARS * products
    step = max(compute, tiling.load_cycles, scalars)
    # Requantises that the vector unit's queue can't hold keep the sequencer until the array has finished.
    blocked = max(0, tiling.blocks - machine.queue_depth) * requantise
    latency = machine.dram_read_latency_cycles + machine.array_rows + machine.array_columns
    tail = vector + tiling.store_cycles + machine.dram_write_latency_cycles
    tile = tiling.steps * step + max(blocked, min(tile_scalars, STEP_SCALARS + tile_scalars - queued), 0)
    tile = tile + tail + latency if tiling.is_serial else max(tile, vector, tiling.store_cycles)
    return int(tiling.load_cycles + latency + tiling.tiles * tile + tail)
