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
_MOST_PACKED = 256
_HAVE_ADDRESSES = (np.ndarray, np.void)


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
    """An argument as words. It is forgotten when one of its arrays or records goes, so that what has its identity is the same."""

    cls: type
    leaves: tuple[int, ...]  # of a NamedTuple: identities of all that it holds
    numbers: list[Any]  # of these what is no array: kept, so that its identity stays its own
    references: list[weakref.ref[Any]]
    words: list[int]
    kind: Hashable


_packed: dict[int, _Packed] = {}  # by identity; asking NumPy for addresses takes longer than many a call
_kinds: dict[Hashable, Hashable] = {}  # each once: two are equal if they are the same


def _pack(value: Any, words: list[int]) -> Hashable:
    """Add an argument's words; its kind. TypeError if it has none."""
    if type(value) is int:
        words.append(value)
        return INTEGER
    known = _packed.get(id(value))
    if known and type(value) is known.cls and (not known.leaves or known.leaves == tuple(map(id, _leaves(value)))):
        words += known.words
        return known.kind
    mine: list[int] = []
    new = _pack_anew(value, mine)
    kind = _kinds.setdefault(new, new)
    if kind is not INTEGER:
        _keep(value, mine, kind)
    words += mine
    return kind


def _pack_anew(value: Any, words: list[int]) -> Hashable:
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"an array of shape {value.shape} with strides {value.strides}: the core takes contiguous arrays only")
        words.append(_address(value))
        words.extend(value.shape)
        return ArrayKind(value.dtype, value.ndim)
    if isinstance(value, np.void):
        words.append(np.asarray(value).ctypes.data)
        return RecordKind(value.dtype)
    if isinstance(value, tuple):
        return TupleKind(type(value), tuple([_pack_anew(item, words) for item in value]))
    words.append(int(value))
    return INTEGER


def _address(array: Any) -> int:
    """An array's address, in the way that takes least. (`__array_interface__` describes every field of a record.)"""
    if array.size and array.dtype.names is None and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    address: int = array.ctypes.data
    return address


def _keep(value: Any, words: list[int], kind: Hashable) -> None:
    if len(_packed) >= _MOST_PACKED:
        _packed.clear()
    key = id(value)

    def forget(_: object) -> None:
        _packed.pop(key, None)

    leaves = _leaves(value) if isinstance(value, tuple) else [value]
    arrays = [leaf for leaf in leaves if isinstance(leaf, _HAVE_ADDRESSES)]
    _packed[key] = _Packed(
        cls=type(value),
        leaves=tuple(map(id, leaves)) if isinstance(value, tuple) else (),
        numbers=[leaf for leaf in leaves if not isinstance(leaf, _HAVE_ADDRESSES)],
        references=[weakref.ref(array, forget) for array in arrays],
        words=words,
        kind=kind,
    )


def _leaves(value: Any) -> list[Any]:
    """What a NamedTuple holds, itself or in others."""
    found: list[Any] = []
    for item in value:
        if isinstance(item, tuple):
            found += _leaves(item)
        else:
            found.append(item)
    return found


class Entry:
    """A function of the core for Python to call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._returns_bool = function.__annotations__.get("return") is bool
        self.loaded: list[objects.Request] = []
        self._known: dict[tuple[int, ...], Any] = {}  # by identities of kinds

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives back; IndexError where bounds are checked and one is crossed."""
        words: list[int] = []
        kinds = [_pack(argument, words) for argument in arguments]
        key = tuple(map(id, kinds))
        call = self._known.get(key)
        if call is None:
            wanted = self.request(tuple(kinds))
            call = self._known[key] = objects.load(wanted)
            self.loaded.append(wanted)
        result = call((ctypes.c_int64 * len(words))(*words))
        if result == RAISED:
            raise IndexError(f"{self.__name__}: an index of the core out of bounds; NUMBA_DISABLE_JIT=1 shows where")
        return bool(result) if self._returns_bool else result

    def request(self, kinds: tuple[Hashable, ...]) -> objects.Request:
        """What to compile for arguments of these kinds."""
        return objects.Request(self.__wrapped__.__module__, self.__wrapped__.__qualname__, kinds)


def request(function: Callable[..., Any], *arguments: Any) -> objects.Request:
    """What to compile for an entry point and such arguments."""
    assert isinstance(function, Entry)
    return function.request(tuple([_pack(argument, []) for argument in arguments]))
