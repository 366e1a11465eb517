"""What is known before a run: the types of all tensors, and the values of those that follow from constants alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from accelkit.kernels.onnx.constants import Constants
from accelkit.kernels.onnx.graph import Node, TensorType
from accelkit.kernels.onnx.runtime import RuntimeRefusal, Session, expose_all, extract

_RANDOM = {"RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"}
_LARGEST_FOLDED = 1 << 20  # elements; constants that are larger than that, and than what they are made of, stay with their nodes


def type_and_fold(
    model: onnx.ModelProto,
    nodes: Sequence[Node],
    constants: Constants,
    inputs: Mapping[str, TensorType],
    folded: frozenset[int] = frozenset(),
    kept: str = "",
) -> tuple[dict[str, TensorType], frozenset[int]]:
    """Types of the model's results, and the indices of `nodes` whose results are in `constants`: those `folded` before, and more.

    Nodes of the operator `kept` stay. RuntimeRefusal if ONNX Runtime can't load the model. Shapes that are computed become known step
    by step: the Shape of a static tensor is a constant, and what follows from it may fix the shape of another.
    """
    types = _types(model, constants)
    has_news = bool(folded)
    while True:
        rest = [node for node in nodes if node.index not in folded]
        more = _measure(rest, types | dict(inputs), constants)
        more |= _fold(model, [node for node in rest if node.op_type != kept and node.index not in more], constants)
        folded |= more
        protos = [node.proto for node in nodes if node.index not in folded]
        results = [name for proto in protos for name in proto.output if name]
        if not (has_news or more) or all(types[name].shape is not None for name in results):
            return types, folded
        types |= Session(extract(model, protos, constants, inputs, results)).output_types()
        has_news = False


def _types(model: onnx.ModelProto, constants: Constants) -> dict[str, TensorType]:
    """Types of all results, which do not depend on what large constants hold: for those ONNX Runtime gets inputs, for it would keep
    several copies of them. If it won't have that, it gets everything."""
    light = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    graph, given = model.graph, {value.name for value in model.graph.input}
    light.graph.name = graph.name
    for name in ("node", "input", "output"):
        getattr(light.graph, name).extend(getattr(graph, name))
    for tensor in graph.initializer:
        if not constants.is_large(tensor.name):
            light.graph.initializer.append(tensor)
        elif tensor.name not in given:
            light.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    try:
        return Session(expose_all(light)).output_types()
    except RuntimeRefusal:
        whole = expose_all(model)
        for tensor in whole.graph.initializer:
            tensor.CopyFrom(constants[tensor.name])
        return Session(whole).output_types()


def _measure(nodes: Iterable[Node], types: Mapping[str, TensorType], constants: Constants) -> frozenset[int]:
    """Add the results of Shape and Size nodes of static tensors to `constants`."""
    measured = set()
    for node in nodes:
        kind = types.get(node.input(0))
        if node.op_type not in ("Shape", "Size") or kind is None or kind.shape is None:
            continue
        if node.op_type == "Size":
            value: npt.NDArray[Any] = np.array(kind.elements, np.int64)
        else:
            value = np.array(kind.shape[node.attributes.get("start", 0) : node.attributes.get("end")], np.int64)
        constants[node.outputs[0]] = numpy_helper.from_array(value, node.outputs[0])
        measured.add(node.index)
    return frozenset(measured)


def _fold(model: onnx.ModelProto, nodes: Iterable[Node], constants: Constants) -> frozenset[int]:
    """Add to `constants` what follows from constants alone; returns the indices of the nodes that this replaces."""
    known = set(constants)
    candidates = []
    for node in nodes:
        is_constant = node.op_type == "Constant" or (node.inputs and all(not name or name in known for name in node.inputs))
        if is_constant and node.op_type not in _RANDOM:
            candidates.append(node)
            known.update(node.outputs)
    if not candidates:
        return frozenset()
    names = [name for node in candidates for name in node.outputs]
    session = Session(extract(model, [node.proto for node in candidates], constants, {}, names))
    values = {name: value for name, value in session.run({}).items() if hasattr(value, "dtype")}
    folded = []
    for node in candidates:
        if any(name and name not in constants for name in node.inputs) or any(name not in values for name in node.outputs):
            continue
        given = sum(prod(constants.header(name).dims) for name in node.inputs if name)
        if node.op_type == "Constant" or all(values[name].size <= max(_LARGEST_FOLDED, given) for name in node.outputs):
            constants.update({name: numpy_helper.from_array(values[name], name) for name in node.outputs})
            folded.append(node.index)
    return frozenset(folded)
