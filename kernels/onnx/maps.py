"""Operators that take each element from a place that is known before the run: Resize to the nearest, Gather, Pad with elements of its
input. ONNX Runtime says which, so no rounding of coordinates is repeated here."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from accelkit.kernels.gather import axis_maps, plan_gather
from accelkit.kernels.onnx.calls import KernelCall
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.onnx.moves import Calls, Mover, gather_one, pad
from accelkit.kernels.onnx.operands import Refused, constant, shape_of
from accelkit.kernels.onnx.probe import probe
from accelkit.kernels.plan import Refusal

_MOST_PROBED = 1 << 24  # elements


def resize(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Resize, mode nearest."""
    mode = node.attributes.get("mode", b"nearest").decode()
    if mode != "nearest":
        raise Refused("attribute", f"mode {mode} computes between elements; the kernel has nearest")
    if node.attributes.get("coordinate_transformation_mode", b"") == b"tf_crop_and_resize":
        raise Refused("attribute", "coordinate_transformation_mode tf_crop_and_resize; the kernel takes no elements from outside")
    _require_constants(graph, node)
    return (_mapped(graph, node, held),)


def gather(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Gather by one index, or by a row of constant ones."""
    indices = constant(graph, node, 1, "index")
    if indices.ndim == 0:
        return gather_one(graph, node, held, int(indices))
    if indices.ndim > 1:
        raise Refused("attribute", f"indices {list(indices.shape)}; the kernel has one index or a row of them")
    return (_mapped(graph, node, held),)


def any_pad(graph: Graph, node: Node, held: Mapping[str, Layout]) -> Calls:
    """Pad with one byte, or with the input's own elements (edge, reflect, wrap)."""
    if node.attributes.get("mode", b"constant") == b"constant":
        return pad(graph, node, held)
    _require_constants(graph, node)
    return (_mapped(graph, node, held, without=2),)  # the padding value, of the input's type, has no effect


def _require_constants(graph: Graph, node: Node) -> None:
    for place, name in enumerate(node.inputs[1:], 1):
        if name:
            constant(graph, node, place, "input")


def _mapped(graph: Graph, node: Node, held: Mapping[str, Layout], without: int | None = None) -> KernelCall:
    """A gather along each axis, by the maps that ONNX Runtime follows `without` an input that they don't depend on."""
    x = Mover(graph, node, held)
    if np.prod(x.shape) > _MOST_PROBED:
        raise Refused("memory", f"an input of {np.prod(x.shape)} elements; indices are worked out for at most {_MOST_PROBED}")
    proto = onnx.NodeProto()
    proto.CopyFrom(node.proto)
    if without is not None and node.input(without):
        proto.input[without] = ""
    maps = axis_maps(probe(graph, proto, x.x, np.int32, x.shape), x.shape)
    if isinstance(maps, Refusal):
        raise Refused("attribute", maps.reason)
    found, expected = [len(indices) for indices in maps], list(shape_of(graph, node.outputs[0]))
    if found != expected:  # its shape inference rounds scales otherwise than its kernel
        raise Refused("shape", f"ONNX Runtime gives {found} where it announces {expected}; give Resize sizes instead of scales")
    return x.call(plan_gather, x.arrange(maps, list(range(x.bytes[0])) if x.bytes else None))
