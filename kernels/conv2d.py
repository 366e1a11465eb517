"""Planner of the `conv2d` kernel: NHWC convolution on the address walks of `run`, without an im2col copy, see docs/kernels.md."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, overflow_problem, quantised_problem, requantisation_problem
from accelkit.kernels.estimate import PARAMETER_ROWS, Tiling, dma_cycles, estimate_cycles, near_equal_parts
from accelkit.kernels.packing import as_signed, pack_parameters, pack_weights
from accelkit.kernels.plan import MAX_COUNT, Buffer, ByteArray, Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import Halves, Regions, accumulator_halves, lay_out, memory_values


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


@dataclass(frozen=True)
class _Geometry:
    """The convolution as the kernel walks it; pitches are bytes, of x and y: (image, row, pixel)."""

    images: int
    size: tuple[int, int]
    out_size: tuple[int, int]
    kernel: tuple[int, int]
    strides: tuple[int, int]
    pads: tuple[int, int]  # top, left
    x_pitches: tuple[int, int, int]
    y_pitches: tuple[int, int, int]


@dataclass(frozen=True)
class _Tiles:
    """Sizes of a full tile: pixels of y, column blocks, channels of a step."""

    height: int
    width: int
    blocks: int
    channels: int


def plan_conv2d(machine: Machine, case: Conv2dCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself."""
    if case.weights.ndim != 4 or case.weights.shape[1] != case.x_shape[3]:
        raise ValueError(f"weights {list(case.weights.shape)} do not fit x {list(case.x_shape)} (NHWC)")
    if problem := _shape_problem(case):
        return Refusal(problem)
    signed, w_zp = as_signed(case.weights, case.weights_zero_point)
    buffers = _buffers(machine, case, signed, w_zp)
    if problem := _problem(machine, case, buffers):
        return Refusal(problem)
    geometry = _geometry(case)
    best: tuple[int, _Tiles, Regions] | None = None
    for tiles in _candidates(machine, case, geometry):
        halves = _halves(machine, geometry, tiles)
        regions = lay_out(machine, halves) if halves.largest() <= MAX_COUNT else None
        if regions is not None:
            cycles = _estimate(machine, case, geometry, tiles, regions)
            if best is None or cycles < best[0]:
                best = (cycles, tiles, regions)
    if best is None:
        return Refusal(
            f"a kernel of {geometry.kernel[0]}x{geometry.kernel[1]} needs more than the scratchpad of {machine.name}"
            f" ({machine.scratchpad_rows} rows of {machine.lanes} bytes)"
        )
    cycles, tiles, regions = best
    return Plan(
        kernel="conv2d",
        machine=machine,
        buffers=buffers,
        values=_values(machine, case, geometry, tiles, regions, w_zp),
        output="y",
        output_shape=case.y_shape,
        output_dtype=np.dtype(case.y.dtype),
        macs=prod(case.y_shape) * prod(case.weights.shape[1:]),
        estimate_cycles=cycles,
        tiling=f"{tiles.height}x{tiles.width} pixels x {tiles.blocks} column blocks x {tiles.channels} channels",
    )


def _shape_problem(case: Conv2dCase) -> str | None:
    if min(*case.x_shape, *case.weights.shape) < 1:
        return f"empty convolution of {list(case.x_shape)} with {list(case.weights.shape)}"
    if min(case.strides) < 1 or min(case.pads) < 0:
        return f"strides {list(case.strides)} or pads {list(case.pads)} out of range"
    if min(case.y_shape) < 1:
        return f"the kernel {list(case.weights.shape[2:])} is larger than the padded image"
    return None


def _problem(machine: Machine, case: Conv2dCase, buffers: tuple[Buffer, ...]) -> str | None:
    sums = np.abs(case.weights.astype(np.int64) - case.weights_zero_point).sum(axis=(1, 2, 3))
    return (
        quantised_problem("x", case.x)
        or quantised_problem("w", Quantised(case.weights.dtype, case.weights_zero_point))
        or requantisation_problem(case.y, case.weights.shape[0])
        or overflow_problem(case.x, sums, case.y.bias)
        or dram_problem(machine, buffers)
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


def _geometry(case: Conv2dCase) -> _Geometry:
    """The case with what a 1x1 kernel permits: pixels that a stride skips are not loaded, and rows and images that lie evenly
    apart become one long row, so that tiles can have any number of pixels."""
    images, height, width, channels = case.x_shape
    _, out_height, out_width, outputs = case.y_shape
    kernel = (case.weights.shape[2], case.weights.shape[3])
    x_pitches = (height * width * channels, width * channels, channels)
    y_pitches = (out_height * out_width * outputs, out_width * outputs, outputs)
    general = _Geometry(
        images,
        (height, width),
        (out_height, out_width),
        kernel,
        case.strides,
        case.pads[:2],
        x_pitches,
        y_pitches,
    )
    if kernel != (1, 1) or any(case.pads):
        return general
    image, row, pixel = x_pitches[0], x_pitches[1] * case.strides[0], x_pitches[2] * case.strides[1]
    if row == out_width * pixel:
        out_height, out_width = 1, out_height * out_width
        row = out_width * pixel
        if image == row:
            images, out_width = 1, images * out_width
    return replace(
        general,
        images=images,
        size=(out_height, out_width),
        out_size=(out_height, out_width),
        strides=(1, 1),
        x_pitches=(image, row, pixel),
        y_pitches=(y_pitches[0], out_width * outputs, outputs),
    )


def _candidates(machine: Machine, case: Conv2dCase, geometry: _Geometry) -> Iterator[_Tiles]:
    """Tilings worth an estimate: near-equal parts of the output whose tile fits an accumulator half."""
    _, acc_rows = accumulator_halves(machine)
    lanes = machine.lanes
    outputs, channels = case.weights.shape[:2]
    for blocks in near_equal_parts(-(-outputs // lanes), min(acc_rows, MAX_COUNT // lanes)):
        for width in near_equal_parts(geometry.out_size[1], acc_rows // blocks):
            for height in near_equal_parts(geometry.out_size[0], acc_rows // (blocks * width)):
                for channel_blocks in near_equal_parts(-(-channels // lanes), MAX_COUNT // lanes):
                    yield _Tiles(height, width, blocks, min(channel_blocks * lanes, channels))


def _x_size(geometry: _Geometry, tiles: _Tiles) -> tuple[int, int]:
    """Rows and pixels of x that a full tile needs."""
    return (
        (tiles.height - 1) * geometry.strides[0] + geometry.kernel[0],
        (tiles.width - 1) * geometry.strides[1] + geometry.kernel[1],
    )


def _halves(machine: Machine, geometry: _Geometry, tiles: _Tiles) -> Halves:
    return Halves(
        first=-(-tiles.channels // machine.lanes) * prod(_x_size(geometry, tiles)),
        second=tiles.blocks * prod(geometry.kernel) * tiles.channels,
        parameters=tiles.blocks * PARAMETER_ROWS,
        outputs=tiles.blocks * tiles.height * tiles.width,
    )


def _estimate(
    machine: Machine, case: Conv2dCase, geometry: _Geometry, tiles: _Tiles, regions: Regions
) -> int:
    lanes = machine.lanes
    outputs, channels = case.weights.shape[:2]
    taps = prod(geometry.kernel)
    x_height, x_width = _x_size(geometry, tiles)
    channel_blocks = -(-tiles.channels // lanes)
    n_blocks = -(-outputs // lanes)
    columns = min(tiles.blocks * lanes, outputs)
    load_x = x_height * dma_cycles(machine, tiles.channels, x_width, geometry.x_pitches[2])
    load_w = dma_cycles(machine, lanes, tiles.blocks * taps * tiles.channels, lanes)
    out_height, out_width = geometry.out_size
    tiling = Tiling(
        tiles=geometry.images
        * (out_height / tiles.height)
        * (out_width / tiles.width)
        * (n_blocks / tiles.blocks),
        steps=-(-channels // lanes) / channel_blocks,
        rounds=channel_blocks * taps,
        blocks=tiles.blocks,
        rows=tiles.height * tiles.width,
        load_cycles=load_x + load_w,
        store_cycles=tiles.height * dma_cycles(machine, columns, tiles.width, geometry.y_pitches[2]),
        operands_share=regions.operands_share,
        is_serial=regions.is_serial,
    )
    return estimate_cycles(machine, tiling)


def _values(
    machine: Machine, case: Conv2dCase, geometry: _Geometry, tiles: _Tiles, regions: Regions, w_zp: int
) -> dict[str, int]:
    """Value arguments by name, as asm/conv2d.s declares them."""
    return (
        _case_values(machine, case, geometry, w_zp)
        | _tile_values(machine, geometry, tiles)
        | memory_values(machine, regions, _halves(machine, geometry, tiles), ("x", "w"))
    )


def _case_values(machine: Machine, case: Conv2dCase, geometry: _Geometry, w_zp: int) -> dict[str, int]:
    outputs, channels = case.weights.shape[:2]
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
        "channels": channels,
        "kernel_height": geometry.kernel[0],
        "kernel_width": geometry.kernel[1],
        "taps": prod(geometry.kernel),
        "stride_y": geometry.strides[0],
        "stride_x": geometry.strides[1],
        "pad_top": geometry.pads[0],
        "pad_left": geometry.pads[1],
        "out_height": geometry.out_size[0],
        "out_width": geometry.out_size[1],
        "outputs": outputs,
        "x_is_unsigned": int(case.x.is_unsigned),
        "x_zp": case.x.zero_point,
        "w_zp": w_zp,
        "y_zp": case.y.zero_point,
        "y_min": y_min,
        "y_max": y_max,
        "lanes": machine.lanes,
        "blocks": -(-outputs // machine.lanes),
    }


def _tile_values(machine: Machine, geometry: _Geometry, tiles: _Tiles) -> dict[str, int]:
    x_height, x_width = _x_size(geometry, tiles)
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
