"""Plans in a row as one plan: what a kernel computes goes through a workspace to the next one, see docs/kernels.md."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import Machine
from accelkit.kernels.checks import dram_problem
from accelkit.kernels.plan import Buffer, Place, Plan, Refusal, Step


@dataclass(frozen=True)
class Link:
    """A plan of the row, and where its activations lie: its buffer -> a place in a buffer of the whole.

    Buffers that `places` doesn't name (packed constants, workspaces) become the whole's own, called after the link's place in the row.
    """

    plan: Plan
    places: Mapping[str, Place] = field(default_factory=dict)


def chain(
    machine: Machine, kernel: str, links: Iterable[Link | Refusal], buffers: Iterable[Buffer], result: tuple[tuple[int, ...], npt.DTypeLike]
) -> Plan | Refusal:
    """The links' launches in their order as one plan with `buffers` for activations and workspaces; the first refusal if there is one.

    The result, its shape and type as given, is buffer "y".
    """
    steps: list[Step] = []
    plans: list[Plan] = []
    everything = list(buffers)
    for number, link in enumerate(links):
        if isinstance(link, Refusal):
            return link
        places = dict(link.places)
        for buffer in link.plan.buffers:
            if buffer.name not in places:
                everything.append(replace(buffer, name=f"{buffer.name}_{number}"))
                places[buffer.name] = Place(f"{buffer.name}_{number}")
        steps += [_moved(step, places) for step in link.plan.steps]
        plans.append(link.plan)
    if problem := dram_problem(machine, everything):
        return Refusal(problem)
    shape, dtype = result
    return Plan(
        kernel=kernel,
        machine=machine,
        buffers=tuple(everything),
        steps=tuple(steps),
        output="y",
        output_shape=shape,
        output_dtype=np.dtype(dtype),
        macs=sum(plan.macs for plan in plans),
        estimate_cycles=sum(plan.estimate_cycles for plan in plans) + (len(plans) - 1) * machine.launch_cycles,
        tiling=f"{len(plans)} kernels, the first {plans[0].tiling}",
    )


def _moved(step: Step, places: Mapping[str, Place]) -> Step:
    """The step with its buffers in the whole; a buffer argument without a place of its own has its buffer's."""
    moved = {
        name: Place(places[place.buffer].buffer, places[place.buffer].offset + place.offset) for name, place in step.places.items()
    }
    return replace(step, places={**places, **moved})
