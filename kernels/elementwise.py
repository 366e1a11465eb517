"""Planners of element-wise operations on the vector unit: tables, and quantised sums and products with broadcasting, see
docs/kernels.md."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box, copy_moves, dense
from accelkit.kernels.checks import dram_problem, quantised_problem
from accelkit.kernels.elementwise_tiles import TABLE_BYTES, levels_of, memory_values, pass_cycles
from accelkit.kernels.floats import bits, fused_multiply_add
from accelkit.kernels.move import move_cycles, move_step
from accelkit.kernels.plan import Buffer, ByteArray, Place, Plan, Quantised, Refusal, Step
from accelkit.kernels.programs import program_problem

LOOKUP, ADD, MULTIPLY, IS_UNSIGNED = 0, 1, 2, 2  # operations of asm/elementwise.s
Shape = tuple[int, ...]


@dataclass(frozen=True)
class PairCase:
    """y = left + right, or left * right, as numbers: each tensor has a zero point and a scale, and all have one type.

    A difference is a sum whose right scale is negative. Shapes broadcast as NumPy's do; tensors are dense and row-major in buffers
    "left", "right" and "y". `minimum` and `maximum` tighten the range of y, as a fused ReLU or Clip does. Results are ONNX Runtime's
    QLinearAdd and QLinearMul, bit for bit.
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


@dataclass(frozen=True)
class Launch:
    """A launch of the kernel, its expected cycles and its tiles."""

    step: Step
    cycles: int
    tiling: str


def plan_lookup(machine: Machine, shape: Shape, table: ByteArray) -> Plan | Refusal:
    """y = table[x], the index the 8 bits of a byte of x: buffers "x" and "y". ValueError if the table hasn't 256 entries."""
    nbytes = prod(shape)
    if nbytes < 1:
        return Refusal(f"an empty tensor {list(shape)}")
    buffers = [Buffer("x", nbytes), table_buffer("table", table)]
    step = lookup_launch(machine, dense("x", (nbytes,)), dense("y", (nbytes,)), "table", nbytes)
    return step if isinstance(step, Refusal) else _plan(machine, "lookup", buffers, [], step, shape, np.dtype(table.dtype))


def table_buffer(name: str, table: ByteArray) -> Buffer:
    """The constant of a table; ValueError if it hasn't 256 entries."""
    if table.shape != (TABLE_BYTES,):
        raise ValueError(f"a table of shape {list(table.shape)}, expected [{TABLE_BYTES}]")
    return Buffer(name, TABLE_BYTES, contents=np.array(table).view(np.uint8))


def lookup_launch(machine: Machine, x: Box, y: Box, table: str, y_bytes: int) -> Launch | Refusal:
    """The launch that writes y = table[x], boxes of one shape; `table` is a buffer, `y_bytes` the size of y's."""
    values = {"operation": LOOKUP, "y_min": -128, "y_max": 255}
    return _launch(machine, (x, x), y, values, {"table": Place(table)}, y_bytes)


def plan_pair(machine: Machine, case: PairCase) -> Plan | Refusal:
    """A plan of a sum or a product for the machine, or why there is none."""
    if problem := pair_problem(case) or program_problem(machine, "elementwise"):
        return Refusal(problem)
    shape, nbytes = case.y_shape, prod(case.y_shape)
    buffers = [Buffer("left", prod(case.left_shape)), Buffer("right", prod(case.right_shape))]
    boxes = [_broadcast(dense("left", case.left_shape), shape), _broadcast(dense("right", case.right_shape), shape)]
    y = dense("y", shape)
    levels = levels_of(boxes[0], boxes[1], y)
    copies: list[Launch] = []
    if len(levels) > 3 or levels[-1].count < min(machine.lanes, nbytes):
        # Bytes that broadcast one by one, or too many levels: what broadcasts is written out first.
        for i, box in enumerate(boxes):
            if box.pitches == y.pitches or 0 not in box.pitches:
                continue
            boxes[i] = dense(f"{box.buffer}_full", shape)
            written = _write_out(machine, box, boxes[i])
            if isinstance(written, Refusal):
                return written
            copies += written
            buffers.append(Buffer(boxes[i].buffer, nbytes, is_writable=True))
    step = _launch(machine, (boxes[0], boxes[1]), y, pair_values(case), {}, nbytes)
    if isinstance(step, Refusal):
        return step
    kernel = "multiply" if case.is_product else "add"
    return _plan(machine, kernel, buffers, copies, step, shape, np.dtype(case.y.dtype))


def pair_values(case: PairCase) -> dict[str, int]:
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


def pair_problem(case: PairCase) -> str | None:
    if min((*case.left_shape, *case.right_shape, 1)) < 1:
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
    values = pair_values(case)
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


def _write_out(machine: Machine, box: Box, full: Box) -> list[Launch] | Refusal:
    """The launches that copy a box that broadcasts to a dense one."""
    moves = copy_moves(machine, box, full, prod(full.shape))
    if isinstance(moves, Refusal):
        return moves
    launches = []
    for move in moves:
        step = move_step(machine, move)
        if isinstance(step, Refusal):
            return step
        launches.append(Launch(step, move_cycles(machine, move) + machine.launch_cycles, ""))
    return launches


def _launch(
    machine: Machine, operands: tuple[Box, Box], y: Box, values: dict[str, int], places: dict[str, Place], y_bytes: int
) -> Launch | Refusal:
    if problem := program_problem(machine, "elementwise"):
        return Refusal(problem)
    inputs = 1 if values["operation"] == LOOKUP else 2
    levels = levels_of(*operands, y)
    memory = memory_values(machine, levels, inputs)
    if isinstance(memory, Refusal):
        return memory
    at = {name: Place(box.buffer, box.offset) for name, box in zip(("left", "right", "y"), (*operands, y), strict=True)}
    step = Step("elementwise", _SCALARS | values | memory | {"y_bytes": y_bytes}, {"table": at["left"]} | at | places)
    cycles = pass_cycles(machine, levels, inputs)
    return Launch(step, cycles, f"{memory['plane_tile']}x{memory['row_tile']} rows of {memory['byte_tile']} bytes")


_SCALARS = dict.fromkeys(("left_zp", "right_zp", "scale", "y_zp", "left_scale", "right_scale", "offset"), 0)


def _plan(
    machine: Machine,
    kernel: str,
    buffers: list[Buffer],
    copies: list[Launch],
    last: Launch,
    y_shape: Shape,
    dtype: np.dtype[Any],
) -> Plan | Refusal:
    buffers = [*buffers, Buffer("y", prod(y_shape), is_writable=True)]
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    launches = [*copies, last]
    return Plan(
        kernel=kernel,
        machine=machine,
        buffers=tuple(buffers),
        steps=tuple(one.step for one in launches),
        output="y",
        output_shape=y_shape,
        output_dtype=dtype,
        macs=0,
        estimate_cycles=sum(one.cycles for one in launches),
        tiling=last.tiling,
    )
