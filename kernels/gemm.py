"""Planner of the `gemm` kernel: y[M, N] = requantise((a[M, K] - za) @ (b[K, N] - zb)), see docs/kernels.md."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, quantised_problem, requantisation_problem
from accelkit.kernels.epilogue import (
    Epilogue,
    Kind,
    epilogue_buffers,
    epilogue_dtype,
    epilogue_place,
    epilogue_problem,
    epilogue_values,
    kind_of,
)
from accelkit.kernels.gemm_tiles import (
    GEMM_SCALARS,
    GemmShape,
    GemmTiles,
    gemm_halves,
    gemm_passes,
    gemm_tilings,
    gemm_work,
)
from accelkit.kernels.memo import remembered
from accelkit.kernels.packing import as_signed, pack_parameters, pack_weights
from accelkit.kernels.plan import Buffer, ByteArray, Plan, Quantised, Refusal, Requantisation, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.reach import settle_bias, sum_magnitudes
from accelkit.kernels.regions import memory_text, memory_values
from accelkit.kernels.search import Fit, choose


@dataclass(frozen=True)
class GemmCase:
    """A matrix product of 8-bit operands.

    `a` [M, K] lies row-major in DRAM, buffer "a". `b` [K, N] is either a constant, `b_constant`, that the planner packs, or
    (b_constant None) lies row-major in DRAM too, buffer "b". The result [M, N] goes to buffer "y". Pitches are bytes from one row
    to the next, None for dense rows. `y` is the product's requantisation; an `epilogue` makes the result of that.
    """

    M: int
    N: int
    K: int
    a: Quantised
    b: Quantised
    y: Requantisation
    b_constant: ByteArray | None = None
    a_pitch: int | None = None
    b_pitch: int | None = None
    y_pitch: int | None = None
    epilogue: Epilogue | None = None

    def shape(self) -> GemmShape:
        """Sizes and pitches alone."""
        return GemmShape(
            self.M,
            self.N,
            self.K,
            a_pitch=self.a_pitch or self.K,
            b_pitch=self.b_pitch or self.N,
            y_pitch=self.y_pitch or self.N,
            b_is_packed=self.b_constant is not None,
        )


def plan_gemm(machine: Machine, case: GemmCase, tiles: GemmTiles | None = None) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself.

    The planner chooses the tiling that it expects to take the fewest cycles; `tiles` prescribes one.
    """
    _check_shapes(case)
    if problem := _problem(machine, case):
        return Refusal(problem)
    settled = settle_bias(case.a, _weight_sums(case), case.y)
    if isinstance(settled, Refusal):
        return settled
    case = replace(case, y=settled)
    buffers, b_zp = _buffers(case, machine.lanes)
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    shape = case.shape()
    fit = _fit_tiles(machine, shape, tiles, kind_of(case.epilogue))
    if fit is None:
        return Refusal(f"no tile of {case.M} x {case.N} x {case.K} fits {memory_text(machine)}")
    memory = memory_values(machine, fit.regions, fit.halves, ("a", "b"))
    ending, sum_values = epilogue_values(case.epilogue)
    memory["ending"] |= ending
    values = (
        _case_values(machine, case, b_zp)
        | {"m_tile": fit.tiles.rows, "block_tile": fit.tiles.blocks, "k_tile": fit.tiles.depth}
        | memory
        | sum_values
    )
    return Plan(
        kernel="gemm",
        machine=machine,
        buffers=buffers,
        steps=(Step("gemm", values, {"extra": epilogue_place(case.epilogue, "a")}),),
        output="y",
        output_shape=(case.M, case.N),
        output_dtype=epilogue_dtype(case.y, case.epilogue),
        macs=case.M * case.N * case.K,
        estimate_cycles=fit.cycles,
        tiling=str(fit.tiles),
    )


@remembered
def _fit_tiles(machine: Machine, shape: GemmShape, tiles: GemmTiles | None, epilogue: Kind) -> Fit[GemmTiles] | None:
    """The best tiling of a product, or the prescribed one; None if none fits."""
    return choose(
        machine,
        GEMM_SCALARS,
        gemm_tilings(machine, shape) if tiles is None else [tiles],
        lambda tiles: gemm_halves(machine, tiles, epilogue),
        lambda tiles: gemm_work(machine, shape, tiles, epilogue),
        lambda tiles: gemm_passes(machine, shape, tiles, epilogue),
    )


def _check_shapes(case: GemmCase) -> None:
    if case.b_constant is not None and case.b_constant.shape != (case.K, case.N):
        raise ValueError(f"b is {list(case.b_constant.shape)}, expected [{case.K}, {case.N}]")
    for name, pitch, row in (
        ("a", case.a_pitch, case.K),
        ("b", case.b_pitch, case.N),
        ("y", case.y_pitch, case.N),
    ):
        if pitch is not None and pitch < row:
            raise ValueError(f"pitch {pitch} of {name} is less than its row of {row} bytes")


def _buffers(case: GemmCase, lanes: int) -> tuple[tuple[Buffer, ...], int]:
    """DRAM buffers, and b's zero point as the kernel sees it: a packed b is always int8."""
    shape = case.shape()
    b_zp = case.b.zero_point
    if case.b_constant is None:
        b = Buffer("b", (case.K - 1) * shape.b_pitch + case.N)
    else:
        signed, b_zp = as_signed(case.b_constant, b_zp)
        columns = -(-case.N // lanes) * lanes
        b = Buffer("b", case.K * columns, contents=partial(pack_weights, signed[None], b_zp, lanes))
    parameters = pack_parameters(case.y.bias, case.y.scale, case.N, lanes)
    y_bytes = (case.M - 1) * shape.y_pitch + case.N
    return (
        Buffer("a", (case.M - 1) * shape.a_pitch + case.K),
        b,
        Buffer("parameters", parameters.size, contents=parameters),
        *epilogue_buffers(case.epilogue, y_bytes),
        Buffer("y", y_bytes, is_writable=True),
    ), b_zp


def _problem(machine: Machine, case: GemmCase) -> str | None:
    if min(case.M, case.N, case.K) < 1:
        return f"empty product {case.M} x {case.N} x {case.K}"
    return (
        quantised_problem("a", case.a)
        or quantised_problem("b", case.b)
        or requantisation_problem(case.y, case.N)
        or epilogue_problem(case.y, case.M * case.N, case.epilogue)
        or program_problem(machine, "gemm")
    )


def _weight_sums(case: GemmCase) -> npt.NDArray[np.int64]:
    """The sum of |b - zero point| of each column, the largest possible one if b is computed."""
    if case.b_constant is not None:
        return sum_magnitudes(case.b_constant, case.b.zero_point, axis=0)
    limits = np.iinfo(np.dtype(case.b.dtype))
    return np.asarray(case.K * max(limits.max - case.b.zero_point, case.b.zero_point - limits.min), np.int64)


def _case_values(machine: Machine, case: GemmCase, b_zp: int) -> dict[str, int]:
    """Value arguments by name, as asm/gemm.s declares them, but for tiles and regions."""
    lanes = machine.lanes
    shape = case.shape()
    y_min, y_max = case.y.bounds()
    return {
        "M": case.M,
        "N": case.N,
        "K": case.K,
        "a_pitch": shape.a_pitch,
        "y_pitch": shape.y_pitch,
        "b_is_packed": int(shape.b_is_packed),
        "b_row_pitch": lanes if shape.b_is_packed else shape.b_pitch,
        "b_block_pitch": case.K * lanes if shape.b_is_packed else lanes,
        "a_is_unsigned": int(case.a.is_unsigned),
        "b_is_unsigned": int(case.b.is_unsigned and not shape.b_is_packed),
        "a_zp": case.a.zero_point,
        "b_zp": b_zp,
        "y_zp": case.y.zero_point,
        "y_min": y_min,
        "y_max": y_max,
        "lanes": lanes,
        "blocks": -(-case.N // lanes),
    }
