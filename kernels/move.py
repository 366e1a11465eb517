"""Planner of the `move` kernel: one strided copy in DRAM, which all layout operations come down to, see docs/kernels.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from accelkit.isa.machine import Machine
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.plan import MAX_COUNT, Place, Refusal, Step
from accelkit.kernels.programs import program_problem

TILES_IN_FLIGHT = 32  # a tensor is cut into as many tiles at least, so that the units overlap,
SHORT_TENSOR_TILES = 4  # or so many where tiles would take less time than it takes to reach DRAM and return
MIN_TILE_ROWS = 64  # tiles below that cost more instructions than beats


@dataclass(frozen=True)
class Axis:
    """One level of a copy: how many, and the bytes from one to the next in source and destination. A pitch of 0 repeats."""

    count: int
    src_pitch: int
    dst_pitch: int


@dataclass(frozen=True)
class Fill:
    """A box of one byte: planes of rows of bytes, from byte `offset` of the destination on."""

    offset: int
    nbytes: int
    value: int
    rows: int = 1
    row_pitch: int = 0
    planes: int = 1
    plane_pitch: int = 0


@dataclass(frozen=True)
class Move:
    """A copy of a box of bytes. `axes` go from the outermost to the innermost, above contiguous runs of `nbytes` bytes."""

    src: Place
    dst: Place
    dst_bytes: int  # of the whole destination buffer
    axes: tuple[Axis, ...] = field(default=())
    nbytes: int = 0
    fill: Fill | None = None
    first: int = 0  # byte of the box in dst; a fill counts from dst itself

    def levels(self) -> tuple[Axis, ...]:
        """The axes without those of one element, and with neighbours that lie evenly apart on both sides joined."""
        joined: list[Axis] = []
        for axis in (axis for axis in self.axes if axis.count != 1):
            if (
                joined
                and joined[-1].src_pitch == axis.count * axis.src_pitch
                and joined[-1].dst_pitch == axis.count * axis.dst_pitch
            ):
                outer = joined.pop()
                axis = Axis(outer.count * axis.count, axis.src_pitch, axis.dst_pitch)
            joined.append(axis)
        return tuple(joined)


def move_step(machine: Machine, move: Move) -> Step | Refusal:
    """The launch that does a move on the machine, or why it can't."""
    if problem := program_problem(machine, "move"):
        return Refusal(problem)
    if machine.scratchpad_rows < 3:
        return Refusal(f"a scratchpad of {machine.scratchpad_rows} rows; a copy needs 3")
    nbytes, levels = move.nbytes, list(move.levels())
    if levels and levels[-1].src_pitch == levels[-1].dst_pitch == nbytes:
        nbytes *= levels.pop().count
    if len(levels) > 3:
        return Refusal(f"a copy of {len(levels) + 1} levels of strides; the kernel has 4")
    items, planes, rows = (Axis(1, 0, 0),) * (3 - len(levels)) + tuple(levels)
    is_copy = nbytes * items.count * planes.count * rows.count > 0
    box = (planes.count, rows.count, nbytes)
    blocks = items.count * planes.count * rows.count * -(-nbytes // machine.lanes)
    room = min((machine.scratchpad_rows - 1) // 2, MAX_COUNT, good_tile_rows(machine, blocks))
    plane_tile, row_tile, byte_tile = box_tile(machine.lanes, *box, room) if is_copy else (1, 1, 1)
    fill = move.fill or Fill(0, 1, 0, planes=0)
    if max(fill.planes, fill.rows, fill.nbytes) > MAX_COUNT:
        return Refusal(
            f"a fill of {fill.planes} x {fill.rows} x {fill.nbytes} bytes; counts end at {MAX_COUNT}"
        )
    values = {
        "dst_bytes": move.dst_bytes,
        "dst_offset": move.first,
        "items": items.count if is_copy else 0,
        "planes": planes.count,
        "rows": rows.count,
        "bytes": nbytes,
        "plane_tile": plane_tile,
        "row_tile": row_tile,
        "byte_tile": byte_tile,
        "block_step": plane_tile * row_tile,
        "tile_rows": plane_tile * row_tile * -(-byte_tile // machine.lanes),
        "fill_offset": fill.offset,
        "fill_planes": fill.planes,
        "fill_rows": fill.rows,
        "fill_bytes": fill.nbytes,
        "fill_plane_pitch": fill.plane_pitch,
        "fill_row_pitch": fill.row_pitch,
        "fill": fill.value,
    }
    for name, axis in (("item", items), ("plane", planes), ("row", rows)):
        values |= {f"src_{name}_pitch": axis.src_pitch, f"dst_{name}_pitch": axis.dst_pitch}
    places: Mapping[str, Place] = {"src": move.src, "dst": move.dst}
    return Step("move", values, places)


def good_tile_rows(machine: Machine, total: int) -> int:
    """Scratchpad rows of a tile that keeps the units busy, of a tensor of `total` rows: few at the ends without overlap, enough to hide
    the latencies of a load and a store behind the other half."""
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return max(MIN_TILE_ROWS, min(2 * latency, -(-total // SHORT_TENSOR_TILES)), -(-total // TILES_IN_FLIGHT))


def box_tile(lanes: int, planes: int, rows: int, nbytes: int, room: int) -> tuple[int, int, int]:
    """Planes, rows and bytes of a tile of a box that needs at most `room` scratchpad rows."""
    blocks = -(-nbytes // lanes)
    byte_tile = nbytes
    if nbytes > min(room * lanes, MAX_COUNT):
        blocks = min(room, MAX_COUNT // lanes)
        byte_tile = blocks * lanes
    row_tile = max(1, min(rows, room // blocks, MAX_COUNT))
    plane_tile = max(1, min(planes, room // (blocks * row_tile), MAX_COUNT)) if row_tile == rows else 1
    return plane_tile, row_tile, byte_tile


def move_cycles(machine: Machine, move: Move) -> int:
    """Expected cycles of a move: those of the slower side of its copy, those of its fill, and the latencies."""
    cycles = copy_cycles(machine, move.levels(), move.nbytes)
    if fill := move.fill:
        cycles += dma_cycles(machine, fill.nbytes, fill.rows, fill.row_pitch, fill.planes, fill.plane_pitch)
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return cycles + cycles // TILES_IN_FLIGHT + latency


def copy_cycles(machine: Machine, axes: tuple[Axis, ...], nbytes: int) -> int:
    """Cycles of the slower side of a copy whose axes, three at most, are walked in this order."""
    if not nbytes:
        return 0
    items, planes, rows = (Axis(1, 0, 0),) * (3 - len(axes)) + tuple(axes)
    sides = [
        dma_cycles(machine, nbytes, rows.count, row, planes.count, plane)
        for row, plane in ((rows.src_pitch, planes.src_pitch), (rows.dst_pitch, planes.dst_pitch))
    ]
    return items.count * max(sides)
