"""Element-wise nodes that together compute each byte of a quantised tensor from the byte at its place in another."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from accelkit.kernels.onnx.graph import Node
from accelkit.kernels.onnx.importing import DEQUANTIZE, Scaling, Tensors, is_a

_DOMAINS = ("", "com.microsoft")
# Each result element follows from the operands' at its place.
ELEMENTWISE = frozenset(
    (
        "Abs", "Add", "Ceil", "Celu", "Clip", "Div", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid",
        "HardSwish", "Identity", "LeakyRelu", "Log", "Max", "Min", "Mish", "Mul", "Neg", "PRelu", "Pow",
        "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Softplus", "Softsign", "Sqrt", "Sub",
        "Swish", "Tanh", "ThresholdedRelu", "FastGelu", "QuickGelu",
    )
)


@dataclass(frozen=True)
class Region:
    """Element-wise nodes between one 8-bit tensor and a QuantizeLinear; `aliases` are the names of the dequantised tensor."""

    tensor: str
    scaling: Scaling
    aliases: frozenset[str]
    nodes: tuple[Node, ...]


def find_region(tensors: Tensors, quantise: Node, gone: Container[int]) -> tuple[Region, tuple[Node, ...]] | None:
    """The element-wise nodes before a QuantizeLinear back to one dequantised tensor, and the nodes that dequantise it.

    None if they go back to several tensors, or if others see what they make; `gone` are the nodes that are there no more.
    """
    found: dict[int, Node] = {}
    aliases: dict[str, tuple[Node, ...]] = {}
    sources: list[tuple[str, Scaling]] = []
    shape = tensors.shape(quantise.input(0))
    waiting = [quantise.input(0)]
    while waiting:
        name = waiting.pop()
        maker = tensors.makers.get(name)
        if maker is None or maker.index in tensors.graph.folded or maker.index in gone:
            return None
        if is_a(maker, DEQUANTIZE):
            source = tensors.activation(name)
            sources.append((source.tensor, source.scaling))
            if source.tensor != sources[0][0] or not source.scaling.is_same(sources[0][1]):
                return None
            aliases[name] = source.nodes
        elif maker.op_type not in ELEMENTWISE or maker.domain not in _DOMAINS or len(maker.outputs) != 1:
            return None
        elif maker.index not in found:
            found[maker.index] = maker
            for operand in maker.inputs:
                number = tensors.number(operand) if operand else None
                if operand and number is None:
                    waiting.append(operand)
                elif number is not None and (number.size != 1 or number.ndim > len(shape)):
                    return None
        if tensors.shape(name) != shape:
            return None
    if not sources or not _is_private(tensors, found, quantise):
        return None
    nodes = tuple(node for node in tensors.graph.nodes if node.index in found)
    dequantisers = tuple(node for nodes_of in aliases.values() for node in nodes_of)
    return Region(sources[0][0], sources[0][1], frozenset(aliases), nodes), dequantisers


def _is_private(tensors: Tensors, found: dict[int, Node], quantise: Node) -> bool:
    """Whether nobody outside sees what the nodes make."""
    inside = {*found, quantise.index}
    made = [name for node in found.values() for name in node.outputs]
    return all(
        name not in tensors.graph.outputs and all(reader.index in inside for reader in tensors.readers[name])
        for name in made
    )
