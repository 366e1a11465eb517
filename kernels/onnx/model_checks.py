"""Checks of a model file before anything is made of it; each message says what was seen, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable

import onnx
from onnx import AttributeProto, TensorProto, helper

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Node

_STATIC_SHAPE_TOOL = "python -m onnxruntime.tools.make_dynamic_shape_fixed"


def check_versions(source: str, model: onnx.ModelProto, oldest: int) -> None:
    """ModelError for an opset that isn't read."""
    newest = onnx.defs.onnx_opset_version()
    versions = {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in model.opset_import}
    version = versions.get("")
    if version is None:
        raise ModelError(f"{source}: the model declares no opset of the standard operators; is it complete? export it again")
    if not oldest <= version <= newest:
        raise ModelError(
            f"{source}: opset {version} is not supported, expected {oldest} to {newest};"
            " convert it with onnx.version_converter.convert_version(model, 13)"
        )


def check_tensors(source: str, model: onnx.ModelProto) -> None:
    """ModelError for element types that there aren't, a tensor that two nodes make, and sparse constants."""
    known = set(helper.get_all_tensor_dtypes()) - {TensorProto.UNDEFINED}
    graph = model.graph
    declared = [(f"input {value.name}", value.type.tensor_type.elem_type) for value in graph.input if value.type.HasField("tensor_type")]
    for what, element in [*declared, *((f"constant {tensor.name}", tensor.data_type) for tensor in graph.initializer)]:
        if element not in known:
            raise ModelError(f"{source}: {what} has element type {element}, which there isn't; export or download the file again")
    if graph.sparse_initializer:
        name = graph.sparse_initializer[0].values.name
        raise ModelError(f"{source}: constant {name} is sparse, which is not supported; export the model with dense constants")
    makers: dict[str, str] = {}
    for node in graph.node:
        for name in filter(None, node.output):
            if name in makers:
                both = f"{makers[name]} and {node.name or node.op_type}"
                raise ModelError(f"{source}: tensor {name} is the result of two nodes ({both}); export the model again")
            makers[name] = node.name or node.op_type


def check_control_flow(source: str, nodes: Iterable[Node]) -> None:
    """ModelError for a node with graphs of its own."""
    for node in nodes:
        if any(attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in node.proto.attribute):
            raise ModelError(
                f"{source}: node {node.name} is control flow ({node.op_type}), which is not supported;"
                " export the model without it (unrolled or traced)"
            )


def bind_batch(source: str, model: onnx.ModelProto, inputs: list[onnx.ValueInfoProto], batch: int | None) -> None:
    """Give the batch dimension its size; the model's own notes on shapes are dropped where they depend on it."""
    is_open = False
    for value in inputs:
        if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
            raise ModelError(f"{source}: input {value.name} is not a tensor of declared shape; export the model with static shapes")
        dims = value.type.tensor_type.shape.dim
        if any(dim.HasField("dim_value") and dim.dim_value == 0 for dim in dims):
            sizes = ", ".join(str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in dims)
            raise ModelError(f"{source}: input {value.name} is empty, [{sizes}]; export the model with the sizes of real inputs")
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
