"""Random QDQ graphs, made as exporters make them, against ONNX Runtime's own integer kernels."""

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
from accelkit.kernels.onnx.placement import place
from tests.kernels.onnx.builder import save
from tests.kernels.onnx.qdq_models import QdqBuilder, run

MACHINES = [load_machine(name) for name in ("tiny-8", "edge-16")]
# Kinds whose patterns ONNX Runtime makes integer kernels of, or runs byte by byte.
KINDS = ("conv", "depthwise", "relu conv", "add", "mul", "concat", "maxpool", "average", "global", "unary", "table", "move", "rescale")
UNARY = ("Sigmoid", "LeakyRelu")
TABLES = ("Relu", "Tanh", "HardSigmoid", "HardSwish", "Abs", "Neg", "Exp", "Softplus")


@st.composite
def models(draw: st.DrawFn) -> tuple[onnx.ModelProto, tuple[int, ...], list[str]]:
    """A model of a float input x [N, C, H, W], that shape, and the tensors to compare: bytes and what is dequantised at the end."""
    dtype, weight_dtype = draw(st.sampled_from([(np.int8, np.int8), (np.uint8, np.uint8), (np.uint8, np.int8)]))
    b = QdqBuilder(dtype, seed=draw(st.integers(0, 1000)), weight_dtype=weight_dtype)
    shape = (draw(st.integers(1, 2)), draw(st.integers(1, 6)), draw(st.integers(2, 6)), draw(st.integers(2, 6)))

    def quantise(name: str, zero_point: int | None = None, scale: float | None = None) -> str:
        scale = scale or float(np.float32(draw(st.floats(0.01, 0.1))))
        return b.quantise(name, scale, draw(st.integers(-128, 127)) if zero_point is None else zero_point)

    quantise("x", scale=0.03)
    tensors, shapes = ["x"], {"x": shape}
    for step in range(draw(st.integers(1, 6))):
        source, t = draw(st.sampled_from(tensors[-3:])), f"t{step}"
        x = b.again(source, f"{t}_x") if draw(st.booleans()) else f"{source}_f"
        n, c, h, w = shapes[t] = shapes[source]
        kind, zero_point, scale = draw(st.sampled_from(KINDS)), None, None
        if kind in ("conv", "relu conv", "depthwise"):
            outputs, group = (c, c) if kind == "depthwise" else (draw(st.integers(1, 5)), 1)
            weights = b.weights(f"{t}_w", outputs, c // group, 2, 1, axis=draw(st.sampled_from([0, None])))
            bias = [b.bias(f"{t}_b", outputs, x, weights)] if draw(st.booleans()) else []
            b.node("Conv", [x, weights, *bias], t, pads=[1, 0, 0, 0], group=group)
            shapes[t] = (n, outputs, h, w)
            if kind == "relu conv":
                zero_point, t_relu = -128, f"{t}_relu"
                b.node("Relu", [t], t_relu)
                shapes[t_relu] = shapes[t]
                t = t_relu
        elif kind in ("add", "mul"):
            same = [name for name in tensors if shapes[name] == shapes[source]]
            b.node(kind.capitalize(), [x, f"{draw(st.sampled_from(same))}_f"], t)
        elif kind == "concat":
            same = [name for name in tensors if shapes[name] == shapes[source]]
            b.node("Concat", [x, f"{draw(st.sampled_from(same))}_f"], t, axis=1)
            shapes[t] = (n, 2 * c, h, w)
        elif kind == "maxpool":
            b.node("MaxPool", [x], t, kernel_shape=[2, 2], pads=[1, 1, 0, 0])
        elif kind == "average":
            b.node("AveragePool", [x], t, kernel_shape=[2, 2], pads=[1, 1, 0, 0], count_include_pad=draw(st.integers(0, 1)))
        elif kind == "global":
            b.node("GlobalAveragePool", [x], t)
            shapes[t] = (n, c, 1, 1)
        elif kind in ("unary", "table"):
            b.node(draw(st.sampled_from(UNARY if kind == "unary" else TABLES)), [x], t)
        elif kind == "move":
            b.node("Transpose", [x], t, perm=[0, 1, 3, 2])
            shapes[t] = (n, c, w, h)
            if draw(st.booleans()):
                scale = b.scales[f"{source}_f"]
        else:
            b.node("Identity", [x], t)
        quantise(t, zero_point, scale)
        tensors.append(t)
    outputs = [f"{name}_q" for name in tensors[1:]] + [f"{tensors[-1]}_f"]
    return b.model({"x": [*shape]}, outputs), shape, outputs


@settings(max_examples=60)
@given(models(), st.integers(0, 1000), st.sampled_from(MACHINES))
def test_every_tensor_equals_onnx_runtime(
    drawn: tuple[onnx.ModelProto, tuple[int, ...], list[str]], seed: int, machine: Machine
) -> None:
    """Whatever the graph, all quantised tensors are those of ONNX Runtime reading the QDQ file, if it runs the imported one, and
    likewise on the accelerator; every file node is accounted for."""
    model, shape, outputs = drawn
    with tempfile.TemporaryDirectory() as folder:
        graph = read_model(save(model, Path(folder)))
    inputs = {"x": np.random.default_rng(seed).uniform(-4, 4, shape).astype(np.float32)}
    expected, results = run(model, inputs, is_integer=True), run(graph.model, inputs, is_integer=False)
    simulated = Executor(place(graph, machine)).run(inputs)
    for name in outputs:
        np.testing.assert_array_equal(results[name], expected[name], err_msg=name)
        np.testing.assert_array_equal(simulated[name], expected[name], err_msg=name)
    assert sorted(index for node in graph.nodes for index in node.origins) == list(range(len(graph.originals)))
    floats = {node.op_type for node in graph.nodes if node.refusal is not None}
    assert not floats
    assert not {node.op_type for node in graph.nodes} & {"Conv", "Add", "Mul", "AveragePool", "Relu", "Sigmoid"}
