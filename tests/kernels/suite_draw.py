"""What the cases of the kernel suite are drawn with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from accelkit.kernels.plan import Plan, Refusal
from tests.kernels.operands import Operands
from tests.reference.quantised import Array

T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """A plan, its inputs, and what gives the expected result. `first` is a plan that is launched before, with the same inputs, and
    whose result stays in the scratchpad."""

    plan: Plan | Refusal
    inputs: Mapping[str, Array]
    want: Callable[[], Array]
    first: Plan | None = None


@dataclass(frozen=True)
class Draw:
    """Draws sizes, choices and tensors from one seed."""

    rng: np.random.Generator

    @cached_property
    def operands(self) -> Operands:
        """Random tensors, types and requantisations."""
        return Operands(self.rng)

    def size(self, low: int, high: int) -> int:
        """Any size from low to high."""
        return int(self.rng.integers(low, high + 1))

    def pair(self, low: int, high: int) -> tuple[int, int]:
        """Two sizes."""
        return self.size(low, high), self.size(low, high)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.size(0, len(options) - 1)]

    def scales(self, count: int) -> list[float]:
        """Scales that binary32 holds."""
        return [float(scale) for scale in self.rng.uniform(1e-3, 1, count).astype(np.float32)]

    def shape(self, rank: int, most: int = 12) -> tuple[int, ...]:
        """A shape of so many axes."""
        return tuple(self.size(1, most) for _ in range(rank))

    def bytes_of(self, shape: tuple[int, ...]) -> Array:
        """Bytes of any value."""
        return self.rng.integers(0, 256, shape, np.uint8)
