"""Planner of batched products: a launch of the `gemm` kernel for each matrix of the result, see docs/kernels.md."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem
from accelkit.kernels.epilogue import Residual
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.plan import Buffer, Place, Plan, Refusal, Step

Shape = tuple[int, ...]


@dataclass(frozen=True)
class BatchedCase:
    """Products of matrices a [*a_batch, M, K] and b [*b_batch, K, N] in DRAM, dense, buffers "a", "b" and "y"; the batches broadcast as
    NumPy's shapes do. `gemm` is the case of one matrix; its b is an activation, and its pitches are those of dense rows."""

    gemm: GemmCase
    a_batch: Shape
    b_batch: Shape

    @property
    def y_batch(self) -> Shape:
        """Batch of the result; ValueError if the batches don't broadcast."""
        return np.broadcast_shapes(self.a_batch, self.b_batch)


def plan_batched(machine: Machine, case: BatchedCase) -> Plan | Refusal:
    """A plan of the case for the machine, or why there is none. ValueError if the case contradicts itself."""
    one = case.gemm
    if one.b_constant is not None or {one.a_pitch, one.b_pitch, one.y_pitch} != {None}:
        raise ValueError("a batched product of a constant or of rows with pitches; one b for all is a product of more rows")
    if case.b_batch == (1,) * len(case.b_batch):
        one = replace(one, M=one.M * prod(case.a_batch))  # one b for all: the matrices of a are one
        pairs = [(0, 0)]
    else:
        a, b = (np.arange(prod(batch)).reshape(batch) for batch in (case.a_batch, case.b_batch))
        pairs = [(int(i), int(j)) for i, j in np.broadcast(a, b)]
    if not pairs:
        return Refusal(f"an empty tensor: batches {list(case.a_batch)} and {list(case.b_batch)}")
    if isinstance(one.epilogue, Residual):
        return Refusal("a batched product with a sum as its epilogue")
    plan = plan_gemm(machine, one)
    if isinstance(plan, Refusal):
        return plan
    a_bytes, b_bytes, y_bytes = one.M * one.K, one.K * one.N, one.M * one.N
    sizes = {"a": prod(case.a_batch) * case.gemm.M * one.K, "b": prod(case.b_batch) * b_bytes, "y": len(pairs) * y_bytes}
    buffers = tuple(
        Buffer(old.name, sizes.get(old.name, old.nbytes), old.is_writable, old.contents) for old in plan.buffers
    )
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    steps = tuple(
        Step(
            "gemm",
            plan.values,
            {
                **plan.steps[0].places,
                "a": Place("a", i * a_bytes),
                "b": Place("b", j * b_bytes),
                "y": Place("y", number * y_bytes),
            },
        )
        for number, (i, j) in enumerate(pairs)
    )
    return replace(
        plan,
        kernel="batched gemm",
        buffers=buffers,
        steps=steps,
        output_shape=(*case.y_batch, case.gemm.M, one.N),
        macs=plan.macs * len(pairs),
        estimate_cycles=plan.estimate_cycles * len(pairs) + (len(pairs) - 1) * machine.launch_cycles,
    )
