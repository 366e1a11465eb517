"""The gemm kernel against the NumPy reference and against ONNX Runtime."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.gemm_tiles import gemm_tilings
from accelkit.kernels.launch import place, run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation, combine_scales
from accelkit.kernels.programs import kernel_program
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, SERIAL_4, machines
from tests.kernels.operands import Operands, expected
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, gemm

SIZES = st.one_of(st.integers(1, 8), st.integers(1, 70))


def compute(machine: Machine, plan: Plan, a: Array, b: Array | None) -> Array:
    """The kernel's result; every fault, race and leaked token raises."""
    inputs = {"a": a} if b is None else {"a": a, "b": b}
    result, launch = run_plan(Session(machine), plan, inputs)
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles
    return result


@settings(max_examples=150)
@given(
    machine=machines(),
    M=SIZES,
    N=SIZES,
    K=SIZES,
    is_constant=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    tiling=st.integers(-1, 40),
)
@example(machine=SERIAL_4, M=20, N=9, K=30, is_constant=False, seed=1, tiling=3)
def test_gemm_equals_reference(
    machine: Machine, M: int, N: int, K: int, is_constant: bool, seed: int, tiling: int
) -> None:
    """On any machine, with any tiling that fits it, any shape, signs, zero points, scales and bounds: 0 differences, no fault, no
    race, no deadlock, no token left."""
    operands = Operands(np.random.default_rng(seed))
    a_kind, b_kind = operands.kind(), operands.kind()
    a, b = operands.tensor(a_kind, M, K), operands.tensor(b_kind, K, N)
    case = GemmCase(M, N, K, a_kind, b_kind, operands.requantisation(N, K), b if is_constant else None)
    tilings = list(gemm_tilings(machine, case.shape()))
    plan = plan_gemm(machine, case, None if tiling < 0 else tilings[tiling % len(tilings)])
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    want = expected(gemm(a, b, a_kind.zero_point, b_kind.zero_point), case.y)
    np.testing.assert_array_equal(compute(machine, plan, a, None if is_constant else b), want)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@settings(max_examples=20)
@given(M=SIZES, N=SIZES, K=st.integers(1, 200), is_constant=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_gemm_equals_onnxruntime(
    machine: Machine, dtype: type, M: int, N: int, K: int, is_constant: bool, seed: int
) -> None:
    """QLinearMatMul of ONNX Runtime, s8 x s8 and u8 x u8 (the pairs that its x86 kernels compute right), scales per column of a
    constant b: 0 differences."""
    rng = np.random.default_rng(seed)
    operands = Operands(rng)
    limits = np.iinfo(dtype)
    a_zp, b_zp, y_zp = (int(zp) for zp in rng.integers(limits.min, limits.max + 1, 3))
    a, b = operands.tensor(Quantised(dtype), M, K), operands.tensor(Quantised(dtype), K, N)
    a_scale, y_scale = rng.uniform(1e-3, 1, 2).astype(np.float32)
    b_scale = rng.uniform(1e-4, 1e-2, N if is_constant else None)
    y = Requantisation(dtype, y_zp, combine_scales(a_scale, b_scale, y_scale))
    case = GemmCase(M, N, K, Quantised(dtype, a_zp), Quantised(dtype, b_zp), y, b if is_constant else None)
    plan = plan_gemm(machine, case)
    assert isinstance(plan, Plan)
    golden = run_op(
        "QLinearMatMul",
        a,
        [
            a_scale,
            np.asarray(a_zp, dtype),
            b,
            np.asarray(b_scale, np.float32),
            np.full(np.shape(b_scale), b_zp, dtype),
            y_scale,
            np.asarray(y_zp, dtype),
        ],
        dtype,
    )
    np.testing.assert_array_equal(compute(machine, plan, a, None if is_constant else b), golden)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("is_constant", [True, False])
def test_pitches(machine: Machine, is_constant: bool) -> None:
    """Operands and results that lie in wider matrices: the kernel reads and writes its columns and nothing beside them."""
    operands = Operands(np.random.default_rng(7))
    M, N, K, wider = 11, 19, 23, 5
    kind = Quantised(np.int8, 3)
    a, b = operands.tensor(kind, M, K + wider), operands.tensor(kind, K, N + wider)
    case = GemmCase(
        M,
        N,
        K,
        kind,
        kind,
        operands.requantisation(N, K),
        b[:, :N] if is_constant else None,
        a_pitch=K + wider,
        b_pitch=N + wider,
        y_pitch=N + wider,
    )
    plan = plan_gemm(machine, case)
    assert isinstance(plan, Plan)
    session = Session(machine)
    placed = place(session, plan, "gemm")
    size = plan.buffer("y").nbytes
    background = operands.tensor(kind, M, N + wider)
    session.write(placed.addresses["y"], background.reshape(-1)[:size])
    placed.write("a", a.reshape(-1)[: plan.buffer("a").nbytes])
    if not is_constant:
        placed.write("b", b.reshape(-1)[: plan.buffer("b").nbytes])
    placed.launch()
    want = background.view(np.dtype(case.y.dtype))
    want[:, :N] = expected(gemm(a[:, :K], b[:, :N], 3, 3), case.y)
    got = session.read(placed.addresses["y"], size).view(np.dtype(case.y.dtype))
    np.testing.assert_array_equal(got, want.reshape(-1)[:size])


@pytest.mark.parametrize("machine", PRESETS, ids=lambda machine: machine.name)
def test_second_launch(machine: Machine) -> None:
    """A placed plan can be launched again on other activations: nothing of the first launch is left behind."""
    operands = Operands(np.random.default_rng(3))
    kind = Quantised(np.int8, -4)
    b = operands.tensor(kind, 30, 21)
    case = GemmCase(17, 21, 30, kind, kind, operands.requantisation(21, 30), b)
    plan = plan_gemm(machine, case)
    assert isinstance(plan, Plan)
    placed = place(Session(machine), plan, "gemm")
    for _ in range(2):
        a = operands.tensor(kind, 17, 30)
        placed.write("a", a)
        placed.launch()
        np.testing.assert_array_equal(placed.read(), expected(gemm(a, b, -4, -4), case.y))


S8 = Quantised(np.int8)
SMALL = GemmCase(4, 4, 4, S8, S8, Requantisation(np.int8, 0, 0.01), np.ones((4, 4), np.int8))


@pytest.mark.parametrize(
    ("machine", "case", "reason"),
    [
        (PRESETS[0], replace(SMALL, M=0), "empty product 0 x 4 x 4"),
        (PRESETS[0], replace(SMALL, a=Quantised(np.int16)), "a is int16, expected int8 or uint8"),
        (PRESETS[0], replace(SMALL, a=Quantised(np.int8, 200)), "zero point 200 of a is outside -128..127"),
        (
            PRESETS[0],
            replace(SMALL, y=Requantisation(np.int8, 0, np.inf)),
            "a requantise scale is not finite",
        ),
        (
            PRESETS[0],
            replace(SMALL, y=Requantisation(np.int8, 0, np.ones(3))),
            "scale has shape (3,), expected one value or one per output channel (4)",
        ),
        (
            PRESETS[0],
            replace(SMALL, y=Requantisation(np.int8, 0, 1.0, minimum=5, maximum=4)),
            "clamp bounds 5..4 leave no value",
        ),
        (
            PRESETS[0],
            replace(SMALL, y=Requantisation(np.int8, 0, 1.0, bias=1 << 31)),
            "a bias does not fit 32 bits",
        ),
        (
            PRESETS[0],
            replace(SMALL, K=1 << 18, b_constant=None),
            "sums could reach 4294967296, which does not fit the 32-bit accumulator",
        ),
        (
            PRESETS[0],
            replace(SMALL, M=1 << 21, b_constant=None),
            "buffers of 16777360 bytes, edge-16 has DRAM of 4194304",
        ),
        (
            replace(PRESETS[0], argument_words=20),
            SMALL,
            f"gemm has {len(kernel_program('gemm').arguments)} arguments, edge-16 has memory for 20",
        ),
        (
            replace(SERIAL_4, scratchpad_bank_bytes=16),
            SMALL,
            "no tile of 4 x 4 x 4 fits the scratchpad (4 rows of 4 bytes) and accumulator (30 rows) of serial-4",
        ),
    ],
)
def test_refusals(machine: Machine, case: GemmCase, reason: str) -> None:
    """What the kernel can't take is refused with its reason, never computed wrong."""
    assert plan_gemm(machine, case) == Refusal(reason)


def test_contradictory_case() -> None:
    """A constant of another shape than the case says, or a pitch below a row, is the caller's mistake."""
    with pytest.raises(ValueError, match=r"b is \[4, 4\], expected \[4, 5\]"):
        plan_gemm(PRESETS[0], replace(SMALL, N=5))
    with pytest.raises(ValueError, match="pitch 3 of a is less than its row of 4 bytes"):
        plan_gemm(PRESETS[0], replace(SMALL, a_pitch=3))
