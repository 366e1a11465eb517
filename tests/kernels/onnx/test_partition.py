"""The minimum cut against trying every choice, and the choices that it makes in a model."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.kernels.onnx.partition import Choice, Traffic, partition

COST = st.integers(0, 20)


@st.composite
def problems(draw: st.DrawFn) -> tuple[dict[int, Choice], list[Traffic]]:
    """Up to 7 nodes in a random acyclic graph; some have one side only."""
    count = draw(st.integers(1, 7))
    choices = {}
    for node in range(count):
        sides = draw(st.sampled_from(["both", "both", "both", "accelerator", "host"]))
        choices[node] = Choice(
            draw(COST) if sides != "host" else None,
            draw(COST) if sides != "accelerator" else None,
        )
    tensors = [Traffic(-1, frozenset(draw(st.sets(st.integers(0, count - 1), min_size=1))), draw(COST))]
    for maker in range(count):
        readers = draw(st.sets(st.sampled_from([*range(maker + 1, count), -1]), max_size=4))
        if readers:
            tensors.append(Traffic(maker, frozenset(readers), draw(COST)))
    return choices, tensors


def total(choices: dict[int, Choice], tensors: list[Traffic], chosen: frozenset[int]) -> int | None:
    """Cost of a choice, counted tensor by tensor; None if a node is where it can't be."""
    cost = 0
    for node, choice in choices.items():
        side = choice.accelerator if node in chosen else choice.host
        if side is None:
            return None
        cost += side
    for tensor in tensors:
        sides = {reader in chosen for reader in tensor.readers}
        cost += tensor.cycles * ((tensor.maker not in chosen) in sides)
    return cost


@given(problems())
def test_no_choice_is_cheaper(problem: tuple[dict[int, Choice], list[Traffic]]) -> None:
    """The partition costs what the cheapest of all 2^n choices costs, and of those it is the one with most nodes on the accelerator."""
    choices, tensors = problem
    every = [
        frozenset(node for node, on in zip(choices, sides, strict=True) if on)
        for sides in product([False, True], repeat=len(choices))
    ]
    costs = {chosen: cost for chosen in every if (cost := total(choices, tensors, chosen)) is not None}
    found = partition(choices, tensors)
    assert costs[found] == min(costs.values())
    assert all(chosen <= found for chosen, cost in costs.items() if cost == min(costs.values()))


@pytest.mark.parametrize(("crossing", "expected"), [(4, {0, 1, 2}), (1, {0, 2})])
def test_light_node_between_heavy_ones(crossing: int, expected: set[int]) -> None:
    """A node that is slower on the accelerator stays there if its tensors would have to cross twice, and goes if that is cheaper."""
    choices = {0: Choice(1, 100), 1: Choice(6, 1), 2: Choice(1, 100)}
    tensors = [Traffic(0, frozenset({1}), crossing), Traffic(1, frozenset({2}), crossing)]
    assert partition(choices, tensors) == expected


def test_many_nodes() -> None:
    """A chain of 500 nodes: the cut lies at the cheapest tensor between a node that needs the accelerator and one that needs the host."""
    rng = np.random.default_rng(0)
    cycles = [int(c) for c in rng.integers(10, 1000, 499)]
    choices = {0: Choice(0, None), 499: Choice(None, 0)} | {node: Choice(0, 0) for node in range(1, 499)}
    tensors = [Traffic(node, frozenset({node + 1}), cycles[node]) for node in range(499)]
    assert cycles[len(partition(choices, tensors)) - 1] == min(cycles)
