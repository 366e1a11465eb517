"""What a launch of asm/conv2d.s gets: value arguments, packed weights and parameter blocks."""

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.conv2d_tiles import Conv2dTiles
from accelkit.kernels.epilogue import LOADS_RESIDUAL, LOOKUP, X_STAYS, Y_STAYS, Epilogue, epilogue_values
from accelkit.kernels.packing import pack_parameters, pack_weights
from accelkit.kernels.plan import Quantised, Requantisation
from accelkit.kernels.regions import memory_values
from accelkit.kernels.residency import NOTHING_STAYS, Frame, Stays
from accelkit.kernels.search import Fit

SPECIAL_X, SPECIAL_Y, SPECIAL_TABLE = 1, 2, 4  # bits of `special` in asm/conv2d.s
_NO_FRAMES = dict.fromkeys(("x_step_rows", "y_block_rows", "y_frame_height", "y_corner", "y_gap", "y_foot", "y_border"), 0)


def step_values(
    machine: Machine,
    geometry: Geometry,
    fit: Fit[Conv2dTiles],
    epilogue: Epilogue | None = None,
    stays: Stays = NOTHING_STAYS,
) -> dict[str, int]:
    """What follows from geometry, tiles and their place, and the epilogue."""
    memory = memory_values(machine, fit.regions, fit.halves, ("x", "w"))
    ending, sum_values = epilogue_values(epilogue)
    memory["ending"] |= ending
    memory["special"] = SPECIAL_TABLE if ending == LOOKUP else 0
    x_size = (stays.x.height, stays.x.width) if stays.x else fit.tiles.x_size(geometry)
    values = geometry_values(geometry) | _tile_values(machine, geometry, fit.tiles, x_size)
    values |= memory | sum_values | _NO_FRAMES
    if stays.x:
        values |= {
            "x_base": stays.x.pixel(-geometry.pads[0], -geometry.pads[1]),
            "x_step_rows": values["x_blocks"] * values["x_block_rows"],
        }
        values["special"] |= SPECIAL_X
        values["ending"] |= X_STAYS
    if stays.y:
        values |= _y_frame(geometry, stays.y)
        values["special"] |= SPECIAL_Y
        values["ending"] |= Y_STAYS
    if stays.y and stays.residual:
        values["extra_base"] = stays.residual.first - stays.y.first
        values["ending"] &= ~LOADS_RESIDUAL
    return values


def _y_frame(geometry: Geometry, frame: Frame) -> dict[str, int]:
    height, width = geometry.out_size
    bottom, right = frame.height - frame.top - height, frame.width - frame.left - width
    return {
        "output_base": frame.pixel(0, 0),
        "y_row_pitch": frame.width,
        "y_block_rows": frame.block_rows,
        "y_frame_height": frame.height,
        "y_corner": frame.top * frame.width + frame.left,
        "y_gap": frame.width - width,
        "y_foot": bottom * frame.width + right,
        "y_border": frame.border,
    }


def type_values(x: Quantised, w_zp: int, y: Requantisation) -> dict[str, int]:
    """What follows from the types; weights are int8 with zero point `w_zp`."""
    y_min, y_max = y.bounds()
    return {
        "x_is_unsigned": int(x.is_unsigned),
        "x_zp": x.zero_point,
        "w_zp": w_zp,
        "y_zp": y.zero_point,
        "y_min": y_min,
        "y_max": y_max,
    }


def pack_groups(machine: Machine, weights: npt.NDArray[np.int8], w_zp: int) -> npt.NDArray[np.uint8]:
    """Packed weights [groups, taps, K, N], group behind group."""
    packed = [pack_weights(taps, w_zp, machine.lanes) for taps in weights]
    return packed[0] if len(packed) == 1 else np.concatenate(packed)


def group_parameters(machine: Machine, groups: int, outputs: int, y: Requantisation) -> npt.NDArray[np.uint8]:
    """Parameter blocks of `outputs` columns, group behind group."""
    bias, scale = (
        np.broadcast_to(np.asarray(values), (groups * outputs,)).reshape(groups, outputs) for values in (y.bias, y.scale)
    )
    return np.concatenate([pack_parameters(b, s, outputs, machine.lanes) for b, s in zip(bias, scale, strict=True)])


def geometry_values(geometry: Geometry) -> dict[str, int]:
    """What the walk over x and y needs, in asm/conv2d.s as in asm/window.s."""
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
        "span_height": geometry.span[0],
        "span_width": geometry.span[1],
        "taps": geometry.taps,
        "stride_y": geometry.strides[0],
        "stride_x": geometry.strides[1],
        "dilation_x": geometry.dilations[1],
        "pad_top": geometry.pads[0],
        "pad_left": geometry.pads[1],
        "out_height": geometry.out_size[0],
        "out_width": geometry.out_size[1],
    }


def _tile_values(
    machine: Machine, geometry: Geometry, tiles: Conv2dTiles, x_size: tuple[int, int]
) -> dict[str, int]:
    """What follows from groups and tiles, and from the size of x in the scratchpad."""
    x_height, x_width = x_size
    x_blocks = -(-tiles.channels // machine.lanes)
    (dilation_y, dilation_x), (kernel_height, kernel_width) = geometry.dilations, geometry.kernel
    return {
        "groups": geometry.groups,
        "kernel_width": geometry.kernel[1],
        "outputs": geometry.outputs,
        "lanes": machine.lanes,
        "blocks": -(-geometry.outputs // machine.lanes),
        "height_tile": tiles.height,
        "width_tile": tiles.width,
        "block_tile": tiles.blocks,
        "channel_tile": tiles.channels,
        "x_width": x_width,
        "x_block_rows": x_height * x_width,
        "x_blocks": x_blocks,
        "x_height_all": x_blocks * x_height,
        "x_plane_step": geometry.strides[0] * x_width,
        "x_next_row": dilation_y * x_width - kernel_width * dilation_x,
        "x_next_block": x_height * x_width - kernel_height * dilation_y * x_width,
    }
