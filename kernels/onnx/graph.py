"""A model as the dispatcher sees it: nodes and what they stand for in the file, constants, and a static type for each tensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import helper

from accelkit.kernels.onnx.constants import Array, Constants
from accelkit.kernels.plan import Refusal

BYTES = (np.dtype(np.int8), np.dtype(np.uint8))  # types of quantised tensors
FUNCTIONS = "accelkit"  # domain of the model-local functions that the import makes


@dataclass(frozen=True)
class TensorType:
    """What is known of a tensor before it is computed.

    `dtype` is None for what isn't an array of numbers (a sequence, an optional); `shape` is None if a dimension depends on data.
    """

    dtype: np.dtype[Any] | None
    shape: tuple[int, ...] | None

    @property
    def elements(self) -> int:
        """How many elements a tensor of static shape has."""
        assert self.shape is not None
        return prod(self.shape)

    def __str__(self) -> str:
        shape = "of unknown shape" if self.shape is None else f"[{', '.join(map(str, self.shape))}]"
        return f"{self.dtype or 'not an array'} {shape}"


@dataclass(frozen=True)
class Original:
    """A node as the file has it, at place `index`; `name` is never empty."""

    index: int
    name: str
    op_type: str


@dataclass(frozen=True)
class Node:
    """A node as it is placed. `name` is never empty; an absent optional input is an empty string.

    `origins` are the nodes of the file that it stands for, as indices into `Graph.originals`, the one that it is called after first.
    Each belongs to one node, but two nodes may be called after one.
    `refusal` is the import's reason for leaving it in floating point.
    """

    index: int
    name: str
    proto: onnx.NodeProto = field(repr=False)
    origins: tuple[int, ...]
    refusal: Refusal | None = None

    @property
    def op_type(self) -> str:
        """The operator; functions that the import makes have numbers behind it, because each has a body of its own."""
        return self.proto.op_type.rpartition("_")[0] if self.domain == FUNCTIONS else self.proto.op_type

    @property
    def domain(self) -> str:
        """The operator's domain; empty for the standard one."""
        return "" if self.proto.domain == "ai.onnx" else self.proto.domain

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.proto.input)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The outputs that exist."""
        return tuple(name for name in self.proto.output if name)

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """Attribute values as Python numbers, lists and bytes."""
        return {attribute.name: helper.get_attribute_value(attribute) for attribute in self.proto.attribute}

    def input(self, place: int) -> str:
        """The name of an input, empty if it is absent."""
        return self.inputs[place] if place < len(self.inputs) else ""


def sort_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Nodes in an order in which they can run, by index where that leaves a choice. CycleError, with the nodes, if there is none."""
    by_index = {node.index: node for node in nodes}
    makers = {name: node.index for node in by_index.values() for name in node.outputs}
    sorter = TopologicalSorter(
        {index: [makers[name] for name in node.inputs if name in makers] for index, node in by_index.items()}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        raise CycleError(error.args[0], [by_index[index] for index in error.args[1]]) from error
    ordered: list[Node] = []
    ready: list[int] = []
    while sorter.is_active():
        for index in sorter.get_ready():
            heappush(ready, index)
        ordered.append(by_index[heappop(ready)])
        sorter.done(ordered[-1].index)
    return tuple(ordered)


@dataclass(frozen=True)
class Graph:
    """A checked model of static shapes; `nodes` are in an order in which they can run, `originals` in the file's.

    `inputs` are what a caller gives (initialisers that old files list among the inputs are not); `constants` are the
    initialisers and the outputs of nodes that follow from them alone, which are listed in `folded` by index.
    """

    source: str
    model: onnx.ModelProto = field(repr=False)
    originals: tuple[Original, ...]
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Constants = field(repr=False)
    types: Mapping[str, TensorType] = field(repr=False)
    folded: frozenset[int] = frozenset()

    def constant(self, name: str) -> Array | None:
        """The value of a constant, None if the tensor isn't one."""
        return self.constants.value(name) if name in self.constants else None
