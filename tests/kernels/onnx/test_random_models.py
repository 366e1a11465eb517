"""Random graphs of kernels, views and fallback nodes, against ONNX Runtime tensor by tensor."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Where, place
from tests.kernels.onnx.builder import Builder, run_reference, save

MACHINES = [load_machine(name) for name in ("tiny-8", "edge-16")]


@st.composite
def models(draw: st.DrawFn) -> tuple[onnx.ModelProto, tuple[int, ...], list[str]]:
    """A model of an input x [N, C, H, W], that shape, and all its tensors: a chain with skips, then perhaps a classifier."""
    b = Builder(draw(st.sampled_from([np.int8, np.uint8])), seed=draw(st.integers(0, 1000)))
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 20)), draw(st.integers(3, 9)), draw(st.integers(3, 9)))
    tensors, shapes = ["x"], {"x": shape}
    for step in range(draw(st.integers(1, 5))):
        x, y = draw(st.sampled_from(tensors[-2:])), f"t{step}"
        n, c, height, width = shapes[x]
        # A graph without any int8 operator would be refused.
        kind = draw(st.sampled_from(["conv", "conv", "conv", "depthwise", "add", "pool"])) if step else "conv"
        if kind == "conv":
            outputs, pad = draw(st.integers(1, 20)), draw(st.integers(0, 2))
            kernel = draw(st.integers(1, min(3, height + 2 * pad))), draw(st.integers(1, min(3, width + 2 * pad)))
            stride = draw(st.integers(1, 2))
            b.conv(x, y, c, outputs, kernel, pads=[pad] * 4, strides=[stride] * 2)
            sizes = [(size + 2 * pad - taps) // stride + 1 for size, taps in zip((height, width), kernel, strict=True)]
            shapes[y] = (n, outputs, *sizes)
        elif kind == "depthwise":
            b.conv(x, y, 1, c, (1, 1), group=c)
            shapes[y] = shapes[x]
        elif kind == "add":
            b.add(x, x, y)
            shapes[y] = shapes[x]
        else:
            b.node("MaxPool", [x], y, kernel_shape=[1, 1], strides=[1, 1])
            shapes[y] = shapes[x]
        tensors.append(y)
    outputs = [draw(st.sampled_from(tensors[1:]))]
    if draw(st.booleans()):
        x = draw(st.sampled_from(tensors))
        n, features = shapes[x][0], int(np.prod(shapes[x][1:]))
        target = b.constant("flat", [n, features] if draw(st.booleans()) else [n, -1], np.int64)
        b.node("Reshape", [x, target], "flattened")
        b.gemm("flattened", "logits", features, draw(st.integers(1, 20)))
        tensors += ["flattened", "logits"]
        outputs.append("logits")
    return b.model({"x": [*shape]}, outputs), shape, tensors[1:]


@settings(max_examples=60)
@given(models(), st.sampled_from(MACHINES), st.booleans())
def test_every_tensor_equals_onnx_runtime(
    drawn: tuple[onnx.ModelProto, tuple[int, ...], list[str]], machine: Machine, keeps_all: bool
) -> None:
    """Whatever is placed where, every tensor that is made equals ONNX Runtime's, in two runs on other data."""
    model, shape, tensors = drawn
    with tempfile.TemporaryDirectory() as folder:
        graph = read_model(save(model, Path(folder)))
    placement = place(graph, machine)
    executor = Executor(placement, keeps_all)
    dtype = graph.types["x"].dtype
    assert dtype is not None
    limits = np.iinfo(dtype)
    for seed in range(2):
        x = np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)
        seen: dict[str, np.ndarray] = {}
        results = executor.run({"x": x}, lambda tensor, value, seen=seen: seen.update({tensor: np.array(value)}))
        expected = run_reference(model, {"x": x}, tensors)
        for name in graph.outputs:
            np.testing.assert_array_equal(results[name], expected[name], err_msg=name)
        for name in tensors:
            if name in seen:
                np.testing.assert_array_equal(seen[name], expected[name], err_msg=name)
    nodes = {node.name: node for node in graph.nodes}
    for record in placement.records:
        node = nodes[record.node.name]
        if node.op_type == "QGemm" or (node.op_type == "QLinearConv" and node.attributes.get("group", 1) == 1):
            assert record.where is Where.ACCELERATOR, record.reason
