"""Simplifications of a floating-point model before it is quantised: what would only cost accuracy as an integer node of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

Array = npt.NDArray[Any]
_LEAST_IR = 4  # the first whose constants need not be inputs
_PRODUCTS = {"Conv": 0, "ConvTranspose": 1}  # axis of the weights along which outputs lie, in one group


class Folder:
    """A model whose nodes have names, and how they go; `into` says for each node that is gone which one has taken it in."""

    def __init__(self, model: onnx.ModelProto, constants: Mapping[str, Array], ranks: dict[str, int]) -> None:
        """`constants` are what all known ones hold, initialisers or not (the model's may lack their data); `ranks` those of the tensors."""
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self._values = dict(constants)
        self._ranks = ranks
        self.into: dict[str, str] = {}

    def run(self) -> onnx.ModelProto:
        """The simplified model; its initialisers are the constants that it reads."""
        self._drop_constants()
        for fold in (self._identity, self._sum, self._affine, self._lone_norm, self._affine, self._bias, self._mean):
            self._fold_all(fold)
        self._rename_constants()
        graph = self.model.graph
        read = {name for node in graph.node for name in node.input} | {output.name for output in graph.output}
        del graph.initializer[:]
        graph.initializer.extend(numpy_helper.from_array(self._values[name], name) for name in sorted(read & self._values.keys()))
        inputs = [value for value in graph.input if value.name not in self._values]  # old files list constants there
        del graph.input[:]
        graph.input.extend(inputs)
        self.model.ir_version = max(self.model.ir_version, _LEAST_IR)
        return self.model

    def _drop_constants(self) -> None:
        """Nodes whose results are constants."""
        for node in list(self.model.graph.node):
            if node.output and all(name in self._values for name in node.output if name):
                self._remove(node, "")

    def _fold_all(self, fold: Callable[[onnx.NodeProto], bool]) -> None:
        for node in list(self.model.graph.node):
            while node.name not in self.into and fold(node):
                pass

    def _identity(self, node: onnx.NodeProto) -> bool:
        """Identity and Dropout: their readers read what they read."""
        graph = self.model.graph
        seen = {name for reader in graph.node for name in reader.input} | {output.name for output in graph.output}
        is_dropout = node.op_type == "Dropout" and len(node.input) < 3 and not seen & set(node.output[1:])
        if node.op_type != "Identity" and not is_dropout:
            return False
        if node.output[0] in {output.name for output in graph.output}:
            return False
        for reader in graph.node:
            reader.input[:] = [node.input[0] if name == node.output[0] else name for name in reader.input]
        self._remove(node, "")
        return True

    def _affine(self, node: onnx.NodeProto) -> bool:
        """A convolution with constant weights and what alone reads its result and multiplies each channel or adds to it."""
        axis = _PRODUCTS.get(node.op_type)
        reader = self._sole_reader(node)
        if axis is None or reader is None:
            return False
        group = next((a.i for a in node.attribute if a.name == "group"), 1)
        weights = self._values.get(node.input[1])
        if weights is None or (axis and group > 1) or any(name and name not in self._values for name in node.input[2:3]):
            return False
        channels = weights.shape[axis]
        found = self._factor_and_shift(reader, node.output[0], channels, weights.ndim)
        if found is None:
            return False
        factor, shift = found
        bias = self._values[node.input[2]].astype(np.float64) if len(node.input) > 2 and node.input[2] else np.float64(0)
        along = [1] * weights.ndim
        along[axis] = -1
        names = [
            self._add(f"{node.name}_weights", weights * factor.reshape(along), weights.dtype),
            self._add(f"{node.name}_bias", bias * factor + shift, weights.dtype),
        ]
        node.input[1:] = names
        node.output[0] = reader.output[0]
        self._remove(reader, node.name)
        return True

    def _factor_and_shift(self, node: onnx.NodeProto, x: str, channels: int, rank: int) -> tuple[Array, Array] | None:
        """What a node multiplies each channel of its input `x` with and what it adds then; None if it does anything else."""
        if node.op_type == "BatchNormalization":
            if node.input[0] != x or any(node.output[1:]) or any(name not in self._values for name in node.input[1:5]):
                return None
            epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
            scale, shift, mean, variance = (self._values[name].astype(np.float64) for name in node.input[1:5])
            factor = scale / np.sqrt(variance + epsilon)
            return factor, shift - mean * factor
        if node.op_type not in ("Mul", "Add"):
            return None
        number = self._values.get(node.input[1] if node.input[0] == x else node.input[0])
        if number is None or number.ndim > rank:
            return None
        shape = (1,) * (rank - number.ndim) + number.shape
        if number.size not in (1, channels) or any(size != 1 for axis, size in enumerate(shape) if axis != 1):
            return None
        each = np.broadcast_to(number.reshape(-1).astype(np.float64), (channels,))
        return (each, np.zeros(channels)) if node.op_type == "Mul" else (np.ones(channels), each)

    def _bias(self, node: onnx.NodeProto) -> bool:
        """A matrix product with constant weights and the addition of a bias, as Gemm has both."""
        add = self._sole_reader(node)
        if node.op_type != "MatMul" or add is None or add.op_type != "Add" or self._ranks.get(node.input[0]) != 2:
            return False
        weights = self._values.get(node.input[1])
        other = next((name for name in add.input if name != node.output[0]), "")
        bias = self._values.get(other)
        if weights is None or weights.ndim != 2 or bias is None or bias.shape not in ((weights.shape[1],), (1, weights.shape[1])):
            return False
        gemm = helper.make_node("Gemm", [*node.input, self._add(f"{node.name}_bias", bias.ravel(), bias.dtype)], add.output, node.name)
        node.CopyFrom(gemm)
        self._remove(add, node.name)
        return True

    def _lone_norm(self, node: onnx.NodeProto) -> bool:
        """A BatchNormalization behind anything else is a convolution of each channel with one number, which has a kernel."""
        rank = self._ranks.get(node.input[0], 0)
        if node.op_type != "BatchNormalization" or rank < 3 or node.input[1] not in self._values:
            return False
        scale = self._values[node.input[1]]
        found = self._factor_and_shift(node, node.input[0], scale.size, rank)
        if found is None:
            return False
        factor, shift = found
        inputs = [
            node.input[0],
            self._add(f"{node.name}_weights", factor.reshape(-1, *[1] * (rank - 1)), scale.dtype),
            self._add(f"{node.name}_bias", shift, scale.dtype),
        ]
        node.CopyFrom(helper.make_node("Conv", inputs, node.output, node.name, group=factor.size, kernel_shape=[1] * (rank - 2)))
        return True

    def _sum(self, node: onnx.NodeProto) -> bool:
        """A Sum of two is an Add."""
        if node.op_type != "Sum" or len(node.input) != 2:
            return False
        node.CopyFrom(helper.make_node("Add", node.input, node.output, node.name))
        return True

    def _mean(self, node: onnx.NodeProto) -> bool:
        """A ReduceMean over all positions is a global average, which has a QLinear form; without the axes, a Flatten follows."""
        rank = self._ranks.get(node.input[0], 0)
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        axes = self._values.get(node.input[1]) if len(node.input) > 1 else attributes.get("axes")
        if node.op_type != "ReduceMean" or rank < 3 or axes is None or sorted(int(a) % rank for a in axes) != list(range(2, rank)):
            return False
        result = node.output[0]
        if attributes.get("keepdims", 1):
            node.CopyFrom(helper.make_node("GlobalAveragePool", node.input[:1], [result], node.name))
            return True
        kept = f"{result}_kept"
        place = list(self.model.graph.node).index(node)
        node.CopyFrom(helper.make_node("GlobalAveragePool", node.input[:1], [kept], node.name))
        self.model.graph.node.insert(place + 1, helper.make_node("Flatten", [kept], [result], f"{node.name}_flatten"))
        return True

    def _rename_constants(self) -> None:
        """The quantiser calls its own constants after tensors, with these endings, and overwrites what is called so already."""
        for node in self.model.graph.node:
            for place, name in enumerate(node.input):
                if name in self._values and name.endswith(("_scale", "_zero_point", "_quantized")):
                    renamed = f"{name}_value"
                    self._values.setdefault(renamed, self._values[name])
                    node.input[place] = renamed

    def _sole_reader(self, node: onnx.NodeProto) -> onnx.NodeProto | None:
        graph = self.model.graph
        if len(node.output) != 1 or node.output[0] in {output.name for output in graph.output}:
            return None
        readers = [reader for reader in graph.node if node.output[0] in reader.input]
        return readers[0] if len(readers) == 1 else None

    def _add(self, name: str, value: Array, dtype: npt.DTypeLike) -> str:
        while name in self._values:
            name += "_"
        self._values[name] = np.asarray(value, dtype)
        return name

    def _remove(self, node: onnx.NodeProto, into: str) -> None:
        self.into[node.name] = into
        self.model.graph.node.remove(node)
