"""The convert kernel against ONNX Runtime's QuantizeLinear and DequantizeLinear."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.kernels.operands import Operands
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, dequantize_linear, quantize_linear

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.one_of(st.integers(1, 300), st.integers(1, 9000))
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, -3e38], np.float32)


def compute(machine: Machine, plan: Plan | Refusal, x: Array) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    assert isinstance(plan, Plan), plan
    result, launch = run_plan(Session(machine), plan, {"x": x})
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


def numbers(rng: np.random.Generator, size: int, scale: float) -> Array:
    """binary32 numbers in and outside the range of 8 bits; a third of them lie halfway between two integers."""
    x = rng.normal(0, 90 * scale, size).astype(np.float32)
    halfway = rng.integers(0, 3, size) == 0
    x[halfway] = (rng.integers(-140, 140, size)[halfway] + np.float32(0.5)) * np.float32(scale)
    return x


@settings(max_examples=40)
@given(machine=machines(), size=SIZES, seed=SEEDS, is_power=st.booleans())
def test_quantise(machine: Machine, size: int, seed: int, is_power: bool) -> None:
    """Any scale, zero point and type, halves included, on any machine: 0 differences from ONNX Runtime."""
    rng = np.random.default_rng(seed)
    kind = Operands(rng).kind()
    scale = float(np.float32(0.25 if is_power else rng.uniform(1e-3, 3)))
    x = numbers(rng, size, scale)
    zero_point = np.asarray(kind.zero_point, kind.dtype)
    want = run_op("QuantizeLinear", x, [np.float32(scale), zero_point], kind.dtype)
    plan = plan_quantise(machine, ConvertCase((size,), kind, scale))
    assume(isinstance(plan, Plan))
    np.testing.assert_array_equal(compute(machine, plan, x), want)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_special_numbers(dtype: type[np.int8] | type[np.uint8]) -> None:
    """NaN is the lowest value, infinities saturate, subnormals and the largest numbers are numbers."""
    plan = plan_quantise(PRESETS[0], ConvertCase(SPECIAL.shape, Quantised(dtype, 7), 0.5))
    want = quantize_linear(SPECIAL, 0.5, 7, dtype)
    np.testing.assert_array_equal(compute(PRESETS[0], plan, SPECIAL), want)


@settings(max_examples=40)
@given(machine=machines(), size=SIZES, seed=SEEDS)
def test_dequantise(machine: Machine, size: int, seed: int) -> None:
    """Any scale, zero point and type, on any machine: bit for bit ONNX Runtime's numbers."""
    rng = np.random.default_rng(seed)
    operands = Operands(rng)
    kind = operands.kind()
    x, scale = operands.tensor(kind, size), float(np.float32(rng.uniform(1e-3, 3)))
    zero_point = np.asarray(kind.zero_point, kind.dtype)
    want = run_op("DequantizeLinear", x, [np.float32(scale), zero_point], np.float32)
    plan = plan_dequantise(machine, ConvertCase((size,), kind, scale))
    assume(isinstance(plan, Plan))
    found = compute(machine, plan, x)
    np.testing.assert_array_equal(found.view(np.int32), want.view(np.int32))


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_there_and_back(machine: Machine, dtype: type[np.int8] | type[np.uint8]) -> None:
    """All 256 values and more dequantised and quantised again are themselves, on every named machine."""
    case = ConvertCase((3, 200), Quantised(dtype, 100), 0.037)
    x = np.arange(600).astype(np.uint8).view(dtype).reshape(3, 200)
    between = compute(machine, plan_dequantise(machine, case), x)
    np.testing.assert_array_equal(between, dequantize_linear(x, 0.037, 100))
    np.testing.assert_array_equal(compute(machine, plan_quantise(machine, case), between), x)


CASE = ConvertCase((4,), Quantised(np.int8), 0.5)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(CASE, shape=(0, 4)), "an empty tensor [0, 4]"),
        (replace(CASE, scale=float("nan")), "a scale of nan, expected a finite number other than 0"),
        (replace(CASE, scale=0.0), "a scale of 0.0, expected a finite number other than 0"),
        (replace(CASE, kind=Quantised(np.int16)), "the 8-bit side is int16, expected int8 or uint8"),
    ],
)
def test_refusals(case: ConvertCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason, in both directions."""
    assert plan_quantise(PRESETS[0], case) == plan_dequantise(PRESETS[0], case) == Refusal(reason)
