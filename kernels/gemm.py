"""Planner of the `gemm` kernel: y[M, N] = requantise((a[M, K] - za) @ (b[K, N] - zb)), see docs/kernels.md."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, overflow_problem, quantised_problem, requantisation_problem
from accelkit.kernels.estimate import PARAMETER_ROWS, Tiling, dma_cycles, estimate_cycles, near_equal_parts
from accelkit.kernels.packing import as_signed, pack_parameters, pack_weights
from accelkit.kernels.plan import MAX_COUNT, Buffer, ByteArray, Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import Halves, Regions, accumulator_halves, lay_out, memory_values


@dataclass(frozen=True)
class GemmCase:
    """A matrix product of 8-bit operands.

    `a` [M, K] lies row-major in DRAM, buffer "a". `b` [K, N] is either a constant, `b_constant`, that the planner packs, or
    (b_constant None) lies row-major in DRAM too, buffer "b". The result [M, N] goes to buffer "y". Pitches are bytes from one row
    to the next, None for dense rows.
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


@dataclass(frozen=True)
class _Tiles:
    """Sizes of a full tile, in rows of a, column blocks of b and bytes along K."""

    rows: int
    blocks: int
    depth: int


def plan_gemm(machine: Machine, case: GemmCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself."""
    _check_shapes(case)
    lanes = machine.lanes
    pitches = (case.a_pitch or case.K, case.b_pitch or case.N, case.y_pitch or case.N)
    buffers, b_zp = _buffers(case, lanes, pitches)
    if problem := _problem(machine, case, buffers):
        return Refusal(problem)
    best: tuple[int, _Tiles, Regions] | None = None
    for tiles in _candidates(machine, case):
        halves = _halves(tiles, lanes)
        regions = lay_out(machine, halves) if halves.largest() <= MAX_COUNT else None
        if regions is not None:
            cycles = _estimate(machine, case, tiles, regions, pitches)
            if best is None or cycles < best[0]:
                best = (cycles, tiles, regions)
    if best is None:
        return Refusal(
            f"no tile fits the scratchpad of {machine.name} ({machine.scratchpad_rows} rows of {lanes} bytes)"
        )
    cycles, tiles, regions = best
    return Plan(
        kernel="gemm",
        machine=machine,
        buffers=buffers,
        values=_values(machine, case, tiles, regions, pitches, b_zp),
        output="y",
        output_shape=(case.M, case.N),
        output_dtype=np.dtype(case.y.dtype),
        macs=case.M * case.N * case.K,
        estimate_cycles=cycles,
        tiling=f"{tiles.rows} rows x {tiles.blocks} column blocks x {tiles.depth} of K",
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


def _buffers(case: GemmCase, lanes: int, pitches: tuple[int, int, int]) -> tuple[tuple[Buffer, ...], int]:
    """DRAM buffers, and b's zero point as the kernel sees it: a packed b is always int8."""
    a_pitch, b_pitch, y_pitch = pitches
    b_zp = case.b.zero_point
    if case.b_constant is None:
        b = Buffer("b", (case.K - 1) * b_pitch + case.N)
    else:
        signed, b_zp = as_signed(case.b_constant, b_zp)
        packed = pack_weights(signed[None], b_zp, lanes)
        b = Buffer("b", packed.size, contents=packed)
    parameters = pack_parameters(case.y.bias, case.y.scale, case.N, lanes)
    return (
        Buffer("a", (case.M - 1) * a_pitch + case.K),
        b,
        Buffer("parameters", parameters.size, contents=parameters),
        Buffer("y", (case.M - 1) * y_pitch + case.N, is_writable=True),
    ), b_zp


def _problem(machine: Machine, case: GemmCase, buffers: tuple[Buffer, ...]) -> str | None:
    if min(case.M, case.N, case.K) < 1:
        return f"empty product {case.M} x {case.N} x {case.K}"
    if case.b_constant is not None:
        sums = np.abs(case.b_constant.astype(np.int64) - case.b.zero_point).sum(axis=0)
    else:
        limits = np.iinfo(np.dtype(case.b.dtype))
        sums = np.asarray(case.K * max(limits.max - case.b.zero_point, case.b.zero_point - limits.min))
    return (
        quantised_problem("a", case.a)
        or quantised_problem("b", case.b)
        or requantisation_problem(case.y, case.N)
        or overflow_problem(case.a, sums, case.y.bias)
        or dram_problem(machine, buffers)
        or program_problem(machine, "gemm")
    )


def _candidates(machine: Machine, case: GemmCase) -> Iterator[_Tiles]:
    """Tilings worth an estimate: near-equal parts of M, N and K whose tile fits an accumulator half."""
    _, acc_rows = accumulator_halves(machine)
    lanes = machine.lanes
    n_blocks, k_blocks = -(-case.N // lanes), -(-case.K // lanes)
    for blocks in near_equal_parts(n_blocks, min(acc_rows, MAX_COUNT // lanes)):
        for rows in near_equal_parts(case.M, min(acc_rows // blocks, MAX_COUNT)):
            for depth_blocks in near_equal_parts(k_blocks, MAX_COUNT // lanes):
                yield _Tiles(rows, blocks, min(depth_blocks * lanes, case.K))


def _halves(tiles: _Tiles, lanes: int) -> Halves:
    return Halves(
        first=-(-tiles.depth // lanes) * tiles.rows,
        second=tiles.blocks * tiles.depth,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=tiles.blocks * tiles.rows,
    )


def _estimate(
    machine: Machine, case: GemmCase, tiles: _Tiles, regions: Regions, pitches: tuple[int, int, int]
) -> int:
    lanes = machine.lanes
    a_pitch, b_pitch, y_pitch = pitches
    columns = min(tiles.blocks * lanes, case.N)
    load_a = dma_cycles(machine, tiles.depth, tiles.rows, a_pitch)
    if case.b_constant is None:
        load_b = dma_cycles(machine, columns, tiles.depth, b_pitch)
    else:
        load_b = dma_cycles(machine, lanes, tiles.blocks * tiles.depth, lanes)
    n_blocks, k_blocks = -(-case.N // lanes), -(-case.K // lanes)
    depth_blocks = -(-tiles.depth // lanes)
    tiling = Tiling(
        tiles=case.M / tiles.rows * n_blocks / tiles.blocks,
        steps=k_blocks / depth_blocks,
        rounds=depth_blocks,
        blocks=tiles.blocks,
        rows=tiles.rows,
        load_cycles=load_a + load_b,
        store_cycles=dma_cycles(machine, columns, tiles.rows, y_pitch),
        operands_share=regions.operands_share,
        is_serial=regions.is_serial,
    )
    return estimate_cycles(machine, tiling)


def _values(
    machine: Machine,
    case: GemmCase,
    tiles: _Tiles,
    regions: Regions,
    pitches: tuple[int, int, int],
    b_zp: int,
) -> dict[str, int]:
    """Value arguments by name, as asm/gemm.s declares them."""
    lanes = machine.lanes
    is_packed = case.b_constant is not None
    a_pitch, b_pitch, y_pitch = pitches
    y_min, y_max = case.y.bounds()
    return {
        "M": case.M,
        "N": case.N,
        "K": case.K,
        "a_pitch": a_pitch,
        "y_pitch": y_pitch,
        "b_is_packed": int(is_packed),
        "b_row_pitch": lanes if is_packed else b_pitch,
        "b_block_pitch": case.K * lanes if is_packed else lanes,
        "a_is_unsigned": int(case.a.is_unsigned),
        "b_is_unsigned": int(case.b.is_unsigned and not is_packed),
        "a_zp": case.a.zero_point,
        "b_zp": b_zp,
        "y_zp": case.y.zero_point,
        "y_min": y_min,
        "y_max": y_max,
        "lanes": lanes,
        "blocks": -(-case.N // lanes),
        "m_tile": tiles.rows,
        "block_tile": tiles.blocks,
        "k_tile": tiles.depth,
    } | memory_values(machine, regions, _halves(tiles, lanes), ("a", "b"))
