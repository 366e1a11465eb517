"""Efficiency of the kernels on edge-16, from DRAM to DRAM: `python -m benchmarks.efficiency`.

Useful MACs are outputs x kernel taps x input channels; lanes that are padded to the array count as nothing. Cycles are all cycles of the
launch: loads, bias, requantise, stores and every latency.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import load_machine
from accelkit.isa.units import CycleClass
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.simulator import LaunchResult, Session
from benchmarks.row import Row

MACHINE = load_machine("edge-16")
SEED = 0
GEMM_BAR, CONV2D_BAR = 0.97, 0.93  # least share of the peak


@dataclass(frozen=True)
class Measurement:
    """A launch and what it was worth; `is_exact`: the result is that of NumPy's integer product, requantised."""

    name: str
    plan: Plan
    launch: LaunchResult
    is_exact: bool

    @property
    def efficiency(self) -> float:
        """Useful MACs of the peak in all cycles of the launch."""
        return self.plan.macs / (self.plan.machine.peak_macs_per_cycle * self.launch.cycles)


def measure_gemm(size: int) -> Measurement:
    """A square int8 product with bias, zero points and scales per channel."""
    rng = np.random.default_rng(SEED)
    a, b = rng.integers(-128, 128, (2, size, size)).astype(np.int8)
    y = _requantisation(rng, size, size)
    case = GemmCase(size, size, size, Quantised(np.int8, 5), Quantised(np.int8, -3), y, b)
    sums = (a.astype(np.float64) - 5) @ (b.astype(np.float64) + 3)  # exact: below 2^53
    return _measure(f"gemm {size}x{size}x{size}", plan_gemm(MACHINE, case), {"a": a}, sums, y)


def measure_conv2d(size: int, channels: int, outputs: int) -> Measurement:
    """An int8 convolution, 3x3, padding 1, with bias, zero points and scales per channel."""
    rng = np.random.default_rng(SEED)
    x = rng.integers(-128, 128, (1, size, size, channels)).astype(np.int8)
    w = rng.integers(-128, 128, (outputs, channels, 3, 3)).astype(np.int8)
    y = _requantisation(rng, outputs, 9 * channels)
    case = Conv2dCase((1, size, size, channels), Quantised(np.int8, 5), w, -3, y, pads=(1, 1, 1, 1))
    padded = np.pad(x[0].astype(np.float64) - 5, ((1, 1), (1, 1), (0, 0)))
    taps = w.transpose(2, 3, 1, 0).astype(np.float64) + 3
    sums = sum(padded[i : i + size, j : j + size] @ taps[i, j] for i in range(3) for j in range(3))
    name = f"conv2d {size}x{size}x{channels} -> {outputs}, 3x3, padding 1"
    return _measure(name, plan_conv2d(MACHINE, case), {"x": x}, np.asarray(sums)[None], y)


def _requantisation(rng: np.random.Generator, channels: int, depth: int) -> Requantisation:
    scale = rng.uniform(0.5, 2, channels).astype(np.float32) / np.float32(128 * depth**0.5)
    return Requantisation(np.int8, 3, scale, rng.integers(-10000, 10000, channels).astype(np.int32))


def _measure(
    name: str,
    plan: Plan | Refusal,
    inputs: dict[str, npt.NDArray[np.int8]],
    sums: npt.NDArray[np.float64],
    y: Requantisation,
) -> Measurement:
    if isinstance(plan, Refusal):
        raise SystemExit(f"{name}: {plan.reason}")
    result, launch = run_plan(Session(MACHINE), plan, inputs)
    products = (sums + y.bias).astype(np.float32) * np.asarray(y.scale)
    want = np.clip(np.rint(products) + y.zero_point, *y.bounds())
    return Measurement(name, plan, launch, bool(np.array_equal(result, want)))


def report(measurement: Measurement) -> str:
    """Cycles, efficiency, and what each unit's cycles went to, in percent."""
    m = measurement
    lines = [
        f"{m.name} on {m.plan.machine.name}: {m.efficiency:.2%} of peak, {m.launch.cycles} cycles for {m.plan.macs} MACs"
        f" ({'exact' if m.is_exact else 'WRONG'})",
        f"  tiles of {m.plan.tiling}; expected {m.plan.estimate_cycles} cycles",
    ]
    for unit, classes in m.launch.units.items():
        used = [f"{cls.name} {classes[cls] / m.launch.cycles:.1%}" for cls in CycleClass if classes[cls]]
        lines.append(f"  {unit.name.lower():7} {', '.join(used)}")
    return "\n".join(lines)


def rows() -> Iterator[Row]:
    """Cycles of both, against the peak."""
    for m, bar in ((measure_gemm(1024), GEMM_BAR), (measure_conv2d(56, 64, 64), CONV2D_BAR)):
        if not m.is_exact:
            raise SystemExit(f"{m.name}: the result is wrong")
        yield Row(
            m.name, MACHINE.name, m.launch.cycles, "cycles", "of the array's peak", m.efficiency, f"ratio >= {bar}"
        )


def main() -> None:
    """Print both; exit code 1 if a result is wrong."""
    measurements = [measure_gemm(1024), measure_conv2d(56, 64, 64)]
    for measurement in measurements:
        print(report(measurement))
    if not all(measurement.is_exact for measurement in measurements):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
