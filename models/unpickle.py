"""Reads tensors of a PyTorch checkpoint (`torch.save` up to 1.5) without PyTorch, and without running what is in the file.

A pickle may name any function of any module and call it. This reader knows the five names that a state dict of plain tensors
needs and refuses all others. Layout of the file: torch/serialization.py, `_legacy_save`: four pickles (magic number, protocol, sizes
of C types, the object), the pickled list of storage keys, then each storage as an int64 count and its elements.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001


class CheckpointError(ValueError):
    """The file isn't a checkpoint of plain tensors."""


@dataclass(frozen=True)
class _Storage:
    dtype: np.dtype[Any]
    key: str
    size: int


@dataclass(frozen=True)
class _Tensor:
    """What a tensor is of its storage; the storage's data follow later in the file."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def take(self, data: npt.NDArray[Any]) -> npt.NDArray[Any]:
        last = self.offset + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))
        if min(self.offset, *self.shape, *self.strides, 0) < 0 or (0 not in self.shape and last >= data.size):
            raise CheckpointError(f"a tensor of {list(self.shape)} leaves its storage {self.storage.key} of {data.size} elements")
        strides = tuple(stride * data.itemsize for stride in self.strides)
        return np.lib.stride_tricks.as_strided(data[self.offset :], self.shape, strides).copy()


def _rebuild(storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: object) -> _Tensor:
    return _Tensor(storage, offset, tuple(shape), tuple(strides))


_KNOWN: dict[tuple[str, str], Callable[..., Any] | np.dtype[Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
    ("torch", "FloatStorage"): np.dtype("<f4"),
    ("torch", "LongStorage"): np.dtype("<i8"),
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise CheckpointError(f"the file asks for {module}.{name}, which no state dict of tensors needs; it was not run") from None

    def persistent_load(self, pid: Any) -> _Storage:
        kind, dtype, key, _location, size, view = pid
        if kind != "storage" or view is not None or not isinstance(dtype, np.dtype):
            raise CheckpointError(f"the file refers to {kind!r}, expected a whole storage")
        return _Storage(dtype, str(key), int(size))


def read_state(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Tensors by name; CheckpointError if the file holds anything else or ends early."""
    file = io.BytesIO(data)
    try:
        if (magic := _Unpickler(file).load()) != _MAGIC:
            raise CheckpointError(f"the file starts with {magic!r}, expected the magic number of a checkpoint")
        if (protocol := _Unpickler(file).load()) != _PROTOCOL:
            raise CheckpointError(f"protocol {protocol!r}, expected {_PROTOCOL}")
        _Unpickler(file).load()  # sizes of C types; the storages' types fix those that matter
        state, keys = _Unpickler(file).load(), _Unpickler(file).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, IndexError, AttributeError, KeyError) as error:
        raise error if isinstance(error, CheckpointError) else CheckpointError(f"no checkpoint: {error}") from error
    if not isinstance(state, dict) or not all(isinstance(value, _Tensor) for value in state.values()):
        raise CheckpointError("the object is no dictionary of tensors")
    storages = {value.storage.key: value.storage for value in state.values()}
    arrays = {key: _read_storage(file, key, storages) for key in keys}
    return {str(name): value.take(arrays[value.storage.key]) for name, value in state.items()}


def _read_storage(file: io.BytesIO, key: str, storages: dict[str, _Storage]) -> npt.NDArray[Any]:
    storage = storages.get(key)
    count = int.from_bytes(file.read(8), "little")
    if storage is None or count != storage.size:
        raise CheckpointError(f"storage {key} holds {count} elements, expected {storage and storage.size}")
    data = file.read(count * storage.dtype.itemsize)
    if len(data) != count * storage.dtype.itemsize:
        raise CheckpointError(f"the file ends inside storage {key}")
    return np.frombuffer(data, storage.dtype)
