"""The numbers of the report, worked out by hand from shapes and machine, and its texts."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.report import Summary, explain, summarise
from accelkit.kernels.onnx.report_text import format_csv, format_table
from accelkit.kernels.onnx.versus import compare_machines, format_versus
from tests.kernels.onnx.builder import Builder, save

EDGE = load_machine("edge-16")
SHAPE = (1, 20, 12, 10)


def network() -> Builder:
    """A convolution, a depthwise one, a sum and a softmax; int8 [1, 20, 12, 10]."""
    b = Builder()
    b.conv("x", "c", 20, 40, pads=[1, 1, 1, 1])
    b.conv("c", "d", 1, 40, pads=[1, 1, 1, 1], group=40)
    b.add("c", "d", "a")
    b.softmax("a", "y")
    return b


@pytest.fixture(scope="module")
def summaries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Summary, Summary]:
    """Of a run on edge-16 and of one on tiny-8."""
    graph = read_model(save(network().model({"x": list(SHAPE)}, ["y"]), tmp_path_factory.mktemp("net")))
    both = []
    for machine in (EDGE, load_machine("tiny-8")):
        executor = Executor(place(graph, machine))
        executor.run({"x": np.random.default_rng(0).integers(-128, 128, SHAPE, np.int8)})
        both.append(summarise(executor))
    return both[0], both[1]


def test_bounds(summaries: tuple[Summary, Summary]) -> None:
    """MACs on the array or in the vector unit's lanes, and each byte over the bus once: x, weights, biases, scales and zero points in,
    the result out."""
    conv, depthwise, *_ = summaries[0]["nodes"]
    pixels = 12 * 10
    # Per output a bias and a weight scale of 4 bytes and a weight zero point; two scales and two zero points of tensors.
    rest = 40 * (4 + 4 + 1) + 2 * (4 + 1)
    assert conv["macs"] == pixels * 9 * 20 * 40
    assert conv["bytes"]["dram_read_least"] == 20 * pixels + 9 * 20 * 40 + rest
    assert conv["bytes"]["dram_written_least"] == 40 * pixels
    assert (conv["bound"], conv["bound_cycles"]) == ("compute", round(conv["macs"] / 256))
    assert conv["extents"] == {"M": pixels, "N": 40, "K": 9 * 20}
    assert depthwise["macs"] == pixels * 9 * 40
    assert (depthwise["bound"], depthwise["bound_cycles"]) == ("compute", depthwise["macs"] // 16)
    assert "extents" not in depthwise
    for node in (conv, depthwise):
        assert node["bytes"]["dram_written"] >= node["bytes"]["dram_written_least"]  # more where the image is padded first
        assert node["bytes"]["dram_read"] >= node["bytes"]["dram_read_least"]
        assert 0 < node["bound_share"] == pytest.approx(node["bound_cycles"] / node["cycles"], rel=0.01)
        assert node["busy"] == node["units"][node["main_unit"]]["busy"] / node["cycles"]
        rate = 256 if node is conv else 16
        assert node["fill"] == pytest.approx(node["macs"] / (rate * node["units"][node["main_unit"]]["busy"]))


def test_totals(summaries: tuple[Summary, Summary]) -> None:
    """Shares of nodes, of MACs and of cycles add up; the node on the CPU has host time and an island."""
    for summary in summaries:
        once, nodes = summary["totals_per_run"], summary["nodes"]
        assert sum(once["nodes"].values()) == len(nodes) == 4
        assert once["accelerator_share_of_nodes"] == 0.75
        assert once["accelerator_share_of_macs"] == 1.0
        assert sum(row["nodes"] for row in once["by_op"]) == 4
        assert sum(row["cycles"] for row in once["by_op"]) == once["kernel_cycles"]
        assert sum(row["share_of_cycles"] for row in once["by_op"]) == pytest.approx(1.0)
        assert once["bytes"]["dram_written"] == sum(node["bytes"]["dram_written"] for node in nodes if "bytes" in node)
        (island,) = summary["cpu"]["islands"]
        assert island["nodes"] == ["y_node"]
        assert island["host_milliseconds"] > 0
        assert nodes[3]["island"] == island["island"]


def test_texts(summaries: tuple[Summary, Summary]) -> None:
    """Table and CSV have a line for each node, with the same numbers; host time is never written as 0."""
    summary = summaries[0]
    table = format_table(summary)
    rows = list(csv.DictReader(io.StringIO(format_csv(summary))))
    assert [row["name"] for row in rows] == [node["name"] for node in summary["nodes"]]
    for row, node in zip(rows, summary["nodes"], strict=True):
        (line,) = (line for line in table.splitlines() if line.split()[1:2] == [node["name"]])
        assert f"{node['macs']:,}" in line or not node["macs"]
        if node["where"] == "accelerator":
            assert row["cycles"] == str(node["cycles"])
            assert row["dram_read"] == str(node["bytes"]["dram_read"])
            assert f"{node['cycles']:,}" in line
        else:
            assert node["reason"] in line or node["where"] == "fused"
    assert " 0 ms" not in table
    assert "75.0% of nodes (" in table


def test_why_two_machines_differ(summaries: tuple[Summary, Summary]) -> None:
    """K = 20 a tap and N = 40 fill neither array; the reasons name them, and both machines' units."""
    versus = compare_machines(*summaries)
    conv = versus["nodes"][0]
    assert conv["ratio"] == summaries[0]["nodes"][0]["cycles"] / summaries[1]["nodes"][0]["cycles"]
    assert versus["machines"] == ["edge-16", "tiny-8"]
    text = "; ".join(conv["why"])
    assert "edge-16: " in text
    assert "N = 40 on 16 columns" in text
    assert versus["cycles"] == [summary["totals_per_run"]["cycles"] for summary in summaries]
    assert "edge-16 beside tiny-8" in format_versus(versus)


def test_other_place_is_a_reason(tmp_path: Path) -> None:
    """A node that only one machine can take: the table says where it is on each, and why."""
    graph = read_model(save(network().model({"x": list(SHAPE)}, ["y"]), tmp_path))
    left, right = (explain(place(graph, machine)) for machine in (EDGE, replace(EDGE, name="incapable", instruction_words=16)))
    (conv, *_) = compare_machines(left, right)["nodes"]
    assert conv["ratio"] is None
    assert conv["why"][0] == "edge-16: accelerator"
    assert conv["why"][1].startswith("incapable: cpu (kernel: ")
    assert "cpu" in format_versus(compare_machines(left, right))
