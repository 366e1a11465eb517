"""The least cycles that a layer can take on a machine, whatever the kernel: docs/models.md, "Bound"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import onnx
from onnx import helper

from accelkit.isa.machine import Machine

_CONVOLUTIONS = {"QLinearConv": (0, 3)}
_PRODUCTS = {"QLinearMatMul": (0, 3), "QGemm": (0, 3)}
_VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}
# Places of inputs that are data; scales, zero points and shapes are parameters. The others of QLinearConcat: every third.
_DATA = {"QLinearConv": (0, 3, 8), "QLinearMatMul": (0, 3), "QGemm": (0, 3, 6), "QLinearAdd": (0, 3), "QLinearMul": (0, 3)}


@dataclass(frozen=True)
class TensorSize:
    """Shape and bytes of a tensor that is computed or constant."""

    shape: tuple[int, ...]
    nbytes: int


@dataclass(frozen=True)
class Work:
    """What a node has to do at least: products on the array, products on the vector unit, bytes in and out of DRAM once each."""

    dense_macs: int = 0
    depthwise_macs: int = 0
    read_bytes: int = 0
    write_bytes: int = 0

    def bound_cycles(self, machine: Machine) -> int:
        """The largest of the times that array, lanes and the bus in each direction need."""
        needs = (
            (self.dense_macs, machine.peak_macs_per_cycle),
            (self.depthwise_macs, machine.lanes),
            (self.read_bytes, machine.bus_bytes),
            (self.write_bytes, machine.bus_bytes),
        )
        return max(-(-amount // rate) for amount, rate in needs)


def measure(node: onnx.NodeProto, sizes: Mapping[str, TensorSize]) -> Work:
    """The work of a node whose tensors have these sizes; none for a view."""
    if node.op_type in _VIEWS:
        return Work()
    places = _DATA.get(node.op_type, tuple(range(2, len(node.input), 3)) if node.op_type == "QLinearConcat" else (0,))
    read = {node.input[place] for place in places if place < len(node.input) and node.input[place]}
    dense, depthwise = _macs(node, sizes)
    return Work(dense, depthwise, sum(sizes[name].nbytes for name in read), sum(sizes[name].nbytes for name in node.output))


def _macs(node: onnx.NodeProto, sizes: Mapping[str, TensorSize]) -> tuple[int, int]:
    outputs = prod(sizes[node.output[0]].shape)
    if node.op_type in _CONVOLUTIONS:
        x, w = (sizes[node.input[place]].shape for place in _CONVOLUTIONS[node.op_type])
        macs = outputs * prod(w[1:])
        group = {item.name: helper.get_attribute_value(item) for item in node.attribute}.get("group", 1)
        return (0, macs) if group == x[1] > 1 and w[1] == 1 else (macs, 0)
    if node.op_type in _PRODUCTS:
        x, _ = (sizes[node.input[place]].shape for place in _PRODUCTS[node.op_type])
        return outputs * x[-1], 0
    return 0, 0
