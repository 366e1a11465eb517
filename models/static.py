"""Exported graphs made ready for the quantiser: fixed sizes, weights as initialisers, nothing left that computes shapes."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

from models.layers import IR_VERSION


def fix_shapes(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]) -> onnx.ModelProto:
    """`model` with inputs of exactly these sizes. Constant nodes and Shape nodes of known result become initialisers."""
    graph = model.graph
    for value in graph.input:
        del value.type.tensor_type.shape.dim[:]
        for size in shapes[value.name]:
            value.type.tensor_type.shape.dim.add(dim_value=size)
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")
    model.ir_version = min(model.ir_version, IR_VERSION)
    known = {value.name: value for value in shape_inference.infer_shapes(model, data_prop=True).graph.value_info}
    known |= {value.name: value for value in graph.input}
    kept = [node for node in graph.node if not _becomes_constant(graph, node, known)]
    del graph.node[:]
    graph.node.extend(kept)
    _name_nodes(graph)
    return model


def _becomes_constant(graph: onnx.GraphProto, node: onnx.NodeProto, known: dict[str, onnx.ValueInfoProto]) -> bool:
    if node.op_type == "Constant":
        (attribute,) = node.attribute
        value = helper.get_attribute_value(attribute)
        array = numpy_helper.to_array(value) if attribute.name == "value" else np.asarray(value)
    elif node.op_type == "Shape" and node.input[0] in known:
        dims = known[node.input[0]].type.tensor_type.shape.dim
        if not all(dim.HasField("dim_value") for dim in dims):
            return False
        array = np.array([dim.dim_value for dim in dims], np.int64)
    else:
        return False
    graph.initializer.append(numpy_helper.from_array(array, node.output[0]))
    return True


def _name_nodes(graph: onnx.GraphProto) -> None:
    """The quantiser derives names from names, so they must differ."""
    seen: set[str] = set()
    for index, node in enumerate(graph.node):
        if not node.name or node.name in seen:
            node.name = f"{node.op_type}_{index}"
        seen.add(node.name)
