"""Constants of a model: what a large one holds is kept once."""

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from accelkit.kernels.onnx.constants import Constants

LARGE = {
    "bytes": np.arange(1 << 14, dtype=np.uint16).astype(np.int8).reshape(128, -1),
    "halves": np.linspace(-1, 1, 1 << 14, dtype=np.float16),
    "flags": np.arange(1 << 15) % 3 == 0,
}
SMALL = {
    "scale": np.float32(0.5),
    "short": np.zeros((1 << 14) - 1, np.int8),
    "other type": np.linspace(-1, 1, 1 << 14).astype(ml_dtypes.bfloat16),
}


def tensors() -> Iterator[TensorProto]:
    """The arrays as tensors, and one whose elements are no raw bytes."""
    for name, value in {**LARGE, **SMALL}.items():
        yield numpy_helper.from_array(np.asarray(value), name)
    yield helper.make_tensor("numbers", TensorProto.INT64, [1 << 12], range(1 << 12))


def model() -> onnx.ModelProto:
    """A model of nothing but constants, one of which is given twice."""
    first = numpy_helper.from_array(np.ones(1 << 15, np.uint8), "bytes")
    return helper.make_model(helper.make_graph([], "constants", [], [], [first, *tensors()]))


def test_values() -> None:
    """Values and tensors are those of the file, the later of two of one name; a copy keeps them when the first changes."""
    light, constants = Constants.take(model())
    copy = constants.copy()
    constants["bytes"] = numpy_helper.from_array(np.int8(7), "bytes")
    for tensor in tensors():
        assert np.array_equal(copy.value(tensor.name), numpy_helper.to_array(tensor))
        assert copy[tensor.name] == tensor
    assert constants.value("bytes") == 7
    assert len(light.graph.initializer) == len(list(tensors())) + 1


def test_large_ones_are_kept_once() -> None:
    """A large constant has no data in the model nor in its header, however it came there; the value of its tensor is the array kept."""
    light, taken = Constants.take(model())
    given = Constants()
    given.update({tensor.name: tensor for tensor in tensors()})
    assert light.ByteSize() < sum(np.asarray(value).nbytes for value in SMALL.values()) + (1 << 14)
    for constants in (taken, given):
        assert {name for name in constants if constants.is_large(name)} == LARGE.keys()
        for name, value in LARGE.items():
            header = constants.header(name)
            assert not header.raw_data
            assert tuple(header.dims) == value.shape
            assert constants.value(name) is constants.value(name)


def test_absent_ones() -> None:
    """What was never there, or is no longer, is a KeyError."""
    _, constants = Constants.take(model())
    del constants["bytes"]
    assert "bytes" not in constants
    for name in ("bytes", "nothing"):
        with pytest.raises(KeyError):
            constants[name]
        with pytest.raises(KeyError):
            constants.value(name)
