"""Runs plans on the simulator: assembles a kernel once, places a plan's buffers in a session's DRAM, launches it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.units import CycleClass, SequencerClass
from accelkit.kernels.plan import Plan, Step
from accelkit.kernels.programs import kernel_program
from accelkit.simulator import LaunchResult, Mode, Session, Traffic


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
        """Runs the kernel on what the buffers hold: one launch after the other, their cycles added up."""
        return _together([self._launch(step) for step in self.plan.steps])

    def _launch(self, step: Step) -> LaunchResult:
        program = kernel_program(step.program)
        words = [
            step.values[argument.name] if argument.name in step.values else self._address(step, argument.name)
            for argument in program.arguments
        ]
        return self.session.launch(program, words)

    def _address(self, step: Step, argument: str) -> int:
        place = step.places.get(argument)
        return self.addresses[argument] if place is None else self.addresses[place.buffer] + place.offset

    def read(self) -> npt.NDArray[Any]:
        """The result, in the plan's output shape and dtype. Only for dense outputs."""
        data = self.session.read(self.addresses[self.plan.output], self.plan.buffer(self.plan.output).nbytes)
        return np.frombuffer(bytes(data), self.plan.output_dtype).reshape(self.plan.output_shape)


def _together(results: Sequence[LaunchResult]) -> LaunchResult:
    """Launches in a row as one result: counts of cycles and instructions are sums; registers are those at the end."""
    if len(results) == 1:
        return results[0]
    last = results[-1]
    return replace(
        last,
        cycles=sum(result.cycles for result in results),
        units={
            unit: {cls: sum(result.units[unit].get(cls, 0) for result in results) for cls in CycleClass}
            for unit in last.units
        },
        sequencer={cls: sum(result.sequencer.get(cls, 0) for result in results) for cls in SequencerClass},
        traffic={
            memory: Traffic(
                sum(result.traffic[memory].read for result in results), sum(result.traffic[memory].written for result in results)
            )
            for memory in last.traffic
        },
        instructions=sum(result.instructions for result in results),
    )


def place(session: Session, plan: Plan, name: str, addresses: Mapping[str, int] | None = None) -> PlacedPlan:
    """Allocates the plan's buffers, as `name.buffer` (one `name` per placed plan of a session), and writes its constants, unless the
    session is for timing alone.

    `addresses` gives buffers that exist already, by name: an activation that another kernel wrote, or the place of the result.
    """
    placed = dict(addresses or {})
    for buffer in plan.buffers:
        if buffer.name not in placed:
            placed[buffer.name] = session.allocate(f"{name}.{buffer.name}", buffer.nbytes, buffer.is_writable)
            contents = None if session.mode is Mode.TIMING else buffer.packed()
            if contents is not None:
                session.write(placed[buffer.name], contents)
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
