"""From an ONNX file to a checked `Graph`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from graphlib import CycleError
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from accelkit.kernels.onnx import quantised
from accelkit.kernels.onnx.constants import Constants
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Graph, Node, Original, TensorType, sort_nodes
from accelkit.kernels.onnx.importing import DEQUANTIZE
from accelkit.kernels.onnx.known import type_and_fold
from accelkit.kernels.onnx.model_checks import bind_batch, check_control_flow, check_tensors, check_versions
from accelkit.kernels.onnx.qdq import import_qdq
from accelkit.kernels.onnx.runtime import RuntimeRefusal

_OLDEST_OPSET = 10  # the first with QLinearConv


def read_model(path: Path, batch: int | None = None) -> Graph:
    """Read, check and type an int8 model, in integer form; ModelError for anything that can't be run, with what to do about it.

    A batch dimension without a number (the first of an input) becomes `batch`, 1 if that isn't given; every other dimension must have
    one. A given batch that no input leaves open is an error.
    """
    graph = read_graph(path, batch)
    quantised.require_quantised(graph.source, {node.op_type for node in graph.nodes})
    quantised.check_scales(graph)
    quantised.check_counts(graph)
    imported = _import(graph)
    quantised.check_weights(imported)
    return imported


def read_graph(path: Path, batch: int | None = None, oldest: int = _OLDEST_OPSET) -> Graph:
    """The same of any model of opset `oldest` or newer, as the file has it."""
    source = str(path)
    model, constants = Constants.take(_parse(path))
    _name_absent_inputs(model)
    _name_absent_results(model)
    check_versions(source, model, oldest)
    check_tensors(source, model)
    nodes = _sort(source, _number(model))
    check_control_flow(source, nodes)
    inputs = [value for value in model.graph.input if value.name not in constants]
    bind_batch(source, model, inputs, batch)
    try:
        # What a DequantizeLinear makes of constants is folded after the import, which needs to know how it is quantised.
        declared = {value.name: _declared(value) for value in inputs}
        types, folded = type_and_fold(model, nodes, constants, declared, kept=DEQUANTIZE)
    except RuntimeRefusal as refusal:
        raise ModelError(
            quantised.explain_types(source, model, nodes) or f"{source}: ONNX Runtime can't load the model: {refusal}"
        ) from refusal
    types |= declared
    types |= _constant_types(constants)
    originals = (Original(node.index, node.name, node.op_type) for node in sorted(nodes, key=lambda node: node.index))
    return Graph(
        source=source,
        model=model,
        originals=tuple(originals),
        nodes=nodes,
        inputs=tuple(value.name for value in inputs),
        outputs=tuple(value.name for value in model.graph.output),
        constants=constants,
        types=types,
        folded=folded,
    )


def _import(graph: Graph) -> Graph:
    """The graph in integer form, with the types of the tensors that it has then."""
    imported = import_qdq(graph)
    if imported is graph and not any(node.op_type == DEQUANTIZE and node.input(0) in graph.constants for node in graph.nodes):
        return graph
    constants = imported.constants.copy()
    inputs = {value: graph.types[value] for value in graph.inputs}
    try:
        types, folded = type_and_fold(imported.model, imported.nodes, constants, inputs, imported.folded)
    except RuntimeRefusal as refusal:
        raise ModelError(f"{graph.source}: ONNX Runtime can't load the integer form of the model: {refusal}") from refusal
    types |= inputs
    types |= _constant_types(constants)
    return replace(imported, constants=constants, types=types, folded=folded)


def _constant_types(constants: Constants) -> dict[str, TensorType]:
    headers = {name: constants.header(name) for name in constants}
    return {name: TensorType(_dtype(tensor.data_type), tuple(tensor.dims)) for name, tensor in headers.items()}


def _dtype(element: int) -> np.dtype[Any]:
    return np.dtype(helper.tensor_dtype_to_np_dtype(element))


def _declared(value: onnx.ValueInfoProto) -> TensorType:
    tensor = value.type.tensor_type
    return TensorType(_dtype(tensor.elem_type), tuple(dim.dim_value for dim in tensor.shape.dim))


def _parse(path: Path) -> onnx.ModelProto:
    hint = "the file is truncated or not ONNX; export or download it again"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: can't read the model: {error.strerror}") from error
    try:
        model = onnx.load_model_from_string(data)
    except DecodeError as error:
        raise ModelError(f"{path}: not a readable ONNX model ({len(data)} bytes): {hint}") from error
    if not all(isinstance(text, str) for text in _texts(model)):  # protobuf hands over what is no UTF-8 as bytes
        raise ModelError(f"{path}: not a readable ONNX model ({len(data)} bytes): {hint}")
    if not model.graph.node or not model.graph.output:
        raise ModelError(f"{path}: an ONNX model without nodes or outputs ({len(data)} bytes): {hint}")
    try:
        onnx.load_external_data_for_model(model, str(path.parent))
    except (OSError, ValueError, onnx.checker.ValidationError) as error:
        text = " ".join(str(error).split())
        raise ModelError(f"{path}: can't read the weights that the model keeps in another file: {text}") from error
    return model


def _name_absent_inputs(model: onnx.ModelProto) -> None:
    """QLinearSigmoid and QLinearLeakyRelu may leave out their last input, the result's zero point; ONNX Runtime aborts the process then,
    unless the input is there without a name."""
    for node in model.graph.node:
        if node.op_type in ("QLinearSigmoid", "QLinearLeakyRelu") and len(node.input) == 4:
            node.input.append("")


def _name_absent_results(model: onnx.ModelProto) -> None:
    """A Split whose results nobody reads may leave out their names; ONNX Runtime's kernel ends the process then."""
    graph = model.graph
    taken = {name for node in graph.node for name in (*node.input, *node.output)}
    taken |= {value.name for value in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        for place, name in enumerate(node.output):
            if node.op_type == "Split" and not name:
                node.output[place] = next(chosen for n in count() if (chosen := f"{node.name or 'Split'}_result_{place}_{n}") not in taken)
                taken.add(node.output[place])


def _texts(model: onnx.ModelProto) -> Iterator[str | bytes]:
    """The names in a file."""
    graph = model.graph
    yield from (graph.name, *(entry.domain for entry in model.opset_import))
    for node in graph.node:
        yield from (node.op_type, node.name, node.domain, *node.input, *node.output, *(a.name for a in node.attribute))
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield from (value.name, *(dim.dim_param for dim in value.type.tensor_type.shape.dim))
    yield from (tensor.name for tensor in graph.initializer)


def _number(model: onnx.ModelProto) -> tuple[Node, ...]:
    """Nodes with names that are there and differ: a nameless node is called after its operator and place."""
    taken: set[str] = set()
    nodes = []
    for index, proto in enumerate(model.graph.node):
        name = proto.name or f"{proto.op_type}_{index}"
        if name in taken:
            name = f"{name}_{index}"
        taken.add(name)
        nodes.append(Node(index, name, proto, (index,)))
    return tuple(nodes)


def _sort(source: str, nodes: Iterable[Node]) -> tuple[Node, ...]:
    try:
        return sort_nodes(nodes)
    except CycleError as error:
        names = ", ".join(dict.fromkeys(node.name for node in error.args[1]))
        raise ModelError(f"{source}: nodes need their own results ({names}), so none can run first; export the model again") from error
