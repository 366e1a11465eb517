"""Which nodes run on the accelerator: the cheapest of all choices, as a minimum cut.

The source of the flow network is the accelerator, its sink the host. Cutting a node off from one of them means to run it on the other,
which is what the edge there costs. A tensor that one side makes and the other reads crosses once, however many readers it has there: a
vertex of its own, which goes with the first of them, carries that cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

_ACCELERATOR, _HOST = "accelerator", "host"


@dataclass(frozen=True)
class Choice:
    """Cycles of a node on either side; None where it can't or mustn't run."""

    accelerator: int | None
    host: int | None


@dataclass(frozen=True)
class Traffic:
    """A tensor: who makes and who reads it, and what one crossing costs. -1 is the host: the model's inputs and outputs."""

    maker: int
    readers: frozenset[int]
    cycles: int


def partition(choices: Mapping[int, Choice], tensors: Iterable[Traffic]) -> frozenset[int]:
    """The nodes that belong on the accelerator, so that the sum of all costs is the least; at equal costs the larger set.

    A node must have one side at least.
    """
    network = nx.DiGraph()
    network.add_nodes_from((_ACCELERATOR, _HOST))
    vertices: dict[int, object] = {-1: _HOST}
    for number, choice in choices.items():
        assert choice.accelerator is not None or choice.host is not None
        vertices[number] = ("node", number)
        _edge(network, _ACCELERATOR, vertices[number], choice.host)
        _edge(network, vertices[number], _HOST, choice.accelerator)
    for number, tensor in enumerate(tensors):
        maker = vertices[tensor.maker]
        down, up = ("down", number), ("up", number)
        _edge(network, maker, down, tensor.cycles)
        _edge(network, up, maker, tensor.cycles)
        for reader in tensor.readers:
            _edge(network, down, vertices[reader], None)
            _edge(network, vertices[reader], up, None)
    _, (with_accelerator, _) = nx.minimum_cut(network, _ACCELERATOR, _HOST)
    return frozenset(number for number, vertex in vertices.items() if number >= 0 and vertex in with_accelerator)


def _edge(network: nx.DiGraph, first: object, second: object, cycles: int | None) -> None:
    """An edge that costs `cycles` to cut; None can't be cut, which for NetworkX is an edge without a capacity."""
    if cycles is None:
        network.add_edge(first, second)
    else:
        network.add_edge(first, second, capacity=cycles)
