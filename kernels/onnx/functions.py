"""Model-local functions: nodes of a file joined to one that ONNX Runtime can run and a kernel can take as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from accelkit.kernels.onnx.byte_regions import Region
from accelkit.kernels.onnx.graph import FUNCTIONS, Node
from accelkit.kernels.onnx.importing import Scaling, Tensors

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Function:
    """A call and what it calls."""

    call: onnx.NodeProto
    body: onnx.FunctionProto


def make_table(tensors: Tensors, number: int, region: Region, quantise: Node, scaling: Scaling) -> Function:
    """The region and its QuantizeLinear, whose result is quantised like `scaling`, as one node "Table"."""
    dequantised = "dequantised"
    body = [helper.make_node("DequantizeLinear", [region.tensor, region.scaling.scale, region.scaling.zero_point], [dequantised])]
    renamed = dict.fromkeys(region.aliases, dequantised)
    for node in region.nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node.proto)
        copy.input[:] = [renamed.get(name) or constant_name(tensors, name) for name in node.inputs]
        body.append(copy)
    last = quantise.input(0)
    body.append(
        helper.make_node("QuantizeLinear", [renamed.get(last, last), scaling.scale, scaling.zero_point], [quantise.outputs[0]])
    )
    return make_function(tensors, f"Table_{number}", body, [region.tensor], quantise.outputs[0], {})


def constant_name(tensors: Tensors, name: str) -> str:
    """The name itself, or that of a new constant if it is a dequantised one."""
    if not name or tensors.value(name) is not None or name not in tensors.makers:
        return name
    number = tensors.number(name)
    return name if number is None else tensors.add(f"{name}_number", number)


def make_function(
    tensors: Tensors,
    name: str,
    body: Sequence[onnx.NodeProto],
    inputs: Sequence[str],
    output: str,
    attributes: Mapping[str, Any],
    domains: Iterable[str] = (),
) -> Function:
    """A function of `inputs` and of all constants that its body reads, and its call, which carries `attributes` for kernels.

    The body's tensors keep their names: a function has names of its own.
    """
    made = {tensor for node in body for tensor in node.output}
    read = dict.fromkeys(tensor for node in body for tensor in node.input if tensor and tensor not in made)
    arguments = [*inputs, *(tensor for tensor in read if tensor not in inputs)]
    # Kernels know operands by their places, so a tensor that comes twice is passed twice; parameters have names of their own.
    parameters = [f"{tensor}_{at}" if tensor in arguments[:at] else tensor for at, tensor in enumerate(arguments)]
    opsets = [helper.make_opsetid("", tensors.opset), helper.make_opsetid("com.microsoft", 1)]
    function = helper.make_function(FUNCTIONS, name, parameters, [output], list(body), opsets, attributes=list(attributes))
    call = helper.make_node(name, arguments, [output], domain=FUNCTIONS, **attributes)
    return Function(call, function)


def clamp_bounds(tensors: Tensors, node: Node) -> tuple[float, float] | None:
    """The bounds of a node that does nothing but clamp its first input, None if it does anything else."""
    if node.domain:
        return None
    low, high = -np.inf, np.inf
    if node.op_type == "Relu":
        return 0.0, high
    if node.op_type in ("Min", "Max") and len(node.inputs) == 2:
        bound = _single(tensors, node.input(1))
        if bound is None:
            return None
        return (low, bound) if node.op_type == "Min" else (bound, high)
    if node.op_type != "Clip":
        return None
    bounds = [low, high]
    for place, name in enumerate(("min", "max")):
        bounds[place] = float(node.attributes.get(name, bounds[place]))
        if node.input(place + 1):
            bound = _single(tensors, node.input(place + 1))
            if bound is None:
                return None
            bounds[place] = bound
    return (bounds[0], bounds[1])


def changes_nothing(tensors: Tensors, scaling: Scaling, nodes: Iterable[Node]) -> bool:
    """Whether clamps leave every byte of a tensor quantised like `scaling` as it is."""
    limits = np.iinfo(scaling.dtype)
    codes = np.arange(limits.min, limits.max + 1)
    scale, zero_point = scaling.scales.ravel()[0], int(scaling.zero_points.ravel()[0])
    numbers = (codes - zero_point).astype(np.float32) * scale
    for node in nodes:
        bounds = clamp_bounds(tensors, node)
        if bounds is None:
            return False
        numbers = np.minimum(np.maximum(numbers, np.float32(bounds[0])), np.float32(bounds[1]))
    return bool(np.array_equal(np.rint(numbers / scale) + zero_point, codes))


def _single(tensors: Tensors, name: str) -> float | None:
    value = tensors.number(name)
    return float(value.ravel()[0]) if value is not None and value.size == 1 else None
