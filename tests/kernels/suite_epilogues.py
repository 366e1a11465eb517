"""Cases of products that end with a table or a residual sum, or whose activations stay in the scratchpad."""

from collections.abc import Callable
from dataclasses import replace

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.plan import Quantised, Refusal
from accelkit.kernels.residency import Frame, Stays
from tests.kernels.operands import expected
from tests.kernels.suite_draw import Draw, Run
from tests.kernels.test_epilogue import composed, draw_epilogue
from tests.reference.quantised import Array, Window, conv2d_nhwc, gemm


def product(machine: Machine, draw: Draw) -> Run:
    """A product, then a table or a sum."""
    M, N, K = (draw.size(1, 60) for _ in range(3))
    operands = draw.operands
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, M, K), operands.tensor(b_kind, K, N)
    y = operands.requantisation(N, K)
    epilogue, residual = draw_epilogue(operands, y, (M, N), draw.pick([True, False]))
    plan = plan_gemm(machine, GemmCase(M, N, K, a_kind, b_kind, y, b, epilogue=epilogue))

    def want() -> Array:
        return composed(expected(gemm(a, b, a_kind.zero_point, b_kind.zero_point), y), epilogue, residual)

    return Run(plan, {"a": a} if residual is None else {"a": a, "residual": residual}, want)


def convolution_case(draw: Draw, window: Window, size: tuple[int, int], x_kind: Quantised, depth: int, outputs: int) -> Conv2dCase:
    """One image, 3x3."""
    kind = draw.operands.kind()
    w = draw.operands.tensor(kind, outputs * window.groups, depth, 3, 3)
    y = draw.operands.requantisation(outputs * window.groups, depth * 9)
    shape = (1, *size, depth * window.groups)
    return Conv2dCase(
        shape, x_kind, w, kind.zero_point, y, window.strides, window.pads, window.dilations, window.groups
    )


def convolved(case: Conv2dCase, x: Array) -> Array:
    """The reference's result."""
    window = Window(case.strides, case.pads, case.dilations, case.groups)
    return expected(conv2d_nhwc(x, case.weights, window, case.x.zero_point, case.weights_zero_point), case.y)


def convolution(machine: Machine, draw: Draw) -> Run:
    """A convolution, then a table or a sum."""
    window = Window(draw.pair(1, 2), (*draw.pair(0, 2), *draw.pair(0, 2)))
    kind = draw.operands.kind()
    case = convolution_case(draw, window, draw.pair(4, 10), kind, draw.size(1, 20), draw.size(1, 30))
    epilogue, residual = draw_epilogue(draw.operands, case.y, case.y_shape, draw.pick([True, False]))
    x = draw.operands.tensor(kind, *case.x_shape)
    plan = plan_conv2d(machine, replace(case, epilogue=epilogue))
    inputs = {"x": x} if residual is None else {"x": x, "residual": residual}
    return Run(plan, inputs, lambda: composed(convolved(case, x), epilogue, residual))


def depthwise(machine: Machine, draw: Draw) -> Run:
    """A depthwise convolution, then a table."""
    window = Window(draw.pair(1, 2), (1, 1, 1, 1), groups=draw.size(2, 40))
    kind = draw.operands.kind()
    case = convolution_case(draw, window, draw.pair(4, 10), kind, 1, 1)
    epilogue, _ = draw_epilogue(draw.operands, case.y, case.y_shape, is_table=True)
    x = draw.operands.tensor(kind, *case.x_shape)
    plan = plan_conv2d(machine, replace(case, epilogue=epilogue))
    return Run(plan, {"x": x}, lambda: composed(convolved(case, x), epilogue, None))


def staying(machine: Machine, draw: Draw) -> Run:
    """Two convolutions, dense or depthwise; what is between them stays in the scratchpad, with the border that the second needs."""
    kind, size = draw.operands.kind(), draw.pair(3, 6)
    same = Window(pads=(1, 1, 1, 1))
    first = convolution_case(draw, same, size, kind, draw.size(1, 8), middle := draw.size(2, 12))
    groups = draw.pick([1, middle])
    between = Quantised(first.y.dtype, first.y.zero_point)
    second = convolution_case(
        draw, replace(same, groups=groups), size, between, middle // groups, draw.size(1, 12) if groups == 1 else 1
    )
    frame = Frame(0, size[0] + 2, size[1] + 2, 1, 1, between.zero_point)
    rows = frame.block_rows * -(-middle // machine.lanes)
    free = machine.scratchpad_banks - -(-rows // machine.scratchpad_bank_rows)
    x = draw.operands.tensor(kind, *first.x_shape)
    if free < 1:
        return Run(Refusal("no bank in which a tensor fits"), {}, lambda: x)
    frame = replace(frame, first=free * machine.scratchpad_bank_rows)
    plans = (
        plan_conv2d(machine, first, stays=Stays(y=frame, free_banks=free)),
        plan_conv2d(machine, second, stays=Stays(x=frame, free_banks=free)),
    )
    if isinstance(plans[0], Refusal):
        return Run(plans[0], {}, lambda: x)
    return Run(plans[1], {"x": x}, lambda: convolved(second, convolved(first, x)), plans[0])


KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    "gemm, then table or sum": product,
    "conv2d, then table or sum": convolution,
    "depthwise, then table": depthwise,
    "conv2d that stays": staying,
}
