"""The constants of a model. What large ones hold is kept once: as arrays, not in their tensors as well."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
_LARGE_BYTES = 1 << 14
_DTYPES = {element: np.dtype(helper.tensor_dtype_to_np_dtype(element)) for element in helper.get_all_tensor_dtypes() if element}


class Constants(MutableMapping[str, TensorProto]):
    """Constants by name, as tensors; those of large ones are made when they are asked for."""

    def __init__(self) -> None:
        self._headers: dict[str, TensorProto] = {}
        self._large: dict[str, Array] = {}
        self._small: dict[str, Array] = {}  # decoded, as far as they have been asked for

    @classmethod
    def take(cls, model: onnx.ModelProto) -> tuple[onnx.ModelProto, Constants]:
        """The model with headers as its initialisers, and these. What is given can't be used any more."""
        constants = cls()
        for tensor in model.graph.initializer:
            constants._large.pop(tensor.name, None)  # a name that is given twice is the later one's
            if _is_large(tensor):
                constants._large[tensor.name] = numpy_helper.to_array(tensor)
                tensor.ClearField("raw_data")
        light = onnx.ModelProto()  # the memory of a message is freed with all of it
        light.CopyFrom(model)
        constants._headers = {tensor.name: tensor for tensor in light.graph.initializer}
        return light, constants

    def copy(self) -> Constants:
        """The same constants, in a mapping of its own."""
        other = Constants()
        other._headers, other._large, other._small = self._headers.copy(), self._large.copy(), self._small.copy()
        return other

    def __getitem__(self, name: str) -> TensorProto:
        header = self._headers[name]
        if name not in self._large:
            return header
        whole = TensorProto()
        whole.CopyFrom(header)
        whole.raw_data = self._large[name].tobytes()
        return whole

    def __setitem__(self, name: str, tensor: TensorProto) -> None:
        self.pop(name, None)
        if _is_large(tensor):
            self._large[name] = numpy_helper.to_array(tensor)
            tensor = TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
        self._headers[name] = tensor

    def __delitem__(self, name: str) -> None:
        del self._headers[name]
        self._large.pop(name, None)
        self._small.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._headers

    def __iter__(self) -> Iterator[str]:
        return iter(self._headers)

    def __len__(self) -> int:
        return len(self._headers)

    def is_large(self, name: str) -> bool:
        """Whether the constant's header has no data."""
        return name in self._large

    def header(self, name: str) -> TensorProto:
        """A constant's tensor; of a large one without data."""
        return self._headers[name]

    def value(self, name: str) -> Array:
        """What a constant holds; not to be written to."""
        if name in self._large:
            return self._large[name]
        if name not in self._small:
            self._small[name] = numpy_helper.to_array(self._headers[name])
        return self._small[name]


def _is_large(tensor: TensorProto) -> bool:
    """Whether a tensor has much data, as many bytes as it announces, in a type of NumPy's own."""
    dtype = _DTYPES.get(tensor.data_type)
    if dtype is None or dtype.isbuiltin != 1 or prod(tensor.dims) * dtype.itemsize < _LARGE_BYTES:
        return False
    return bool(len(tensor.raw_data) == prod(tensor.dims) * dtype.itemsize)
