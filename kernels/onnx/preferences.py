"""The layout in which a tensor that comes from the host serves its readers best.

Convolutions want channels last, products row-major order, and what works in either layout passes on what its own readers want. So the
preferences are worked out from the last node to the first, by asking what each node makes of either layout.
"""

from __future__ import annotations

from collections import Counter

from accelkit.kernels.onnx.graph import Graph, Node
from accelkit.kernels.onnx.layout import Layout, channels_last, is_view
from accelkit.kernels.onnx.operators import describe
from accelkit.kernels.plan import Refusal


def prefer_layouts(graph: Graph) -> dict[str, Layout]:
    """For each tensor whose readers care, the layout that most of them want."""
    votes: dict[str, Counter[Layout]] = {}
    for node in reversed(graph.nodes):
        if node.index in graph.folded:
            continue
        wanted = {name: _most(votes[name]) for name in node.outputs if name in votes}
        for name in dict.fromkeys(node.inputs):
            if _channels_last(graph, name) is None:
                continue
            vote = _view_vote(node, wanted) if is_view(graph, node) else _vote(graph, node, name, wanted)
            if vote:
                votes.setdefault(name, Counter())[vote[0]] += 1
    return {name: _most(counter) for name, counter in votes.items()}


def _most(votes: Counter[Layout]) -> Layout:
    """The layout of most votes, the first of those that have as many."""
    return votes.most_common(1)[0][0]


def _view_vote(node: Node, wanted: dict[str, Layout]) -> tuple[Layout] | None:
    """A layout tells how elements lie, whatever shape they have."""
    return (wanted[node.outputs[0]],) if node.outputs[0] in wanted else None


def _vote(graph: Graph, node: Node, name: str, wanted: dict[str, Layout]) -> tuple[Layout] | None:
    """The layout of an input that spares the more conversions, of it and of what the node makes; None if that is all the same."""
    costs: dict[Layout, int] = {}
    for layout in (None, _channels_last(graph, name)):
        calls = describe(graph, node, {name: layout})
        if isinstance(calls, Refusal):
            return None
        inputs = {operand.layout for call in calls for operand in call.operands if operand.tensor == name}
        results = sum(call.layout != wanted.get(call.result, call.layout) for call in calls)
        costs[layout] = (inputs != {layout}) + results
    best = min(costs, key=lambda layout: costs[layout])
    return (best,) if len(set(costs.values())) > 1 else None


def _channels_last(graph: Graph, name: str) -> Layout:
    """The other layout that a computed tensor can have; None if it has only one."""
    kind = graph.types.get(name)
    if name in graph.constants or kind is None or kind.shape is None or kind.dtype is None or len(kind.shape) < 3 or 0 in kind.shape:
        return None
    return channels_last(kind.shape)
