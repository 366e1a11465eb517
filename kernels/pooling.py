"""Planner of pooling on the vector unit: maximum and average over windows, and over whole images, see docs/kernels.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem, quantised_problem
from accelkit.kernels.conv2d_geometry import Geometry, dense_pitches
from accelkit.kernels.packing import pack_parameters
from accelkit.kernels.plan import Buffer, Place, Plan, Quantised, Refusal, Step
from accelkit.kernels.programs import program_problem
from accelkit.kernels.regions import memory_text
from accelkit.kernels.residency import NOTHING_STAYS, Stays, residency_problem
from accelkit.kernels.window import Operation, fit_window, window_values

MAX_AVERAGED = 1 << 16  # sums of that many bytes fit the accumulator by far


@dataclass(frozen=True)
class PoolCase:
    """Pooling of an 8-bit tensor, NHWC: `x_shape` [batch, height, width, channels], buffer "x"; the result is buffer "y".

    `window`, `strides` and `dilations` are (vertical, horizontal), `pads` (top, left, bottom, right) as ONNX has them. With `is_ceil` a
    last window that leaves the padded image counts, too. For the maximum x and y have one type and zero point; for the average of n
    elements y is clamp(round-half-even(f32(sum of (x - zero point)) * f32(x_scale / (y_scale * n))) + zero point), and n is the
    whole window if `counts_padding` (also where ceil mode lets it leave the padded image, as ONNX Runtime's QLinearAveragePool has it).
    """

    x_shape: tuple[int, int, int, int]
    x: Quantised
    window: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    is_ceil: bool = False
    is_average: bool = False
    counts_padding: bool = False
    y: Quantised | None = None  # None: as x
    x_scale: float = 1.0
    y_scale: float = 1.0

    @property
    def result(self) -> Quantised:
        """Type and zero point of y."""
        return self.y or self.x

    @property
    def y_shape(self) -> tuple[int, int, int, int]:
        """Shape of the result, NHWC; entries may be below 1 if the window is larger than the padded image."""
        height, width = (self._outputs(axis) for axis in (0, 1))
        return self.x_shape[0], height, width, self.x_shape[3]

    def _outputs(self, axis: int) -> int:
        size, stride, before = self.x_shape[1 + axis], self.strides[axis], self.pads[axis]
        left = size + before + self.pads[axis + 2] - (self.window[axis] - 1) * self.dilations[axis] - 1
        count = (-(-left // stride) if self.is_ceil else left // stride) + 1
        if self.is_ceil and (count - 1) * stride >= size + before:
            count -= 1  # a window may not begin behind the image
        return count


@dataclass(frozen=True)
class _Part:
    """Results of one axis whose windows are alike: `count` from `first` on, each of taps `tap`, `tap + 1`, ... (`taps` of them), over x
    from `x_first` on; `divisor` is what an average counts along this axis."""

    first: int
    count: int
    taps: int
    x_first: int
    divisor: int


def plan_pool(machine: Machine, case: PoolCase, stays: Stays = NOTHING_STAYS) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. x and y may stay in the scratchpad; they have no
    buffers then, and a plan without y has output ""."""
    if problem := _problem(machine, case) or _stays_problem(machine, case, stays):
        return Refusal(problem)
    operation = Operation.AVERAGE if case.is_average else Operation.MAXIMUM
    limits = np.iinfo(np.dtype(case.result.dtype))
    steps: list[Step] = []
    blocks: list[npt.NDArray[np.uint8]] = []
    tilings: list[str] = []
    cycles = 0
    for vertical in _parts(case, 0):
        for horizontal in _parts(case, 1):
            geometry = _geometry(case, vertical, horizontal)
            fit = fit_window(stays.within(machine), geometry, operation, stays=stays.anywhere())
            if fit is None:
                return Refusal(f"no tile for a window of {case.window[0]}x{case.window[1]} fits {memory_text(stays.within(machine))}")
            places = {
                "x": Place("x"),
                "weights": Place("parameters"),
                "table": Place("parameters"),
                "parameters": Place("parameters", sum(block.size for block in blocks)),
                "y": Place("y", vertical.first * geometry.y_pitches[1] + horizontal.first * geometry.y_pitches[2]),
            }
            taps = prod(geometry.kernel)
            blocks.append(_parameters(machine, case, taps, vertical.divisor * horizontal.divisor))
            values = window_values(machine, geometry, operation, fit, case.x.is_unsigned, _padding_byte(case), stays)
            types = {"x_zp": 0, "w_zp": 0, "y_zp": case.result.zero_point, "y_min": limits.min, "y_max": limits.max}
            steps.append(Step("window", values | types, stays.places(places, "parameters")))
            cycles += fit.cycles
            tilings.append(str(fit.tiles))
    parameters = np.concatenate(blocks)
    buffers: tuple[Buffer, ...] = (
        Buffer("x", prod(case.x_shape)),
        Buffer("parameters", parameters.size, contents=parameters),
        Buffer("y", prod(case.y_shape), is_writable=True),
    )
    buffers = stays.buffers(buffers)
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    more = f", and {len(steps) - 1} launches for windows that the border cuts" if len(steps) > 1 else ""
    return Plan(
        kernel="average pool" if case.is_average else "maximum pool",
        machine=machine,
        buffers=buffers,
        steps=tuple(steps),
        output="" if stays.y else "y",
        output_shape=case.y_shape,
        output_dtype=np.dtype(case.result.dtype),
        macs=0,
        estimate_cycles=cycles + (len(steps) - 1) * machine.launch_cycles,
        tiling=tilings[0] + more,
    )


def _stays_problem(machine: Machine, case: PoolCase, stays: Stays) -> str | None:
    if stays.y and len(list(_parts(case, 0))) * len(list(_parts(case, 1))) > 1:
        return "an average whose result stays, with windows that the border cuts"
    if stays.y and stays.y.has_border(case.y_shape[1:3]):
        return "pooling whose result stays with a border; the kernel writes none"
    if stays.x and not case.is_average and any(case.pads):
        return "a maximum over an x that stays: its border holds zero points, not the lowest byte"
    return residency_problem(
        machine, stays, case.x_shape[0], case.x_shape[1:3], (0, 0, 0, 0), case.y_shape[1:3], None
    )


def _parts(case: PoolCase, axis: int) -> Iterator[_Part]:
    """A maximum knows no border: padding is the lowest byte. Averages are cut into runs of windows with the same elements of x."""
    outputs, size = case.y_shape[1 + axis], case.x_shape[1 + axis]
    window, stride, dilation = case.window[axis], case.strides[axis], case.dilations[axis]
    before = case.pads[axis]
    if not case.is_average:
        yield _Part(0, outputs, window, -before, 1)
        return
    run: list[tuple[int, int, int]] = []  # first tap inside, taps inside, divisor
    for output in range(outputs + 1):
        positions = [output * stride - before + tap * dilation for tap in range(window)]
        inside = [tap for tap, position in enumerate(positions) if 0 <= position < size]
        counted = window if case.counts_padding else len(inside)
        key = (inside[0] if inside else 0, len(inside), counted)
        if run and (output == outputs or run[0] != key):
            first, (tap, taps, divisor) = output - len(run), run[0]
            yield _Part(first, len(run), taps, first * stride - before + tap * dilation, divisor)
            run = []
        run.append(key)


def _geometry(case: PoolCase, vertical: _Part, horizontal: _Part) -> Geometry:
    images, height, width, channels = case.x_shape
    return Geometry(
        images,
        channels,
        channels,
        size=(height, width),
        out_size=(vertical.count, horizontal.count),
        kernel=(vertical.taps, horizontal.taps),
        strides=case.strides,
        pads=(-vertical.x_first, -horizontal.x_first),
        x_pitches=dense_pitches(case.x_shape),
        y_pitches=dense_pitches(case.y_shape),
        dilations=case.dilations,
    )


def _padding_byte(case: PoolCase) -> int:
    return case.x.zero_point if case.is_average else int(np.iinfo(np.dtype(case.x.dtype)).min)


def _parameters(machine: Machine, case: PoolCase, taps: int, divisor: int) -> npt.NDArray[np.uint8]:
    scale = np.float32(case.x_scale) / (np.float32(case.y_scale) * np.float32(divisor))
    return pack_parameters(-taps * case.x.zero_point, scale, case.x_shape[3], machine.lanes)


def _problem(machine: Machine, case: PoolCase) -> str | None:
    if min(*case.x_shape, *case.window) < 1:
        return f"empty pooling of {list(case.x_shape)} with a window of {list(case.window)}"
    if min(*case.strides, *case.dilations) < 1 or min(case.pads) < 0:
        return f"strides {list(case.strides)}, pads {list(case.pads)} or dilations {list(case.dilations)} out of range"
    if min(case.y_shape) < 1:
        return f"the window {list(case.window)} is larger than the padded image"
    if any(pad >= (taps - 1) * d + 1 for pad, taps, d in zip(case.pads, case.window * 2, case.dilations * 2, strict=True)):
        return f"pads {list(case.pads)}: a window of {list(case.window)} could lie in nothing but padding"
    if case.is_average and prod(case.window) > MAX_AVERAGED:
        return f"an average of {prod(case.window)} elements"
    if case.is_average and any(part.taps == 0 for axis in (0, 1) for part in _parts(case, axis)):
        return "a window lies in nothing but padding"
    if not case.is_average and case.result != case.x:
        return "the maximum of another type or zero point than its input"
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if case.is_average and not np.isfinite(np.float32(case.x_scale) / np.float32(case.y_scale)):
            return "the scale of the average is not finite"
    return (
        quantised_problem("x", case.x)
        or quantised_problem("the output", case.result)
        or program_problem(machine, "window")
    )
