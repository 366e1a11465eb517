"""What a planner gives back, and what the planners share: a plan that `launch` runs, or a refusal with its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine

ByteArray = npt.NDArray[np.int8] | npt.NDArray[np.uint8]
Packed = npt.NDArray[np.uint8]
MAX_COUNT = 65535  # largest count of an instruction, see docs/adr/0001


@dataclass(frozen=True)
class Refusal:
    """A case that can't be taken; `reason` says why, in words that fit after "not on the accelerator:".

    `code` is the kind of reason, for programs and statistics (docs/operators.md has the list); a planner's is "kernel".
    """

    reason: str
    code: str = "kernel"


@dataclass(frozen=True)
class Quantised:
    """Type of an 8-bit tensor: `dtype` is int8 or uint8, `zero_point` a number of that range."""

    dtype: npt.DTypeLike
    zero_point: int = 0

    @property
    def is_unsigned(self) -> bool:
        """True for uint8."""
        return np.dtype(self.dtype) == np.uint8


@dataclass(frozen=True)
class Requantisation:
    """Turns accumulators into 8-bit outputs: clamp(round-half-even(f32(acc + bias) * scale) + zero point).

    `scale` is f32(f32(x_scale * w_scale) / y_scale) (see `combine_scales`), `bias` int32; each is a scalar or has one
    entry per output channel. `minimum` and `maximum` tighten the range of `dtype`, as a fused ReLU or Clip does.
    """

    dtype: npt.DTypeLike
    zero_point: int
    scale: npt.ArrayLike
    bias: npt.ArrayLike = 0
    minimum: int | None = None
    maximum: int | None = None

    def bounds(self) -> tuple[int, int]:
        """Lower and upper clamp bound within the range of `dtype`."""
        limits = np.iinfo(np.dtype(self.dtype))
        low = limits.min if self.minimum is None else max(self.minimum, limits.min)
        high = limits.max if self.maximum is None else min(self.maximum, limits.max)
        return low, high


@dataclass(frozen=True)
class Buffer:
    """A DRAM buffer of a plan; its address goes to the programs' arguments of the same name.

    `contents` are packed constants (weights, parameter blocks), None for activations and workspaces. Large ones are a function that packs
    them: most plans that a placement looks at never run.
    """

    name: str
    nbytes: int
    is_writable: bool = False
    contents: Packed | Callable[[], Packed] | None = None

    def packed(self) -> Packed | None:
        """The contents as bytes."""
        return self.contents() if callable(self.contents) else self.contents


@dataclass(frozen=True)
class Place:
    """A place in a plan's buffer: `offset` bytes from its start."""

    buffer: str
    offset: int = 0


@dataclass(frozen=True)
class Step:
    """One launch of a plan: the program `asm/<program>.s` with its value arguments by name.

    A buffer argument takes the address of the buffer of its own name, or of what `places` gives for it.
    """

    program: str
    values: Mapping[str, int]
    places: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A case of a kernel with all that its launches on `machine` need besides the addresses of the buffers.

    `steps` are the launches in their order, mostly one. `output` names the buffer of the result, `output_shape` and `output_dtype` are
    the result's; activations of a dense plan lie in the buffers exactly as NumPy's C order has them. `macs` are the useful
    multiply-accumulates, `estimate_cycles` what the planner expects (a choice among tiles rests on it, nothing else).
    """

    kernel: str
    machine: Machine
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    output: str
    output_shape: tuple[int, ...]
    output_dtype: np.dtype[Any]
    macs: int
    estimate_cycles: int
    tiling: str

    @property
    def values(self) -> Mapping[str, int]:
        """The value arguments of a plan with one launch; ValueError if it has more."""
        (step,) = self.steps
        return step.values

    def buffer(self, name: str) -> Buffer:
        """The buffer called `name`; KeyError if there is none."""
        for buffer in self.buffers:
            if buffer.name == name:
                return buffer
        raise KeyError(f"plan of {self.kernel} has no buffer {name!r}")


def combine_scales(
    x_scale: npt.ArrayLike, w_scale: npt.ArrayLike, y_scale: npt.ArrayLike
) -> npt.NDArray[np.float32]:
    """The requantise scale f32(f32(x_scale * w_scale) / y_scale), as ONNX Runtime computes it."""
    product = np.asarray(x_scale, np.float32) * np.asarray(w_scale, np.float32)
    return np.asarray(product / np.asarray(y_scale, np.float32), np.float32)
