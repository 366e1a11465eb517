"""Planners of the `convert` kernel: binary32 numbers to 8-bit ones and back, on the vector unit, see docs/kernels.md."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, quantised_problem
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.floats import bits
from accelkit.kernels.move import TILES_IN_FLIGHT, good_tile_rows
from accelkit.kernels.plan import MAX_COUNT, Buffer, Plan, Quantised, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import memory_text

WORD_BYTES = 4
QUANTISE, DEQUANTISE, IS_UNSIGNED = 0, 1, 1  # operations of asm/convert.s


@dataclass(frozen=True)
class ConvertCase:
    """A tensor of `shape` from binary32 to 8 bits, or back: buffers "x" and "y", dense, those of binary32 at a multiple of 4 bytes.

    `kind` is the type of the 8-bit side; its scale is `scale`. Results are ONNX's QuantizeLinear, clamp(round-half-even(x / scale) + zero
    point), NaN the lowest value of the type; or DequantizeLinear, (x - zero point) * scale, both in binary32.
    """

    shape: tuple[int, ...]
    kind: Quantised
    scale: float


def plan_quantise(machine: Machine, case: ConvertCase) -> Plan | Refusal:
    """y = the 8-bit numbers of binary32 ones; or why there is no plan."""
    return _plan(machine, case, "quantise", QUANTISE, np.dtype(case.kind.dtype))


def plan_dequantise(machine: Machine, case: ConvertCase) -> Plan | Refusal:
    """y = the binary32 numbers of 8-bit ones; or why there is no plan."""
    return _plan(machine, case, "dequantise", DEQUANTISE + IS_UNSIGNED * case.kind.is_unsigned, np.dtype(np.float32))


def _plan(
    machine: Machine, case: ConvertCase, kernel: str, operation: int, y_dtype: np.dtype[Any]
) -> Plan | Refusal:
    if problem := _problem(machine, case):
        return Refusal(problem)
    elements, lanes = prod(case.shape), machine.lanes
    x_bytes, y_bytes = elements * (1 if operation else WORD_BYTES), elements * y_dtype.itemsize
    buffers = (Buffer("x", x_bytes), Buffer("y", y_bytes, is_writable=True))
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    rows = -(-elements // lanes)
    tile_rows = min(
        machine.scratchpad_rows // 2,
        machine.accumulator_rows // 2,
        MAX_COUNT // (WORD_BYTES * lanes),
        good_tile_rows(machine, rows),
    )
    if tile_rows < 1:
        return Refusal(f"two halves of a row each don't fit {memory_text(machine)}")
    tile = tile_rows * lanes
    limits = np.iinfo(np.dtype(case.kind.dtype))
    values = {
        "y_bytes": y_bytes,
        "elements": elements,
        "operation": operation,
        "scale": bits(np.float32(case.scale)),
        "zp": case.kind.zero_point,
        "y_min": limits.min,
        "y_max": limits.max,
        "tile": tile,
        "tile_rows": tile_rows,
        "last_rows": -(-(elements % tile) // lanes),
    }
    words = dma_cycles(machine, WORD_BYTES * lanes, rows, WORD_BYTES * lanes)
    latency = machine.dram_read_latency_cycles + machine.dram_write_latency_cycles
    return Plan(
        kernel=kernel,
        machine=machine,
        buffers=buffers,
        steps=(Step("convert", values),),
        output="y",
        output_shape=case.shape,
        output_dtype=y_dtype,
        macs=0,
        estimate_cycles=words * (TILES_IN_FLIGHT + 1) // TILES_IN_FLIGHT + latency,
        tiling=f"{tile_rows} rows",
    )


def _problem(machine: Machine, case: ConvertCase) -> str | None:
    if prod(case.shape) < 1:
        return f"an empty tensor {list(case.shape)}"
    scale = np.float32(case.scale)
    if not np.isfinite(scale) or scale == 0:
        return f"a scale of {scale}, expected a finite number other than 0"
    return quantised_problem("the 8-bit side", case.kind) or program_problem(machine, "convert")
