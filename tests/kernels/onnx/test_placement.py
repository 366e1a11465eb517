"""What is placed where, in which layouts, fused with what; and what the records and steps say of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.compare import Comparison
from accelkit.kernels.onnx.errors import FallbackError, ModelError
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from accelkit.kernels.onnx.report import explain, summarise
from accelkit.kernels.onnx.schedule import Download, Island, Launch, Upload
from tests.kernels.onnx.builder import Builder, save

EDGE = load_machine("edge-16")


def placed(model: onnx.ModelProto, folder: Path, **options: object) -> Placement:
    """The model on edge-16."""
    return place(read_model(save(model, folder)), EDGE, **options)  # type: ignore[arg-type]


def check(placement: Placement) -> int:
    """Run on random inputs and compare every tensor that is made; how many those are."""
    graph = placement.graph
    executor, comparison = Executor(placement, keeps_all=True), Comparison(graph)
    rng = np.random.default_rng(5)
    for _ in range(2):
        inputs = {}
        for name in graph.inputs:
            kind = graph.types[name]
            assert kind.shape is not None
            inputs[name] = np.asarray(rng.standard_normal(kind.shape) * (1 if kind.dtype == np.float32 else 50)).astype(kind.dtype)
        comparison.start(inputs)
        executor.run(inputs, comparison.observe)
        assert comparison.difference is None, str(comparison.difference)
    return comparison.tensors


def steps(placement: Placement) -> list[str]:
    """Steps in short."""
    texts = []
    for step in placement.steps:
        if isinstance(step, Launch):
            texts.append(f"{'convert' if step.converts else 'launch'} {step.task.call.result}")
        elif isinstance(step, Island):
            texts.append(f"island {' '.join(node.outputs[0] for node in step.nodes)}")
        else:
            texts.append(f"{'up' if isinstance(step, Upload) else 'down'} {step.tensor}")
    return texts


def test_fused_nodes_have_records_of_their_own(tmp_path: Path) -> None:
    """A clamp behind a convolution is done by the convolution's launch; its record says so, and the tensor between is never made."""
    b = Builder()
    b.conv("x", "c", 3, 8)
    low, high = b.constant("low", -5, np.int8), b.constant("high", 90, np.int8)
    b.node("Clip", ["c", low, high], "y")
    placement = placed(b.model({"x": [1, 3, 6, 6]}, ["y"]), tmp_path)
    conv, clip = placement.records
    assert (conv.where.value, clip.where.value, clip.into) == ("accelerator", "fused", ("c_node",))
    assert "y_node (Clip)" in conv.note
    assert steps(placement) == ["up x", "launch y", "down y"]
    assert check(placement) == 1


def test_tensor_that_others_see_is_not_fused_away(tmp_path: Path) -> None:
    """With a second reader, or as an output of the model, a result is made although the next node could be fused."""
    b = Builder()
    b.conv("x", "c", 3, 8)
    low, high = b.constant("low", -5, np.int8), b.constant("high", 90, np.int8)
    b.node("Clip", ["c", low, high], "y")
    placement = placed(b.model({"x": [1, 3, 6, 6]}, ["y", "c"]), tmp_path)
    assert [record.where.value for record in placement.records] == ["accelerator", "accelerator"]
    assert check(placement) == 2


def test_conversion_on_the_accelerator(tmp_path: Path) -> None:
    """Where a product needs row-major what a convolution made channels-last, a launch converts it, with cycles that the totals name."""
    b = Builder()
    b.conv("x", "c", 3, 8)
    b.constant("w", b.bytes(6, 5), b.dtype)
    scales = [b.scale(name, 0.02, b.middle(2)) for name in ("p_a", "p_b", "p_y")]
    b.node("QLinearMatMul", ["c", *scales[0], "w", *scales[1], *scales[2]], "p")
    placement = placed(b.model({"x": [1, 3, 8, 8]}, ["p"]), tmp_path)
    assert steps(placement) == ["up x", "launch c", "convert c", "launch p", "down p"]
    executor = Executor(placement)
    executor.run({"x": b.bytes(1, 3, 8, 8)})
    summary = summarise(executor)
    product = summary["nodes"][1]
    assert product["conversions"]["launches"] >= 1
    assert summary["totals_per_run"]["conversion_cycles"] == product["conversions"]["cycles"] > 0
    assert "c to NCHW first" in product["note"]
    assert check(placement) == 2


@pytest.mark.parametrize(("reader", "order"), [("conv", "NHWC"), ("matmul", "")])
def test_host_brings_what_readers_further_on_want(reader: str, order: str, tmp_path: Path) -> None:
    """A float input that is quantised for a convolution comes channels-last, for a product row-major: nothing is converted later."""
    b = Builder()
    b.node("QuantizeLinear", ["x", *b.scale("x", 0.02, b.middle(3))], "q")
    if reader == "conv":
        b.conv("q", "y", 5, 8)
    else:
        b.constant("w", b.bytes(6, 5), b.dtype)
        scales = [b.scale(name, 0.02, b.middle(2)) for name in ("p_a", "p_b", "p_y")]
        b.node("QLinearMatMul", ["q", *scales[0], "w", *scales[1], *scales[2]], "y")
    placement = placed(b.model({"x": [1, 5, 7, 6]}, ["y"], TensorProto.FLOAT), tmp_path)
    assert steps(placement) == ["up x", "launch q", "launch y", "down y"]
    executor = Executor(placement)
    executor.run({"x": np.ones((1, 5, 7, 6), np.float32)})
    assert summarise(executor)["transfers"][0]["order"] == order
    assert check(placement) == 2


def test_steps_around_islands(tmp_path: Path) -> None:
    """A tensor goes to the host once for all its readers there, and what an island makes comes back once."""
    b = Builder()
    b.conv("x", "c", 3, 4)
    b.softmax("c", "s1")
    b.softmax("s1", "s2")
    b.add("c", "s2", "a")
    b.conv("s2", "d", 4, 4, (1, 1))
    b.add("a", "d", "y")
    placement = placed(b.model({"x": [1, 3, 6, 6]}, ["y", "c"]), tmp_path)
    assert [record.where.value for record in placement.records][1:3] == ["cpu", "cpu"]
    listed = steps(placement)
    assert listed[:4] == ["up x", "launch c", "down c", "island s1 s2"]
    assert [text for text in listed if text.startswith(("up", "down"))] == ["up x", "down c", "up s2", "down y"]
    assert check(placement) >= 5


def test_several_results(tmp_path: Path) -> None:
    """Split is a call for each of its results, and one record."""
    b = Builder()
    b.nodes.append(onnx.helper.make_node("Split", ["x"], ["l", "r"], "split", axis=1))
    b.add("l", "r", "y")
    placement = placed(b.model({"x": [1, 6, 5, 4]}, ["y"]), tmp_path, falls_back=False)
    split = placement.records[0]
    assert (split.where.value, len(split.launches)) == ("accelerator", 2)
    assert check(placement) == 3


def test_memory_is_reused(tmp_path: Path) -> None:
    """In a chain of equal tensors three of them are held at a time at most, and no two that live at a step share a byte. Two images: of
    one, nothing but the ends would be in DRAM."""
    b = Builder()
    for number in range(8):
        b.conv(f"t{number}", f"t{number + 1}", 8, 8, (1, 1))
    placement = placed(b.model({"t0": [2, 8, 8, 8]}, ["t8"]), tmp_path)
    assert placement.arena.nbytes <= 3 * 1024
    assert explain(placement)["memory"]["activation_bytes_without_reuse"] >= 9 * 1024
    for number in range(len(placement.steps)):
        owned: set[int] = set()
        for area, life in placement.lives.items():
            if life.first <= number <= life.last:
                place_of_bytes = set(range(placement.arena.offsets[area], placement.arena.offsets[area] + life.nbytes))
                assert not owned & place_of_bytes
                owned |= place_of_bytes
    assert check(placement) == 8


def test_light_node_stays_where_its_neighbours_are(tmp_path: Path) -> None:
    """On a machine with a slow clock, whose sums the host would compute sooner, a sum between convolutions stays on the accelerator if the
    tensors would have to cross, and a lone one doesn't."""
    slow = replace(EDGE, name="slow", clock_ghz=0.01)
    b = Builder()
    b.conv("x", "c", 16, 64, pads=[1, 1, 1, 1])
    b.add("c", "c", "a")
    b.conv("a", "y", 64, 16, pads=[1, 1, 1, 1])
    placement = place(read_model(save(b.model({"x": [1, 16, 24, 24]}, ["y"]), tmp_path)), slow)
    assert [record.where.value for record in placement.records] == ["accelerator", "fused", "accelerator"]
    b = Builder()
    b.add("x", "z", "y")
    model = b.model({"x": [1, 2, 2, 2], "z": [1, 2, 2, 2]}, ["y"])
    lone = place(read_model(save(model, tmp_path)), slow)
    assert [(record.where.value, record.code) for record in lone.records] == [("cpu", "cost")]
    forced = place(lone.graph, slow, falls_back=False)
    assert [record.where.value for record in forced.records] == ["accelerator"]


def test_all_offenders_are_named(tmp_path: Path) -> None:
    """Without fallback, the error lists each node that can't be taken with code and reason; pinned ones are no offenders."""
    b = Builder()
    b.gemm("x", "g", 24, 20)
    b.softmax("g", "s")
    b.softmax("s", "t")
    graph = read_model(save(b.model({"x": [1, 24]}, ["t"]), tmp_path))
    with pytest.raises(FallbackError) as caught:
        place(graph, EDGE, falls_back=False)
    assert [line.split(":")[0].strip() for line in str(caught.value).splitlines()[1:]] == [
        "s_node (QLinearSoftmax)", "t_node (QLinearSoftmax)",
    ]  # fmt: skip
    assert len(place(graph, EDGE, {"s_node": "cpu", "t_node": "cpu"}, falls_back=False).records) == 3


def test_pins(tmp_path: Path) -> None:
    """A pinned view becomes a node of its own on the CPU; one that can't be on the accelerator is an error, with the reason."""
    b = Builder()
    b.conv("x", "c", 3, 4)
    b.node("Flatten", ["c"], "f")
    b.gemm("f", "g", 4 * 16, 6)
    b.softmax("g", "s")
    graph = read_model(save(b.model({"x": [1, 3, 6, 6]}, ["s"]), tmp_path))
    placement = place(graph, EDGE, {"f_node": "cpu"})
    assert [(record.where.value, record.code) for record in placement.records][:3] == [
        ("accelerator", ""), ("cpu", "pinned"), ("accelerator", ""),
    ]  # fmt: skip
    assert check(placement) == 4
    with pytest.raises(ModelError, match=r"node s_node \(QLinearSoftmax\) is pinned to the accelerator, which can't take it: no-kernel"):
        place(graph, EDGE, {"s_node": "accelerator"})


def test_parts_of_imported_nodes(tmp_path: Path) -> None:
    """In a model in QDQ form every node of the file has a record: the convolution with the cycles, what the import took into it as a part
    of it. Pinned to the CPU, it runs there with its parts."""
    b = Builder()
    b.node("DequantizeLinear", ["x", *b.scale("x", 0.02, 3)], "xf")
    b.constant("w", b.bytes(8, 3, 3, 3), np.int8)
    b.node("DequantizeLinear", ["w", *b.scale("w", 0.003, 0)], "wf")
    b.node("Conv", ["xf", "wf"], "cf")
    b.node("Relu", ["cf"], "rf")
    b.node("QuantizeLinear", ["rf", *b.scale("y", 0.04, -100)], "y")
    graph = read_model(save(b.model({"x": [1, 3, 6, 6]}, ["y"]), tmp_path))
    placement = place(graph, EDGE)
    where = {record.node.name: record.where.value for record in placement.records}
    assert where.pop("cf_node") == "accelerator"
    assert set(where.values()) <= {"imported", "fused", "constant"}
    assert len(placement.records) == 5
    assert check(placement) >= 1
    held = place(graph, EDGE, {"cf_node": "cpu"})
    records = {record.node.name: record for record in held.records}
    assert (records["cf_node"].where.value, records["cf_node"].code) == ("cpu", "pinned")
    assert (records["xf_node"].where.value, records["xf_node"].into) == ("cpu", ("cf_node",))
    assert check(held) >= 1


def test_downloads_and_uploads_are_steps_of_areas_that_live(tmp_path: Path) -> None:
    """Every transfer's area is alive at its step."""
    b = Builder()
    b.conv("x", "c", 3, 4)
    b.softmax("c", "s")
    b.conv("s", "y", 4, 4)
    placement = placed(b.model({"x": [1, 3, 8, 8]}, ["y"]), tmp_path)
    moved = [(number, step) for number, step in enumerate(placement.steps) if isinstance(step, Upload | Download)]
    assert len(moved) == 4
    for number, step in moved:
        (life,) = (life for area, life in placement.lives.items() if (area.tensor, area.layout) == (step.tensor, step.layout))
        assert life.first <= number <= life.last
