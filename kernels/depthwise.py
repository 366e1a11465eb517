"""Planner of depthwise convolutions on the vector unit: each channel with a kernel of its own, see docs/kernels.md."""

from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem
from accelkit.kernels.conv2d_geometry import Conv2dCase, Geometry, dense_pitches
from accelkit.kernels.conv2d_values import type_values
from accelkit.kernels.epilogue import (
    LOOKUP,
    Residual,
    epilogue_buffers,
    epilogue_dtype,
    epilogue_place,
    kind_of,
)
from accelkit.kernels.packing import as_signed, pack_parameters
from accelkit.kernels.plan import Buffer, Place, Plan, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import memory_text
from accelkit.kernels.residency import NOTHING_STAYS, Stays, residency_problem
from accelkit.kernels.window import (
    MAX_WEIGHT_TAPS,
    Operation,
    WindowTiles,
    fit_window,
    window_values,
)


def is_depthwise(case: Conv2dCase) -> bool:
    """Each output channel has one input channel of its own."""
    return bool(case.x_shape[3] == case.weights.shape[0] == case.groups)


def plan_depthwise(
    machine: Machine, case: Conv2dCase, tiles: WindowTiles | None = None, stays: Stays = NOTHING_STAYS
) -> Plan | Refusal:
    """A plan of a depthwise case that `conv2d`'s planner has found valid, or why there is none; `stays` as there."""
    taps = prod(case.weights.shape[2:])
    if taps > MAX_WEIGHT_TAPS:
        return Refusal(f"a depthwise kernel of {taps} taps; the vector unit holds {MAX_WEIGHT_TAPS}")
    if isinstance(case.epilogue, Residual):
        return Refusal("a depthwise convolution with a sum as its epilogue; the kernel has tables")
    if problem := program_problem(machine, "window"):
        return Refusal(problem)
    if problem := residency_problem(machine, stays, case.x_shape[0], case.x_shape[1:3], case.pads, case.y_shape[1:3], None):
        return Refusal(problem)
    if stays.y and stays.y.has_border(case.y_shape[1:3]):
        return Refusal("a depthwise convolution whose result stays with a border; the kernel writes none")
    geometry = depthwise_geometry(case)
    kind = kind_of(case.epilogue)
    fit = fit_window(stays.within(machine), geometry, Operation.DEPTHWISE, tiles, kind, stays.anywhere())
    if fit is None:
        height, width = geometry.kernel
        return Refusal(f"no tile for a kernel of {height}x{width} fits {memory_text(stays.within(machine))}")
    signed, w_zp = as_signed(case.weights, case.weights_zero_point)
    packed = _pack(signed, machine.lanes)
    parameters = pack_parameters(case.y.bias, case.y.scale, geometry.channels, machine.lanes)
    buffers: tuple[Buffer, ...] = (
        Buffer("x", prod(case.x_shape)),
        Buffer("w", packed.size, contents=packed),
        Buffer("parameters", parameters.size, contents=parameters),
        *epilogue_buffers(case.epilogue, prod(case.y_shape)),
        Buffer("y", prod(case.y_shape), is_writable=True),
    )
    buffers = stays.buffers(buffers)
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    values = window_values(machine, geometry, Operation.DEPTHWISE, fit, case.x.is_unsigned, case.x.zero_point, stays)
    values["ending"] |= LOOKUP if case.epilogue else 0
    types = type_values(case.x, w_zp, case.y)
    table = epilogue_place(case.epilogue, "w")
    places = stays.places({"x": Place("x"), "weights": Place("w"), "table": table, "y": Place("y")}, "w")
    return Plan(
        kernel="depthwise",
        machine=machine,
        buffers=buffers,
        steps=(Step("window", values | types, places),),
        output="" if stays.y else "y",
        output_shape=case.y_shape,
        output_dtype=epilogue_dtype(case.y, case.epilogue),
        macs=prod(case.y_shape) * taps,
        estimate_cycles=fit.cycles,
        tiling=str(fit.tiles),
    )


def depthwise_geometry(case: Conv2dCase) -> Geometry:
    """The case as the `window` kernel walks it: a channel is its own group, all walk together."""
    images, height, width, channels = case.x_shape
    _, out_height, out_width, _ = case.y_shape
    return Geometry(
        images,
        channels,
        channels,
        size=(height, width),
        out_size=(out_height, out_width),
        kernel=(case.weights.shape[2], case.weights.shape[3]),
        strides=case.strides,
        pads=case.pads[:2],
        x_pitches=dense_pitches(case.x_shape),
        y_pitches=dense_pitches(case.y_shape),
        dilations=case.dilations,
    )


def _pack(signed: npt.NDArray[np.int8], lanes: int) -> npt.NDArray[np.uint8]:
    """Weights [channels, 1, height, width] as bytes [channel blocks][taps][lanes]."""
    channels, _, height, width = signed.shape
    blocks = -(-channels // lanes)
    padded = np.zeros((blocks * lanes, height * width), np.int8)
    padded[:channels] = signed.reshape(channels, height * width)
    by_tap = padded.reshape(blocks, lanes, height * width).transpose(0, 2, 1)
    return np.ascontiguousarray(by_tap).view(np.uint8).reshape(-1)
