"""Every intermediate of a run against ONNX Runtime running the whole model by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.runtime import Session, expose_all

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Difference:
    """The first tensor, in graph order, that isn't the same bit for bit."""

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
    """ONNX Runtime's own run of the whole model, with all intermediates as outputs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._session = Session(expose_all(graph.model))
        self.tensors = 0  # compared so far

    def check(self, executor: Executor, inputs: Mapping[str, Array]) -> Difference | None:
        """Compare with what `executor` holds after running the same inputs; the first difference, or None."""
        expected = self._session.run(inputs)
        for node in self._graph.nodes:
            for tensor in node.outputs:
                value = executor.memory.peek(tensor)
                if value is None or not isinstance(expected[tensor], np.ndarray):
                    continue
                self.tensors += 1
                found = self._differ(node, tensor, np.asarray(value), expected[tensor], executor.runs - 1)
                if found is not None:
                    return found
        return None

    def _differ(self, node: Node, tensor: str, value: Array, expected: Array, run: int) -> Difference | None:
        if value.shape != expected.shape or value.dtype != expected.dtype:
            seen, wanted = (f"{array.dtype} {list(array.shape)}" for array in (value, expected))
            return Difference(node, tensor, run, expected.size, expected.size, (), seen, wanted, "")
        is_number = np.issubdtype(value.dtype, np.inexact)
        differs = (value != expected) & ~(np.isnan(value) & np.isnan(expected)) if is_number else value != expected
        count = int(np.count_nonzero(differs))
        if not count:
            return None
        index = tuple(int(i) for i in np.argwhere(differs)[0])
        return Difference(
            node, tensor, run, count, value.size, index, str(value[index]), str(expected[index]), self._note(node)
        )

    def _note(self, node: Node) -> str:
        """ONNX Runtime's own trap: its u8 x s8 products saturate on x86 without VNNI instructions."""
        types = [self._graph.types[name].dtype for name in (node.input(0), node.input(3)) if name in self._graph.types]
        if types == [np.dtype(np.uint8), np.dtype(np.int8)]:
            return " (u8 activations with s8 weights: ONNX Runtime is wrong on x86 CPUs without VNNI)"
        return ""
