"""Constants of a quantised model as they suit the accelerator, first of all activation scales with few significant bits.

ONNX Runtime averages in floating point, in an order of its own. With a short scale its sums are exact, so the integer kernel gives the
same result and a pool needs no fallback (docs/models.md). A change of 2^-12 is far below what calibration knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from accelkit.kernels.onnx.quantised import OPERATORS

Array = npt.NDArray[Any]
_DROPPED_BITS = 12  # of the 24 of binary32
# The quantiser gives a channel of almost no weight a bias at the end of int32; sums must not go past it.
_LARGEST_BIAS = 2**31 - 2**22
# Operator -> places of input scale, weight scale and int32 bias
_BIASES = {"QLinearConv": (1, 4, 8), "QGemm": (1, 4, 6)}


def shorten_scales(model: onnx.ModelProto) -> None:
    """Round all activation scales of a model in QOperator or QDQ form, and adapt the biases that are multiples of them."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    old = {name: numpy_helper.to_array(tensor) for name, tensor in constants.items() if tensor.dims in ([], [1])}
    new = {name: _shorten(old[name]) for name in sorted(_activation_scales(model, constants)) if name in old}
    changes = dict(_biases(model, constants, old, new))
    for name, value in (new | changes).items():
        constants[name].CopyFrom(numpy_helper.from_array(value, name))


def _shorten(scale: Array) -> Array:
    bits = np.asarray(scale, np.float32).view(np.uint32).astype(np.uint64)
    unit = np.uint64(1 << _DROPPED_BITS)
    rounded = (bits + unit // np.uint64(2)) // unit * unit
    return rounded.astype(np.uint32).view(np.float32).reshape(scale.shape)


def _activation_scales(model: onnx.ModelProto, constants: dict[str, onnx.TensorProto]) -> Iterator[str]:
    for node in model.graph.node:
        if node.op_type == "QLinearConcat":
            yield node.input[0]
            yield from node.input[3::3]
        places = OPERATORS.get(node.op_type)
        if places is None:
            continue
        yield from (node.input[scale] for tensor, scale, _ in places.operands if node.input[tensor] not in constants)
        if places.result is not None:
            yield node.input[places.result[0]]


def _biases(
    model: onnx.ModelProto, constants: dict[str, onnx.TensorProto], old: dict[str, Array], new: dict[str, Array]
) -> Iterator[tuple[str, Array]]:
    """New values of biases, and in QDQ form of their scales."""
    makers = {node.output[0]: node for node in model.graph.node if node.op_type == "DequantizeLinear"}

    def unit(x_scale: str, w_scale: str, changed: dict[str, Array]) -> Array:
        """The number that a bias of 1 stands for, of each channel."""
        values = (changed[name] if name in changed else numpy_helper.to_array(constants[name]) for name in (x_scale, w_scale))
        x, w = (np.asarray(value, np.float64).reshape(-1) for value in values)
        return x * w

    for node in model.graph.node:
        if node.op_type in _BIASES:
            x_scale, w_scale, bias = (node.input[place] if place < len(node.input) else "" for place in _BIASES[node.op_type])
            scale = ""
        elif node.op_type in ("Conv", "ConvTranspose", "Gemm") and len(node.input) > 2:
            dequantisers = [makers.get(name) for name in node.input[:3]]
            if None in dequantisers:
                continue
            x_scale, w_scale, scale = (dequantiser.input[1] for dequantiser in dequantisers if dequantiser is not None)
            bias = makers[node.input[2]].input[0]
        else:
            continue
        if bias not in constants or constants[bias].data_type != onnx.TensorProto.INT32:
            continue
        before, after = unit(x_scale, w_scale, old), unit(x_scale, w_scale, new)
        value = numpy_helper.to_array(constants[bias])
        yield bias, np.clip(np.rint(value * (before / after)), -_LARGEST_BIAS, _LARGEST_BIAS).astype(np.int32)
        if scale:
            yield scale, after.astype(np.float32).reshape(tuple(constants[scale].dims))


def make_even(model: onnx.ModelProto) -> None:
    """Even zero points for the results of averages: halves are frequent there, and ONNX Runtime rounds them with the zero point added,
    the kernel without it, which is one only if that is even."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    averaged = {node.output[0] for node in model.graph.node if node.op_type == "AveragePool"}
    for node in model.graph.node:
        if node.op_type == "QLinearAveragePool":
            name = node.input[4]
        elif node.op_type == "QuantizeLinear" and node.input[0] in averaged:
            name = node.input[2]
        else:
            continue
        value = numpy_helper.to_array(constants[name])
        zero_point = int(value.item())
        if zero_point % 2:
            even = zero_point + (1 if zero_point < 0 else -1)
            constants[name].CopyFrom(numpy_helper.from_array(np.full(value.shape, even, value.dtype), name))


def make_unsigned(model: onnx.ModelProto) -> None:
    """Signed weights beside unsigned activations, which some CPUs multiply wrongly, as unsigned ones with a zero point of 128."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type not in ("QLinearConv", "QLinearMatMul", "QGemm"):
            continue
        for name in (node.input[3], node.input[5]):
            tensor = constants.get(name)
            if tensor is not None and tensor.data_type == onnx.TensorProto.INT8:
                value = numpy_helper.to_array(tensor).astype(np.int16) + 128
                tensor.CopyFrom(numpy_helper.from_array(value.astype(np.uint8), name))
