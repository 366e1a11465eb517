"""Tensors that stay in the scratchpad from launch to launch, see docs/adr/0011-residency.md."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.epilogue import Epilogue, Residual
from accelkit.kernels.plan import Buffer, Place

MOST_OFFSET = 65535  # rows from an x that stays to a step of it; the kernel keeps them in 16 bits


@dataclass(frozen=True)
class Frame:
    """A tensor of one image in the scratchpad: [channel blocks][height][width] rows of a channel block of a pixel, border included.

    It begins at row `first`; pixel (0, 0) lies `top` rows and `left` pixels inside. The border holds bytes `border`, the zero point, for
    a reader's padding.
    """

    first: int
    height: int
    width: int
    top: int = 0
    left: int = 0
    border: int = 0

    @property
    def block_rows(self) -> int:
        """Scratchpad rows of a channel block."""
        return self.height * self.width

    def pixel(self, row: int, column: int) -> int:
        """Scratchpad row of a pixel of the first channel block; the border has negative indices too."""
        return self.first + (self.top + row) * self.width + self.left + column

    def tensor(self, scratchpad: npt.NDArray[np.uint8], size: tuple[int, int], channels: int) -> npt.NDArray[np.uint8]:
        """The tensor's bytes [height, width, channels], out of all rows of the scratchpad."""
        blocks = -(-channels // scratchpad.shape[1])
        rows = scratchpad[self.first :][: blocks * self.block_rows]
        pixels = rows.reshape(blocks, self.height, self.width, -1).transpose(1, 2, 0, 3)
        inside = pixels[self.top :, self.left :][: size[0], : size[1]]
        return inside.reshape(*size, -1)[:, :, :channels]

    def has_border(self, size: tuple[int, int]) -> bool:
        """Whether there is more than a tensor of `size` (height, width)."""
        return (self.height, self.width) != size

    def holds(self, size: tuple[int, int], pads: tuple[int, int, int, int]) -> bool:
        """Whether a tensor of `size` fits with padding (top, left, bottom, right) around it."""
        top, left, bottom, right = pads
        bottom_border, right_border = self.height - self.top - size[0], self.width - self.left - size[1]
        return self.top >= top and self.left >= left and bottom_border >= bottom and right_border >= right


@dataclass(frozen=True)
class Stays:
    """What of a launch's activations lies in the scratchpad, each in banks of its own, and how many banks, from bank 0 on, the launch
    may use otherwise (None: all)."""

    x: Frame | None = None
    y: Frame | None = None
    residual: Frame | None = None
    free_banks: int | None = None

    def within(self, machine: Machine) -> Machine:
        """The machine with no more scratchpad than the launch may use."""
        return machine if self.free_banks is None else replace(machine, scratchpad_banks=self.free_banks)

    def buffers(self, buffers: tuple[Buffer, ...]) -> tuple[Buffer, ...]:
        """Those that are needed in DRAM."""
        return tuple(buffer for buffer in buffers if getattr(self, buffer.name, None) is None)

    def places(self, places: Mapping[str, Place], other: str) -> dict[str, Place]:
        """The places of arguments that point to buffers; what stays has none, so its argument, which nothing uses, points to `other`."""
        return {
            name: Place(other) if getattr(self, place.buffer, None) else place for name, place in places.items()
        }

    def anywhere(self) -> "Stays":
        """The frames, but for where they begin and what their borders hold: all that a tiling depends on within a machine."""
        x, y, residual = (frame and replace(frame, first=0, border=0) for frame in (self.x, self.y, self.residual))
        return Stays(x, y, residual)

    def is_any(self) -> bool:
        """Whether any does."""
        return (self.x, self.y, self.residual) != (None, None, None)


NOTHING_STAYS = Stays()


def residency_problem(
    machine: Machine,
    stays: Stays,
    images: int,
    x_size: tuple[int, int],
    pads: tuple[int, int, int, int],
    y_size: tuple[int, int],
    epilogue: Epilogue | None,
) -> str | None:
    """Why a launch can't work with tensors that stay. ValueError if a frame is too small for its tensor."""
    if not stays.is_any():
        return None
    if images > 1:
        return f"{images} images; one can stay in the scratchpad"
    if stays.x and not stays.x.holds(x_size, pads):
        raise ValueError(f"{stays.x} for x of {list(x_size)} with pads {list(pads)}")
    if stays.y and not stays.y.holds(y_size, (0, 0, 0, 0)):
        raise ValueError(f"{stays.y} for y of {list(y_size)}")
    if stays.x and machine.scratchpad_rows > MOST_OFFSET + 1:
        return f"a scratchpad of {machine.scratchpad_rows} rows; the kernel reaches {MOST_OFFSET + 1}"
    if isinstance(epilogue, Residual) and (stays.y or stays.residual):
        if not (stays.y and stays.residual) or _shape(stays.y) != _shape(stays.residual):
            return "a sum of which only one side stays in the scratchpad, or in another frame"
    elif stays.residual:
        raise ValueError("a residual stays, of no sum")
    return None


def _shape(frame: Frame) -> tuple[int, int, int, int]:
    return frame.height, frame.width, frame.top, frame.left
