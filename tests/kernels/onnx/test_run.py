"""Placed models against ONNX Runtime: on the CPU alone, and with kernels between fallback nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from accelkit.kernels.onnx.records import Where
from accelkit.kernels.onnx.report import Summary, summarise
from accelkit.kernels.onnx.report_text import format_table
from accelkit.kernels.onnx.schedule import Island
from tests.kernels.onnx.builder import MICROSOFT, Builder, run_reference, save

EDGE = load_machine("edge-16")
# Sixteen instructions are too few for any kernel.
INCAPABLE = replace(EDGE, name="incapable", instruction_words=16)


def classifier(dtype: npt.DTypeLike) -> onnx.ModelProto:
    """Float input, two convolutions, Flatten, a product, float output: the usual chain."""
    b = Builder(dtype)
    b.node("QuantizeLinear", ["x", *b.scale("x", 0.02, b.middle(3))], "q")
    b.conv("q", "c1", 3, 5, pads=[1, 1, 1, 1])
    b.conv("c1", "c2", 5, 7, strides=[2, 2])
    b.node("Flatten", ["c2"], "f")
    b.gemm("f", "g", 7 * 9, 10)
    b.node("DequantizeLinear", ["g", *b.scale("y", 0.1, b.middle(0))], "y")
    return b.model({"x": [1, 3, 8, 8]}, ["y"], TensorProto.FLOAT)


def residual(dtype: npt.DTypeLike) -> onnx.ModelProto:
    """A fallback node between convolutions, a tensor with two readers, an intermediate that is an output too."""
    b = Builder(dtype)
    b.conv("x", "c1", 4, 6, pads=[1, 1, 1, 1])
    b.conv("c1", "c2", 6, 6, pads=[1, 1, 1, 1])
    b.add("c1", "c2", "a")
    b.conv("a", "c3", 6, 3, (1, 1))
    b.node("MaxPool", ["c3"], "y", kernel_shape=[2, 2])
    return b.model({"x": [1, 4, 6, 7]}, ["y", "c2"])


def views(dtype: npt.DTypeLike) -> onnx.ModelProto:
    """Chains of views: from a convolution into a product and into the CPU, from an input, and onto an output."""
    b = Builder(dtype)
    b.conv("x", "c", 3, 4)
    shape = b.constant("shape", [1, 4, 12], np.int64)
    b.node("Reshape", ["c", shape], "r")
    b.node("Flatten", ["r"], "f")
    b.gemm("f", "g", 48, 6)
    b.node("Flatten", ["x"], "xf")
    b.gemm("xf", "h", 90, 6)
    b.add("g", "h", "y")
    return b.model({"x": [1, 3, 5, 6]}, ["y", "f", "r"])


def batch(dtype: npt.DTypeLike) -> onnx.ModelProto:
    """A batch of 3 inside the model, and a product over the last axis of an NHWC result."""
    b = Builder(dtype)
    b.conv("x", "c", 3, 4)
    b.node("Flatten", ["c"], "f")
    b.gemm("f", "g", 4 * 6, 5)
    b.conv("c", "d", 4, 2, (2, 2))
    return b.model({"x": [3, 3, 4, 5]}, ["g", "d"])


def products(dtype: npt.DTypeLike) -> onnx.ModelProto:
    """QLinearMatMul with a constant, and one of two activations."""
    b = Builder(dtype)
    b.constant("w", b.bytes(9, 8), b.dtype)
    scales = [b.scale(name, 0.02, b.middle(2)) for name in ("p_a", "p_b", "p_y", "q_a", "q_b", "q_y")]
    b.node("QLinearMatMul", ["x", *scales[0], "w", *scales[1], *scales[2]], "p")
    b.node("QLinearMatMul", ["p", *scales[3], "z", *scales[4], *scales[5]], "q")
    return b.model({"x": [2, 5, 9], "z": [8, 4]}, ["p", "q"])


MODELS = [classifier, residual, views, batch, products]


def execute(
    model: onnx.ModelProto, machine: Machine, folder: Path, runs: int = 2, pins: dict[str, str] | None = None
) -> tuple[Executor, int]:
    """Run a model on random inputs and compare every output with ONNX Runtime's own run; how many values that were."""
    graph = read_model(save(model, folder))
    executor = Executor(place(graph, machine, pins))
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(runs):
        inputs = {}
        for name in graph.inputs:
            kind = graph.types[name]
            assert kind.shape is not None
            values = rng.standard_normal(kind.shape) * 60 + (128 if kind.dtype == np.uint8 else 0)
            inputs[name] = (values / 50 if kind.dtype == np.float32 else values.clip(-128, 255)).astype(kind.dtype)
        results = executor.run(inputs)
        for name, expected in run_reference(model, inputs, list(graph.outputs)).items():
            assert results[name].dtype == expected.dtype
            np.testing.assert_array_equal(results[name], expected, err_msg=name)
            assert len(np.unique(expected)) > 2, "saturated outputs show nothing"
            compared += expected.size
    return executor, compared


def where(placement: Placement) -> dict[str, str]:
    """Where each node runs, by its output, after which the builder names nodes."""
    return {record.node.name.removesuffix("_node"): record.where.value for record in placement.records}


@pytest.mark.parametrize("build", MODELS)
def test_everything_on_the_cpu(build: Callable[[npt.DTypeLike], onnx.ModelProto], tmp_path: Path) -> None:
    """A machine that no kernel fits runs whole models on the CPU, with ONNX Runtime's results and a reason for each node."""
    executor, _ = execute(build(np.int8), INCAPABLE, tmp_path)
    assert {record.where for record in executor.placement.records} <= {Where.CPU, Where.VIEW}
    summary = summarise(executor)
    assert summary["totals_per_run"]["cycles"] == 0
    refused = [node["reason"] for node in summary["nodes"] if node["op"] in ("QLinearConv", "QGemm", "QLinearMatMul")]
    assert refused
    assert all("incapable has memory for 16" in reason for reason in refused)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("build", MODELS)
def test_models_equal_onnx_runtime(
    build: Callable[[npt.DTypeLike], onnx.ModelProto], dtype: npt.DTypeLike, tmp_path: Path
) -> None:
    """With every convolution and product on the accelerator, outputs equal ONNX Runtime's bit for bit."""
    executor, compared = execute(build(dtype), EDGE, tmp_path)
    assert compared >= 20
    for record in executor.placement.records:
        if record.node.op_type in ("QLinearConv", "QGemm", "QLinearMatMul"):
            assert record.where is Where.ACCELERATOR, record.reason


@pytest.mark.parametrize("build", MODELS)
def test_order_of_the_file_does_not_matter(build: Callable[[npt.DTypeLike], onnx.ModelProto], tmp_path: Path) -> None:
    """Nodes written last to first, which the standard forbids and ONNX Runtime takes, run the same; the report keeps the file's order."""
    model = build(np.int8)
    backwards = list(reversed(model.graph.node))
    names = [node.name for node in backwards]
    del model.graph.node[:]
    model.graph.node.extend(backwards)
    executor, _ = execute(model, EDGE, tmp_path, runs=1)
    assert [node["name"] for node in summarise(executor)["nodes"]] == names


def test_placement_of_a_residual_block(tmp_path: Path) -> None:
    """The node on the CPU between the convolutions is one island, and its NHWC neighbours are reordered by the host and counted."""
    executor, _ = execute(residual(np.int8), EDGE, tmp_path, runs=1, pins={"a_node": "cpu", "y_node": "cpu"})
    assert where(executor.placement) == {
        "c1": "accelerator", "c2": "accelerator", "a": "cpu", "c3": "accelerator", "y": "cpu",
    }  # fmt: skip
    islands = [step for step in executor.placement.steps if isinstance(step, Island)]
    assert [[node.outputs[0] for node in island.nodes] for island in islands] == [["a"], ["y"]]
    moved = {(t["tensor"], t["direction"]): (t["order"], t["nbytes"], t["count"]) for t in summarise(executor)["transfers"]}
    assert moved == {
        ("x", "to DRAM"): ("NHWC", 4 * 42, 1),
        ("c1", "to host"): ("NHWC", 6 * 42, 1),
        ("c2", "to host"): ("NHWC", 6 * 42, 1),
        ("a", "to DRAM"): ("NHWC", 6 * 42, 1),
        ("c3", "to host"): ("NHWC", 3 * 42, 1),
    }


def test_flatten_costs_nothing_before_a_product(tmp_path: Path) -> None:
    """Flatten between a convolution and a product converts nothing: the weight rows are permuted, and the report says so."""
    executor, _ = execute(classifier(np.int8), EDGE, tmp_path, runs=1)
    assert where(executor.placement)["f"] == "view"
    summary = summarise(executor)
    assert [(t["tensor"], t["order"]) for t in summary["transfers"]] == [("x", "NHWC"), ("y", "")]
    assert summary["totals_per_run"]["conversion_cycles"] == 0
    notes = {node["name"]: node["note"] for node in summary["nodes"]}
    assert notes["g_node"] == "weight rows permuted to the input's NHWC order while packing"
    assert notes["f_node"] == "the memory of c2"


def check_sums(summary: Summary, machine: Machine) -> None:
    """Totals and utilisation follow from the rows."""
    rows = [node for node in summary["nodes"] if node["where"] == "accelerator"]
    once = summary["totals_per_run"]
    assert once["kernel_cycles"] == sum(node["cycles"] for node in rows) > 0
    assert once["launches"] == sum(node["launches"] for node in rows) == len(rows)
    assert once["cycles"] == once["kernel_cycles"] + once["launches"] * machine.launch_cycles
    assert once["milliseconds"] == pytest.approx(once["cycles"] / (machine.clock_ghz * 1e6))
    assert once["accelerator_macs"] == sum(node["macs"] for node in rows)
    peak = machine.array_rows * machine.array_columns
    for node in rows:
        assert node["utilisation"] == pytest.approx(node["macs"] / (peak * node["cycles"]))
        for classes in node["units"].values():
            assert sum(classes.values()) == node["cycles"]


def test_report_adds_up(tmp_path: Path) -> None:
    """MACs follow from the shapes; cycles, launches and milliseconds from the rows; several runs cost a multiple."""
    executor, _ = execute(classifier(np.int8), EDGE, tmp_path, runs=3)
    summary = summarise(executor)
    check_sums(summary, EDGE)
    macs = {node["name"]: node["macs"] for node in summary["nodes"] if node["macs"]}
    assert macs == {"c1_node": 64 * 9 * 3 * 5, "c2_node": 9 * 9 * 5 * 7, "g_node": 63 * 10}
    assert summary["totals"]["cycles"] == 3 * summary["totals_per_run"]["cycles"]
    table = format_table(summary).splitlines()
    assert len([line for line in table if line.split()[:1] and line.split()[0].isdigit() and "_node" in line]) == 6
    assert any(line.startswith("3 runs: ") for line in table)


def test_model_larger_than_dram(tmp_path: Path) -> None:
    """Kernels that fit one by one, but not together, are refused with the size of DRAM and what to change."""
    b = Builder()
    b.gemm("x", "g1", 40, 40)
    b.gemm("g1", "g2", 40, 40)
    graph = read_model(save(b.model({"x": [1, 40]}, ["g2"]), tmp_path))
    placement = place(graph, replace(EDGE, dram_bytes=4096, page_bytes=1024))
    assert all(record.where is Where.ACCELERATOR for record in placement.records)
    with pytest.raises(ModelError, match=r"net\.onnx: buffer .* do not fit into DRAM of 4096 bytes .*; choose a machine"):
        Executor(placement)


def test_shapes_that_are_not_as_announced(tmp_path: Path) -> None:
    """Where ONNX Runtime's kernel gives another shape than its shape inference, the run ends with one line that says so."""
    b = Builder()
    b.node("MaxPool", ["x"], "y", kernel_shape=[1, 1], strides=[3, 3], ceil_mode=1)
    b.conv("y", "z", 3, 4, (1, 1))
    executor = Executor(place(read_model(save(b.model({"x": [1, 3, 6, 6]}, ["z"]), tmp_path)), EDGE))
    with pytest.raises(ModelError, match=r"gives y as \[1, 3, 2, 2\] where it announces \[1, 3, 3, 3\]; write the pads"):
        executor.run({"x": np.zeros((1, 3, 6, 6), np.int8)})


def test_functions_without_zero_points(tmp_path: Path) -> None:
    """Zero points that the file leaves out are 0, on the accelerator as in ONNX Runtime, which must not be asked without their places."""
    results = []
    for zero_point in ("x_zero_point", ""):
        b = Builder()
        scales = [*b.scale("x", 0.05, 0), *b.scale("y", 1 / 128, 0)]
        b.node("QLinearSigmoid", ["x", scales[0], zero_point, scales[2], *([scales[3]] if zero_point else [])], "y", MICROSOFT)
        executor = Executor(place(read_model(save(b.model({"x": [256]}, ["y"]), tmp_path)), EDGE))
        results.append(executor.run({"x": np.arange(-128, 128).astype(np.int8)})["y"])
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("machine", [EDGE, INCAPABLE], ids=["accelerator", "cpu"])
def test_split_whose_results_have_no_name(machine: Machine, tmp_path: Path) -> None:
    """Results that the file leaves out because nobody reads them change nothing, on either side; ONNX Runtime ends the process there."""
    b = Builder()
    b.conv("x", "c", 3, 6)
    b.nodes.append(onnx.helper.make_node("Split", ["c"], ["", "y", ""], "split", axis=1))
    path = save(b.model({"x": [1, 3, 6, 6]}, ["y"]), tmp_path)
    x = b.bytes(1, 3, 6, 6)
    result = Executor(place(read_model(path), machine)).run({"x": x})["y"]
    b.nodes.pop()  # the reference has the whole tensor
    np.testing.assert_array_equal(result, run_reference(b.model({"x": [1, 3, 6, 6]}, ["c"]), {"x": x}, ["c"])["c"][:, 2:4])
