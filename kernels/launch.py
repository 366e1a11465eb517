"""Runs plans on the simulator: assembles a kernel once, places a plan's buffers in a session's DRAM, launches it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.plan import Plan
from accelkit.kernels.programs import kernel_program
from accelkit.simulator import LaunchResult, Session


@dataclass(frozen=True)
class PlacedPlan:
    """A plan whose buffers have addresses in a session's DRAM; it can be launched any number of times."""

    session: Session
    plan: Plan
    addresses: Mapping[str, int]

    def write(self, name: str, array: npt.NDArray[Any]) -> None:
        """Writes an activation; ValueError unless it fills buffer `name` exactly."""
        expected = self.plan.buffer(name).nbytes
        if array.nbytes != expected:
            raise ValueError(
                f"{self.plan.kernel}: buffer {name} holds {expected} bytes, the array {list(array.shape)} of"
                f" {array.dtype} has {array.nbytes}"
            )
        self.session.write(self.addresses[name], np.ascontiguousarray(array))

    def launch(self) -> LaunchResult:
        """Runs the kernel on what the buffers hold."""
        program = kernel_program(self.plan.kernel)
        words = [
            self.addresses[argument.name]
            if argument.name in self.addresses
            else self.plan.values[argument.name]
            for argument in program.arguments
        ]
        return self.session.launch(program, words)

    def read(self) -> npt.NDArray[Any]:
        """The result, in the plan's output shape and dtype. Only for dense outputs."""
        data = self.session.read(self.addresses[self.plan.output], self.plan.buffer(self.plan.output).nbytes)
        return np.frombuffer(bytes(data), self.plan.output_dtype).reshape(self.plan.output_shape)


def place(session: Session, plan: Plan, name: str, addresses: Mapping[str, int] | None = None) -> PlacedPlan:
    """Allocates the plan's buffers, as `name.buffer` (one `name` per placed plan of a session), and writes its constants.

    `addresses` gives buffers that exist already, by name: an activation that another kernel wrote, or the place of the result.
    """
    placed = dict(addresses or {})
    for buffer in plan.buffers:
        if buffer.name not in placed:
            placed[buffer.name] = session.allocate(f"{name}.{buffer.name}", buffer.nbytes, buffer.is_writable)
            if buffer.contents is not None:
                session.write(placed[buffer.name], buffer.contents)
    return PlacedPlan(session, plan, placed)


def run_plan(
    session: Session, plan: Plan, inputs: Mapping[str, npt.NDArray[Any]]
) -> tuple[npt.NDArray[Any], LaunchResult]:
    """Places a plan, writes its activations, launches it once: the result, and what the launch cost. Once per session and kernel."""
    placed = place(session, plan, plan.kernel)
    for name, array in inputs.items():
        placed.write(name, array)
    result = placed.launch()
    return placed.read(), result
