"""Planner of the `conv2d` kernel: NHWC convolution on the address walks of `run`, without an im2col copy, see docs/kernels.md."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, quantised_problem, requantisation_problem
from accelkit.kernels.conv2d_geometry import Conv2dCase, Geometry, View, resident_views, views
from accelkit.kernels.conv2d_tiles import (
    CONV2D_SCALARS,
    Conv2dTiles,
    conv2d_halves,
    conv2d_passes,
    conv2d_tilings,
    conv2d_work,
)
from accelkit.kernels.conv2d_values import group_parameters, pack_groups, step_values, type_values
from accelkit.kernels.depthwise import is_depthwise, plan_depthwise
from accelkit.kernels.epilogue import (
    Kind,
    Residual,
    epilogue_buffers,
    epilogue_dtype,
    epilogue_place,
    epilogue_problem,
    kind_of,
)
from accelkit.kernels.memo import remembered
from accelkit.kernels.move import Axis, Fill, Move, move_cycles, move_step
from accelkit.kernels.packing import as_signed
from accelkit.kernels.plan import Buffer, Place, Plan, Quantised, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.reach import settle_bias, sum_magnitudes
from accelkit.kernels.regions import memory_text
from accelkit.kernels.residency import NOTHING_STAYS, Stays, residency_problem
from accelkit.kernels.search import Fit, choose

__all__ = ["Conv2dCase", "plan_conv2d"]


def plan_conv2d(
    machine: Machine,
    case: Conv2dCase,
    tiles: Conv2dTiles | None = None,
    view: View | None = None,
    stays: Stays = NOTHING_STAYS,
) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself.

    The planner chooses the view and the tiling that it expects to take the fewest cycles; `view` and `tiles` prescribe one. `stays` says
    what of x, y and the residual lies in the scratchpad: those have no buffers then, and a plan without y has output "".
    """
    if case.weights.ndim != 4 or case.weights.shape[1] * case.groups != case.x_shape[3]:
        raise ValueError(
            f"weights {list(case.weights.shape)} do not fit x {list(case.x_shape)} (NHWC) in {case.groups} groups"
        )
    if problem := _shape_problem(case) or _problem(machine, case):
        return Refusal(problem)
    sums = sum_magnitudes(case.weights, case.weights_zero_point, axis=(1, 2, 3))
    settled = settle_bias(case.x, sums, case.y)
    if isinstance(settled, Refusal):
        return settled
    case = replace(case, y=settled)
    if is_depthwise(case) and view is None and tiles is None:
        plan = plan_depthwise(machine, case, stays=stays)
        if isinstance(plan, Plan) or isinstance(case.epilogue, Residual) or stays.is_any():
            return plan  # else groups on the array, slower by far
    if problem := residency_problem(machine, stays, case.x_shape[0], case.x_shape[1:3], case.pads, case.y_shape[1:3], case.epilogue):
        return Refusal(problem)
    if stays.is_any():
        seen = list(resident_views(machine, case, stays))[: 1 if tiles else None]  # prescribed tiles are those of the first
    else:
        seen = [(view, stays) for view in ([view] if view else views(machine, case))]
    choices = [_choose(stays.within(machine), case, view, tiles, stays) for view, stays in seen]
    chosen = min((choice for choice in choices if choice), key=lambda choice: choice.cycles, default=None)
    if chosen is None or (stays.is_any() and (chosen.fit.regions.is_serial or chosen.view.geometry.groups > 1)):
        height, width = case.weights.shape[2:]
        return Refusal(f"no tile for a kernel of {height}x{width} fits {memory_text(stays.within(machine))}")
    signed, w_zp = as_signed(case.weights, case.weights_zero_point)
    buffers = stays.buffers(_buffers(machine, case, chosen, signed, w_zp))
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    geometry, fit = chosen.view.geometry, chosen.fit
    values = step_values(machine, geometry, fit, case.epilogue, chosen.stays) | type_values(case.x, w_zp, case.y)
    pixels = Place("padded", chosen.view.first) if chosen.copy else Place("x")
    places = stays.places({"x": pixels, "extra": epilogue_place(case.epilogue, "w"), "y": Place("y")}, "w")
    steps = (*((chosen.copy,) if chosen.copy else ()), Step("conv2d", values, places))
    return Plan(
        kernel="conv2d",
        machine=machine,
        buffers=buffers,
        steps=steps,
        output="" if stays.y else "y",
        output_shape=case.y_shape,
        output_dtype=epilogue_dtype(case.y, case.epilogue),
        macs=prod(case.y_shape) * prod(case.weights.shape[1:]),
        estimate_cycles=chosen.cycles,
        tiling=f"{'windows, ' if chosen.view.is_folded else ''}{fit.tiles}",
    )


@dataclass(frozen=True)
class _Choice:
    """A view with its best tiling, what stays as it sees it, and the launch that copies x for it, if any."""

    view: View
    stays: Stays
    fit: Fit[Conv2dTiles]
    copy: Step | None
    cycles: int


def _choose(machine: Machine, case: Conv2dCase, view: View, tiles: Conv2dTiles | None, stays: Stays) -> _Choice | None:
    geometry = view.geometry
    fit = fit_tiles(machine, geometry, tiles, kind_of(case.epilogue), stays.anywhere())
    if fit is None:
        return None
    if not view.gap:
        return _Choice(view, stays, fit, None, fit.cycles)
    move = _padding(case, view)
    copy = move_step(machine, move)
    if isinstance(copy, Refusal):
        return None
    return _Choice(view, stays, fit, copy, fit.cycles + machine.launch_cycles + move_cycles(machine, move))


@remembered  # networks repeat their layers
def fit_tiles(
    machine: Machine,
    geometry: Geometry,
    tiles: Conv2dTiles | None = None,
    epilogue: Kind = Kind.NONE,
    stays: Stays = NOTHING_STAYS,
) -> Fit[Conv2dTiles] | None:
    """The best tiling of a geometry, or the prescribed one; None if none fits."""
    return choose(
        machine,
        CONV2D_SCALARS,
        conv2d_tilings(machine, geometry) if tiles is None else [tiles],
        lambda tiles: conv2d_halves(machine, geometry, tiles, epilogue, stays),
        lambda tiles: conv2d_work(machine, geometry, tiles, epilogue, stays),
        lambda tiles: conv2d_passes(machine, geometry, tiles, epilogue, stays),
    )


def _padding(case: Conv2dCase, view: View) -> Move:
    """x with gaps of zero points before, between and behind its rows."""
    images, height, width, channels = case.x_shape
    rows, gap = images * height, view.gap
    row = width * channels
    fill = Fill(0, gap, case.x.zero_point, rows=rows + 1, row_pitch=row + gap)
    axes = (Axis(rows, row, row + gap),)
    return Move(Place("x"), Place("padded", 0), rows * (row + gap) + gap, axes, row, fill, first=gap)


def _shape_problem(case: Conv2dCase) -> str | None:
    if min(*case.x_shape, *case.weights.shape) < 1:
        return f"empty convolution of {list(case.x_shape)} with {list(case.weights.shape)}"
    if min(case.strides) < 1 or min(case.pads) < 0 or min(case.dilations) < 1:
        return f"strides {list(case.strides)}, pads {list(case.pads)} or dilations {list(case.dilations)} out of range"
    if case.weights.shape[0] % case.groups:
        return f"{case.weights.shape[0]} outputs in {case.groups} groups"
    if min(case.y_shape) < 1:
        return f"the kernel {list(case.weights.shape[2:])} is larger than the padded image"
    return None


def _problem(machine: Machine, case: Conv2dCase) -> str | None:
    return (
        quantised_problem("x", case.x)
        or quantised_problem("w", Quantised(case.weights.dtype, case.weights_zero_point))
        or requantisation_problem(case.y, case.weights.shape[0])
        or epilogue_problem(case.y, prod(case.y_shape), case.epilogue)
        or program_problem(machine, "conv2d")
    )


def _buffers(
    machine: Machine, case: Conv2dCase, chosen: _Choice, signed: npt.NDArray[np.int8], w_zp: int
) -> tuple[Buffer, ...]:
    geometry = chosen.view.geometry
    columns = -(-geometry.outputs // machine.lanes) * machine.lanes
    nbytes = geometry.groups * geometry.taps * geometry.channels * columns
    parameters = group_parameters(machine, geometry.groups, geometry.outputs, case.y)
    padded = (Buffer("padded", chosen.copy.values["dst_bytes"], is_writable=True),) if chosen.copy else ()
    return (
        Buffer("x", prod(case.x_shape)),
        *padded,
        Buffer("w", nbytes, contents=lambda: pack_groups(machine, chosen.view.weights(signed, w_zp), w_zp)),
        Buffer("parameters", parameters.size, contents=parameters),
        *epilogue_buffers(case.epilogue, prod(case.y_shape)),
        Buffer("y", prod(case.y_shape), is_writable=True),
    )
