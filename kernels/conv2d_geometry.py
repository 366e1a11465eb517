"""How the `conv2d` kernel may see a convolution: as it is, with groups merged, as one long row of pixels, or with kernel columns folded
into channels. All give the same result; the planner takes the view that it expects to cost least."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.epilogue import Epilogue
from accelkit.kernels.plan import ByteArray, Quantised, Requantisation
from accelkit.kernels.residency import Frame, Stays


@dataclass(frozen=True)
class Conv2dCase:
    """A 2-D convolution of 8-bit operands.

    Activations lie in DRAM as NHWC: `x_shape` is [batch, height, width, channels], buffer "x"; the result, buffer "y", is
    [batch, output height, output width, outputs]. `weights` have ONNX's shape [outputs, channels / groups, kernel height, kernel
    width] and one zero point, `weights_zero_point`. `strides` and `dilations` are (vertical, horizontal), `pads` (top, left, bottom,
    right) as ONNX has them. `y` is the product's requantisation; an `epilogue` makes the result of that.
    """

    x_shape: tuple[int, int, int, int]
    x: Quantised
    weights: ByteArray
    weights_zero_point: int
    y: Requantisation
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1
    epilogue: Epilogue | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Rows and pixels from the first tap to the last, both included."""
        height, width = self.weights.shape[2:]
        return (height - 1) * self.dilations[0] + 1, (width - 1) * self.dilations[1] + 1

    @property
    def y_shape(self) -> tuple[int, int, int, int]:
        """Shape of the result, NHWC; entries may be below 1 if the kernel is larger than the padded image."""
        batch, height, width, _ = self.x_shape
        top, left, bottom, right = self.pads
        return (
            batch,
            (height + top + bottom - self.span[0]) // self.strides[0] + 1,
            (width + left + right - self.span[1]) // self.strides[1] + 1,
            self.weights.shape[0],
        )


@dataclass(frozen=True)
class Geometry:
    """A convolution as the kernel walks it. Channels and outputs are those of one group. Sizes, kernel, strides and dilations are
    (vertical, horizontal), pads (top, left), pitches bytes from one (image, row, pixel) to the next."""

    images: int
    channels: int
    outputs: int
    size: tuple[int, int]
    out_size: tuple[int, int]
    kernel: tuple[int, int]
    strides: tuple[int, int]
    pads: tuple[int, int]
    x_pitches: tuple[int, int, int]
    y_pitches: tuple[int, int, int]
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1

    @property
    def taps(self) -> int:
        """Positions of the kernel."""
        return prod(self.kernel)

    @property
    def span(self) -> tuple[int, int]:
        """Rows and pixels from the first tap to the last, both included."""
        return (self.kernel[0] - 1) * self.dilations[0] + 1, (self.kernel[1] - 1) * self.dilations[1] + 1


@dataclass(frozen=True)
class View:
    """A convolution as the kernel sees it.

    `merged` groups are computed as one, their weights along a diagonal of blocks. If the view is folded, a pixel is a window: all
    kernel columns x channels that an output needs of a row, which lie together in DRAM, in neighbouring windows overlapping. Windows
    know no padding: x is copied first, with a `gap` of that many bytes of zero points before, between and behind its rows, so that rows
    begin at bus words. The first window begins at byte `first`.
    """

    geometry: Geometry
    merged: int = 1
    is_folded: bool = False
    gap: int = 0
    first: int = 0

    def weights(self, signed: npt.NDArray[np.int8], zero_point: int) -> npt.NDArray[np.int8]:
        """Weights [outputs, channels, height, width] as [groups, taps, K, N]; the same memory where groups aren't merged."""
        outputs, channels, height, width = signed.shape
        if self.is_folded:
            return signed.transpose(2, 3, 1, 0).reshape(1, height, width * channels, outputs)
        geometry, m = self.geometry, self.merged
        blocks = signed.reshape(
            geometry.groups, m, outputs // (geometry.groups * m), channels, height * width
        )
        if m == 1:
            return blocks[:, 0].transpose(0, 3, 2, 1)
        merged = np.full(
            (geometry.groups, height * width, m, channels, m, blocks.shape[2]), zero_point, np.int8
        )
        for i in range(m):
            merged[:, :, i, :, i, :] = blocks[:, i].transpose(0, 3, 2, 1)
        return merged.reshape(geometry.groups, height * width, geometry.channels, geometry.outputs)


def views(machine: Machine, case: Conv2dCase) -> Iterator[View]:
    """The views of a case that are worth an estimate."""
    lanes = machine.lanes
    yield _plain(case, lanes)
    yield from _windows(machine, case)


def _windows(machine: Machine, case: Conv2dCase) -> Iterator[View]:
    """The folded view, if there is one that fills the array better."""
    lanes = machine.lanes
    if case.groups == 1 and case.weights.shape[3] > 1 and case.dilations[1] == 1:
        channels, taps = case.x_shape[3], case.weights.shape[3]
        if -(-channels * taps // lanes) < -(-channels // lanes) * taps:
            yield _folded(case, machine.bus_bytes)


def resident_views(machine: Machine, case: Conv2dCase, stays: Stays) -> Iterator[tuple[View, Stays]]:
    """The views of a case some of whose tensors stay, and their frames as it sees them."""
    yield _resident_view(machine, case, stays)
    if not stays.x:
        yield from ((view, stays) for view in _windows(machine, case))


def _resident_view(machine: Machine, case: Conv2dCase, stays: Stays) -> tuple[View, Stays]:
    """Without windows: rows are joined where no border lies between."""
    general = _general(case, machine.lanes)
    geometry = general.geometry
    is_one_row = geometry.kernel == (1, 1) and not any(case.pads)
    if stays.x:
        is_one_row = is_one_row and geometry.strides == (1, 1) and not stays.x.has_border(geometry.size)
    if stays.y:
        is_one_row = is_one_row and not stays.y.has_border(geometry.out_size)
    if not is_one_row:
        return general, stays
    pointwise = View(_pointwise(geometry), general.merged)
    if pointwise.geometry.out_size == geometry.out_size:
        return pointwise, stays  # a stride leaves gaps between rows of x in DRAM
    x, y, residual = (
        Frame(frame.first, 1, frame.block_rows) if frame else None for frame in (stays.x, stays.y, stays.residual)
    )
    return pointwise, Stays(x, y, residual, stays.free_banks)


def dense_pitches(shape: tuple[int, int, int, int]) -> tuple[int, int, int]:
    """Bytes from one image, row and pixel to the next of a dense NHWC tensor."""
    _, height, width, channels = shape
    return height * width * channels, width * channels, channels


def merged_groups(groups: int, channels: int, outputs: int, lanes: int) -> int:
    """How many groups fit the array side by side, a divisor of all."""
    per_group = max(channels, outputs) // groups
    return max(m for m in range(1, groups + 1) if groups % m == 0 and (m == 1 or m * per_group <= lanes))


def _plain(case: Conv2dCase, lanes: int) -> View:
    general = _general(case, lanes)
    if general.geometry.kernel == (1, 1) and not any(case.pads):
        return View(_pointwise(general.geometry), general.merged)
    return general


def _general(case: Conv2dCase, lanes: int) -> View:
    images, height, width, channels = case.x_shape
    _, out_height, out_width, outputs = case.y_shape
    merged = merged_groups(case.groups, channels, outputs, lanes)
    general = Geometry(
        images,
        channels * merged // case.groups,
        outputs * merged // case.groups,
        size=(height, width),
        out_size=(out_height, out_width),
        kernel=(case.weights.shape[2], case.weights.shape[3]),
        strides=case.strides,
        pads=case.pads[:2],
        x_pitches=dense_pitches(case.x_shape),
        y_pitches=dense_pitches(case.y_shape),
        dilations=case.dilations,
        groups=case.groups // merged,
    )
    return View(general, merged)


def _pointwise(general: Geometry) -> Geometry:
    """What a 1x1 kernel permits: pixels that a stride skips are not loaded, and rows and images that lie evenly apart become one long
    row, so that tiles can have any number of pixels."""
    images = general.images
    (out_height, out_width), pitch = general.out_size, general.y_pitches[2]
    image, row, pixel = general.x_pitches
    row, pixel = row * general.strides[0], pixel * general.strides[1]
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
        dilations=(1, 1),
        x_pitches=(image, row, pixel),
        y_pitches=(general.y_pitches[0], out_width * pitch, pitch),
    )


def _folded(case: Conv2dCase, bus: int) -> View:
    images, height, width, channels = case.x_shape
    _, out_height, out_width, outputs = case.y_shape
    left, stride, taps = case.pads[1], case.strides[1], case.weights.shape[3]
    row = width * channels
    pixels = max(0, left, (out_width - 1) * stride + taps - left - width)
    gap = -(-(row + pixels * channels) // bus) * bus - row if pixels else 0
    row += gap
    geometry = Geometry(
        images,
        taps * channels,
        outputs,
        size=(height, out_width),
        out_size=(out_height, out_width),
        kernel=(case.weights.shape[2], 1),
        strides=(case.strides[0], 1),
        pads=(case.pads[0], 0),
        x_pitches=(height * row, row, stride * channels),
        y_pitches=dense_pitches(case.y_shape),
        dilations=(case.dilations[0], 1),
    )
    return View(geometry, is_folded=True, gap=gap, first=gap - left * channels)
