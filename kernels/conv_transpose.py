"""Planner of transposed convolutions: as many `conv2d` launches as there are phases of the strides, see docs/kernels.md.

Results that lie a stride apart take the same taps of the kernel: they are a convolution of x with those taps, with stride 1. Nothing is
multiplied with the zeros that a transposed convolution is often said to put between the pixels of x.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd, prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, quantised_problem, requantisation_problem
from accelkit.kernels.conv2d import fit_tiles
from accelkit.kernels.conv2d_geometry import Geometry, View, merged_groups
from accelkit.kernels.conv2d_values import group_parameters, pack_groups, step_values, type_values
from accelkit.kernels.packing import as_signed
from accelkit.kernels.plan import Buffer, ByteArray, Place, Plan, Quantised, Refusal, Requantisation, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.reach import settle_bias, sum_magnitudes
from accelkit.kernels.regions import memory_text


@dataclass(frozen=True)
class ConvTransposeCase:
    """A transposed 2-D convolution of 8-bit operands, NHWC.

    `weights` have ONNX's shape [channels, outputs / groups, kernel height, kernel width]; pixel (i, j) of x adds to pixel
    (i * stride + tap * dilation - pad) of y. `strides`, `dilations` and `output_padding` are (vertical, horizontal), `pads` (top, left,
    bottom, right) cut y off.
    """

    x_shape: tuple[int, int, int, int]
    x: Quantised
    weights: ByteArray
    weights_zero_point: int
    y: Requantisation
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    output_padding: tuple[int, int] = (0, 0)
    groups: int = 1

    @property
    def y_shape(self) -> tuple[int, int, int, int]:
        """Shape of the result, NHWC; entries may be below 1 if the pads leave nothing."""
        height, width = (
            self.strides[a] * (self.x_shape[1 + a] - 1)
            + self.output_padding[a]
            + (self.weights.shape[2 + a] - 1) * self.dilations[a]
            + 1
            - self.pads[a]
            - self.pads[a + 2]
            for a in (0, 1)
        )
        return self.x_shape[0], height, width, self.weights.shape[1] * self.groups


@dataclass(frozen=True)
class _Phase:
    """Along one axis, results `first`, `first + stride`, ...: `count` of them, from taps `taps` (which may be none) in the order of x,
    `dilation` apart there, the first at `-pad`."""

    first: int
    count: int
    taps: tuple[int, ...]
    dilation: int
    pad: int


def _phases(case: ConvTransposeCase, axis: int) -> Iterator[_Phase]:
    stride, dilation, pad = case.strides[axis], case.dilations[axis], case.pads[axis]
    common = gcd(stride, dilation)
    for first in range(min(stride, case.y_shape[1 + axis])):
        taps = [tap for tap in range(case.weights.shape[2 + axis]) if (first + pad - tap * dilation) % stride == 0]
        step = dilation // common
        # The last tap meets the first pixel of x.
        x_first = (first + pad - taps[-1] * dilation) // stride if taps else 0
        count = -(-(case.y_shape[1 + axis] - first) // stride)
        yield _Phase(first, count, tuple(reversed(taps)), step, -x_first)


def plan_conv_transpose(machine: Machine, case: ConvTransposeCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself."""
    if case.weights.ndim != 4 or case.weights.shape[0] != case.x_shape[3] or case.x_shape[3] % case.groups:
        raise ValueError(f"weights {list(case.weights.shape)} do not fit x {list(case.x_shape)} (NHWC) in {case.groups} groups")
    if problem := _problem(machine, case):
        return Refusal(problem)
    per_output = sum_magnitudes(case.weights, case.weights_zero_point, axis=(2, 3))
    sums = per_output.reshape(case.groups, -1, per_output.shape[1]).sum(axis=1).reshape(-1)
    settled = settle_bias(case.x, sums, case.y)
    if isinstance(settled, Refusal):
        return settled
    case = replace(case, y=settled)
    signed, w_zp = as_signed(case.weights, case.weights_zero_point)
    channels, outputs, height, width = signed.shape
    # As conv2d has them: [outputs, channels of a group, height, width].
    signed = signed.reshape(case.groups, channels // case.groups, outputs, height, width).transpose(0, 2, 1, 3, 4)
    signed = signed.reshape(case.groups * outputs, channels // case.groups, height, width)
    steps: list[Step] = []
    weights: list[npt.NDArray[np.uint8]] = []
    tilings: list[str] = []
    cycles = 0
    for vertical in _phases(case, 0):
        for horizontal in _phases(case, 1):
            view = _view(machine, case, vertical, horizontal)
            fit = fit_tiles(machine, view.geometry)
            if fit is None:
                return Refusal(f"no tile for a transposed kernel of {height}x{width} fits {memory_text(machine)}")
            taps = _taps(signed, vertical, horizontal, w_zp)
            packed = pack_groups(machine, view.weights(taps, w_zp), w_zp)
            _, y_row, y_pixel = _y_pitches(case)
            places = {
                "extra": Place("x"),
                "w": Place("w", sum(part.size for part in weights)),
                "y": Place("y", vertical.first * y_row + horizontal.first * y_pixel),
            }
            values = step_values(machine, view.geometry, fit) | type_values(case.x, w_zp, case.y)
            steps.append(Step("conv2d", values, places))
            weights.append(packed)
            cycles += fit.cycles
            tilings.append(str(fit.tiles))
    parameters = group_parameters(machine, view.geometry.groups, view.geometry.outputs, case.y)  # of all phases
    w = np.concatenate(weights)
    buffers = (
        Buffer("x", prod(case.x_shape)),
        Buffer("w", w.size, contents=w),
        Buffer("parameters", parameters.size, contents=parameters),
        Buffer("y", prod(case.y_shape), is_writable=True),
    )
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    return Plan(
        kernel="transposed conv2d",
        machine=machine,
        buffers=buffers,
        steps=tuple(steps),
        output="y",
        output_shape=case.y_shape,
        output_dtype=np.dtype(case.y.dtype),
        macs=prod(case.x_shape) * prod(case.weights.shape[1:]),
        estimate_cycles=cycles + (len(steps) - 1) * machine.launch_cycles,
        tiling=f"{len(steps)} phases, the first {tilings[0]}",
    )


def _y_pitches(case: ConvTransposeCase) -> tuple[int, int, int]:
    _, height, width, outputs = case.y_shape
    return height * width * outputs, width * outputs, outputs


def _view(machine: Machine, case: ConvTransposeCase, vertical: _Phase, horizontal: _Phase) -> View:
    """The convolution that gives one phase of y."""
    images, height, width, channels = case.x_shape
    outputs = case.y_shape[3]
    merged = merged_groups(case.groups, channels, outputs, machine.lanes)
    image, row, pixel = _y_pitches(case)
    geometry = Geometry(
        images,
        channels * merged // case.groups,
        outputs * merged // case.groups,
        size=(height, width),
        out_size=(vertical.count, horizontal.count),
        kernel=(max(1, len(vertical.taps)), max(1, len(horizontal.taps))),
        strides=(1, 1),
        pads=(vertical.pad, horizontal.pad),
        x_pitches=(height * width * channels, width * channels, channels),
        y_pitches=(image, row * case.strides[0], pixel * case.strides[1]),
        dilations=(vertical.dilation, horizontal.dilation),
        groups=case.groups // merged,
    )
    return View(geometry, merged)


def _taps(
    signed: npt.NDArray[np.int8], vertical: _Phase, horizontal: _Phase, zero_point: int
) -> npt.NDArray[np.int8]:
    """The weights of a phase; results that no tap meets get one tap that adds nothing."""
    if vertical.taps and horizontal.taps:
        return signed[:, :, vertical.taps][:, :, :, horizontal.taps]
    shape = (max(1, len(vertical.taps)), max(1, len(horizontal.taps)))
    return np.full((*signed.shape[:2], *shape), zero_point, np.int8)


def _problem(machine: Machine, case: ConvTransposeCase) -> str | None:
    if min(*case.x_shape, *case.weights.shape) < 1:
        return f"empty transposed convolution of {list(case.x_shape)} with {list(case.weights.shape)}"
    if min(*case.strides, *case.dilations) < 1 or min(*case.pads, *case.output_padding) < 0:
        return (
            f"strides {list(case.strides)}, dilations {list(case.dilations)}, pads {list(case.pads)} or output padding"
            f" {list(case.output_padding)} out of range"
        )
    if min(case.y_shape) < 1:
        return f"pads {list(case.pads)} leave nothing of the result"
    return (
        quantised_problem("x", case.x)
        or quantised_problem("w", Quantised(case.weights.dtype, case.weights_zero_point))
        or requantisation_problem(case.y, case.y_shape[3])
        or program_problem(machine, "conv2d")
    )
