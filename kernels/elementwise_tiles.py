"""Tiles of the `elementwise` kernel: the axes that its operands are walked along, and where tiles lie in the scratchpad."""

from dataclasses import dataclass

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.move import TILES_IN_FLIGHT, box_tile, good_tile_rows
from accelkit.kernels.plan import Refusal
from accelkit.kernels.regions import memory_text

TABLE_BYTES = 256


@dataclass(frozen=True)
class Level:
    """One axis that all three tensors are walked along."""

    count: int
    pitches: tuple[int, int, int]  # of left, right, y

    def joins(self, inner: "Level") -> bool:
        """Whether this axis goes on where the inner one ends, in all tensors."""
        return all(pitch == inner.count * p for pitch, p in zip(self.pitches, inner.pitches, strict=True))


def levels_of(left: Box, right: Box, y: Box) -> list[Level]:
    """Axes of three boxes of one shape from the outermost to the innermost, joined where that goes; the last is contiguous in all."""
    levels: list[Level] = []
    for count, *of_axis in zip(y.shape, left.pitches, right.pitches, y.pitches, strict=True):
        level = Level(count, (of_axis[0], of_axis[1], of_axis[2]))
        if count == 1:
            continue
        if levels and levels[-1].joins(level):
            level = Level(levels.pop().count * count, level.pitches)
        levels.append(level)
    if not levels or levels[-1].pitches != (1, 1, 1):
        levels.append(Level(1, (1, 1, 1)))
    return levels


def pass_cycles(machine: Machine, levels: list[Level], inputs: int) -> int:
    """Expected cycles: those of the busiest of load, vector unit and store, the ends without overlap, and the latencies."""
    planes, rows = (Level(1, (0, 0, 0)),) * (3 - len(levels)) + tuple(levels[:-1])
    nbytes = levels[-1].count
    beats = planes.count * rows.count * -(-nbytes // machine.lanes)
    *loads, store = (
        dma_cycles(machine, nbytes, rows.count, rows.pitches[i], planes.count, planes.pitches[i])
        for i in (*range(inputs), 2)
    )
    busiest = max(sum(loads), inputs * beats, store)
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return busiest + busiest // TILES_IN_FLIGHT + latency


def memory_values(machine: Machine, levels: list[Level], inputs: int) -> dict[str, int] | Refusal:
    """The value arguments of tile and regions: loaded ones and outputs in different banks, or the kernel is serial."""
    lanes, bank = machine.lanes, machine.scratchpad_bank_rows
    table = -(-TABLE_BYTES // lanes) if inputs == 1 else 0
    planes, rows = (Level(1, (0, 0, 0)),) * (3 - len(levels)) + tuple(levels[:-1])
    nbytes = levels[-1].count
    apart = max(
        (
            min(outputs * bank // 2, ((machine.scratchpad_banks - outputs) * bank - table) // (2 * inputs))
            for outputs in range(1, machine.scratchpad_banks)
        ),
        default=0,
    )
    is_serial = apart < 1
    room = (machine.scratchpad_rows - table) // (2 * inputs + 2) if is_serial else apart
    if room < 1:
        return Refusal(f"no tile of an element-wise operation fits {memory_text(machine)}")
    total = planes.count * rows.count * -(-nbytes // lanes)
    room = min(room, good_tile_rows(machine, total))
    plane_tile, row_tile, byte_tile = box_tile(lanes, planes.count, rows.count, nbytes, room)
    tile_blocks = -(-byte_tile // lanes)
    tile_rows = plane_tile * row_tile * tile_blocks
    loaded = table + 2 * inputs * tile_rows
    values = {
        "planes": planes.count,
        "rows": rows.count,
        "bytes": nbytes,
        "plane_tile": plane_tile,
        "row_tile": row_tile,
        "byte_tile": byte_tile,
        "tile_blocks": tile_blocks,
        "last_blocks": -(-(nbytes % byte_tile) // lanes),
        "table_base": 0,
        "left_base": table,
        "right_base": table + 2 * tile_rows,
        "output_base": loaded if is_serial else -(-loaded // bank) * bank,
        "tile_rows": tile_rows,
        "is_serial": int(is_serial),
    }
    for i, name in enumerate(("left", "right", "y")):
        values |= {f"{name}_plane_pitch": planes.pitches[i], f"{name}_row_pitch": rows.pitches[i]}
    return values
