"""Inputs of the golden cases, as the planners make them for edge-16, and NumPy's results.

Every function `KERNEL(seed)` gives a program's arguments and buffers; `KERNEL_right(values)` what the output buffer has to hold.
"""

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.isa.program import DTYPES
from accelkit.kernels.conv2d import plan_conv2d
from accelkit.kernels.conv2d_geometry import Conv2dCase
from accelkit.kernels.conv_transpose import ConvTransposeCase, plan_conv_transpose
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.elementwise import PairCase, plan_lookup, plan_pair
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.layouts import plan_transpose
from accelkit.kernels.plan import Plan, Quantised, Requantisation
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.kernels.programs import kernel_program
from accelkit.kernels.transpose import plan_matrix_transpose

MACHINE = load_machine("edge-16")
SEED = 1  # RandomState's stream is frozen: the same numbers for ever


def numbers(*shape, dtype=np.int8):
    """Integers over all of a type's range."""
    info = np.iinfo(dtype)
    return np.random.RandomState(SEED).randint(info.min, info.max + 1, shape, dtype)


def values_of(plan, **inputs):
    """Arguments and buffers of a plan of one launch; an input buffer that nothing is read from holds zeros."""
    assert isinstance(plan, Plan), plan.reason
    (step,) = plan.steps
    values = {}
    for argument in kernel_program(step.program).arguments:
        name = step.places[argument.name].buffer if argument.name in step.places else argument.name
        if argument.name in step.values:
            values[argument.name] = step.values[argument.name]
        elif argument.kind.value == "in":
            contents = inputs[name] if name in inputs else plan.buffer(name).packed()
            contents = np.zeros(64, np.uint8) if contents is None else contents
            values[argument.name] = np.ascontiguousarray(contents).reshape(-1).view(DTYPES[argument.dtype])
    return values


def requantised(sums, scale, zero_point):
    """Product and rounding are those of binary32."""
    return np.clip(np.rint(sums.astype(np.float32) * scale) + zero_point, -128, 127).astype(np.int8)


A, B = numbers(70, 50), numbers(50, 40)
SCALES, BIAS = np.linspace(0.0005, 0.002, 40).astype(np.float32), np.arange(-20, 20, dtype=np.int32) * 50


def gemm(seed):
    """A product with a scale and a bias for each column."""
    y = Requantisation(np.int8, zero_point=-5, scale=SCALES, bias=BIAS)
    case = GemmCase(M=70, N=40, K=50, a=Quantised(np.int8, 3), b=Quantised(np.int8), y=y, b_constant=B)
    return values_of(plan_gemm(MACHINE, case), a=A, extra=A)


def gemm_right(values):
    """The sum is exact in integers."""
    return {"y": requantised((A.astype(np.int64) - 3) @ B.astype(np.int64) + BIAS, SCALES, -5)}


IMAGE, WEIGHTS = numbers(1, 12, 11, 20), numbers(24, 20, 3, 3)


def conv2d(seed):
    """A convolution 3x3."""
    y = Requantisation(np.int8, zero_point=4, scale=np.float32(0.0005))
    case = Conv2dCase(IMAGE.shape, Quantised(np.int8, 0), WEIGHTS, 0, y)
    return values_of(plan_conv2d(MACHINE, case), x=IMAGE, extra=IMAGE)


def conv2d_right(values):
    """Windows of the image times the weights."""
    windows = np.lib.stride_tricks.sliding_window_view(IMAGE, (3, 3), (1, 2))
    sums = np.einsum("bhwcij,ocij->bhwo", windows.astype(np.int64), WEIGHTS.astype(np.int64))
    return {"y": requantised(sums, np.float32(0.0005), 4).reshape(1, -1)}


def maximum(seed):
    """Maxima of 2x2 pixels."""
    case = PoolCase(IMAGE.shape, Quantised(np.int8, 0), (2, 2), (2, 2))
    return values_of(plan_pool(MACHINE, case), x=IMAGE)


def maximum_right(values):
    """The last column has no partner."""
    return {"y": IMAGE[:, :, :10].reshape(1, 6, 2, 5, 2, 20).max((2, 4)).reshape(1, -1)}


TABLE = np.random.RandomState(2).permutation(256).astype(np.uint8)


def lookup(seed):
    """A table of a byte's 256 values."""
    return values_of(plan_lookup(MACHINE, IMAGE.shape, TABLE.view(np.int8)), x=IMAGE, left=IMAGE, right=IMAGE)


def lookup_right(values):
    """By the bytes as numbers from 0."""
    return {"y": TABLE[IMAGE.view(np.uint8)].view(np.int8).reshape(-1)}


def move(seed):
    """Axes in another order."""
    return values_of(plan_transpose(MACHINE, IMAGE.shape, (0, 2, 1, 3)), x=IMAGE)


def move_right(values):
    """As NumPy has it."""
    return {"dst": IMAGE.transpose(0, 2, 1, 3).reshape(-1)}


def transpose(seed):
    """A matrix, on the array."""
    return values_of(plan_matrix_transpose(MACHINE, 1, *A.shape), x=A)


def transpose_right(values):
    """As NumPy has it."""
    return {"y": A.T.reshape(-1)}


REALS = np.random.RandomState(3).uniform(-3, 3, (40, 25)).astype(np.float32)


def quantise(seed):
    """Numbers of binary32 to bytes."""
    return values_of(plan_quantise(MACHINE, ConvertCase(REALS.shape, Quantised(np.int8, 7), 0.02)), x=REALS)


def quantise_right(values):
    """Quotient and rounding are those of binary32."""
    return {"y": np.clip(np.rint(REALS / np.float32(0.02)) + 7, -128, 127).astype(np.int8).reshape(-1)}


def matmul_right(values):
    """Of the example in examples/."""
    return {"c": values["a"].astype(np.int32) @ values["b"].astype(np.int32)}


TAPS = numbers(20, 1, 3, 3)


def depthwise(seed):
    """A convolution 3x3 of each channel by itself, padded, every second row."""
    y = Requantisation(np.int8, zero_point=-3, scale=np.float32(0.003), bias=np.arange(20, dtype=np.int32) * 90)
    case = Conv2dCase(IMAGE.shape, Quantised(np.int8, 5), TAPS, 0, y, strides=(2, 1), pads=(1, 1, 1, 1), groups=20)
    return values_of(plan_conv2d(MACHINE, case), x=IMAGE)


def depthwise_right(values):
    """Windows of the padded image times the taps of their channel."""
    padded = np.pad(IMAGE.astype(np.int64) - 5, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::2]
    sums = np.einsum("bhwcij,cij->bhwc", windows, TAPS[:, 0].astype(np.int64)) + np.arange(20) * 90
    return {"y": requantised(sums, np.float32(0.003), -3).reshape(1, -1)}


def average(seed):
    """Means of 2x2 pixels."""
    case = PoolCase(IMAGE.shape, Quantised(np.int8, 6), (2, 2), (2, 2), is_average=True)
    return values_of(plan_pool(MACHINE, case), x=IMAGE)


def average_right(values):
    """The last column has no partner; a fourth is exact."""
    sums = (IMAGE[:, :, :10].astype(np.int64) - 6).reshape(1, 6, 2, 5, 2, 20).sum((2, 4))
    return {"y": requantised(sums, np.float32(0.25), 6).reshape(1, -1)}


OTHER = np.random.RandomState(4).randint(-128, 128, (12, 1, 20)).astype(np.int8)


def pair(is_product, *scales):
    """The image and a smaller tensor, which is broadcast."""
    kinds = [Quantised(np.int8, zero_point) for zero_point in (9, -4, 3)]
    case = PairCase(IMAGE.shape, OTHER.shape, *kinds, *scales, is_product=is_product)
    return values_of(plan_pair(MACHINE, case), left=IMAGE, right=OTHER, extra=IMAGE)


def add(seed):
    """A quantised sum."""
    return pair(False, 0.5, 0.25, 1.0)


def add_right(values):
    """With these scales every step is exact, so only the rounding of the sum counts."""
    return {"y": np.clip(np.rint((IMAGE - 9.0) * 0.5 + (OTHER + 4.0) * 0.25 + 3), -128, 127).astype(np.int8).reshape(-1)}


def multiply(seed):
    """A quantised product."""
    return pair(True, 0.5, 0.25, 8.0)


def multiply_right(values):
    """As of the sum: the zero point is added before the rounding."""
    return {"y": np.clip(np.rint((IMAGE - 9.0) * (OTHER + 4.0) / 64 + 3), -128, 127).astype(np.int8).reshape(-1)}


def dequantise(seed):
    """Bytes to numbers of binary32."""
    return values_of(plan_dequantise(MACHINE, ConvertCase(IMAGE.shape, Quantised(np.int8, 7), 0.02)), x=IMAGE)


def dequantise_right(values):
    """The product is that of binary32."""
    return {"y": ((IMAGE.astype(np.int32) - 7).astype(np.float32) * np.float32(0.02)).reshape(-1).view(np.int8)}


KERNELS = numbers(20, 24, 3, 3)


def conv_transpose(seed):
    """A transposed convolution 3x3."""
    y = Requantisation(np.int8, zero_point=1, scale=np.float32(0.0004))
    case = ConvTransposeCase(IMAGE.shape, Quantised(np.int8, 2), KERNELS, 0, y)
    return values_of(plan_conv_transpose(MACHINE, case), x=IMAGE, extra=IMAGE)


def conv_transpose_right(values):
    """Each pixel adds its kernel, times its value, around its place."""
    sums = np.zeros((1, 14, 13, 24), np.int64)
    for row, column in np.ndindex(3, 3):
        sums[:, row : row + 12, column : column + 11] += (IMAGE.astype(np.int64) - 2) @ KERNELS[:, :, row, column].astype(np.int64)
    return {"y": requantised(sums, np.float32(0.0004), 1).reshape(1, -1)}


def two_tensors(seed):
    """A product of two activations, both with a zero point."""
    y = Requantisation(np.int8, zero_point=0, scale=np.float32(0.001))
    case = GemmCase(M=70, N=40, K=50, a=Quantised(np.int8, 3), b=Quantised(np.int8, -7), y=y)
    return values_of(plan_gemm(MACHINE, case), a=A, b=B, extra=A)


def two_tensors_right(values):
    """The sum is exact in integers."""
    return {"y": requantised((A.astype(np.int64) - 3) @ (B.astype(np.int64) + 7), np.float32(0.001), 0)}
