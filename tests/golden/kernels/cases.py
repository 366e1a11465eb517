"""Inputs of the golden cases, as the planners make them for edge-16, and NumPy's results.

Every function `KERNEL(seed)` gives a program's arguments and buffers; `KERNEL_right(values)` what the output buffer has to hold.
"""

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.isa.program import DTYPES
from accelkit.kernels.conv2d import plan_conv2d
from accelkit.kernels.conv2d_geometry import Conv2dCase
from accelkit.kernels.convert import ConvertCase, plan_quantise
from accelkit.kernels.elementwise import plan_lookup
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
