"""Operators between DequantizeLinear and QuantizeLinear as integer nodes that ONNX Runtime has, see docs/adr/0010."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.onnx.importing import LeftFloat, Quantised, Scaling, Tensors

Array = npt.NDArray[Any]
MICROSOFT = "com.microsoft"
_BIAS_LIMIT = 2.0**31
_BIAS_TOLERANCE = 1e-5  # of a bias's scale, relative: it may have been multiplied in other types


@dataclass(frozen=True)
class Form:
    """One integer node: its inputs, the nodes before it that it makes superfluous, and how its result is quantised.

    `shape` is that of the result where the integer node gives another.
    """

    op_type: str
    inputs: tuple[str, ...]
    result: Scaling
    sources: tuple[Node, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""
    shape: tuple[int, ...] | None = None


def integer_form(tensors: Tensors, node: Node, result: Scaling) -> Form | None:
    """The integer node of a floating-point one whose result is to be quantised like `result`; None if there is no pattern for it.

    The form's own result may be quantised otherwise, in the type of the operands. LeftFloat says what is in the way.
    """
    find = _FORMS.get(node.op_type) if node.domain == "" else None
    return None if find is None else find(tensors, node, result)


def _conv(tensors: Tensors, node: Node, result: Scaling) -> Form:
    x, w = tensors.activation(node.input(0)), _weights(tensors, node, 1, 0)
    result = _in_type(tensors, result, x.dtype)
    _check_types(x, w)
    bias, more = _bias(tensors, node, x, w, 1.0)
    inputs = (*_operand(x), *_operand(w), result.scale, result.zero_point, *bias)
    return Form("QLinearConv", inputs, result, (*x.nodes, *w.nodes, *more), dict(node.attributes))


def _conv_transpose(tensors: Tensors, node: Node, result: Scaling) -> Form:
    if len(tensors.shape(node.input(0))) not in (3, 4):
        raise LeftFloat("shape", "a transposed convolution of more than 2 axes")
    x, w = tensors.activation(node.input(0)), _weights(tensors, node, 1, 1)
    if w.scaling.axis is not None and node.attributes.get("group", 1) != 1:
        raise LeftFloat("scale", f"scales of {node.input(1)} by channel of {node.attributes['group']} groups")
    result = _in_type(tensors, result, x.dtype)
    _check_types(x, w)
    bias, more = _bias(tensors, node, x, w, 1.0)
    inputs = (*_operand(x), *_operand(w), result.scale, result.zero_point, *bias)
    return Form("QLinearConvTranspose", inputs, result, (*x.nodes, *w.nodes, *more))


def _matmul(tensors: Tensors, node: Node, result: Scaling) -> Form:
    a = tensors.activation(node.input(0))
    b = _weights(tensors, node, 1, len(tensors.shape(node.input(1))) - 1)
    result = _in_type(tensors, result, a.dtype)
    _check_types(a, b)
    return Form("QLinearMatMul", (*_operand(a), *_operand(b), result.scale, result.zero_point), result, (*a.nodes, *b.nodes))


def _gemm(tensors: Tensors, node: Node, result: Scaling) -> Form:
    attributes = {name: value for name, value in node.attributes.items() if name in ("alpha", "transA", "transB")}
    a = tensors.activation(node.input(0))
    b = _weights(tensors, node, 1, 0 if node.attributes.get("transB") else 1)
    result = _in_type(tensors, result, a.dtype)
    _check_types(a, b)
    if node.input(2) and node.attributes.get("beta", 1.0) != 1.0:
        raise LeftFloat("attribute", f"beta = {node.attributes['beta']:g}, expected 1")
    bias, more = _bias(tensors, node, a, b, float(node.attributes.get("alpha", 1.0)))
    inputs = (*_operand(a), *_operand(b), *(bias or ("",)), result.scale, result.zero_point)
    return Form("QGemm", inputs, result, (*a.nodes, *b.nodes, *more), attributes, MICROSOFT)


def _pair(op_type: str, sign: int = 1) -> Callable[[Tensors, Node, Scaling], Form]:
    def find(tensors: Tensors, node: Node, result: Scaling) -> Form:
        left, right = (tensors.activation(node.input(place)) for place in (0, 1))
        if left.dtype != right.dtype:
            raise LeftFloat("dtype", f"{left.tensor} is {left.dtype}, {right.tensor} is {right.dtype}; they must have one type")
        result = _in_type(tensors, result, left.dtype)
        tensor, scale, zero_point = _operand(right)
        if sign < 0:  # a difference is a sum of the other scale
            scale = tensors.add(f"{scale}_negative", -right.scaling.scales)
        inputs = (*_operand(left), tensor, scale, zero_point, result.scale, result.zero_point)
        return Form(op_type, inputs, result, (*left.nodes, *right.nodes), {}, MICROSOFT)

    return find


def _unary(op_type: str, *names: str, **fixed: int) -> Callable[[Tensors, Node, Scaling], Form]:
    """An operator with one operand that keeps the attributes called `names` and has the `fixed` ones."""

    def find(tensors: Tensors, node: Node, result: Scaling) -> Form:
        x = tensors.activation(node.input(0))
        result = _in_type(tensors, result, x.dtype)
        attributes = {name: value for name, value in node.attributes.items() if name in names} | fixed
        return Form(op_type, (*_operand(x), result.scale, result.zero_point), result, x.nodes, attributes, MICROSOFT)

    return find


def _average(tensors: Tensors, node: Node, result: Scaling) -> Form:
    if any(dilation != 1 for dilation in node.attributes.get("dilations", ())):
        raise LeftFloat("attribute", f"dilations = {list(node.attributes['dilations'])}; ONNX Runtime's integer average has 1")
    names = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")
    return _unary("QLinearAveragePool", *names, channels_last=0)(tensors, node, result)


def _mean(tensors: Tensors, node: Node, result: Scaling) -> Form | None:
    """A mean over all axes behind the channels is a global average."""
    shape = tensors.shape(node.input(0))
    axes = tensors.value(node.input(1)) if node.input(1) else node.attributes.get("axes")
    if axes is None or sorted(int(axis) % len(shape) for axis in axes) != list(range(2, len(shape))) or len(shape) < 3:
        return None
    form = _unary("QLinearGlobalAveragePool", channels_last=0)(tensors, node, result)
    return form if node.attributes.get("keepdims", 1) else replace(form, shape=shape[:2])


def _softmax(tensors: Tensors, node: Node, result: Scaling) -> Form:
    # Before opset 13 the axis cuts the tensor in two, since then it is the only one.
    axis = node.attributes.get("axis", -1 if tensors.opset >= 13 else 1)
    return _unary("QLinearSoftmax", axis=axis, opset=tensors.opset)(tensors, node, result)


def _concat(tensors: Tensors, node: Node, result: Scaling) -> Form:
    parts = [tensors.activation(name) for name in node.inputs]
    if len({part.dtype for part in parts}) > 1:
        raise LeftFloat("dtype", f"operands of both int8 and uint8 ({', '.join(f'{p.tensor}: {p.dtype}' for p in parts)})")
    sources = tuple(source for part in parts for source in part.nodes)
    result = _in_type(tensors, result, parts[0].dtype)
    axis = {"axis": node.attributes["axis"]}
    if all(part.scaling.is_same(result) for part in parts):
        return Form("Concat", tuple(part.tensor for part in parts), result, sources, axis)
    inputs = (result.scale, result.zero_point, *(name for part in parts for name in _operand(part)))
    return Form("QLinearConcat", inputs, result, sources, axis, MICROSOFT)


def _operand(source: Quantised) -> tuple[str, str, str]:
    return source.tensor, source.scaling.scale, source.scaling.zero_point


def _weights(tensors: Tensors, node: Node, place: int, axis: int) -> Quantised:
    """A right-hand operand: 8 bits, one scale, or one for each index of `axis` and then one zero point."""
    name = node.input(place)
    w = tensors.quantised(name)
    if w is None:
        raise LeftFloat("float", f"{name} is floating point, no DequantizeLinear makes it")
    if w.dtype == np.int32:
        raise LeftFloat("dtype", f"{w.tensor} is int32, expected int8 or uint8")
    if w.scaling.axis not in (None, axis):
        raise LeftFloat("scale", f"the scales of {name} go along axis {w.scaling.axis}, expected {axis}")
    if len(np.unique(w.scaling.zero_points)) != 1:
        raise LeftFloat("zero-point", f"the zero points of {name} differ by channel; ONNX Runtime's integer kernels take one")
    if not (w.scaling.scales > 0).all():
        raise LeftFloat("scale", f"a scale of {name} is not above 0")
    return w


def _check_types(x: Quantised, w: Quantised) -> None:
    if x.dtype == np.int8 and w.dtype == np.uint8:
        raise LeftFloat("dtype", f"int8 activations with uint8 weights ({w.tensor}), which ONNX Runtime has no integer kernel for")


def _bias(tensors: Tensors, node: Node, x: Quantised, w: Quantised, factor: float) -> tuple[tuple[str, ...], tuple[Node, ...]]:
    """The bias as an int32 constant in units of the product, and the nodes before it.

    One in other units is rounded to these, as ONNX Runtime rounds one in floating point.
    """
    name = node.input(2)
    if not name:
        return (), ()
    unit = np.float32(factor) * x.scaling.scales.ravel() * w.scaling.scales.ravel()
    source = tensors.quantised(name) if tensors.value(name) is None else None
    if source is not None and source.dtype == np.int32 and not source.scaling.zero_points.any():
        scales = source.scaling.scales.ravel()
        is_for_all = unit.size in (1, scales.size) or scales.size == 1
        if is_for_all and np.allclose(scales, unit, rtol=_BIAS_TOLERANCE, atol=0) and tensors.value(source.tensor) is not None:
            return (source.tensor,), source.nodes
    number = tensors.number(name)
    if number is None:
        raise LeftFloat("bias", f"bias {name} is not a constant")
    with np.errstate(over="ignore", invalid="ignore"):
        whole = np.rint(number / unit)
    if not (np.abs(whole) < _BIAS_LIMIT).all():
        raise LeftFloat("bias", f"bias {name} doesn't fit int32 in units of the product of the scales of {x.tensor} and {w.tensor}")
    return (tensors.add(f"{name}_integer", whole.astype(np.int32)),), () if source is None else source.nodes


def _in_type(tensors: Tensors, scaling: Scaling, dtype: np.dtype[Any]) -> Scaling:
    """The same scale in the other 8-bit type: bytes differ by 128, as the zero points do."""
    if scaling.dtype == dtype:
        return scaling
    zero_points = (scaling.zero_points.astype(np.int16) + (128 if dtype == np.uint8 else -128)).astype(dtype)
    name = tensors.add(f"{scaling.zero_point}_{dtype}", zero_points)
    return Scaling(scaling.scale, name, scaling.scales, zero_points)


_FORMS: dict[str, Callable[[Tensors, Node, Scaling], Form | None]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Add": _pair("QLinearAdd"),
    "Sub": _pair("QLinearAdd", -1),
    "Mul": _pair("QLinearMul"),
    "Concat": _concat,
    "AveragePool": _average,
    "GlobalAveragePool": _unary("QLinearGlobalAveragePool", channels_last=0),
    "ReduceMean": _mean,
    "Softmax": _softmax,
    "Sigmoid": _unary("QLinearSigmoid"),
    "LeakyRelu": _unary("QLinearLeakyRelu", "alpha"),
}
