"""Nodes of a QDQ model joined before its patterns are looked for: equal QuantizeLinear nodes, and products with their biases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import onnx
from onnx import helper

from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.importing import QUANTIZE, LeftFloat, Tensors, is_a


def join_nodes(graph: Graph) -> Graph:
    """The graph with fewer nodes; a joined node has the origins of both."""
    for join in (_quantisers, _biases):
        graph = join(graph)
    return graph


def _quantisers(graph: Graph) -> Graph:
    """Several QuantizeLinear nodes that make the same of one tensor: exporters have one before each reader."""
    tensors = Tensors(graph)
    first: dict[tuple[str, str, bytes, bytes], Node] = {}
    renamed: dict[str, str] = {}
    owners: dict[int, int] = {}
    for node in graph.nodes:
        if not is_a(node, QUANTIZE) or node.index in graph.folded:
            continue
        try:
            scaling = tensors.result(node)
        except LeftFloat:
            continue
        key = (node.input(0), scaling.dtype.name, scaling.scales.tobytes(), scaling.zero_points.tobytes())
        keeper = first.setdefault(key, node)
        if keeper is not node and node.outputs[0] not in graph.outputs:
            renamed[node.outputs[0]] = keeper.outputs[0]
            owners[node.index] = keeper.index
    if not owners:
        return graph
    return _rebuilt(graph, owners, lambda node: _read_others(node.proto, renamed))


def _read_others(proto: onnx.NodeProto, renamed: dict[str, str]) -> onnx.NodeProto:
    if not renamed.keys() & set(proto.input):
        return proto
    copy = onnx.NodeProto()
    copy.CopyFrom(proto)
    copy.input[:] = [renamed.get(name, name) for name in proto.input]
    return copy


def _biases(graph: Graph) -> Graph:
    """MatMul of two axes and the Add of a constant row become a Gemm, as in ONNX Runtime's optimiser: QGemm has a bias."""
    tensors = Tensors(graph)
    gemms: dict[int, onnx.NodeProto] = {}
    owners: dict[int, int] = {}
    for node in graph.nodes:
        if node.domain or node.op_type != "MatMul" or any(len(_shape(graph, name)) != 2 for name in node.inputs):
            continue
        add = tensors.sole_reader(node.outputs[0])
        if add is None or add.domain or add.op_type != "Add":
            continue
        other = next((name for name in add.inputs if name != node.outputs[0]), "")
        columns = _shape(graph, node.input(1))[1]
        if tensors.value(other) is not None and _shape(graph, other) in ((columns,), (1, columns)):
            gemms[node.index] = helper.make_node("Gemm", [*node.inputs, other], add.outputs, node.name)
            owners[add.index] = node.index
    return _rebuilt(graph, owners, lambda node: gemms.get(node.index, node.proto)) if owners else graph


def _shape(graph: Graph, name: str) -> tuple[int, ...]:
    """A static shape, () if there is none."""
    kind = graph.types.get(name)
    return () if kind is None or kind.shape is None else kind.shape


def _rebuilt(graph: Graph, owners: dict[int, int], change: Callable[[Node], onnx.NodeProto]) -> Graph:
    """The graph with changed nodes and without those that have an owner, whose origins it takes."""
    origins = {node.index: node.origins for node in graph.nodes}
    for index, owner in owners.items():
        origins[owner] += origins[index]
    kept = [
        replace(node, proto=change(node), origins=origins[node.index]) for node in graph.nodes if node.index not in owners
    ]
    model = onnx.ModelProto()
    model.CopyFrom(graph.model)
    del model.graph.node[:]
    model.graph.node.extend(node.proto for node in kept)
    return replace(graph, model=model, nodes=tuple(kept))
