"""The `light_*` graphs of the onnx package: topologies of well-known networks, whose weights here are random and seeded.

The files hold shapes only; each weight is made by a ConstantOfShape node. `simplify` replaces those by random values of a sensible
scale and folds what is linear into the convolutions, so that a graph of Conv, Relu, pools, Sum, Concat, Gemm and a few
more is left for `models.qoperator`.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from models.layers import Affine, FloatGraph, batch_norm, fold
from models.packages import FetchError, read_pinned
from models.quantise import Feeds

Array = npt.NDArray[Any]

# file -> its SHA-256; the same in every onnx that pyproject.toml allows
GRAPHS = {
    "squeezenet": ("light_squeezenet.onnx", "770b0f3c8623e18bf58b53754d710051b4c268248422142980a132bbe6dfe908"),
    "resnet50": ("light_resnet50.onnx", "05e77a5c9c9ce0913f549a50d6ebaced5e0ff6817b61e09bae26e4c5bd9055e4"),
    "densenet121": ("light_densenet121.onnx", "49ddb5712797d6164f1d864bedaad927de4f3909ad1b4ba390a92c2f8150e9f6"),
    "inception_v1": ("light_inception_v1.onnx", "bb7a0e6c370c709f5615eeef961b43628de13d0009ae4d6f4bfb0d5aea5d8270"),
    "inception_v2": ("light_inception_v2.onnx", "224d77d55b26559a959db627c3f417a623fbf3b3000d25f0939327aa935d933f"),
    "shufflenet": ("light_shufflenet.onnx", "c6f406d62be36d6b4572542c0950a2abd59f56237068793290680bba89fbafe5"),
    "zfnet512": ("light_zfnet512.onnx", "6444bb58b98c3d14f551a3bdb83eea9e5db7e147790db3115c447e9c9a8338b0"),
    "alexnet": ("light_bvlc_alexnet.onnx", "2afa78cef5a88aed9d6e3d63fb92bd330c9177ac150d19189c6b3e7204ba0212"),
}
IMAGES = 2  # that come with a built model
_DROPPED = {"ConstantOfShape", "Dropout", "Unsqueeze"}  # constants, and what does nothing at inference


def load_graph(name: str) -> onnx.GraphProto:
    """The untouched graph out of the installed onnx package."""
    file, sha256 = GRAPHS[name]
    spec = find_spec("onnx")
    if spec is None or spec.origin is None:
        raise FetchError("onnx isn't installed; pip install 'accelkit[models]'")
    path = Path(spec.origin).parent / "backend" / "test" / "data" / "light" / file
    return onnx.load_model_from_string(read_pinned(path, sha256)).graph


def make_images(count: int, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Random pictures [count, channels, height, width]: coarse blocks under fine noise, about -2 to 2, seeded."""
    rng = np.random.RandomState(224)
    channels, height, width = shape
    coarse = rng.standard_normal((count, channels, 7, 7))
    blocks = coarse.repeat(-(-height // 7), axis=2).repeat(-(-width // 7), axis=3)[:, :, :height, :width]
    return (0.7 * blocks + 0.3 * rng.standard_normal(blocks.shape)).astype(np.float32)


def draw(name: str, role: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Random values for a tensor of a role; they depend on its name and shape only."""
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    if role == "weights":  # He: a Relu's output keeps the variance of its input
        return (rng.standard_normal(shape) * math.sqrt(2 / math.prod(shape[1:]))).astype(np.float32)
    spread = {"scale": (0.75, 1.25), "shift": (-0.25, 0.25), "variance": (0.5, 1.5)}[role]
    return rng.uniform(*spread, shape).astype(np.float32)


class _Simplifier:
    """Walks a graph in order; `alias` says which tensor of the new graph stands for one of the old."""

    def __init__(self, source: onnx.GraphProto, graph: FloatGraph) -> None:
        self.source, self.graph = source, graph
        self.shapes = _weight_shapes(source)
        self.fixed = {item.name: numpy_helper.to_array(item) for item in source.initializer}
        self.readers = Counter(name for node in source.node for name in node.input)
        self.alias: dict[str, str] = {}
        self.affines: dict[str, tuple[Affine, str]] = {}  # pending scale and shift of a tensor, and of which one it is
        self.convs: dict[str, onnx.NodeProto] = {}  # convolutions whose result has one reader

    def walk(self) -> None:
        for node in self.source.node:
            if node.op_type == "BatchNormalization":
                self._norm(node)
            elif node.op_type in ("Mul", "Add"):
                self._scale(node)
            elif node.op_type == "Dropout":
                self.alias[node.output[0]] = self._resolve(node.input[0])
            elif node.op_type not in _DROPPED:
                self._copy(node)

    def _norm(self, node: onnx.NodeProto) -> None:
        roles = ("scale", "shift", "shift", "variance")
        parts = [draw(name, role, self.shapes[name]) for name, role in zip(node.input[1:], roles, strict=True)]
        epsilon = {item.name: item.f for item in node.attribute}.get("epsilon", 1e-5)
        self.affines[node.output[0]] = (batch_norm(*parts, epsilon), node.input[0])

    def _scale(self, node: onnx.NodeProto) -> None:
        """The Mul and the Add that Caffe's models have after a BatchNorm; their constants pass an Unsqueeze."""
        (scale, shift), origin = self.affines.pop(node.input[0])
        role = "scale" if node.op_type == "Mul" else "shift"
        values = draw(node.input[1], role, scale.shape)
        self.affines[node.output[0]] = ((scale * values, shift * values) if role == "scale" else (scale, shift + values), origin)

    def _resolve(self, tensor: str) -> str:
        """The new graph's tensor; a pending scale and shift is folded into its convolution, or becomes one of its own."""
        if tensor not in self.affines:
            return self.alias.get(tensor, tensor)
        affine, origin = self.affines.pop(tensor)
        conv = self.convs.pop(origin, None)
        if conv is not None and self.readers[origin] == 1:
            weights = draw(conv.input[1], "weights", self.shapes[conv.input[1]])
            bias = draw(conv.input[2], "shift", self.shapes[conv.input[2]]) if len(conv.input) > 2 else None
            self._add(conv, [self._resolve(conv.input[0])], tensor, *fold(weights, bias, affine))
        else:
            channels = len(affine[0])
            depthwise = helper.make_node("Conv", [origin], [tensor], kernel_shape=[1, 1], group=channels)
            weights, bias = fold(np.ones((channels, 1, 1, 1), np.float32), None, affine)
            self._add(depthwise, [self._resolve(origin)], tensor, weights, bias)
        return tensor

    def _copy(self, node: onnx.NodeProto) -> None:
        if node.op_type == "Reshape" and node.input[0] in self.shapes:  # of weights
            self.shapes[node.output[0]] = tuple(map(int, self.fixed[node.input[1]]))
        elif node.op_type == "Conv" and self._is_normalised(node.output[0]):
            self.convs[node.output[0]] = node
        elif node.op_type in ("Conv", "Gemm"):
            weights = draw(node.input[1], "weights", self.shapes[node.input[1]])
            outputs = (weights.shape[0],)
            bias = draw(node.input[2], "shift", outputs) if len(node.input) > 2 else np.zeros(outputs, np.float32)
            self._add(node, [self._resolve(node.input[0])], node.output[0], weights, bias)
        else:
            inputs = [self.graph.constant(name, self.fixed[name]) if name in self.fixed else self._resolve(name) for name in node.input]
            self._add(node, inputs, node.output[0])

    def _is_normalised(self, tensor: str) -> bool:
        readers = [node for node in self.source.node if tensor in node.input]
        return [node.op_type for node in readers] == ["BatchNormalization"]

    def _add(self, node: onnx.NodeProto, inputs: list[str], output: str, *constants: Array) -> None:
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        if node.op_type == "Softmax":
            attributes["axis"] = 1  # opset 13 has another default than 9
        operands = [self.graph.constant(f"{output}_{part}", value) for part, value in zip("wb", constants, strict=False)]
        self.graph.add(node.op_type, output, inputs + operands, **attributes)


def _weight_shapes(source: onnx.GraphProto) -> dict[str, tuple[int, ...]]:
    """Of each tensor that a ConstantOfShape node makes, and of the few that the file holds."""
    held = {item.name: numpy_helper.to_array(item) for item in source.initializer}
    made = {node.output[0]: tuple(map(int, held[node.input[0]])) for node in source.node if node.op_type == "ConstantOfShape"}
    return {name: value.shape for name, value in held.items()} | made


def simplify(name: str) -> tuple[onnx.ModelProto, str, tuple[int, ...]]:
    """The float model with seeded weights, its input and that input's shape [1, channels, height, width]."""
    source = load_graph(name)
    fixed = {item.name for item in source.initializer}
    (value,) = (item for item in source.input if item.name not in fixed)
    shape = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    graph = FloatGraph(name, value.name, shape)
    simplifier = _Simplifier(source, graph)
    simplifier.walk()
    output = source.output[0]
    dims = tuple(dim.dim_value for dim in output.type.tensor_type.shape.dim)
    return graph.model(simplifier._resolve(output.name), dims), value.name, shape


def build(name: str) -> tuple[onnx.ModelProto, Feeds]:
    """The int8 model, with ranges seen on one seeded picture, and pictures."""
    from models.qoperator import quantise_directly

    model, tensor, shape = simplify(name)
    images = make_images(IMAGES, shape[1:])
    return quantise_directly(model, {tensor: images[:1]}), {tensor: images}
