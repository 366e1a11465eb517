"""What `make demo` needs besides the commands themselves: operands for gemm, and the comparison of results.

`python -m examples.demo operands|check|accuracy FOLDER`; the Makefile shows the order.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.plan import Quantised, Refusal, Requantisation

SIZE = 256  # M = N = K
SEED = 1


def write_operands(folder: Path) -> None:
    """Write a.npy, b.npy, the planner's packed buffers, and gemm.args: the options for `accel-sim run`."""
    random = np.random.default_rng(SEED)
    a, b = (random.integers(-128, 128, (SIZE, SIZE), np.int8) for _ in range(2))
    scales = random.uniform(0.0005, 0.001, SIZE).astype(np.float32)
    bias = random.integers(-1000, 1000, SIZE, np.int32)
    case = GemmCase(
        M=SIZE,
        N=SIZE,
        K=SIZE,
        a=Quantised(np.int8, 3),
        b=Quantised(np.int8),
        y=Requantisation(np.int8, zero_point=-5, scale=scales, bias=bias),
        b_constant=b,
    )
    plan = plan_gemm(load_machine("edge-16"), case)
    if isinstance(plan, Refusal):
        raise SystemExit(f"error: gemm refuses the case: {plan.reason}")
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "a.npy", a.reshape(-1))
    for name, kind in (("b", np.int8), ("parameters", np.int32)):
        packed = plan.buffer(name).packed()
        assert packed is not None
        np.save(folder / f"{name}.npy", packed.reshape(-1).view(kind))
    # The sum is exact in integers; product and rounding are those of binary32, as in ONNX Runtime.
    sums = (a.astype(np.int64) - 3) @ b.astype(np.int64) + bias
    expected = np.rint(sums.astype(np.float32) * scales) - 5
    np.save(folder / "expected.npy", np.clip(expected, -128, 127).astype(np.int8))
    options = [f"--arg {name}={value}" for name, value in plan.values.items()]
    options += [f"--in {name}={folder / name}.npy" for name in ("a", "b", "parameters")]
    options += [f"--in extra={folder / 'a.npy'}"]  # what an epilogue works with: there is none, and nothing is read
    (folder / "gemm.args").write_text(" ".join([*options, f"--out y={folder / 'y.npy'}"]))


def check_gemm(folder: Path) -> None:
    """Compare gemm's result with NumPy's."""
    different = int(np.count_nonzero(np.load(folder / "y.npy") != np.load(folder / "expected.npy")))
    print(f"gemm {SIZE}x{SIZE}x{SIZE}: {different} of {SIZE * SIZE} results differ from NumPy's")
    if different:
        raise SystemExit(1)


def print_accuracy(folder: Path) -> None:
    """Print how many images the logits of the digits model name rightly."""
    labels = np.load(folder / "labels.npy")
    right = int(np.count_nonzero(np.load(folder / "logits.npy").argmax(axis=1) == labels))
    print(f"digits: {right} of {len(labels)} held-out images right, {right / len(labels):.2%}")


if __name__ == "__main__":
    steps = {"operands": write_operands, "check": check_gemm, "accuracy": print_accuracy}
    steps[sys.argv[1]](Path(sys.argv[2]))
