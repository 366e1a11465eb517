"""Activations that stay in the scratchpad between launches: which do, that results are the same, what is saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from benchmarks.residency import in_dram, measure, staying
from tests.kernels.machines import NAMED
from tests.kernels.onnx.builder import Array, Builder, run_reference, save

EDGE = load_machine("edge-16")


def inverted(b: Builder, x: str, name: str, channels: int, wide: int, kernel: int = 3) -> str:
    """An inverted bottleneck: 1x1, depthwise with padding, 1x1; the middle convolution reads what the first has left with a border."""
    b.conv(x, f"{name}_wide", channels, wide, (1, 1))
    b.conv(f"{name}_wide", f"{name}_deep", 1, wide, (kernel, kernel), pads=[kernel // 2] * 4, group=wide)
    return b.conv(f"{name}_deep", f"{name}_flat", wide, channels, (1, 1))


def bottlenecks() -> tuple[onnx.ModelProto, set[str], set[str]]:
    """Model, what stays on edge-16, what mustn't: inputs and outputs of the model, and what other kernels take."""
    b = Builder(np.int8)
    b.conv("x", "first", 3, 20, strides=[2, 2], pads=[1, 1, 1, 1])
    inverted(b, "first", "a", 20, 70)
    b.conv("a_flat", "b", 20, 24, (3, 3), strides=[2, 2], pads=[1, 1, 1, 1])
    inverted(b, "b", "c", 24, 40, 5)
    b.conv("c_flat", "head", 24, 50, (1, 1))
    b.node("MaxPool", ["head"], "pool", kernel_shape=[2, 2], strides=[2, 2])
    b.conv("pool", "y", 50, 10, (1, 1))
    return b.model({"x": [1, 3, 22, 18]}, ["y"]), {"a_wide", "a_deep", "b", "c_wide", "c_deep", "head", "pool"}, {"x", "y"}


def shared() -> tuple[onnx.ModelProto, set[str], set[str]]:
    """Two readers of one tensor with different padding; one that is an output of the model, too."""
    b = Builder(np.uint8)
    b.conv("x", "one", 8, 16)
    b.conv("one", "left", 16, 16, (3, 3), pads=[1, 1, 1, 1])
    b.conv("one", "right", 16, 16, (5, 5), pads=[2, 2, 2, 2])
    b.conv("left", "left2", 16, 8, (1, 1))
    b.conv("right", "right2", 16, 8, (1, 1))
    return b.model({"x": [1, 8, 12, 12]}, ["left2", "right2", "left"]), {"one", "right"}, {"left", "left2", "right2"}


def summed() -> tuple[onnx.ModelProto, set[str], set[str]]:
    """A residual sum between convolutions."""
    b = Builder(np.int8)
    b.conv("x", "one", 8, 16)
    b.conv("one", "two", 16, 16, (3, 3), pads=[1, 1, 1, 1])
    b.conv("two", "three", 16, 16, (3, 3), pads=[1, 1, 1, 1])
    b.add("three", "one", "sum")
    b.conv("sum", "four", 16, 8, (3, 3), pads=[1, 1, 1, 1])
    return b.model({"x": [1, 8, 12, 12]}, ["four"]), {"two"}, {"four"}


def batched() -> tuple[onnx.ModelProto, set[str], set[str]]:
    """Two images: nothing stays."""
    b = Builder(np.int8)
    b.conv("x", "one", 8, 16)
    b.conv("one", "two", 16, 16)
    return b.model({"x": [2, 8, 12, 12]}, ["two"]), set(), {"one", "two"}


MODELS: tuple[Callable[[], tuple[onnx.ModelProto, set[str], set[str]]], ...] = (bottlenecks, shared, summed, batched)


def run(placement: Placement, inputs: dict[str, Array], times: int = 1) -> tuple[dict[str, Array], Executor]:
    """Every tensor that the last of some runs makes."""
    executor, seen = Executor(placement), dict[str, Array]()
    for _ in range(times):
        executor.run(inputs, lambda name, value: seen.__setitem__(name, value.copy()))
    return seen, executor


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("make", MODELS)
def test_values(machine: Machine, make: Callable[[], tuple[onnx.ModelProto, set[str], set[str]]], tmp_path: Path) -> None:
    """On every named machine, in a second run too: every tensor that a launch makes, in DRAM or in the scratchpad, is ONNX Runtime's."""
    model, _, _ = make()
    graph = read_model(save(model, tmp_path))
    shape = graph.types["x"].shape
    dtype = graph.types["x"].dtype
    assert shape is not None
    assert dtype is not None
    x = np.random.default_rng(3).integers(0, 256, shape, np.uint8).view(dtype)
    placement = place(graph, machine, falls_back=False) if machine.scratchpad_banks > 1 else place(graph, machine)
    seen, _ = run(placement, {"x": x}, times=2)
    want = run_reference(model, {"x": x}, list(seen))
    for name, value in seen.items():
        np.testing.assert_array_equal(value, want[name], err_msg=name)


@pytest.mark.parametrize("make", MODELS)
def test_what_stays(make: Callable[[], tuple[onnx.ModelProto, set[str], set[str]]], tmp_path: Path) -> None:
    """On edge-16 the tensors that lie between kernels that can read them there, and none that anybody else needs."""
    model, yes, no = make()
    kept = set(staying(place(read_model(save(model, tmp_path)), EDGE, falls_back=False)))
    assert yes <= kept
    assert not no & kept


def test_what_is_saved(tmp_path: Path) -> None:
    """Fewer cycles and less DRAM traffic than with the same launches and every tensor in DRAM; the report says what stays."""
    placement = place(read_model(save(bottlenecks()[0], tmp_path)), EDGE, falls_back=False)
    plain = in_dram(placement)
    assert not staying(plain)
    (cycles, nbytes), (plain_cycles, plain_bytes) = measure(placement), measure(plain)
    assert cycles < plain_cycles
    assert nbytes < 0.8 * plain_bytes
    assert "x, y in the scratchpad" in next(record.note for record in placement.records if record.node.name == "a_deep_node")
