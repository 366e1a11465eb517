"""Value arguments of asm/conv2d.s that follow from a geometry and its tiles."""

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d_geometry import Geometry
from accelkit.kernels.conv2d_tiles import Conv2dTiles


def conv2d_values(machine: Machine, geometry: Geometry) -> dict[str, int]:
    """What follows from the geometry."""
    return {
        "images": geometry.images,
        "groups": geometry.groups,
        "x_image_pitch": geometry.x_pitches[0],
        "x_row_pitch": geometry.x_pitches[1],
        "x_pixel_pitch": geometry.x_pitches[2],
        "y_image_pitch": geometry.y_pitches[0],
        "y_row_pitch": geometry.y_pitches[1],
        "y_pixel_pitch": geometry.y_pitches[2],
        "height": geometry.size[0],
        "width": geometry.size[1],
        "channels": geometry.channels,
        "kernel_width": geometry.kernel[1],
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
        "outputs": geometry.outputs,
        "lanes": machine.lanes,
        "blocks": -(-geometry.outputs // machine.lanes),
    }


def tile_values(machine: Machine, geometry: Geometry, tiles: Conv2dTiles) -> dict[str, int]:
    """What follows from the tiles."""
    x_height, x_width = tiles.x_size(geometry)
    x_blocks = -(-tiles.channels // machine.lanes)
    (dilation_y, dilation_x), (kernel_height, kernel_width) = geometry.dilations, geometry.kernel
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
        "x_next_row": dilation_y * x_width - kernel_width * dilation_x,
        "x_next_block": x_height * x_width - kernel_height * dilation_y * x_width,
    }
