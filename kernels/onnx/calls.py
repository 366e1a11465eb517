"""A node as a case of a kernel: what `describe` answers, and what the placement plans, costs and launches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.kernels.batched import BatchedCase, plan_batched
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv_transpose import ConvTransposeCase, plan_conv_transpose
from accelkit.kernels.elementwise import PairCase, plan_pair
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.onnx.layout import Layout
from accelkit.kernels.plan import Plan, Refusal
from accelkit.kernels.pooling import PoolCase, plan_pool


@dataclass(frozen=True)
class Planned:
    """A case that is nothing but the arguments of its planner behind the machine: tables and moves."""

    planner: Callable[..., Plan | Refusal]
    arguments: tuple[Any, ...]


Case = Conv2dCase | ConvTransposeCase | GemmCase | BatchedCase | PoolCase | PairCase | Planned
_PLANNERS: dict[type, Callable[[Machine, Any], Plan | Refusal]] = {
    Conv2dCase: plan_conv2d,
    ConvTransposeCase: plan_conv_transpose,
    GemmCase: plan_gemm,
    BatchedCase: plan_batched,
    PoolCase: plan_pool,
    PairCase: plan_pair,
    Planned: lambda machine, case: case.planner(machine, *case.arguments),
}


@dataclass(frozen=True)
class Operand:
    """An activation, or a constant of the graph: the kernel's buffer, the tensor it holds, and how that must lie there."""

    buffer: str
    tensor: str
    layout: Layout = None


@dataclass(frozen=True)
class KernelCall:
    """Some nodes of the graph, by index, as a case of a kernel.

    `layout` is that of the result. What lies between the nodes, if they are several, is never written.
    """

    case: Case
    operands: tuple[Operand, ...]
    result: str
    layout: Layout = None
    nodes: tuple[int, ...] = ()
    note: str = ""

    def plan(self, machine: Machine) -> Plan | Refusal:
        """What the kernel's planner says."""
        return _PLANNERS[type(self.case)](machine, self.case)
