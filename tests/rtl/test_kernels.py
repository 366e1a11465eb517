"""The library's kernels and a whole model, every launch on simulator and RTL."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx import executor as executor_module
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.simulator.rtl.verify import VerifyingSession
from models.digits.data import load_held_out
from models.digits.train import MODEL_PATH
from tests.kernels.suite import KERNELS
from tests.reference.onnx_op import open_session
from tests.rtl.kernels import MACHINES, verify

pytestmark = pytest.mark.rtl

CASES = 2  # of each kernel on each machine; `make verify` runs more


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_agrees(kernel: str, name: str) -> None:
    """The first cases of the kernel suite on arrays of up to 32x32: no launch differs in anything, and results are the expected ones."""
    outcome = verify(kernel, range(CASES), MACHINES[name])
    assert outcome.differences == []
    assert outcome.counts["launches"] + outcome.counts["refused"] >= CASES


@pytest.mark.parametrize("name", ["edge-16", "tiny-8"])
def test_the_digits_model_agrees_end_to_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every launch of the model agrees, and the logits are ONNX Runtime's."""
    monkeypatch.setattr(executor_module, "Session", VerifyingSession)
    runner = Executor(place(read_model(MODEL_PATH), load_machine(name)))
    images = load_held_out()[0][:3]
    for image in images:
        logits = runner.run({"images": image[None]})["logits"]
        golden = open_session(str(MODEL_PATH)).run(None, {"images": image[None]})[0]
        np.testing.assert_array_equal(logits, golden)
    session = runner.session
    assert isinstance(session, VerifyingSession)
    launched = Counter(found.program for found in session.verifications)
    assert (launched["conv2d"], launched["gemm"]) == (3 * len(images), len(images))
    assert [str(found.difference) for found in session.verifications if found.difference] == []
