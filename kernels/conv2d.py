"""Planner of the `conv2d` kernel: NHWC convolution on the address walks of `run`, without an im2col copy, see docs/kernels.md."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, overflow_problem, quantised_problem, requantisation_problem
from accelkit.kernels.conv2d_tiles import (
    Conv2dTiles,
    Geometry,
    conv2d_halves,
    conv2d_tilings,
    estimate_conv2d,
)
from accelkit.kernels.packing import as_signed, pack_parameters, pack_weights
from accelkit.kernels.plan import Buffer, ByteArray, Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import choose, memory_text, memory_values


@dataclass(frozen=True)
class Conv2dCase:
    """A 2-D convolution of 8-bit operands, dilation 1, one group.

    Activations lie in DRAM as NHWC: `x_shape` is [batch, height, width, channels], buffer "x"; the result, buffer "y", is
    [batch, output height, output width, outputs]. `weights` have ONNX's shape [outputs, channels, kernel height, kernel width] and
    one zero point, `weights_zero_point`. `strides` are (vertical, horizontal), `pads` (top, left, bottom, right) as ONNX has them.
    """

    x_shape: tuple[int, int, int, int]
    x: Quantised
    weights: ByteArray
    weights_zero_point: int
    y: Requantisation
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def y_shape(self) -> tuple[int, int, int, int]:
        """Shape of the result, NHWC; entries may be below 1 if the kernel is larger than the padded image."""
        batch, height, width, _ = self.x_shape
        outputs, _, kernel_height, kernel_width = self.weights.shape
        top, left, bottom, right = self.pads
        return (
            batch,
            (height + top + bottom - kernel_height) // self.strides[0] + 1,
            (width + left + right - kernel_width) // self.strides[1] + 1,
            outputs,
        )

    def geometry(self) -> Geometry:
        """The convolution as the kernel walks it, with what a 1x1 kernel permits: pixels that a stride skips are not loaded, and rows
        and images that lie evenly apart become one long row, so that tiles can have any number of pixels."""
        images, height, width, channels = self.x_shape
        _, out_height, out_width, outputs = self.y_shape
        general = Geometry(
            images,
            channels,
            outputs,
            size=(height, width),
            out_size=(out_height, out_width),
            kernel=(self.weights.shape[2], self.weights.shape[3]),
            strides=self.strides,
            pads=self.pads[:2],
            x_pitches=(height * width * channels, width * channels, channels),
            y_pitches=(out_height * out_width * outputs, out_width * outputs, outputs),
        )
        if general.kernel != (1, 1) or any(self.pads):
            return general
        image = general.x_pitches[0]
        row, pixel = width * channels * self.strides[0], channels * self.strides[1]
        if row == out_width * pixel:
            out_height, out_width = 1, out_height * out_width
            row = out_width * pixel
            if image == row:
                images, out_width = 1, images * out_width
        size = (out_height, out_width)
        return replace(
            general,
            images=images,
            size=size,
            out_size=size,
            strides=(1, 1),
            x_pitches=(image, row, pixel),
            y_pitches=(general.y_pitches[0], out_width * outputs, outputs),
        )


def plan_conv2d(machine: Machine, case: Conv2dCase, tiles: Conv2dTiles | None = None) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself.

    The planner chooses the tiling that it expects to take the fewest cycles; `tiles` prescribes one.
    """
    if case.weights.ndim != 4 or case.weights.shape[1] != case.x_shape[3]:
        raise ValueError(f"weights {list(case.weights.shape)} do not fit x {list(case.x_shape)} (NHWC)")
    if problem := _shape_problem(case) or _problem(machine, case):
        return Refusal(problem)
    signed, w_zp = as_signed(case.weights, case.weights_zero_point)
    buffers = _buffers(machine, case, signed, w_zp)
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    geometry = case.geometry()
    fit = choose(
        machine,
        conv2d_tilings(machine, geometry) if tiles is None else [tiles],
        lambda tiles: conv2d_halves(machine, geometry, tiles),
        lambda tiles, regions: estimate_conv2d(machine, geometry, tiles, regions),
    )
    if fit is None:
        height, width = geometry.kernel
        return Refusal(f"no tile for a kernel of {height}x{width} fits {memory_text(machine)}")
    return Plan(
        kernel="conv2d",
        machine=machine,
        buffers=buffers,
        values=_case_values(machine, case, geometry, w_zp)
        | _tile_values(machine, geometry, fit.tiles)
        | memory_values(machine, fit.regions, fit.halves, ("x", "w")),
        output="y",
        output_shape=case.y_shape,
        output_dtype=np.dtype(case.y.dtype),
        macs=prod(case.y_shape) * prod(case.weights.shape[1:]),
        estimate_cycles=fit.cycles,
        tiling=str(fit.tiles),
    )


def _shape_problem(case: Conv2dCase) -> str | None:
    if min(*case.x_shape, *case.weights.shape) < 1:
        return f"empty convolution of {list(case.x_shape)} with {list(case.weights.shape)}"
    if min(case.strides) < 1 or min(case.pads) < 0:
        return f"strides {list(case.strides)} or pads {list(case.pads)} out of range"
    if min(case.y_shape) < 1:
        return f"the kernel {list(case.weights.shape[2:])} is larger than the padded image"
    return None


def _problem(machine: Machine, case: Conv2dCase) -> str | None:
    sums = np.abs(case.weights.astype(np.int64) - case.weights_zero_point).sum(axis=(1, 2, 3))
    return (
        quantised_problem("x", case.x)
        or quantised_problem("w", Quantised(case.weights.dtype, case.weights_zero_point))
        or requantisation_problem(case.y, case.weights.shape[0])
        or overflow_problem(case.x, sums, case.y.bias)
        or program_problem(machine, "conv2d")
    )


def _buffers(
    machine: Machine, case: Conv2dCase, signed: npt.NDArray[np.int8], w_zp: int
) -> tuple[Buffer, ...]:
    outputs, channels, height, width = signed.shape
    taps = signed.transpose(2, 3, 1, 0).reshape(height * width, channels, outputs)
    packed = pack_weights(taps, w_zp, machine.lanes)
    parameters = pack_parameters(case.y.bias, case.y.scale, outputs, machine.lanes)
    return (
        Buffer("x", prod(case.x_shape)),
        Buffer("w", packed.size, contents=packed),
        Buffer("parameters", parameters.size, contents=parameters),
        Buffer("y", prod(case.y_shape), is_writable=True),
    )


def _case_values(machine: Machine, case: Conv2dCase, geometry: Geometry, w_zp: int) -> dict[str, int]:
    y_min, y_max = case.y.bounds()
    return {
        "images": geometry.images,
        "x_image_pitch": geometry.x_pitches[0],
        "x_row_pitch": geometry.x_pitches[1],
        "x_pixel_pitch": geometry.x_pitches[2],
        "y_image_pitch": geometry.y_pitches[0],
        "y_row_pitch": geometry.y_pitches[1],
        "y_pixel_pitch": geometry.y_pitches[2],
        "height": geometry.size[0],
        "width": geometry.size[1],
        "channels": geometry.channels,
        "kernel_height": geometry.kernel[0],
        "kernel_width": geometry.kernel[1],
        "taps": geometry.taps,
        "stride_y": geometry.strides[0],
        "stride_x": geometry.strides[1],
        "pad_top": geometry.pads[0],
        "pad_left": geometry.pads[1],
        "out_height": geometry.out_size[0],
        "out_width": geometry.out_size[1],
        "outputs": geometry.outputs,
        "x_is_unsigned": int(case.x.is_unsigned),
        "x_zp": case.x.zero_point,
        "w_zp": w_zp,
        "y_zp": case.y.zero_point,
        "y_min": y_min,
        "y_max": y_max,
        "lanes": machine.lanes,
        "blocks": -(-geometry.outputs // machine.lanes),
    }


def _tile_values(machine: Machine, geometry: Geometry, tiles: Conv2dTiles) -> dict[str, int]:
    x_height, x_width = tiles.x_size(geometry)
    x_blocks = -(-tiles.channels // machine.lanes)
    return {
        "height_tile": tiles.height,
        "width_tile": tiles.width,
        "block_tile": tiles.blocks,
        "channel_tile": tiles.channels,
        "x_width": x_width,
        "x_block_rows": x_height * x_width,
        "x_blocks": x_blocks,
        "x_height_all": x_blocks * x_height,
        "x_plane_step": geometry.strides[0] * x_width,
        "x_next_row": x_width - geometry.kernel[1],
        "x_next_block": x_height * x_width - geometry.kernel[0] * x_width,
    }
