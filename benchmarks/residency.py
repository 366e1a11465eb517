"""What staying in the scratchpad saves: `python -m benchmarks.residency MODEL.onnx [MACHINE...]`, one image of zeros.

Launches are the same in both runs; in the first every tensor lies in DRAM.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.isa.row import Memory
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from accelkit.kernels.onnx.schedule import Launch
from accelkit.kernels.plan import Plan
from accelkit.kernels.residency import NOTHING_STAYS
from benchmarks.row import Row
from models.fetch import fetch

MODEL = "resnet50"  # of the suite


def in_dram(placement: Placement) -> Placement:
    """The same launches with every tensor in DRAM."""
    steps = []
    for step in placement.steps:
        if isinstance(step, Launch):
            plan = step.task.call.plan(placement.machine)
            assert isinstance(plan, Plan)  # it was one before
            step = replace(step, task=replace(step.task, plan=plan), stays=NOTHING_STAYS)
        steps.append(step)
    return placement.with_steps(tuple(steps))


def staying(placement: Placement) -> list[str]:
    """The tensors that stay."""
    launches = [step for step in placement.steps if isinstance(step, Launch)]
    return [step.task.call.result for step in launches if step.stays.y]


def measure(placement: Placement) -> tuple[int, int]:
    """Cycles of the launches of one run, and the bytes that they move from and to DRAM; neither depends on data."""
    graph, executor = placement.graph, Executor(placement)
    executor.run({name: np.zeros(graph.types[name].shape or (), graph.types[name].dtype) for name in graph.inputs})
    results = [measured.last for measured in executor.measured if measured.last]
    traffic = [result.traffic[Memory.DRAM] for result in results]
    return sum(result.cycles for result in results), sum(moved.read + moved.written for moved in traffic)


def rows() -> Iterator[Row]:
    """Cycles and DRAM traffic of a model with tensors that stay, against the same launches with none."""
    graph = read_model(fetch(MODEL).path)
    for name in ("edge-16", "server-128"):
        placement = place(graph, load_machine(name))
        (cycles, nbytes), (plain_cycles, plain_bytes) = measure(placement), measure(in_dram(placement))
        against = "x that with every tensor in DRAM"
        yield Row(f"{MODEL}, batch 1", name, cycles, "cycles", against, cycles / plain_cycles)
        yield Row(f"{MODEL}, DRAM traffic", name, nbytes / 2**20, "MiB", against, nbytes / plain_bytes)


def main() -> None:
    """Print a line for each machine."""
    graph = read_model(Path(sys.argv[1]))
    for name in sys.argv[2:] or ("edge-16", "server-128"):
        placement = place(graph, load_machine(name))
        (cycles, nbytes), (plain_cycles, plain_bytes) = measure(placement), measure(in_dram(placement))
        print(
            f"{name}: {len(staying(placement))} tensors stay; cycles {plain_cycles:,} -> {cycles:,} ({cycles / plain_cycles - 1:+.1%}),"
            f" DRAM bytes {plain_bytes:,} -> {nbytes:,} ({nbytes / plain_bytes - 1:+.0%})"
        )


if __name__ == "__main__":
    main()
