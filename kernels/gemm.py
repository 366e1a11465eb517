"""Planner of the `gemm` kernel: y[M, N] = requantise((a[M, K] - za) @ (b[K, N] - zb)), see docs/kernels.md."""

from dataclasses import dataclass

from accelkit.isa.machine import Machine
from accelkit.kernels.plan import ByteArray, Plan, Quantised, Refusal, Requantisation


@dataclass(frozen=True)
class GemmCase:
    """A matrix product of 8-bit operands.

    `a` [M, K] lies row-major in DRAM, buffer "a". `b` [K, N] is either a constant, `b_constant`, that the planner packs, or
    (b_constant None) lies row-major in DRAM too, buffer "b". The result [M, N] goes to buffer "y". Pitches are bytes from one row
    to the next, None for dense rows.
    """

    M: int
    N: int
    K: int
    a: Quantised
    b: Quantised
    y: Requantisation
    b_constant: ByteArray | None = None
    a_pitch: int | None = None
    b_pitch: int | None = None
    y_pitch: int | None = None


def plan_gemm(machine: Machine, case: GemmCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none."""
    return Refusal("not written yet")
