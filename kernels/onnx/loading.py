"""From an ONNX file to a checked `Graph`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from graphlib import CycleError
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import AttributeProto, helper

from accelkit.kernels.onnx import quantised
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Graph, Node, Original, TensorType, sort_nodes
from accelkit.kernels.onnx.importing import DEQUANTIZE
from accelkit.kernels.onnx.known import type_and_fold
from accelkit.kernels.onnx.qdq import import_qdq
from accelkit.kernels.onnx.runtime import RuntimeRefusal

_OLDEST_OPSET = 10  # the first with QLinearConv
_STATIC_SHAPE_TOOL = "python -m onnxruntime.tools.make_dynamic_shape_fixed"


def read_model(path: Path, batch: int | None = None) -> Graph:
    """Read, check and type an int8 model, in integer form; ModelError for anything that can't be run, with what to do about it.

    A batch dimension without a number (the first of an input) becomes `batch`, 1 if that isn't given; every other dimension must have
    one. A given batch that no input leaves open is an error.
    """
    graph = read_graph(path, batch)
    quantised.require_quantised(graph.source, {node.op_type for node in graph.nodes})
    quantised.check_scales(graph)
    return _import(graph)


def read_graph(path: Path, batch: int | None = None) -> Graph:
    """The same of any model, as the file has it."""
    source = str(path)
    model = _parse(path)
    _check_opset(source, model)
    nodes = _sort(source, _number(model))
    _check_control_flow(source, nodes)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    _bind_batch(source, model, inputs, batch)
    try:
        # What a DequantizeLinear makes of constants is folded after the import, which needs to know how it is quantised.
        declared = {value.name: _declared(value) for value in inputs}
        types, folded = type_and_fold(model, nodes, constants, declared, kept=DEQUANTIZE)
    except RuntimeRefusal as refusal:
        raise ModelError(
            quantised.explain_types(source, model, nodes) or f"{source}: ONNX Runtime can't load the model: {refusal}"
        ) from refusal
    types |= declared
    types |= {name: TensorType(_dtype(tensor.data_type), tuple(tensor.dims)) for name, tensor in constants.items()}
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
    constants = dict(imported.constants)
    inputs = {value: graph.types[value] for value in graph.inputs}
    try:
        types, folded = type_and_fold(imported.model, imported.nodes, constants, inputs, imported.folded)
    except RuntimeRefusal as refusal:
        raise ModelError(f"{graph.source}: ONNX Runtime can't load the integer form of the model: {refusal}") from refusal
    types |= inputs
    types |= {name: TensorType(_dtype(tensor.data_type), tuple(tensor.dims)) for name, tensor in constants.items()}
    return replace(imported, constants=constants, types=types, folded=folded, _decoded={})


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
    texts = [text for node in model.graph.node for text in (node.op_type, node.name, node.domain, *node.input, *node.output)]
    if not all(isinstance(text, str) for text in texts):  # protobuf hands over what is no UTF-8 as bytes
        raise ModelError(f"{path}: not a readable ONNX model ({len(data)} bytes): {hint}")
    if not model.graph.node or not model.graph.output:
        raise ModelError(f"{path}: an ONNX model without nodes or outputs ({len(data)} bytes): {hint}")
    try:
        onnx.load_external_data_for_model(model, str(path.parent))
    except (OSError, ValueError, onnx.checker.ValidationError) as error:
        text = " ".join(str(error).split())
        raise ModelError(f"{path}: can't read the weights that the model keeps in another file: {text}") from error
    return model


def _check_opset(source: str, model: onnx.ModelProto) -> None:
    newest = onnx.defs.onnx_opset_version()
    versions = {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in model.opset_import}
    version = versions.get("")
    if version is None:
        raise ModelError(f"{source}: the model declares no opset of the standard operators; is it complete? export it again")
    if not _OLDEST_OPSET <= version <= newest:
        raise ModelError(
            f"{source}: opset {version} is not supported, expected {_OLDEST_OPSET} to {newest};"
            " convert it with onnx.version_converter.convert_version(model, 13)"
        )


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


def _check_control_flow(source: str, nodes: tuple[Node, ...]) -> None:
    for node in nodes:
        if any(attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in node.proto.attribute):
            raise ModelError(
                f"{source}: node {node.name} is control flow ({node.op_type}), which is not supported;"
                " export the model without it (unrolled or traced)"
            )


def _bind_batch(source: str, model: onnx.ModelProto, inputs: list[onnx.ValueInfoProto], batch: int | None) -> None:
    """Give the batch dimension its size; the model's own notes on shapes are dropped where they depend on it."""
    is_open = False
    for value in inputs:
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            raise ModelError(f"{source}: input {value.name} is not a tensor of declared shape; export the model with static shapes")
        dims = value.type.tensor_type.shape.dim
        if any(not dim.HasField("dim_value") or dim.dim_value < 0 for dim in dims[1:]):
            shape = ", ".join(str(dim.dim_value) if dim.dim_value > 0 else dim.dim_param or "?" for dim in dims)
            raise ModelError(
                f"{source}: input {value.name} has the dynamic shape [{shape}], only the first dimension (the batch) may be"
                f" open; fix it with {_STATIC_SHAPE_TOOL} --input_name {value.name} --input_shape 1,... IN.onnx OUT.onnx"
            )
        if dims and (not dims[0].HasField("dim_value") or dims[0].dim_value < 0):
            dims[0].dim_value = 1 if batch is None else batch
            is_open = True
    if batch is not None and not is_open:
        sizes = ", ".join(f"{value.name}: {[dim.dim_value for dim in value.type.tensor_type.shape.dim]}" for value in inputs)
        raise ModelError(
            f"{source}: no input leaves its batch open ({sizes}), so it can't be {batch}; export the model with a dynamic first dimension"
        )
    del model.graph.value_info[:]
    for output in model.graph.output:
        if any(not dim.HasField("dim_value") for dim in output.type.tensor_type.shape.dim):
            output.type.tensor_type.ClearField("shape")
