"""Cases of the kernels that run on the array."""

from collections.abc import Callable

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.batched import BatchedCase, plan_batched
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv_transpose import ConvTransposeCase, plan_conv_transpose
from accelkit.kernels.gemm import GemmCase, plan_gemm
from tests.kernels.operands import expected
from tests.kernels.suite_draw import Draw, Run
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, Window, conv2d_nhwc, gemm


def product(machine: Machine, draw: Draw) -> Run:
    """A product of any sizes, b packed or an activation."""
    M, N, K = (draw.size(1, 70) for _ in range(3))
    operands = draw.operands
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, M, K), operands.tensor(b_kind, K, N)
    is_constant = draw.pick([True, False])
    case = GemmCase(M, N, K, a_kind, b_kind, operands.requantisation(N, K), b if is_constant else None)
    inputs = {"a": a} if is_constant else {"a": a, "b": b}
    return Run(
        plan_gemm(machine, case), inputs, lambda: expected(gemm(a, b, a_kind.zero_point, b_kind.zero_point), case.y)
    )


def batch(machine: Machine, draw: Draw) -> Run:
    """Products in a batch that broadcasts."""
    M, N, K = (draw.size(1, 30) for _ in range(3))
    a_batch, b_batch = draw.pick([((2,), (2,)), ((2, 1), (1, 3)), ((1,), (2,)), ((3,), ())])
    operands = draw.operands
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, *a_batch, M, K), operands.tensor(b_kind, *b_batch, K, N)
    case = GemmCase(M, N, K, a_kind, b_kind, operands.requantisation(N, K))
    plan = plan_batched(machine, BatchedCase(case, a_batch, b_batch))

    def want() -> Array:
        return expected(gemm(a, b, a_kind.zero_point, b_kind.zero_point), case.y)

    return Run(plan, {"a": a, "b": b}, want)


def convolution(
    machine: Machine, draw: Draw, size: tuple[int, int], kernel: tuple[int, int], window: Window, depth: int, outputs: int
) -> Run:
    """A convolution of an image of `size`, `depth` channels and `outputs` results for each group."""
    operands = draw.operands
    x_kind, w_kind = operands.kind(), operands.kind()
    shape = (draw.size(1, 2), *size, depth * window.groups)
    x, w = operands.tensor(x_kind, *shape), operands.tensor(w_kind, outputs * window.groups, depth, *kernel)
    y = operands.requantisation(outputs * window.groups, depth * kernel[0] * kernel[1])
    case = Conv2dCase(
        shape, x_kind, w, w_kind.zero_point, y, window.strides, window.pads, window.dilations, window.groups
    )

    def want() -> Array:
        return expected(conv2d_nhwc(x, w, window, x_kind.zero_point, w_kind.zero_point), y)

    return Run(plan_conv2d(machine, case), {"x": x}, want)


def conv2d(machine: Machine, draw: Draw) -> Run:
    """Strides, dilations, four pads; few or many channels."""
    window = Window(draw.pair(1, 3), (*draw.pair(0, 2), *draw.pair(0, 2)), draw.pick([(1, 1), (1, 1), (2, 3)]))
    kernel = draw.pair(1, 3)
    return convolution(machine, draw, draw.pair(7, 14), kernel, window, draw.pick([1, 3, 8, 20]), draw.size(1, 40))


def grouped(machine: Machine, draw: Draw) -> Run:
    """Groups of any number of channels."""
    window = Window(draw.pick([(1, 1), (2, 2)]), (1, 1, 1, 1), groups=draw.size(2, 4))
    return convolution(machine, draw, draw.pair(4, 9), (3, 3), window, draw.size(1, 9), draw.size(1, 9))


def pointwise(machine: Machine, draw: Draw) -> Run:
    """1x1 kernels, with and without strides."""
    window = Window(draw.pick([(1, 1), (2, 2)]))
    return convolution(machine, draw, draw.pair(3, 12), (1, 1), window, draw.size(1, 40), draw.size(1, 40))


def conv1d(machine: Machine, draw: Draw) -> Run:
    """One axis: images of height 1."""
    window = Window((1, draw.size(1, 3)), (0, draw.size(0, 2), 0, draw.size(0, 2)), (1, draw.size(1, 2)))
    return convolution(
        machine, draw, (1, draw.size(9, 40)), (1, draw.size(1, 5)), window, draw.size(1, 20), draw.size(1, 20)
    )


def depthwise(machine: Machine, draw: Draw) -> Run:
    """A kernel for each channel, on the vector unit."""
    window = Window(draw.pair(1, 3), (*draw.pair(0, 2), *draw.pair(0, 2)), draw.pair(1, 2), draw.size(2, 40))
    return convolution(machine, draw, draw.pair(9, 12), draw.pick([(3, 3), (5, 5), (1, 4)]), window, 1, 1)


def transposed(machine: Machine, draw: Draw) -> Run:
    """A transposed convolution: any strides, dilations, pads, output padding, groups."""
    operands = draw.operands
    kernel, strides, groups = draw.pair(2, 4), draw.pair(1, 3), draw.size(1, 2)
    depth, outputs = draw.size(1, 12), draw.size(1, 12)
    x_kind, w_kind = operands.kind(), operands.kind()
    case = ConvTransposeCase(
        (1, *draw.pair(2, 6), depth * groups),
        x_kind,
        operands.tensor(w_kind, depth * groups, outputs, *kernel),
        w_kind.zero_point,
        operands.requantisation(outputs * groups, depth * kernel[0] * kernel[1]),
        strides,
        (*draw.pair(0, 1), *draw.pair(0, 1)),
        draw.pick([(1, 1), (2, 1)]),
        (draw.size(0, strides[0] - 1), draw.size(0, strides[1] - 1)),
        groups,
    )
    x = operands.tensor(x_kind, *case.x_shape)
    return Run(plan_conv_transpose(machine, case), {"x": x}, lambda: transposed_golden(case, x))


def transposed_golden(case: ConvTransposeCase, x: Array) -> Array:
    """Sums by ONNX Runtime in float32, which holds them exactly; then the reference's requantise."""
    sums = run_op(
        "ConvTranspose",
        np.ascontiguousarray((x.astype(np.float32) - case.x.zero_point).transpose(0, 3, 1, 2)),
        [case.weights.astype(np.float32) - case.weights_zero_point],
        np.float32,
        strides=case.strides,
        pads=case.pads,
        dilations=case.dilations,
        output_padding=case.output_padding,
        group=case.groups,
    )
    assert np.abs(sums).max() < 1 << 24
    return expected(sums.transpose(0, 2, 3, 1).astype(np.int32), case.y)


KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    "gemm": product,
    "batched gemm": batch,
    "conv2d": conv2d,
    "conv2d, groups": grouped,
    "conv2d, 1x1": pointwise,
    "conv1d": conv1d,
    "transposed conv2d": transposed,
    "depthwise": depthwise,
}
