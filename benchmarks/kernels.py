"""Cycles of the kernels beside gemm and conv2d on edge-16, against their bounds: `python -m benchmarks.kernels`.

A bound is the largest of MACs / PEs, beats of the vector unit (rows that it reads), and compulsory bytes read and written / bus, each
byte once. Tensors begin and end in DRAM; launches after a plan's first are counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.kernels.batched import BatchedCase, plan_batched
from accelkit.kernels.conv_transpose import ConvTransposeCase, plan_conv_transpose
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.elementwise import PairCase, plan_lookup, plan_pair
from accelkit.kernels.gather import plan_gather
from accelkit.kernels.gemm import GemmCase
from accelkit.kernels.launch import place
from accelkit.kernels.layouts import (
    plan_concat,
    plan_pad,
    plan_repeat,
    plan_slice,
    plan_space_to_depth,
    plan_transpose,
)
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.simulator import Session
from benchmarks.row import Row

MACHINE = load_machine("edge-16")
INT8 = Quantised(np.int8, 3)
IMAGE = (1, 56, 56, 128)
TABLE = np.arange(256).astype(np.uint8)


@dataclass(frozen=True)
class Job:
    """A kernel's case with its plan, the rows that the vector unit reads, and the bar: cycles over bound, at most."""

    name: str
    plan: Plan | Refusal
    bar: float
    beats: int = 0
    read: int | None = None  # bytes that are needed of x, None: all

    def bound(self) -> float:
        """Cycles that no program can do without."""
        assert isinstance(self.plan, Plan), self.plan
        read = self.read or sum(buffer.nbytes for buffer in self.plan.buffers if not buffer.is_writable)
        written = self.plan.buffer(self.plan.output).nbytes
        peak, bus = MACHINE.peak_macs_per_cycle, MACHINE.bus_bytes
        return max(self.plan.macs / peak, self.beats, read / bus, written / bus)

    def cycles(self) -> int:
        """Exact cycles: they depend on no data."""
        assert isinstance(self.plan, Plan), self.plan
        placed = place(Session(MACHINE), self.plan, "job")
        for buffer in self.plan.buffers:
            if buffer.contents is None and not buffer.is_writable:
                placed.write(buffer.name, np.zeros(buffer.nbytes, np.uint8))
        return placed.launch().cycles + (len(self.plan.steps) - 1) * MACHINE.launch_cycles


def jobs() -> Iterator[Job]:
    """A case for each kernel, of the size that it has in networks."""
    rows = prod(IMAGE) // MACHINE.lanes
    half = prod(IMAGE) // 2
    pixel = [list(range(size)) for size in IMAGE]
    pair = PairCase(IMAGE, IMAGE, INT8, INT8, INT8, 0.1, 0.2, 0.3)
    channels = PairCase(IMAGE, (1, 1, 1, 128), INT8, INT8, INT8, 0.1, 0.2, 0.3, is_product=True)
    yield Job("add", plan_pair(MACHINE, pair), 1.25, 2 * rows)
    yield Job("multiply, by channel", plan_pair(MACHINE, channels), 1.2, 2 * rows)
    yield Job("lookup", plan_lookup(MACHINE, IMAGE, TABLE), 1.25, rows)
    convert = ConvertCase(IMAGE, INT8, 0.1)
    yield Job("quantise", plan_quantise(MACHINE, convert), 1.2, rows)
    yield Job("dequantise", plan_dequantise(MACHINE, convert), 1.2, rows)
    pool = PoolCase(IMAGE, INT8, (3, 3), (2, 2), (0, 0, 1, 1))
    yield Job("maximum pool 3x3/2", plan_pool(MACHINE, pool), 1.1, 9 * rows // 4)
    average = PoolCase((1, 7, 7, 2048), INT8, (7, 7), is_average=True)
    yield Job("global average pool 7x7x2048", plan_pool(MACHINE, average), 1.9, 49 * 2048 // 16)
    yield Job("transpose NHWC to NCHW", plan_transpose(MACHINE, IMAGE, (0, 3, 1, 2)), 2.4)
    yield Job("channel shuffle 28x28, 3 x 80", plan_transpose(MACHINE, (1, 28, 28, 3, 80), (0, 1, 2, 4, 3)), 11)
    yield Job("concat", plan_concat(MACHINE, [IMAGE, IMAGE], 3), 1.4)
    yield Job("concat through a table", plan_concat(MACHINE, [IMAGE, IMAGE], 3, [TABLE, None]), 1.4)
    odd = [(1, 28, 28, 63), (1, 28, 28, 127)]
    yield Job("concat, odd channels", plan_concat(MACHINE, odd, 3), 3)
    yield Job("slice of channels", plan_slice(MACHINE, IMAGE, [*[slice(None)] * 3, slice(64, None)]), 1.55, read=half)
    yield Job("pad", plan_pad(MACHINE, IMAGE, [(0, 0), (1, 1), (1, 1), (0, 0)], 0), 1.5)
    yield Job("space to depth", plan_space_to_depth(MACHINE, IMAGE, 2), 1.5)
    yield Job("repeat 2x2", plan_repeat(MACHINE, IMAGE, (1, 2, 2, 1)), 1.25)
    reflected = [1, *range(56), 54]
    yield Job("pad by reflection", plan_gather(MACHINE, IMAGE, [pixel[0], reflected, reflected, pixel[3]]), 1.7)
    larger = [i * 2 // 3 for i in range(84)]
    yield Job("resize by 3/2", plan_gather(MACHINE, IMAGE, [pixel[0], larger, larger, pixel[3]]), 1.9)
    product = GemmCase(197, 197, 64, INT8, INT8, Requantisation(np.int8, 0, 0.01))
    yield Job("batched gemm 12x197x64x197", plan_batched(MACHINE, BatchedCase(product, (12,), (12,))), 1.35)
    weights = np.ones((128, 64, 2, 2), np.int8)
    upsampling = ConvTransposeCase((1, 28, 28, 128), INT8, weights, 0, Requantisation(np.int8, 0, 0.01), (2, 2))
    yield Job("transposed conv2d 2x2/2", plan_conv_transpose(MACHINE, upsampling), 1.1)


def rows() -> Iterator[Row]:
    """Cycles of each kernel, against its bound."""
    for job in jobs():
        cycles = job.cycles()
        yield Row(job.name, MACHINE.name, cycles, "cycles", "x its bound", cycles / job.bound(), f"ratio <= {job.bar}")


def main() -> None:
    """Print a table."""
    print(f"{'kernel':30} {'cycles':>9} {'bound':>9} {'over':>6} {'bar':>6}  tiles")
    for job in jobs():
        assert isinstance(job.plan, Plan), job.plan
        cycles, bound = job.cycles(), job.bound()
        print(f"{job.name:30} {cycles:9,} {bound:9,.0f} {cycles / bound:6.3f} {job.bar:6.2f}  {job.plan.tiling}")


if __name__ == "__main__":
    main()
