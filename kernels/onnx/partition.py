"""Which nodes run on the accelerator: the cheapest of all choices, as a minimum cut.

The source of the flow network is the accelerator, its sink the host. Cutting a node off from one of them means to run it on the other,
which is what the edge there costs. A tensor that one side makes and the other reads crosses once, however many readers it has there: a
vertex of its own, which goes with the first of them, carries that cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from accelkit.kernels.onnx.cut import Network

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
    network = Network()
    vertices: dict[int, object] = {-1: _HOST}
    for number, choice in choices.items():
        assert choice.accelerator is not None or choice.host is not None
        vertices[number] = ("node", number)
        network.add(_ACCELERATOR, vertices[number], choice.host)
        network.add(vertices[number], _HOST, choice.accelerator)
    for number, tensor in enumerate(tensors):
        maker = vertices[tensor.maker]
        down, up = ("down", number), ("up", number)
        network.add(maker, down, tensor.cycles)
        network.add(up, maker, tensor.cycles)
        for reader in tensor.readers:
            network.add(down, vertices[reader], None)
            network.add(vertices[reader], up, None)
    with_host = network.cut(_ACCELERATOR, _HOST)
    return frozenset(number for number, vertex in vertices.items() if number >= 0 and vertex not in with_host)
