"""The efficiency bars of the kernels on edge-16; cycles are exact numbers, so this is no timed test."""

import pytest

from accelkit.kernels.plan import Plan
from benchmarks.efficiency import CONV2D_BAR, GEMM_BAR, Measurement, measure_conv2d, measure_gemm, report
from benchmarks.kernels import jobs
from benchmarks.layers import BARS, measure_network, totals


def check(measurement: Measurement, bar: float) -> None:
    """The result is exact and the useful share of the peak at least `bar`."""
    assert measurement.is_exact
    assert measurement.efficiency >= bar, report(measurement)


@pytest.mark.slow
def test_gemm_efficiency() -> None:
    """gemm 1024x1024x1024 from DRAM to DRAM: at least 97 % of the array's peak."""
    check(measure_gemm(1024), GEMM_BAR)


@pytest.mark.slow
def test_conv2d_efficiency() -> None:
    """conv2d 56x56x64 -> 64, 3x3, padding 1, from DRAM to DRAM: at least 93 % of the array's peak."""
    check(measure_conv2d(56, 64, 64), CONV2D_BAR)


@pytest.mark.slow
@pytest.mark.parametrize("network", BARS)
def test_layers(network: str) -> None:
    """All convolutions and the classifier of a network, from DRAM to DRAM: the sum of their cycles over the sum of their bounds."""
    cycles, bound = totals(measure_network(network))
    assert cycles <= BARS[network] * bound


@pytest.mark.slow
def test_kernels() -> None:
    """The kernels beside gemm and conv2d, from DRAM to DRAM: cycles over the bound of array, vector unit and bus are at most their bars;
    what the planner expects, on which the partition of models rests, is off by two fifths at most."""
    measured = [(job, job.plan, job.cycles()) for job in jobs()]
    assert {job.name: cycles for job, _, cycles in measured if cycles > job.bar * job.bound()} == {}
    estimates = {job.name: plan.estimate_cycles / cycles for job, plan, cycles in measured if isinstance(plan, Plan)}
    assert {name: ratio for name, ratio in estimates.items() if not 0.6 <= ratio <= 1.33} == {}
