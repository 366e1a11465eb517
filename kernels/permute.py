"""Planner of permutations of the bytes of rows, on the array: y[m, j] = x[m, order[j]], as a product with a permutation matrix.

The DMA moves bytes that lie apart one a cycle; the array takes rows x lanes of them, and is exact: a sum is one byte times 1.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.plan import Place, Plan, Quantised, Refusal, Requantisation

MOST_BYTES = 1024  # of a row: the matrix has its square


def plan_permute(machine: Machine, rows: int, order: Sequence[int]) -> Plan | Refusal:
    """A plan for `rows` dense rows of len(order) bytes, buffers "x" and "y"; or why there is none."""
    nbytes = len(order)
    if nbytes > MOST_BYTES:
        return Refusal(f"a permutation of {nbytes} bytes; a matrix for it has {MOST_BYTES} rows at most")
    matrix = np.zeros((nbytes, nbytes), np.int8)
    matrix[list(order), range(nbytes)] = 1
    int8 = Quantised(np.int8)
    plan = plan_gemm(machine, GemmCase(rows, nbytes, nbytes, int8, int8, Requantisation(np.int8, 0, 1.0), matrix))
    if isinstance(plan, Refusal):
        return plan
    (step,) = plan.steps
    return replace(
        plan,
        kernel="permute",
        buffers=tuple(replace(buffer, name="x") if buffer.name == "a" else buffer for buffer in plan.buffers),
        steps=(replace(step, places={"a": Place("x"), "extra": Place("x")}),),
        output_dtype=np.dtype(np.uint8),
        macs=0,
    )
