"""What the builders share: padding as TensorFlow does it, BatchNorm as scale and shift, a float graph in the making."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]
Affine = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

OPSET, IR_VERSION = 13, 8  # read by every onnx and onnxruntime that pyproject.toml allows


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Zeros before and after a dimension so that there are ceil(size / stride) outputs; the odd one goes after (TensorFlow)."""
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def batch_norm(gamma: Floats, beta: Floats, mean: Floats, variance: Floats, epsilon: float) -> Affine:
    """Scale and shift, a number per channel, of a BatchNormalization at inference."""
    scale = gamma.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)
    return scale, beta - scale * mean


def fold(weights: Floats, bias: Floats | None, affine: Affine) -> tuple[Floats, Floats]:
    """Weights [outputs, ...] and bias of a convolution with `affine` applied to its result."""
    scale, shift = affine
    column = scale.reshape(-1, *[1] * (weights.ndim - 1))
    folded = shift if bias is None else scale * bias + shift
    return (weights * column).astype(np.float32), folded.astype(np.float32)


class FloatGraph:
    """A float32 model that grows node by node; a node's result is called like the node."""

    def __init__(self, name: str, tensor: str, shape: tuple[int, ...]) -> None:
        self.graph = onnx.GraphProto(name=name)
        self.graph.input.append(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape))

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def add(self, op: str, name: str, inputs: list[str], **attributes: Any) -> str:
        self.graph.node.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def model(self, output: str, shape: tuple[int, ...]) -> onnx.ModelProto:
        """The checked model with one output."""
        self.graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, shape))
        model = helper.make_model(self.graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model
