"""What the quantiser is asked to do, and what became of each node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnxruntime import quantization

from accelkit.kernels.onnx.graph import BYTES, Graph

_BOTH = (
    "Add AveragePool Clip Concat Conv Flatten Gemm GlobalAveragePool LeakyRelu MatMul MaxPool Mul Pad Relu Reshape Resize Sigmoid Split"
    " Squeeze Transpose Unsqueeze"
)
_QDQ = "ConvTranspose DepthToSpace Elu Exp Gelu GlobalMaxPool HardSigmoid HardSwish Slice SpaceToDepth Sub Tanh"
_CLAMPS = {"Relu", "Clip"}


@dataclass(frozen=True)
class Recipe:
    """How to quantise. `operators` are the types to quantise; empty for all that have a kernel and that the form has."""

    is_qdq: bool = False
    operators: tuple[str, ...] = ()
    is_unsigned: bool = False
    is_per_tensor: bool = False

    def known(self) -> frozenset[str]:
        """The operators that may be named."""
        registry = quantization.registry.QLinearOpsRegistry
        return frozenset(registry) | frozenset(_QDQ.split()) if self.is_qdq else frozenset(registry)

    def chosen(self) -> frozenset[str]:
        """The operators that are quantised."""
        return frozenset(self.operators or (f"{_BOTH} {_QDQ}" if self.is_qdq else _BOTH).split())


@dataclass(frozen=True)
class Row:
    """What became of a node of the floating-point model: `outcome` is "quantised", "float" or "folded", `detail` how, why, into what."""

    name: str
    op_type: str
    outcome: str
    detail: str
    is_wanted: bool = True  # the recipe has the operator


def tell_fates(
    graph: Graph, result: Graph | None, into: Mapping[str, str], unfit: Mapping[str, str], recipe: Recipe
) -> Iterator[Row]:
    """A row for each node of the floating-point `graph`: `result` is the int8 one (None: nothing is int8), `into` says which nodes the
    folding took into which, `unfit` why nodes were kept from the quantiser."""
    places = {} if result is None else {result.originals[i].name: node for node in result.nodes for i in node.origins}
    for original in graph.originals:
        name, op_type = original.name, original.op_type
        if name in into:
            yield Row(name, op_type, "folded", f"into {into[name]}" if into[name] else "a constant, or a copy")
            continue
        node = places.get(f"{name}_quant", places.get(name))
        if node is None and op_type in _CLAMPS and op_type in recipe.chosen() and result is not None:
            yield Row(name, op_type, "folded", "into the range of the result before it")
        elif node is not None and result is not None and _is_integer(result, node.outputs):
            yield Row(name, op_type, "quantised", node.op_type)
        elif op_type not in recipe.chosen():
            has_qdq = not recipe.operators and op_type in _QDQ.split()
            hint = "; it has no QLinear operator, --format qdq quantises it" if has_qdq else ""
            yield Row(name, op_type, "float", f"{op_type} is not among the operators to quantise{hint}", is_wanted=False)
        else:
            reason = unfit.get(name, node.refusal.reason if node is not None and node.refusal is not None else "")
            yield Row(name, op_type, "float", reason or "ONNX Runtime leaves it: its operands are not all quantised")


def _is_integer(graph: Graph, tensors: Sequence[str]) -> bool:
    return all(graph.types[name].dtype in BYTES for name in tensors)
