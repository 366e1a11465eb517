"""Batched products against the NumPy reference and ONNX Runtime's QLinearMatMul."""

from dataclasses import replace

import numpy as np
import pytest

from accelkit.isa.machine import Machine
from accelkit.kernels.batched import BatchedCase, plan_batched
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS
from tests.kernels.operands import Operands, expected
from tests.reference.onnx_op import run_op
from tests.reference.quantised import gemm

BATCHES = [((3,), (3,)), ((2, 3), (2, 3)), ((2, 1), (3,)), ((1,), (4,)), ((2, 3), (1, 1)), ((2,), ()), ((), (2, 1))]


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize(("a_batch", "b_batch"), BATCHES, ids=str)
def test_batches(machine: Machine, a_batch: tuple[int, ...], b_batch: tuple[int, ...]) -> None:
    """Batches that broadcast in any way, with zero points, scales per column, biases and bounds: 0 differences from the reference."""
    operands = Operands(np.random.default_rng(len(a_batch) * 5 + len(b_batch)))
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, *a_batch, 9, 21), operands.tensor(b_kind, *b_batch, 21, 13)
    one = GemmCase(9, 13, 21, a_kind, b_kind, operands.requantisation(13, 21))
    case = BatchedCase(one, a_batch, b_batch)
    plan = plan_batched(machine, case)
    assert isinstance(plan, Plan)
    want = expected(gemm(a, b, a_kind.zero_point, b_kind.zero_point), one.y)
    found, _ = run_plan(Session(machine), plan, {"a": a, "b": b})
    np.testing.assert_array_equal(found, want)
    assert plan.macs == want.size * 21


def test_equals_onnx_runtime() -> None:
    """A product of two activations [2, 2, 8, 20] and [2, 2, 20, 6]: ONNX Runtime's QLinearMatMul, bit for bit."""
    operands = Operands(np.random.default_rng(4))
    kinds = [Quantised(np.int8, zero_point) for zero_point in (3, -4, 5)]
    a, b = operands.tensor(kinds[0], 2, 2, 8, 20), operands.tensor(kinds[1], 2, 2, 20, 6)
    scale = np.float32(0.01)
    zero_points = [np.int8(kind.zero_point) for kind in kinds]
    want = run_op("QLinearMatMul", a, [scale, zero_points[0], b, scale, zero_points[1], scale, zero_points[2]], np.int8)
    y = Requantisation(np.int8, 5, scale * scale / scale)
    plan = plan_batched(PRESETS[1], BatchedCase(GemmCase(8, 6, 20, *kinds[:2], y), (2, 2), (2, 2)))
    assert isinstance(plan, Plan)
    found, _ = run_plan(Session(PRESETS[1]), plan, {"a": a, "b": b})
    np.testing.assert_array_equal(found, want)


def test_refusals() -> None:
    """What can't be planned is refused with its reason; cases that contradict themselves are errors."""
    one = GemmCase(9, 13, 21, Quantised(np.int8), Quantised(np.int8), Requantisation(np.int8, 0, 0.01))
    empty = Refusal("an empty tensor: batches [0, 1] and [1, 2]")
    assert plan_batched(PRESETS[0], BatchedCase(replace(one, M=1), (0, 1), (1, 2))) == empty
    bias = replace(one, y=replace(one.y, bias=np.zeros(9, np.int32)))
    expected_reason = "bias has shape (9,), expected one value or one per output channel (13)"
    assert plan_batched(PRESETS[0], BatchedCase(bias, (2,), (2,))) == Refusal(expected_reason)
    with pytest.raises(ValueError, match="one b for all is a product of more rows"):
        plan_batched(PRESETS[0], BatchedCase(replace(one, b_constant=np.zeros((21, 13), np.int8)), (2,), (2,)))
