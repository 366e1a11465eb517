"""What `benchmarks.check` counts instructions of: each workload is run once to warm up, then once more, counted.

    python -m benchmarks.counted

runs them without counting, which compiles what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from accelkit.assembler import assemble
from accelkit.isa.machine import load_machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.elementwise import PairCase, plan_pair
from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.simulator import Session
from benchmarks import callgrind
from benchmarks.assembler import kernel_lines
from benchmarks.programs import scalar_program, short_launch
from benchmarks.rtl_speed import conv2d, gemm

EDGE, SERVER = load_machine("edge-16"), load_machine("server-128")
INT8 = Quantised(np.int8, 3)
LAUNCHES, LOOPS = 200, 25_000
Call = Callable[[], object]


def placed(plan: Plan | Refusal) -> PlacedPlan:
    """A plan in a new session, its activations random bytes."""
    assert isinstance(plan, Plan), plan
    result = place(Session(plan.machine), plan, "counted")
    for buffer in plan.buffers:
        if buffer.contents is None and not buffer.is_writable:
            result.write(buffer.name, np.random.default_rng(1).integers(0, 256, buffer.nbytes).astype(np.uint8))
    return result


def depthwise() -> Plan | Refusal:
    """A depthwise convolution, 3x3, padding 1."""
    weights = np.random.default_rng(0).integers(-128, 128, (96, 1, 3, 3)).astype(np.int8)
    y = Requantisation(np.int8, 3, np.float32(1e-2))
    return plan_conv2d(EDGE, Conv2dCase((1, 28, 28, 96), INT8, weights, 0, y, pads=(1, 1, 1, 1), groups=96))


def workloads() -> Iterator[tuple[str, Call, Call]]:
    """Names, what warms up, and what is counted."""
    shape = (1, 28, 28, 128)
    add = plan_pair(EDGE, PairCase(shape, shape, INT8, INT8, INT8, 0.1, 0.2, 0.3))
    launches = {
        "gemm 256x256x256 on edge-16": gemm(EDGE, 256),
        "gemm 256x256x256 on server-128": gemm(SERVER, 256),
        "conv2d 28x28x64, 3x3 on edge-16": conv2d(EDGE, 28, 64),
        "depthwise 28x28x96, 3x3 on edge-16": depthwise(),
        "add 28x28x128 on edge-16": add,
        "maximum pool 28x28x128, 3x3/2 on edge-16": plan_pool(EDGE, PoolCase(shape, INT8, (3, 3), (2, 2), (0, 0, 1, 1))),
    }
    for name, plan in launches.items():
        yield name, placed(plan).launch, placed(plan).launch  # first launches of sessions, which know none
    again = placed(gemm(EDGE, 256))

    def launch_until_known() -> None:
        for _ in range(3):
            again.launch()

    yield "gemm 256x256x256 on edge-16, known launch", launch_until_known, again.launch
    session, program = Session(EDGE), scalar_program()
    yield (
        f"scalar program of {4 * LOOPS:,} instructions",
        lambda: session.launch(program, [LOOPS // 10]),
        lambda: session.launch(program, [LOOPS]),
    )
    short = short_launch()

    def launch_often() -> None:
        for _ in range(LAUNCHES):
            short.launch()

    yield f"{LAUNCHES} launches of an 8x16x16 product", short.launch, launch_often
    yield "planning conv2d 28x28x64, 3x3", lambda: conv2d(EDGE, 14, 32), lambda: conv2d(EDGE, 28, 64)
    text = "\n".join(kernel_lines(1000)) + "\n"
    yield "assembling a kernel of 1,000 lines", lambda: assemble(text, "warm.s"), lambda: assemble(text, "kernel.s")


def main() -> None:
    """Run all; a dump for each, if valgrind is there to write it."""
    callgrind.prepare()
    for name, warm, counted in workloads():
        warm()
        callgrind.start()
        counted()
        callgrind.stop()
        callgrind.dump(name)


if __name__ == "__main__":
    main()
