"""Nodes of the file that a user holds to one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.graph import Graph

SIDES = ("accelerator", "cpu")


@dataclass(frozen=True)
class Pins:
    """Indices of graph nodes."""

    accelerator: frozenset[int]
    cpu: frozenset[int]


def resolve_pins(graph: Graph, pins: Mapping[str, str]) -> Pins:
    """The graph's nodes that stand for the named nodes of the file; ModelError for a name that isn't there, or nodes held to both sides."""
    names = {original.name: original.index for original in graph.originals}
    sides: dict[str, set[int]] = {side: set() for side in SIDES}
    for name, side in pins.items():
        if name not in names:
            close = get_close_matches(name, names, 3)
            hint = f"; did you mean {' or '.join(close)}?" if close else "; --explain lists the nodes"
            raise ModelError(f"{graph.source}: --pin {name}={side}: the model has no node of that name{hint}")
        found = [node.index for node in graph.nodes if names[name] in node.origins and node.index not in graph.folded]
        if not found:
            raise ModelError(f"{graph.source}: --pin {name}={side}: that node is a constant, it runs nowhere")
        sides[side].update(found)
    for node in graph.nodes:
        if all(node.index in sides[side] for side in SIDES):
            members = ", ".join(graph.originals[index].name for index in node.origins)
            raise ModelError(f"{graph.source}: --pin: {members} run as one node, which can't be held to both sides")
    return Pins(frozenset(sides["accelerator"]), frozenset(sides["cpu"]))
