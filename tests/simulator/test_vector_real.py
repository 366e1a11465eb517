"""`add.b`, `multiply.b`, `quantise` and `dequantise` against ONNX Runtime: 0 differences, next to ties between integers too."""

import numpy as np
import numpy.typing as npt
import pytest

from accelkit.isa.machine import load_machine
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, Byte
from tests.reference.real import fused_multiply_add, to_byte
from tests.simulator.vector_instruction import run_vector

MACHINE = load_machine("edge-16")
LANES = MACHINE.lanes
ROWS = 1024
SEEDS = range(10)
BYTES = pytest.mark.parametrize("dtype", [np.int8, np.uint8])


def word(number: float | np.float32) -> int:
    """The bits of a binary32 number."""
    return int(np.float32(number).view(np.int32))


def limits(dtype: Byte) -> dict[str, int]:
    """Clamp bounds of a type."""
    return {"min": int(np.iinfo(dtype).min), "max": int(np.iinfo(dtype).max)}


def random_bytes(rng: np.random.Generator, dtype: Byte, *shape: int) -> Array:
    """Any bytes."""
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def draw_scales(rng: np.random.Generator, seed: int) -> list[np.float32]:
    """Scales of two operands and a result: any, powers of two (exact ties), or ratios of small integers (next to ties)."""
    if seed % 3 == 0:
        return [np.float32(2.0) ** np.float32(rng.integers(-4, 2)) for _ in range(3)]
    if seed % 3 == 1:
        return [np.float32(rng.integers(1, 12) / rng.integers(1, 12)) for _ in range(3)]
    return [*rng.uniform(0.01, 0.3, 3).astype(np.float32)]


def run_pair(
    mnemonic: str, left: Array, right: Array, operands: dict[str, int], dtype: Byte
) -> npt.NDArray[np.generic]:
    """A pair instruction on two arrays of [ROWS, LANES]."""
    source = np.concatenate([left, right]).view(np.uint8)
    walk = {"sp": 2 * ROWS, "left": 0, "right": ROWS, "rows": ROWS}
    session = run_vector(MACHINE, mnemonic, walk | operands | limits(dtype), {"u8": dtype is np.uint8}, source)
    return session.memories.scratchpad[2 * ROWS : 3 * ROWS].view(dtype)


def onnx_operands(
    right: Array, scales: list[np.float32], zero_points: list[int], dtype: Byte
) -> list[Array | None]:
    """Operands of QLinearAdd and QLinearMul after the left one."""
    pairs = [(np.asarray(scale), np.asarray(zp, dtype)) for scale, zp in zip(scales, zero_points, strict=True)]
    return [*pairs[0], right, *pairs[1], *pairs[2]]


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_add_equals_qlinearadd(dtype: Byte, seed: int) -> None:
    """16,384 sums with the scales and the offset that the host works out in binary32."""
    rng = np.random.default_rng(seed)
    left, right = random_bytes(rng, dtype, ROWS, LANES), random_bytes(rng, dtype, ROWS, LANES)
    scales, zero_points = draw_scales(rng, seed), [int(random_bytes(rng, dtype, 1)[0]) for _ in range(3)]
    golden = run_op(
        "QLinearAdd", left, onnx_operands(right, scales, zero_points, dtype), dtype, domain="com.microsoft"
    )
    ratios = [np.float32(scales[0] / scales[2]), np.float32(scales[1] / scales[2])]
    inner = np.float32(ratios[1] * np.float32(zero_points[1]))
    offset = np.float32(zero_points[2]) - fused_multiply_add(zero_points[0], ratios[0], inner)
    operands = {"left_scale": word(ratios[0]), "right_scale": word(ratios[1]), "offset": word(offset)}
    np.testing.assert_array_equal(run_pair("add.b", left, right, operands, dtype), golden)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_multiply_equals_qlinearmul(dtype: Byte, seed: int) -> None:
    """16,384 products."""
    rng = np.random.default_rng(seed)
    left, right = random_bytes(rng, dtype, ROWS, LANES), random_bytes(rng, dtype, ROWS, LANES)
    scales, zero_points = draw_scales(rng, seed), [int(random_bytes(rng, dtype, 1)[0]) for _ in range(3)]
    scales[0] = np.float32(scales[0] / np.float32(64))
    golden = run_op(
        "QLinearMul", left, onnx_operands(right, scales, zero_points, dtype), dtype, domain="com.microsoft"
    )
    scale = np.float32(np.float32(scales[0] * scales[1]) / scales[2])
    operands = {"left_zp": zero_points[0], "right_zp": zero_points[1], "scale": word(scale), "zp": zero_points[2]}
    np.testing.assert_array_equal(run_pair("multiply.b", left, right, operands, dtype), golden)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_quantise_equals_quantizelinear(dtype: Byte, seed: int) -> None:
    """Any number, numbers next to ties, infinities, NaN, subnormal numbers and scales: a true division."""
    rng = np.random.default_rng(seed)
    scale = np.float32([0.1, 1.0, 3.0, 1e-41, 0.007, 2.0**-9, 1e30, 0.3, 7.0, 1 / 3][seed])
    halves = (rng.integers(-300, 300, (ROWS, LANES)) + 0.5).astype(np.float32) * scale
    near = (halves.view(np.int32) + rng.integers(-1, 2, halves.shape)).astype(np.int32).view(np.float32)
    anything = rng.integers(-(2**31), 2**31, (ROWS, LANES)).astype(np.int32).view(np.float32)
    x = np.where(rng.random((ROWS, LANES)) < 0.7, near, anything).astype(np.float32)
    x[0, :5] = [np.inf, -np.inf, np.nan, 0, -0.0]
    zero_point = int(random_bytes(rng, dtype, 1)[0])
    golden = run_op("QuantizeLinear", x, [np.asarray(scale), np.asarray(zero_point, dtype)], dtype)
    operands = {"sp": 0, "acc": 0, "rows": ROWS, "scale": word(scale), "zp": zero_point, **limits(dtype)}
    empty = np.zeros((0, LANES), np.uint8)
    session = run_vector(MACHINE, "quantise", operands, {}, empty, x.view(np.int32))
    np.testing.assert_array_equal(session.memories.scratchpad[:ROWS].view(dtype), golden)


@BYTES
@pytest.mark.parametrize("scale", [0.1, 1.0, 1e-41, 3e38, 2.0**-9])
def test_dequantise_equals_dequantizelinear(dtype: Byte, scale: float) -> None:
    """Every byte with its zero point, to the bit; subnormal results and infinities too."""
    x = np.arange(256, dtype=np.uint8).view(dtype).reshape(-1, LANES)
    for zero_point in (int(np.iinfo(dtype).min), 3, int(np.iinfo(dtype).max)):
        golden = run_op("DequantizeLinear", x, [np.float32(scale), np.asarray(zero_point, dtype)], np.float32)
        operands = {"acc": 5, "sp": 0, "rows": 16, "scale": word(scale), "zp": zero_point}
        flags = {"u8": dtype is np.uint8}
        session = run_vector(MACHINE, "dequantise", operands, flags, x.view(np.uint8))
        np.testing.assert_array_equal(session.memories.accumulator[5:21], golden.view(np.int32))


def test_dequantise_has_one_nan() -> None:
    """Zero times infinity is the NaN of the table, whatever the CPU makes of it."""
    operands = {"acc": 0, "sp": 0, "scale": word(np.float32("inf"))}
    session = run_vector(MACHINE, "dequantise", operands, {}, np.zeros((1, LANES), np.uint8))
    assert set(session.memories.accumulator[0].tolist()) == {0x7FC00000}


def test_a_step_of_zero_broadcasts() -> None:
    """One row of the right operand for all rows of the left one."""
    left = np.arange(4 * LANES, dtype=np.uint8).reshape(4, LANES)
    right = np.full((1, LANES), 100, np.uint8)
    operands = {"sp": 8, "left": 0, "right": 4, "rows": 4, "right_step": 0, "min": 0, "max": 255}
    operands |= {"left_scale": word(1), "right_scale": word(0.5)}
    session = run_vector(MACHINE, "add.b", operands, {"u8": True}, np.concatenate([left, right]))
    assert np.array_equal(session.memories.scratchpad[8:12], left + 50)


@pytest.mark.parametrize("seed", range(4))
def test_sums_round_once_each(seed: int) -> None:
    """Scales for which a product or a sum that is rounded twice gives another byte: as exact fractions give it."""
    rng = np.random.default_rng(seed)
    left, right = random_bytes(rng, np.int8, ROWS, LANES), random_bytes(rng, np.int8, ROWS, LANES)
    scale = np.float32(2.0**23 + rng.integers(0, 2**23)) * np.float32(2.0) ** np.float32(rng.integers(-26, -22))
    other = np.float32(rng.choice([1e-42, 2.0**-30, 2.0**-24, 3.0**-15]))
    offset = np.float32(-scale * np.float32(rng.integers(1, 100)) + np.float32(0.5))
    operands = {"left_scale": word(scale), "right_scale": word(other), "offset": word(offset)}
    found = run_pair("add.b", left, right, operands, np.int8)
    sums = {
        (a, b): to_byte(fused_multiply_add(a, scale, fused_multiply_add(b, other, offset)), 0, -128, 127)
        for a, b in {*zip(left[:64].ravel().tolist(), right[:64].ravel().tolist(), strict=True)}
    }
    expected = [sums[pair] for pair in zip(left[:64].ravel().tolist(), right[:64].ravel().tolist(), strict=True)]
    assert found[:64].view(np.uint8).ravel().tolist() == expected
