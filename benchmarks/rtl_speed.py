"""Simulator against verilated RTL on the library's kernels: `python -m benchmarks.rtl_speed`. Both in one run, in CPU seconds.

The simulator computes cycles, classes and values with all checks on; the RTL computes what it computes. Both give the same cycles, or
the run ends with exit code 1.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine, load_machine
from accelkit.isa.program import Program
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.simulator import LaunchResult, Session
from accelkit.simulator.passes import Mode
from accelkit.simulator.rtl.run import Memories, rtl_of
from accelkit.simulator.session import DEFAULT_MAX_CYCLES
from benchmarks.row import Row, least_first_seconds, least_seconds

MACHINE = load_machine("edge-16")
REPEATS = 5
BAR, TIMING_BAR = "ratio >= 100", "ratio >= 2000"


class RecordingSession(Session):
    """A session that remembers its last launch."""

    launched: tuple[Program, Sequence[int]]

    def launch(
        self, program: Program, argument_words: Sequence[int] = (), *others: Any, **named: Any
    ) -> LaunchResult:
        """As `Session.launch`."""
        self.launched = (program, argument_words)
        return super().launch(program, argument_words, *others, **named)


def gemm(machine: Machine, size: int) -> Plan | Refusal:
    """A square int8 product with constant weights."""
    b = np.random.default_rng(0).integers(-128, 128, (size, size)).astype(np.int8)
    y = Requantisation(np.int8, 3, np.float32(1e-4))
    return plan_gemm(machine, GemmCase(size, size, size, Quantised(np.int8, 5), Quantised(np.int8, -3), y, b))


def conv2d(machine: Machine, size: int, channels: int) -> Plan | Refusal:
    """An int8 convolution, 3x3, padding 1."""
    w = np.random.default_rng(0).integers(-128, 128, (channels, channels, 3, 3)).astype(np.int8)
    y = Requantisation(np.int8, 3, np.float32(1e-4))
    return plan_conv2d(
        machine, Conv2dCase((1, size, size, channels), Quantised(np.int8, 5), w, -3, y, pads=(1, 1, 1, 1))
    )


@dataclass(frozen=True)
class Speeds:
    """A kernel's launch on both sides: CPU seconds (of the simulator: first launch, one that the session knows, the same two for cycles
    alone), and the cycles that both counted."""

    name: str
    cycles: int
    simulator_seconds: float
    known_seconds: float
    timing_seconds: float
    known_timing_seconds: float
    rtl_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster the simulator is."""
        return self.rtl_seconds / self.simulator_seconds


def in_session(session: Session, plan: Plan) -> PlacedPlan:
    """The plan there, with an activation of random bytes."""
    placed = place(session, plan, plan.kernel)
    activation = next(buffer for buffer in plan.buffers if buffer.contents is None and buffer.name != plan.output)
    placed.write(activation.name, np.random.default_rng(1).integers(0, 255, activation.nbytes, np.uint8))
    return placed


def measure(name: str, plan: Plan | Refusal) -> Speeds:
    """Speeds of one kernel; ends the program if the two sides count other cycles."""
    if isinstance(plan, Refusal):
        raise SystemExit(f"{name}: {plan.reason}")
    session = RecordingSession(plan.machine)
    placed = in_session(session, plan)
    cycles = placed.launch().cycles  # compiles
    simulator_seconds = least_first_seconds(lambda: in_session(Session(plan.machine), plan).launch, REPEATS)
    placed.launch()
    placed.launch()
    known_seconds = least_seconds(placed.launch, REPEATS)
    timing = in_session(Session(plan.machine, mode=Mode.TIMING), plan)
    if timing.launch().cycles != cycles:
        raise SystemExit(f"{name}: other cycles without values")
    known_timing_seconds = least_seconds(timing.launch, REPEATS)
    timing_seconds = least_first_seconds(lambda: in_session(Session(plan.machine, mode=Mode.TIMING), plan).launch, REPEATS)

    rtl = rtl_of(plan.machine)
    mine = session.memories
    memories = Memories(mine.dram, mine.scratchpad, mine.accumulator)
    program, arguments = session.launched
    started = time.process_time()
    result = rtl.run(program.words, arguments, memories, DEFAULT_MAX_CYCLES)
    rtl_seconds = time.process_time() - started
    if result.cycles != cycles:
        raise SystemExit(f"{name}: {cycles} cycles in the simulator, {result.cycles} in the RTL")
    return Speeds(name, cycles, simulator_seconds, known_seconds, timing_seconds, known_timing_seconds, rtl_seconds)


def measurements() -> Iterator[Speeds]:
    """All kernels of the benchmark."""
    for size in (128, 256, 512):
        yield measure(f"gemm {size}x{size}x{size}", gemm(MACHINE, size))
    yield measure("conv2d 28x28x64, 3x3", conv2d(MACHINE, 28, 64))


def rows() -> Iterator[Row]:
    """CPU seconds of the simulator, values and all checks on, then of cycles alone, against the RTL's."""
    against = "times as fast as the verilated RTL"
    for m in measurements():
        sides = {
            "first launch": (m.simulator_seconds, BAR),
            "known launch": (m.known_seconds, ""),
            "timing only, first launch": (m.timing_seconds, ""),
            "timing only, known launch": (m.known_timing_seconds, TIMING_BAR),
        }
        for side, (seconds, bar) in sides.items():
            yield Row(f"{m.name}, {side}", MACHINE.name, seconds, "s", against, m.rtl_seconds / seconds, bar)


def main() -> None:
    """Print all; exit code 1 if any cycle count differs."""
    for m in measurements():
        print(
            f"{m.name:<28} {m.cycles:>9,} cycles  simulator {m.cycles / m.simulator_seconds / 1e6:8.1f} M/s"
            f"  RTL {m.cycles / m.rtl_seconds / 1e6:5.2f} M/s  ratio {m.ratio:7.0f}"
        )


if __name__ == "__main__":
    main()
