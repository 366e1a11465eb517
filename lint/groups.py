"""Groups of posts and waits that pair up: the smallest sets of tokens that can be left out without upsetting a channel's count."""

from collections.abc import Iterable
from dataclasses import dataclass

from accelkit.lint.schedule import Schedule
from accelkit.lint.sequencer import Trace

Pair = tuple[int, int, int]  # channel, pc of the post, pc of the wait


@dataclass(frozen=True)
class Group:
    """Instructions (pc) that post on a channel, and those that take these posts, in the cases at hand."""

    channel: int
    posts: tuple[int, ...]
    waits: tuple[int, ...]


def pairs_of(trace: Trace, made: Schedule) -> set[Pair]:
    """Which post of the program meets which wait, in one case."""
    tensors = trace.tensors
    return {
        (channel, tensors[post].pc, tensors[number].pc)
        for number, posts in made.taken.items()
        for channel, post in zip(tensors[number].waits, posts, strict=True)
    }


def groups_of(pairs: Iterable[Pair]) -> list[Group]:
    """The connected groups of all pairs, in order of channel and first wait."""
    leader: dict[tuple[int, str, int], tuple[int, str, int]] = {}

    def find(node: tuple[int, str, int]) -> tuple[int, str, int]:
        while leader.setdefault(node, node) != node:
            node = leader[node]
        return node

    for channel, post, wait in pairs:
        leader[find((channel, "post", post))] = find((channel, "wait", wait))
    members: dict[tuple[int, str, int], list[tuple[int, str, int]]] = {}
    for node in list(leader):
        members.setdefault(find(node), []).append(node)
    found = [
        Group(
            channel=nodes[0][0],
            posts=tuple(sorted(pc for _, side, pc in nodes if side == "post")),
            waits=tuple(sorted(pc for _, side, pc in nodes if side == "wait")),
        )
        for nodes in members.values()
    ]
    return sorted(found, key=lambda group: (group.channel, group.waits))
