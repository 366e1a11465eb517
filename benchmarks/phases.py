"""Where the simulator's time goes in five workloads: `python -m benchmarks.phases`. CPU seconds, warm.

*timing* is the timing pass, *values* the execution of instructions, *checks* what the checker adds to it, *host* all of the rest: Python,
the model's executor, copies of tensors.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.launch import place
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place as place_model
from accelkit.kernels.plan import Plan
from accelkit.simulator import Mode, Session, passes
from accelkit.simulator.reuse import Launches
from benchmarks import rtl_speed
from benchmarks.models import one_image
from benchmarks.programs import LOOPS, scalar_program, short_launch
from benchmarks.row import Row, print_rows
from models.fetch import fetch

REPEATS = 5
SHORT_LAUNCHES = 1000
Work = Callable[[Mode], Callable[[], object]]  # what a session of that mode repeats


@dataclass(frozen=True)
class Workload:
    """A workload on a machine."""

    name: str
    machine: str
    work: Work


def model(name: str, machine: str) -> Workload:
    """One image through a placed model."""
    fetched = fetch(name)
    graph = read_model(fetched.path)
    placement = place_model(graph, load_machine(machine))
    feeds = one_image(fetched, graph)

    def work(mode: Mode) -> Callable[[], object]:
        executor = Executor(placement, session=Session(placement.machine, mode=mode))
        return lambda: executor.run(feeds)

    return Workload(name, machine, work)


def gemm(machine: Machine, size: int) -> Workload:
    """A square product."""
    plan = rtl_speed.gemm(machine, size)
    assert isinstance(plan, Plan), plan

    def work(mode: Mode) -> Callable[[], object]:
        placed = place(Session(machine, mode=mode), plan, "gemm")
        placed.write("a", np.random.default_rng(1).integers(-128, 128, (size, size)).astype(np.int8))
        return placed.launch

    return Workload(f"gemm {size}x{size}x{size}", machine.name, work)


def scalar(mode: Mode) -> Callable[[], object]:
    """A million scalar instructions."""
    session, program = Session("edge-16", mode=mode), scalar_program()
    return lambda: session.launch(program, [LOOPS])


def short(mode: Mode) -> Callable[[], object]:
    """Launches of a small product."""
    placed = short_launch(mode)
    return lambda: [placed.launch() for _ in range(SHORT_LAUNCHES)]


def workloads() -> Iterator[Workload]:
    """The five, the first and the third on two machines."""
    yield model("resnet50", "edge-16")
    yield model("resnet50", "server-128")
    yield model("efficientnet-lite0", "edge-16")
    yield gemm(load_machine("edge-16"), 1024)
    yield gemm(load_machine("server-128"), 1024)
    yield Workload("scalar program of a million instructions", "edge-16", scalar)
    yield Workload(f"{SHORT_LAUNCHES:,} launches of an 8x16x16 product", "edge-16", short)


def measure(call: Callable[[], object]) -> dict[str, float]:
    """CPU seconds of a call: all of it, its timing passes, its execution; those of the fastest of some runs."""
    spent: dict[str, float] = defaultdict(float)

    def clocked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def clock(*arguments: Any) -> Any:
            started = time.process_time()
            result = function(*arguments)
            spent[name] += time.process_time() - started
            return result

        return clock

    best: dict[str, float] = {}
    call()
    with (
        patch.object(passes.timing, "advance", clocked("timing", passes.timing.advance)),
        patch.object(passes, "execute", clocked("execution", passes.execute)),
        patch.object(Launches, "find", lambda *_: None),  # each launch from the beginning: none is known
        patch.object(Launches, "is_seen", lambda *_: False),
    ):
        for _ in range(REPEATS):
            spent.clear()
            clocked("all", call)()
            if not best or spent["all"] < best["all"]:
                best = dict(spent)
    return best


def rows() -> Iterator[Row]:
    """The phases of each workload, and their share."""
    for one in workloads():
        full, values = measure(one.work(Mode.FULL)), measure(one.work(Mode.VALUES))
        phases = {
            "timing": full["timing"],
            "checks": max(0, full.get("execution", 0) - values.get("execution", 0)),
            "values": values.get("execution", 0),
            "host": full["all"] - full["timing"] - full.get("execution", 0),
        }
        for phase, seconds in phases.items():
            yield Row(f"{one.name}: {phase}", one.machine, seconds, "s", "of the run", seconds / full["all"])


if __name__ == "__main__":
    print_rows(rows())
