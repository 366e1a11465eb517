"""The library's kernels and a whole model, every launch on simulator and RTL."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import run_plan
from accelkit.kernels.onnx import executor as executor_module
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.plan import Plan, Refusal
from accelkit.simulator.rtl.verify import VerifyingSession
from models.digits.data import load_held_out
from models.digits.train import MODEL_PATH
from tests.kernels.machines import ODD_6, SERIAL_4
from tests.kernels.operands import Operands
from tests.reference.onnx_op import open_session

pytestmark = pytest.mark.rtl

MACHINES = [replace(load_machine("edge-16"), dram_bytes=1 << 22), ODD_6, SERIAL_4]
CASES = 8  # of each kernel on each machine


def verify(machine: Machine, plan: Plan | Refusal, x: dict[str, np.ndarray]) -> bool:
    """Run a plan on both sides, which must agree; False if the planner refused."""
    if isinstance(plan, Refusal):
        return False
    session = VerifyingSession(machine)
    run_plan(session, plan, x)
    assert [str(found.difference) for found in session.verifications if found.difference] == []
    return True


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_gemm_of_any_shape_agrees(machine: Machine) -> None:
    """Random shapes, signs, zero points, constant and variable weights: no launch differs in anything."""
    taken = 0
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        operands = Operands(rng)
        M, N, K = (int(size) for size in rng.integers(1, 70, 3))
        a_kind, b_kind = operands.kind(), operands.kind()
        a, b = operands.tensor(a_kind, M, K), operands.tensor(b_kind, K, N)
        is_constant = bool(seed % 2)
        y = operands.requantisation(N, K)
        case = GemmCase(M, N, K, a_kind, b_kind, y, b if is_constant else None)
        taken += verify(machine, plan_gemm(machine, case), {"a": a} if is_constant else {"a": a, "b": b})
    assert taken > CASES // 2


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_conv2d_of_any_shape_agrees(machine: Machine) -> None:
    """Random images, channels, kernels, strides and pads: no launch differs in anything."""
    taken = 0
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        operands = Operands(rng)
        height, width, channels, outputs = (int(size) for size in rng.integers(3, 20, 4))
        kernel = tuple(int(size) for size in rng.integers(1, 4, 2))
        x_kind, w_kind = operands.kind(), operands.kind()
        shape = (int(rng.integers(1, 3)), height, width, channels)
        x, w = operands.tensor(x_kind, *shape), operands.tensor(w_kind, outputs, channels, *kernel)
        y = operands.requantisation(outputs, channels * kernel[0] * kernel[1])
        strides, pads = tuple(rng.integers(1, 3, 2).tolist()), tuple(rng.integers(0, 2, 4).tolist())
        case = Conv2dCase(shape, x_kind, w, w_kind.zero_point, y, strides, pads)
        taken += verify(machine, plan_conv2d(machine, case), {"x": x})
    assert taken > CASES // 2


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
