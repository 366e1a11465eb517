"""Planner of the `conv2d` kernel: NHWC convolution on the address walks of `run`, without an im2col copy, see docs/kernels.md."""

from dataclasses import dataclass

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import ByteArray, Plan, Quantised, Refusal, Requantisation


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


def plan_conv2d(machine: Machine, case: Conv2dCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none."""
    return Refusal("not written yet")
