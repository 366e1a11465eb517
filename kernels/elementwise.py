"""Planners of element-wise operations on the vector unit: tables, and quantised sums and products with broadcasting, see
docs/kernels.md."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box, copy_moves, dense
from accelkit.kernels.checks import dram_problem, quantised_problem
from accelkit.kernels.floats import bits, fused_multiply_add
from accelkit.kernels.move import box_tile, move_cycles, move_step
from accelkit.kernels.plan import Buffer, ByteArray, Place, Plan, Quantised, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import memory_text

TABLE_BYTES = 256
TILES_IN_FLIGHT = 8  # a tensor is cut into as many tiles at least, so that the units overlap
MIN_TILE_ROWS = 64  # tiles below that cost more instructions than beats
LOOKUP, ADD, MULTIPLY, IS_UNSIGNED = 0, 1, 2, 2  # operations of asm/elementwise.s
Shape = tuple[int, ...]


@dataclass(frozen=True)
class PairCase:
    """y = left + right, or left * right, as numbers: each tensor has a zero point and a scale, and all have one type.

    Shapes broadcast as NumPy's do; tensors are dense and row-major in buffers "left", "right" and "y". `minimum` and `maximum` tighten
    the range of y, as a fused ReLU or Clip does. Results are ONNX Runtime's QLinearAdd and QLinearMul, bit for bit.
    """

    left_shape: Shape
    right_shape: Shape
    left: Quantised
    right: Quantised
    y: Quantised
    left_scale: float
    right_scale: float
    y_scale: float
    is_product: bool = False
    minimum: int | None = None
    maximum: int | None = None

    @property
    def y_shape(self) -> Shape:
        """Shape of the result; ValueError if the shapes don't broadcast."""
        return np.broadcast_shapes(self.left_shape, self.right_shape)


def plan_lookup(machine: Machine, shape: Shape, table: ByteArray) -> Plan | Refusal:
    """y = table[x], the index the 8 bits of a byte of x: buffers "x" and "y". ValueError if the table hasn't 256 entries."""
    if table.shape != (TABLE_BYTES,):
        raise ValueError(f"a table of shape {list(table.shape)}, expected [{TABLE_BYTES}]")
    nbytes = prod(shape)
    buffers = [Buffer("x", nbytes), Buffer("table", TABLE_BYTES, contents=np.array(table).view(np.uint8))]
    box = dense("x", (nbytes,))
    values = {"operation": LOOKUP, "y_min": -128, "y_max": 255}
    return _plan(machine, "lookup", buffers, (box, box), values, shape, np.dtype(table.dtype))


def plan_pair(machine: Machine, case: PairCase) -> Plan | Refusal:
    """A plan of a sum or a product for the machine, or why there is none."""
    if problem := _pair_problem(case):
        return Refusal(problem)
    buffers = [Buffer("left", prod(case.left_shape)), Buffer("right", prod(case.right_shape))]
    left, right = (
        _broadcast(dense(name, shape), case.y_shape)
        for name, shape in (("left", case.left_shape), ("right", case.right_shape))
    )
    kernel = "multiply" if case.is_product else "add"
    return _plan(machine, kernel, buffers, (left, right), _pair_values(case), case.y_shape, np.dtype(case.y.dtype))


def _pair_values(case: PairCase) -> dict[str, int]:
    """Scalars of the operation: binary32 operations in the order of ONNX Runtime."""
    limits = np.iinfo(np.dtype(case.y.dtype))
    left, right, y = (np.float32(scale) for scale in (case.left_scale, case.right_scale, case.y_scale))
    left_ratio, right_ratio = left / y, right / y
    zero_points = fused_multiply_add(
        left_ratio, np.float32(case.left.zero_point), right_ratio * np.float32(case.right.zero_point)
    )
    return {
        "operation": (MULTIPLY if case.is_product else ADD) + IS_UNSIGNED * case.left.is_unsigned,
        "left_zp": case.left.zero_point,
        "right_zp": case.right.zero_point,
        "scale": bits(left * right / y),
        "y_zp": case.y.zero_point,
        "left_scale": bits(left_ratio),
        "right_scale": bits(right_ratio),
        "offset": bits(np.float32(case.y.zero_point) - zero_points),
        "y_min": limits.min if case.minimum is None else max(limits.min, case.minimum),
        "y_max": limits.max if case.maximum is None else min(limits.max, case.maximum),
    }


def _pair_problem(case: PairCase) -> str | None:
    if min(*case.left_shape, *case.right_shape, 1) < 1:
        return f"an empty tensor: {list(case.left_shape)}, {list(case.right_shape)}"
    for name, kind in (("left", case.left), ("right", case.right), ("the output", case.y)):
        if problem := quantised_problem(name, kind):
            return problem
        if np.dtype(kind.dtype) != np.dtype(case.left.dtype):
            return f"{name} is {np.dtype(kind.dtype)} where left is {np.dtype(case.left.dtype)}; the vector unit takes one type"
    scales = np.asarray([case.left_scale, case.right_scale, case.y_scale], np.float32)
    with np.errstate(all="ignore"):
        ratios = [scales[0] / scales[2], scales[1] / scales[2], scales[0] * scales[1] / scales[2]]
    if not (np.isfinite(scales).all() and np.isfinite(ratios).all()):
        return "a scale is not finite"
    values = _pair_values(case)
    if values["y_min"] > values["y_max"]:
        return f"clamp bounds {values['y_min']}..{values['y_max']} leave no value"
    return None


def _broadcast(box: Box, shape: Shape) -> Box:
    """The box with a shape that it broadcasts to: new and repeated axes have a pitch of 0."""
    missing = len(shape) - len(box.shape)
    pitches = (0,) * missing + tuple(
        pitch if size > 1 else 0 for size, pitch in zip(box.shape, box.pitches, strict=True)
    )
    return Box(box.buffer, box.offset, shape, pitches)


@dataclass(frozen=True)
class _Level:
    """One axis that all three tensors are walked along."""

    count: int
    pitches: tuple[int, int, int]  # of left, right, y

    def joins(self, inner: "_Level") -> bool:
        """Whether this axis goes on where the inner one ends, in all tensors."""
        return all(pitch == inner.count * p for pitch, p in zip(self.pitches, inner.pitches, strict=True))


def _levels(boxes: tuple[Box, Box], shape: Shape) -> list[_Level]:
    """Axes from the outermost to the innermost, joined where that goes."""
    levels: list[_Level] = []
    pitches = zip(boxes[0].pitches, boxes[1].pitches, dense("y", shape).pitches, strict=True)
    for count, of_axis in zip(shape, pitches, strict=True):
        level = _Level(count, of_axis)
        if count == 1:
            continue
        if levels and levels[-1].joins(level):
            level = _Level(levels.pop().count * count, of_axis)
        levels.append(level)
    if not levels or levels[-1].pitches != (1, 1, 1):
        levels.append(_Level(1, (1, 1, 1)))
    return levels


def _plan(
    machine: Machine,
    kernel: str,
    buffers: list[Buffer],
    boxes: tuple[Box, Box],
    values: dict[str, int],
    y_shape: Shape,
    dtype: np.dtype[Any],
) -> Plan | Refusal:
    nbytes = prod(y_shape)
    if nbytes < 1:
        return Refusal(f"an empty tensor {list(y_shape)}")
    if problem := program_problem(machine, "elementwise"):
        return Refusal(problem)
    steps: list[Step] = []
    cycles = 0
    inputs = 1 if kernel == "lookup" else 2
    if kernel == "lookup":
        boxes = (dense("x", (nbytes,)), dense("x", (nbytes,)))
    shape = boxes[0].shape
    levels = _levels(boxes, shape)
    if len(levels) > 3 or levels[-1].count < min(machine.lanes, nbytes):
        # Bytes that broadcast one by one, or too many levels: the smaller operand is written out first.
        written = []
        for box in boxes:
            if box.pitches == dense(box.buffer, shape).pitches or 0 not in box.pitches:
                written.append(box)
                continue
            full = dense(f"{box.buffer}_full", shape)
            moves = copy_moves(machine, box, full, nbytes)
            if isinstance(moves, Refusal):
                return moves
            for move in moves:
                step = move_step(machine, move)
                if isinstance(step, Refusal):
                    return step
                steps.append(step)
                cycles += move_cycles(machine, move) + machine.launch_cycles
            buffers.append(Buffer(full.buffer, nbytes, is_writable=True))
            written.append(full)
        boxes = (written[0], written[1])
        levels = _levels(boxes, shape)
    buffers.append(Buffer("y", nbytes, is_writable=True))
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    memory = _memory(machine, levels, inputs)
    if isinstance(memory, Refusal):
        return memory
    places = {
        "left": Place(boxes[0].buffer, boxes[0].offset),
        "right": Place(boxes[1].buffer, boxes[1].offset),
        "table": Place("table" if kernel == "lookup" else boxes[0].buffer),
    }
    steps.append(Step("elementwise", _SCALARS | values | memory | {"y_bytes": nbytes}, places))
    rows = prod(level.count for level in levels[:-1]) * -(-levels[-1].count // machine.lanes)
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return Plan(
        kernel=kernel,
        machine=machine,
        buffers=tuple(buffers),
        steps=tuple(steps),
        output="y",
        output_shape=y_shape,
        output_dtype=dtype,
        macs=0,
        estimate_cycles=cycles + inputs * rows * (TILES_IN_FLIGHT + 1) // TILES_IN_FLIGHT + latency,
        tiling=f"{memory['plane_tile']}x{memory['row_tile']} rows of {memory['byte_tile']} bytes",
    )


_SCALARS = dict.fromkeys(("left_zp", "right_zp", "scale", "y_zp", "left_scale", "right_scale", "offset"), 0)


def _memory(machine: Machine, levels: list[_Level], inputs: int) -> dict[str, int] | Refusal:
    """Tile and regions: loaded ones and outputs in different banks, or the kernel is serial."""
    lanes, bank = machine.lanes, machine.scratchpad_bank_rows
    table = -(-TABLE_BYTES // lanes) if inputs == 1 else 0
    planes, rows = (_Level(1, (0, 0, 0)),) * (3 - len(levels)) + tuple(levels[:-1])
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
    room = min(room, max(MIN_TILE_ROWS, -(-total // TILES_IN_FLIGHT)))
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

