"""What a fuzzed operator can be: features with their values, and which pairs of values a run has met.

Faults mostly need one or two features at once (Kuhn, Wallace, Gallo: Software Fault Interactions, IEEE TSE 2004), and all
combinations would be too many. So cases are chosen until every possible pair of values has been met; a pair that hasn't is an
empty cell of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

Choice = Mapping[str, str]  # feature -> value
Cell = tuple[tuple[str, str], ...]  # one or two (feature, value)

_COMPLETIONS = 200  # random completions of a pair before it counts as impossible
_CANDIDATES = 6


@dataclass(frozen=True)
class Space:
    """Features of an operator family with their values; `is_possible` rules combinations out."""

    name: str
    features: Mapping[str, tuple[str, ...]]
    is_possible: Callable[[Choice], bool] = lambda choice: True

    def complete(self, rng: Random, given: Choice) -> dict[str, str] | None:
        """A random possible choice that has the given values."""
        for _ in range(_COMPLETIONS):
            choice = {feature: given.get(feature) or rng.choice(values) for feature, values in self.features.items()}
            if self.is_possible(choice):
                return choice
        return None

    def cells(self) -> list[Cell]:
        """All pairs of values of different features."""
        names = [(feature, value) for feature, values in self.features.items() for value in values]
        return [pair for pair in combinations(names, 2) if pair[0][0] != pair[1][0]]


def cells_of(choice: Choice) -> list[Cell]:
    """The pairs that a choice has."""
    return list(combinations(choice.items(), 2))


@dataclass
class Chooser:
    """Chooses cases of a space, one after the other: new pairs first, then anything. Follows from the seed alone."""

    space: Space
    rng: Random
    open: dict[Cell, None] = field(init=False)

    def __post_init__(self) -> None:
        self.open = dict.fromkeys(
            cell for cell in self.space.cells() if self.space.complete(Random(str(cell)), dict(cell)) is not None
        )

    def next(self) -> dict[str, str]:
        """The next choice; its pairs count as met."""
        given = dict(next(iter(self.open))) if self.open else {}
        candidates = [self.space.complete(self.rng, given) for _ in range(_CANDIDATES)]
        choices = [choice for choice in candidates if choice is not None]
        if not choices:  # rarer than the search for impossible pairs saw: found again by its own generator
            found = self.space.complete(Random(str(tuple(given.items()))), given)
            assert found is not None
            choices = [found]
        best = max(choices, key=lambda choice: sum(cell in self.open for cell in cells_of(choice)))
        for cell in cells_of(best):
            self.open.pop(cell, None)
        return best


@dataclass
class Coverage:
    """What has been met in cases that ran on the accelerator."""

    space: Space
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    pairs: Counter[Cell] = field(default_factory=Counter)
    cases: int = 0
    outputs: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, choice: Choice, outputs: int) -> None:
        """One case and how many output elements were compared."""
        self.cases += 1
        self.outputs += outputs
        self.values.update(choice.items())
        self.pairs.update(cells_of(choice))

    def empty(self) -> list[Cell]:
        """Possible pairs that no case had."""
        possible = Chooser(self.space, Random(0)).open
        return [cell for cell in possible if not self.pairs[cell]]

    def table(self) -> str:
        """For people: how often each value was met, and how many pairs."""
        empty, total = self.empty(), len(Chooser(self.space, Random(0)).open)
        lines = [
            f"{self.space.name}: {self.cases} cases, {self.outputs:,} outputs; {total - len(empty)} of {total} pairs of values met"
        ]
        for feature, values in self.space.features.items():
            counts = ", ".join(f"{value} {self.values[feature, value]}" for value in values)
            lines.append(f"  {feature + ':':18} {counts}")
        lines += [f"  on the CPU: {count} x {reason}" for reason, count in sorted(self.refused.items())]
        lines += [f"  EMPTY: {' with '.join(f'{f} = {v}' for f, v in cell)}" for cell in empty]
        return "\n".join(lines)
