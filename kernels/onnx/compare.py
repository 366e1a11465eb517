"""Every intermediate of a run against ONNX Runtime running the whole model by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.runtime import RuntimeRefusal, Session, extract

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Difference:
    """The first tensor, in order of execution, that isn't the same bit for bit."""

    node: Node
    tensor: str
    run: int
    differing: int
    elements: int
    index: tuple[int, ...]
    value: str
    expected: str
    note: str

    def __str__(self) -> str:
        where = f"[{', '.join(map(str, self.index))}]"
        return (
            f"run {self.run}: {self.node.name} ({self.node.op_type}): {self.tensor} differs from ONNX Runtime in {self.differing}"
            f" of {self.elements} elements, first at {where}: {self.value}, expected {self.expected}{self.note}"
        )


class Comparison:
    """ONNX Runtime's own run of the whole model, with all intermediates as outputs but those that follow from constants alone.

    `start` a run, let the executor show every tensor when it is made (its memory may hold another one soon), look at `difference`.
    """

    def __init__(self, graph: Graph) -> None:
        """Load the model; ModelError if ONNX Runtime can't."""
        self._graph = graph
        try:
            self._session = Session(_computing(graph))
        except RuntimeRefusal as refusal:
            raise ModelError(f"{graph.source}: ONNX Runtime can't load the model to compare with: {refusal}") from refusal
        self._makers = {name: node for node in graph.nodes for name in node.outputs}
        self._expected: dict[str, Any] = {}
        self._seen: set[str] = set()
        self._run = -1
        self.difference: Difference | None = None

    @property
    def tensors(self) -> int:
        """How many different tensors have been compared."""
        return len(self._seen)

    @property
    def unseen(self) -> int:
        """How many tensors that nodes make in the file exist nowhere in a run: fusion took the nodes around them together, or views."""
        return len(self._makers.keys() - self._seen - self._graph.constants.keys())

    def start(self, inputs: Mapping[str, Array]) -> None:
        """A run of these inputs follows; ModelError if ONNX Runtime's own run fails, which its check of types doesn't foresee."""
        try:
            self._expected = self._session.run(inputs)
        except RuntimeRefusal as refusal:
            raise ModelError(f"{self._graph.source}: ONNX Runtime can't run the model: {refusal}") from refusal
        self._run += 1

    def observe(self, tensor: str, value: Array) -> None:
        """A tensor has been made."""
        expected = self._expected.get(tensor)
        if self.difference is not None or not isinstance(expected, np.ndarray):
            return
        self._seen.add(tensor)
        self.difference = self._differ(self._makers[tensor], tensor, np.asarray(value), expected)

    def _differ(self, node: Node, tensor: str, value: Array, expected: Array) -> Difference | None:
        if value.shape != expected.shape or value.dtype != expected.dtype:
            seen, wanted = (f"{array.dtype} {list(array.shape)}" for array in (value, expected))
            return Difference(node, tensor, self._run, expected.size, expected.size, (), seen, wanted, "")
        is_number = np.issubdtype(value.dtype, np.inexact)
        differs = (value != expected) & ~(np.isnan(value) & np.isnan(expected)) if is_number else value != expected
        count = int(np.count_nonzero(differs))
        if not count:
            return None
        index = tuple(int(i) for i in np.argwhere(differs)[0])
        return Difference(
            node, tensor, self._run, count, value.size, index, str(value[index]), str(expected[index]), self._note(node)
        )

    def _note(self, node: Node) -> str:
        """ONNX Runtime's own trap: its u8 x s8 products saturate on x86 without VNNI instructions."""
        types = [self._graph.types[name].dtype for name in (node.input(0), node.input(3)) if name in self._graph.types]
        if types == [np.dtype(np.uint8), np.dtype(np.int8)]:
            return " (u8 activations with s8 weights: ONNX Runtime is wrong on x86 CPUs without VNNI)"
        return ""


def _computing(graph: Graph) -> onnx.ModelProto:
    """The model with its computed constants as initialisers, as ONNX Runtime makes them itself when it loads a model.

    Kernels that pack constant weights (LSTM) sum in another order than with weights that are computed.
    """
    nodes = [node for node in graph.nodes if node.index not in graph.folded]
    inputs = {name: graph.types[name] for name in graph.inputs}
    results = [name for node in nodes for name in node.outputs]
    return extract(graph.model, [node.proto for node in nodes], graph.constants, inputs, results)
