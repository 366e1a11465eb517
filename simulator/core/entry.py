"""Calls of machine code: what Python calls a function of the core with, as words of 64 bits.

A number is a word, a record its address, an array its address and its shape, a NamedTuple all that it holds. Arrays are contiguous.
Machine code is made for the kinds of the arguments: types of elements and numbers of dimensions.
"""

import ctypes
import weakref
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from accelkit.simulator.core import objects

RAISED = -(1 << 63)  # what machine code gives back for an exception
_MOST_PACKED = 64


class RecordKind(NamedTuple):
    """A record, by its type."""

    dtype: np.dtype[Any]


class ArrayKind(NamedTuple):
    """A contiguous array, by the type of its elements and its number of dimensions."""

    dtype: np.dtype[Any]
    ndim: int


class TupleKind(NamedTuple):
    """A NamedTuple of arguments."""

    cls: type
    fields: tuple[Hashable, ...]


INTEGER = "integer"


class _Packed(NamedTuple):
    """A NamedTuple as words, which hold as long as its arrays are these."""

    arrays: list[weakref.ref[Any]]
    words: list[int]
    kind: TupleKind


_packed: dict[int, _Packed] = {}  # by identity of the NamedTuple


def _address(value: Any) -> int:
    address: int = value.__array_interface__["data"][0]
    return address


def _pack(value: Any, words: list[int]) -> Hashable:
    """Add an argument's words; its kind. TypeError if it has none."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"an array of shape {value.shape} with strides {value.strides}: the core takes contiguous arrays only")
        words.append(_address(value))
        words.extend(value.shape)
        return ArrayKind(value.dtype, value.ndim)
    if isinstance(value, np.void):
        words.append(_address(value))
        return RecordKind(value.dtype)
    if isinstance(value, tuple):
        return _pack_tuple(value, words)
    words.append(int(value))
    return INTEGER


def _pack_tuple(value: tuple[Any, ...], words: list[int]) -> TupleKind:
    known = _packed.get(id(value))
    if known is not None and isinstance(value, known.kind.cls):
        held = [item for item in value if isinstance(item, np.ndarray)]
        if len(held) == len(known.arrays) > 0 and all(array() is item for array, item in zip(known.arrays, held, strict=True)):
            words.extend(known.words)
            return known.kind
    mine: list[int] = []
    kind = TupleKind(type(value), tuple(_pack(item, mine) for item in value))
    if not any(isinstance(item, tuple) for item in value):
        if len(_packed) >= _MOST_PACKED:
            _packed.clear()
        arrays = [weakref.ref(item) for item in value if isinstance(item, np.ndarray)]
        _packed[id(value)] = _Packed(arrays, mine, kind)
    words.extend(mine)
    return kind


class Entry:
    """A function of the core for Python to call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._is_test = function.__annotations__.get("return") is bool
        self._known: dict[tuple[Hashable, ...], Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives back; IndexError where bounds are checked and one is crossed."""
        words: list[int] = []
        kinds = tuple([_pack(argument, words) for argument in arguments])
        call = self._known.get(kinds)
        if call is None:
            call = self._known[kinds] = objects.load(self.request(kinds))
        result = call((ctypes.c_int64 * len(words))(*words))
        if result == RAISED:
            raise IndexError(f"{self.__name__}: an index of the core out of bounds; NUMBA_DISABLE_JIT=1 shows where")
        return bool(result) if self._is_test else result

    def request(self, kinds: tuple[Hashable, ...]) -> objects.Request:
        """What to compile for arguments of these kinds."""
        return objects.Request(self.__wrapped__.__module__, self.__wrapped__.__qualname__, kinds)


def request(function: Callable[..., Any], *arguments: Any) -> objects.Request:
    """What to compile for an entry point and such arguments."""
    assert isinstance(function, Entry)
    return function.request(tuple([_pack(argument, []) for argument in arguments]))
