"""Cases of the kernels that run on the vector unit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.elementwise import PairCase, plan_lookup, plan_pair
from accelkit.kernels.plan import Quantised
from accelkit.kernels.pooling import PoolCase, plan_pool
from tests.kernels.suite_draw import Draw, Run
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, dequantize_linear, quantize_linear

CONTRIB = "com.microsoft"


def zero_point(kind: Quantised) -> Array:
    """As an ONNX scalar."""
    return np.asarray(kind.zero_point, kind.dtype)


def pool_case(draw: Draw) -> PoolCase:
    """Any window, strides, pads; an image, or a line (height 1)."""
    window = draw.pick([(2, 2), (3, 3), (1, 4), (3, 2)])
    height = 1 if window[0] == 1 else draw.size(4, 12)
    pads = [draw.size(0, window[a % 2] - 1) for a in range(4)]
    shape = (draw.size(1, 2), height, draw.size(4, 12), draw.size(1, 40))
    return PoolCase(
        shape,
        draw.operands.kind(),
        window,
        draw.pair(1, 3),
        (pads[0], pads[1], pads[2], pads[3]),
        is_ceil=draw.pick([False, True]),
    )


def maximum(machine: Machine, draw: Draw) -> Run:
    """Dilations, too."""
    case = replace(pool_case(draw), dilations=draw.pick([(1, 1), (1, 1), (1, 2)]))
    x = draw.operands.tensor(case.x, *case.x_shape)
    return Run(plan_pool(machine, case), {"x": x}, lambda: pooled("MaxPool", case, x, [], dilations=case.dilations))


def average(machine: Machine, draw: Draw) -> Run:
    """Padding counted or not; every fourth is global."""
    case = pool_case(draw)
    y = Quantised(case.x.dtype, draw.operands.kind().zero_point % 128)
    scales = draw.scales(2)
    case = replace(
        case, is_average=True, y=y, x_scale=scales[0], y_scale=scales[1], counts_padding=draw.pick([False, True])
    )
    if draw.size(1, 4) == 1:
        case = replace(case, window=case.x_shape[1:3], strides=(1, 1), pads=(0, 0, 0, 0), is_ceil=False)
    x = draw.operands.tensor(case.x, *case.x_shape)
    more = [np.float32(case.x_scale), zero_point(case.x), np.float32(case.y_scale), zero_point(y)]
    return Run(
        plan_pool(machine, case),
        {"x": x},
        lambda: pooled(
            "QLinearAveragePool", case, x, more, domain=CONTRIB, count_include_pad=int(case.counts_padding)
        ),
    )


def pooled(op_type: str, case: PoolCase, x: Array, more: list[Array | None], **attributes: object) -> Array:
    """ONNX Runtime's pool of an NHWC tensor."""
    y = run_op(
        op_type,
        np.ascontiguousarray(x.transpose(0, 3, 1, 2)),
        more,
        x.dtype,
        kernel_shape=case.window,
        strides=case.strides,
        pads=case.pads,
        ceil_mode=int(case.is_ceil),
        **attributes,  # type: ignore[arg-type]
    )
    return y.transpose(0, 2, 3, 1)


def lookup(machine: Machine, draw: Draw) -> Run:
    """Any table."""
    shape = draw.shape(3, 20)
    x, table = draw.bytes_of(shape), draw.bytes_of((256,))
    return Run(plan_lookup(machine, shape, table), {"x": x}, lambda: table[x])


def pair(machine: Machine, draw: Draw, is_product: bool, sign: int) -> Run:
    """Two tensors, one of which may broadcast along any axes."""
    shape = draw.shape(3, 20)
    other = tuple(draw.pick([size, size, 1]) for size in shape)[draw.pick([0, 0, 1]) :]
    shapes = draw.pick([(shape, other), (other, shape), (shape, shape)])
    kind = draw.operands.kind()
    low = np.iinfo(np.dtype(kind.dtype)).min
    kinds = [Quantised(kind.dtype, low + draw.size(0, 255)) for _ in range(3)]
    scales = draw.scales(3)
    case = PairCase(*shapes, *kinds, scales[0], sign * scales[1], scales[2] * (50 if is_product else 1), is_product)
    left, right = (draw.operands.tensor(k, *s) for k, s in zip(kinds, shapes, strict=False))
    return Run(plan_pair(machine, case), {"left": left, "right": right}, lambda: paired(case, left, right))


def paired(case: PairCase, left: Array, right: Array) -> Array:
    """ONNX Runtime's QLinearAdd or QLinearMul."""
    scales = [np.float32(scale) for scale in (case.left_scale, case.right_scale, case.y_scale)]
    more = [scales[0], zero_point(case.left), right, scales[1], zero_point(case.right), scales[2], zero_point(case.y)]
    op_type = "QLinearMul" if case.is_product else "QLinearAdd"
    return run_op(op_type, left, more, case.y.dtype, domain=CONTRIB)


def convert_case(draw: Draw) -> ConvertCase:
    """Any shape and type."""
    return ConvertCase(draw.shape(2, 60), draw.operands.kind(), draw.scales(1)[0])


def quantise(machine: Machine, draw: Draw) -> Run:
    """Numbers in and outside the range, halves, and what is no number."""
    case = convert_case(draw)
    x = (draw.rng.normal(0, 90, case.shape) * case.scale).astype(np.float32)
    x.reshape(-1)[:: draw.size(2, 9)] = np.float32(draw.pick([np.nan, np.inf, -np.inf, 2.5 * case.scale]))
    dtype = np.dtype(case.kind.dtype).type

    def want() -> Array:
        return quantize_linear(x, case.scale, case.kind.zero_point, dtype)

    return Run(plan_quantise(machine, case), {"x": x}, want)


def dequantise(machine: Machine, draw: Draw) -> Run:
    """Bytes to numbers."""
    case = convert_case(draw)
    x = draw.operands.tensor(case.kind, *case.shape)

    def want() -> Array:
        return dequantize_linear(x, case.scale, case.kind.zero_point)

    return Run(plan_dequantise(machine, case), {"x": x}, want)


KERNELS: dict[str, Callable[[Machine, Draw], Run]] = {
    "maximum pool": maximum,
    "average pool": average,
    "lookup": lookup,
    "add": lambda machine, draw: pair(machine, draw, False, 1),
    "subtract": lambda machine, draw: pair(machine, draw, False, -1),
    "multiply": lambda machine, draw: pair(machine, draw, True, 1),
    "quantise": quantise,
    "dequantise": dequantise,
}
