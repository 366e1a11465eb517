"""Offsets in one block of DRAM for buffers that live for some of the steps only, so that later ones take the place of earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True)
class Life:
    """A buffer of `nbytes` that holds something from step `first` to step `last`, both included."""

    nbytes: int
    first: int
    last: int


@dataclass(frozen=True)
class Arena(Generic[Key]):
    """`offsets` of the buffers in a block of `nbytes`; at no step do fewer than `least_bytes` have to be held."""

    offsets: Mapping[Key, int]
    nbytes: int
    least_bytes: int


def pack(lives: Mapping[Key, Life], alignment: int) -> Arena[Key]:
    """A place for each buffer: the largest first, each in the smallest gap that buffers of its time leave and that holds it.

    Offsets are multiples of `alignment`. Buffers of which one begins at the step at which the other ends are apart.
    """
    offsets: dict[Key, int] = {}
    placed: list[tuple[int, int, Life]] = []  # begin, end
    order = sorted(lives.items(), key=lambda item: (-item[1].nbytes, item[1].first))  # stable: the rest as given
    for key, life in order:
        size = -(-life.nbytes // alignment) * alignment
        taken = sorted((begin, end) for begin, end, other in placed if _meet(life, other))
        offset = _best_gap(taken, size)
        offsets[key] = offset
        placed.append((offset, offset + size, life))
    return Arena(offsets, max((end for _, end, _ in placed), default=0), _most_at_once(lives))


def _meet(one: Life, other: Life) -> bool:
    return one.first <= other.last and other.first <= one.last


def _best_gap(taken: list[tuple[int, int]], size: int) -> int:
    """The begin of the smallest gap between ranges in order of their begin, or the end of the last."""
    best, best_size, end = -1, 0, 0
    for begin, next_end in taken:
        gap = begin - end
        if gap >= size and (best < 0 or gap < best_size):
            best, best_size = end, gap
        end = max(end, next_end)
    return best if best >= 0 else end


def _most_at_once(lives: Mapping[Key, Life]) -> int:
    """The bytes that live at the fullest step."""
    changes: dict[int, int] = {}
    for life in lives.values():
        changes[life.first] = changes.get(life.first, 0) + life.nbytes
        changes[life.last + 1] = changes.get(life.last + 1, 0) - life.nbytes
    most = now = 0
    for step in sorted(changes):
        now += changes[step]
        most = max(most, now)
    return most
