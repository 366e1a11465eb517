"""Words that machine code is called with (simulator/core/entry.py), kept from call to call, against addresses that NumPy tells."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from accelkit.simulator import descriptors
from accelkit.simulator.core import entry
from accelkit.simulator.core import state as st

STEPS = 3000


class Inner(NamedTuple):
    """Arrays in another NamedTuple."""

    x: Any
    y: Any


class Outer(NamedTuple):
    """Arrays, a number, arrays further down."""

    x: Any
    number: int
    inner: Inner


def words_of(value: Any) -> list[int]:
    """An argument's words."""
    if isinstance(value, tuple):
        return [word for item in value for word in words_of(item)]
    if isinstance(value, np.ndarray):
        return [value.__array_interface__["data"][0], *value.shape]
    return [value.__array_interface__["data"][0]] if isinstance(value, np.void) else [int(value)]


def fresh(rng: np.random.Generator) -> Any:
    """An array or a record; memory and identities of ones that are gone are used again soon."""
    kind = rng.integers(4)
    if kind == 0:
        return np.zeros(int(rng.integers(6)), np.int64)
    if kind == 1:
        return np.zeros((int(rng.integers(3)), 4), np.uint8)
    return descriptors.record(st.POST) if kind == 2 else descriptors.records(st.POST, int(rng.integers(1, 4)))


def test_words_of_what_comes_and_goes() -> None:
    """Arrays, records, NamedTuples and numbers are made, packed, packed again, replaced and forgotten: words are those of the moment."""
    rng = np.random.default_rng(5)
    held: list[Any] = [fresh(rng) for _ in range(12)]
    for step in range(STEPS):
        place, some = int(rng.integers(len(held))), held[int(rng.integers(len(held)))]
        kind = rng.integers(5)
        if kind == 0:
            held[place] = fresh(rng)
        elif kind == 1:
            held[place] = Outer(fresh(rng), int(rng.integers(1 << 40)), Inner(fresh(rng), fresh(rng)))
        elif kind == 2 and isinstance(some, Outer):
            held[place] = some._replace(inner=some.inner._replace(y=fresh(rng)))
        elif kind == 3 and isinstance(some, Outer):
            held[place] = some._replace(number=int(rng.integers(1 << 40)))
        words: list[int] = []
        for value in held:
            entry._pack(value, words)
        assert words == [word for value in held for word in words_of(value)], step
        if step == 0:
            held.append(np.int64(7))


def test_kinds() -> None:
    """Arguments of the same types have the same kind, others another one."""
    arrays = [np.zeros(shape, np.int64) for shape in (3, 4, (1, 3))]
    values = [*arrays, np.zeros(3, np.int32), 3, descriptors.record(st.POST)]
    kinds = [entry._pack(value, []) for value in values]
    assert kinds[0] is kinds[1]
    assert len({id(kind) for kind in kinds}) == len(values) - 1
    assert entry._pack(Inner(values[0], 1), []) is entry._pack(Inner(values[1], 2), [])


def test_arrays_with_gaps_are_refused() -> None:
    """Machine code would read what lies between."""
    with pytest.raises(TypeError, match="contiguous arrays only"):
        entry._pack(np.zeros((4, 4))[:, :2], [])
