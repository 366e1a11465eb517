"""Small floating-point models for the quantiser, with seeded weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]


class FloatBuilder:
    """Collects nodes, called like their results, and constants."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> str:
        """An initialiser."""
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def normal(self, name: str, *shape: int) -> str:
        """Random weights whose products keep the size of what they multiply."""
        fan_in = int(np.prod(shape[1:])) or 1
        return self.constant(name, self.rng.standard_normal(shape) / np.sqrt(fan_in))

    def node(self, op_type: str, inputs: list[str], output: str, **attributes: object) -> str:
        """A node with one result."""
        self.nodes.append(helper.make_node(op_type, inputs, [output], output, **attributes))
        return output

    def batch_norm(self, x: str, y: str, channels: int) -> str:
        """A BatchNormalization with parameters that change something."""
        parameters = [
            self.constant(f"{y}_scale", self.rng.uniform(0.5, 2, channels)),
            self.constant(f"{y}_shift", self.rng.standard_normal(channels)),
            self.constant(f"{y}_mean", self.rng.standard_normal(channels)),
            self.constant(f"{y}_variance", self.rng.uniform(0.5, 2, channels)),
        ]
        return self.node("BatchNormalization", [x, *parameters], y)

    def model(self, inputs: dict[str, list[int | str]], outputs: list[str], opset: int = 17) -> onnx.ModelProto:
        """The model of float32 inputs."""
        graph = helper.make_graph(
            self.nodes,
            "float",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            self.constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def classifier(opset: int = 17) -> onnx.ModelProto:
    """Convolutions with BatchNormalization, a residual sum, pools, a classifier of MatMul and Add, Softmax; x [N, 3, 12, 12]."""
    b = FloatBuilder()
    b.node("Conv", ["x", b.normal("w1", 8, 3, 3, 3)], "conv1")
    b.node("Relu", [b.batch_norm("conv1", "norm1", 8)], "relu1")
    b.node("Conv", ["relu1", b.normal("w2", 8, 8, 3, 3), b.normal("b2", 8)], "conv2", pads=[1] * 4)
    b.node("Relu", [b.node("Add", ["conv2", "relu1"], "sum")], "relu2")
    b.node("MaxPool", ["relu2"], "pool", kernel_shape=[2, 2], strides=[2, 2])
    b.node("Flatten", [b.node("GlobalAveragePool", ["pool"], "average")], "flat")
    b.node("MatMul", ["flat", b.constant("w3", b.rng.standard_normal((8, 5)))], "product")
    b.node("Add", ["product", b.normal("b3", 5)], "logits")
    b.node("Softmax", ["logits"], "probabilities")
    return b.model({"x": ["N", 3, 12, 12]}, ["probabilities", "logits"], opset)


def run(model: onnx.ModelProto, inputs: dict[str, npt.NDArray[np.generic]], outputs: list[str]) -> list[Floats]:
    """ONNX Runtime's results, without its optimisations."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values: list[Floats] = session.run(outputs, inputs)
    return values


def samples(count: int, seed: int = 1) -> Floats:
    """Inputs of the classifier."""
    return np.random.default_rng(seed).standard_normal((count, 3, 12, 12)).astype(np.float32)
