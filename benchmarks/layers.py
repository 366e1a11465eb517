"""Cycles of real networks' convolutions and classifiers on edge-16: `python -m benchmarks.layers [resnet50|efficientnet]`.

The bound of a layer is the largest of MACs / PEs (depthwise: / lanes of the vector unit), compulsory bytes read / bus, and compulsory
bytes written / bus, where compulsory means each input, weight and output byte once: no lanes that are padded, no page that is opened, no
latency. Activations begin and end in DRAM.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.launch import place
from accelkit.kernels.plan import Plan, Quantised, Refusal, Requantisation
from accelkit.simulator import Session
from benchmarks.row import Row

MACHINE = load_machine("edge-16")
INT8 = Quantised(np.int8, 3)
LOW = 0.80  # layers below that share of their bound need an explanation
REASONS = {
    "conv1": "3 channels x 7 columns = 21 of 32 array rows: 14 preloads for a depth of 147, and x is copied for its padding",
    "stem": "3 channels x 3 columns = 9 of 16 array rows, and x is copied for its padding",
    "1000 classes": "each DRAM page of weights costs a page miss (20 cycles for 128 of transfer)",
}
PADDED = "channels or outputs are no multiple of 16: lanes of the last block idle"
PAGES = "the DRAM side that bounds it opens a page (20 cycles) every 2 KiB (128 cycles)"


@dataclass(frozen=True)
class Layer:
    """A square convolution, or with size 0 a product of one row; `count` of the same in the network."""

    name: str
    size: int
    channels: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    count: int = 1
    is_depthwise: bool = False

    def plan(self, machine: Machine) -> Plan | Refusal:
        """The kernel's plan, SAME padding."""
        y = Requantisation(np.int8, -5, np.full(self.outputs, 1e-4, np.float32), np.zeros(self.outputs, np.int32))
        rng = np.random.default_rng(0)
        if not self.size:
            weights = rng.integers(-128, 128, (self.channels, self.outputs)).astype(np.int8)
            return plan_gemm(machine, GemmCase(1, self.outputs, self.channels, INT8, INT8, y, weights))
        depth = 1 if self.is_depthwise else self.channels
        weights = rng.integers(-128, 128, (self.outputs, depth, self.kernel, self.kernel)).astype(np.int8)
        x_shape = (1, self.size, self.size, self.channels)
        pads, groups = (self.kernel // 2,) * 4, self.channels if self.is_depthwise else 1
        return plan_conv2d(machine, Conv2dCase(x_shape, INT8, weights, 0, y, (self.stride,) * 2, pads, groups=groups))

    def bound(self, machine: Machine) -> tuple[float, str]:
        """Cycles, and what bounds: MACs, reads or writes."""
        positions = (self.size // self.stride) ** 2 if self.size else 1
        weights = self.kernel**2 * self.outputs * (1 if self.is_depthwise else self.channels)
        macs_per_cycle = machine.lanes if self.is_depthwise else machine.peak_macs_per_cycle
        read = self.channels * (positions if self.kernel == 1 else self.size**2)
        limits = [
            (positions * weights / macs_per_cycle, "MACs"),
            ((read + weights) / machine.bus_bytes, "reads"),
            (positions * self.outputs / machine.bus_bytes, "writes"),
        ]
        return max(limits)


def resnet50() -> Iterator[Layer]:
    """ResNet-50 with the strides in the first 1x1 convolution of a stage, 53 convolutions and the classifier."""
    yield Layer("conv1", 224, 3, 64, 7, 2)
    size, channels = 56, 64
    for stage, (middle, blocks, stride) in enumerate(((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)), 2):
        outputs = 4 * middle
        yield Layer(f"conv{stage} shortcut", size, channels, outputs, 1, stride)
        yield Layer(f"conv{stage} first 1x1", size, channels, middle, 1, stride)
        size //= stride
        yield Layer(f"conv{stage} 3x3", size, middle, middle, 3, count=blocks)
        yield Layer(f"conv{stage} last 1x1", size, middle, outputs, count=blocks)
        yield Layer(f"conv{stage} other 1x1", size, outputs, middle, count=blocks - 1)
        channels = outputs
    yield Layer("1000 classes", 0, 2048, 1000)


def efficientnet() -> Iterator[Layer]:
    """EfficientNet-Lite0: 49 convolutions, 16 of them depthwise, and the classifier."""
    yield Layer("stem", 224, 3, 32, 3, 2)
    yield Layer("project 16", 112, 32, 16)
    yield Layer("depthwise 32", 112, 32, 32, 3, is_depthwise=True)
    channels, size = 16, 112
    for outputs, blocks, stride, kernel in (
        (24, 2, 2, 3),
        (40, 2, 2, 5),
        (80, 3, 2, 3),
        (112, 3, 1, 5),
        (192, 4, 2, 5),
        (320, 1, 1, 3),
    ):
        wide = 6 * channels
        yield Layer(f"expand {channels}", size, channels, wide)
        yield Layer(f"depthwise {wide}", size, wide, wide, kernel, stride, is_depthwise=True)
        size //= stride
        yield Layer(f"project {outputs}, first", size, 6 * channels, outputs)
        if blocks > 1:
            yield Layer(f"expand {outputs}, others", size, outputs, 6 * outputs, count=blocks - 1)
            wide = 6 * outputs
            yield Layer(f"depthwise {wide}, others", size, wide, wide, kernel, count=blocks - 1, is_depthwise=True)
            yield Layer(f"project {outputs}, others", size, 6 * outputs, outputs, count=blocks - 1)
        channels = outputs
    yield Layer("head", 7, 320, 1280)
    yield Layer("1000 classes", 0, 1280, 1000)


NETWORKS = {"resnet50": resnet50, "efficientnet": efficientnet}
BARS = {"resnet50": 1.04, "efficientnet": 1.10}  # cycles of all layers over the sum of their bounds, at most


@dataclass(frozen=True)
class Measured:
    """A layer's cycles, launches included, and its bound."""

    layer: Layer
    cycles: int
    bound: float
    bounded_by: str
    tiling: str

    @property
    def reason(self) -> str:
        """Why it stays below 80 % of its bound, if it does."""
        if self.bound >= LOW * self.cycles:
            return ""
        default = PADDED if self.layer.channels % MACHINE.lanes or self.layer.outputs % MACHINE.lanes else PAGES
        return REASONS.get(self.layer.name, default)


def measure(layer: Layer) -> Measured:
    """Runs a layer once: its cycles depend on no data."""
    plan = layer.plan(MACHINE)
    if isinstance(plan, Refusal):
        raise SystemExit(f"{layer.name}: {plan.reason}")
    placed = place(Session(MACHINE), plan, "layer")
    first = next(buffer for buffer in plan.buffers if buffer.name in ("x", "a"))
    placed.write(first.name, np.zeros(first.nbytes, np.uint8))
    cycles = placed.launch().cycles + (len(plan.steps) - 1) * MACHINE.launch_cycles
    return Measured(layer, cycles, *layer.bound(MACHINE), plan.tiling)


def measure_network(name: str) -> list[Measured]:
    """All layers of a network."""
    return [measure(layer) for layer in NETWORKS[name]()]


def totals(measured: list[Measured]) -> tuple[int, float]:
    """Cycles and bounds of all layers, each as often as the network has it."""
    return sum(m.cycles * m.layer.count for m in measured), sum(m.bound * m.layer.count for m in measured)


def rows() -> Iterator[Row]:
    """Cycles of all layers of each network, launches included, against the sum of their bounds."""
    for network, bar in BARS.items():
        cycles, bound = totals(measure_network(network))
        yield Row(
            f"layers of {network}", MACHINE.name, cycles, "cycles", "x the sum of bounds", cycles / bound, f"ratio <= {bar}"
        )


def main() -> None:
    """Print a table for each network."""
    for network in sys.argv[1:] or NETWORKS:
        print(f"{network} on {MACHINE.name}")
        print(f"{'layer':26} {'shape':24} {'count':>5} {'cycles':>9} {'bound':>9} {'over':>6}  by      tiles")
        measured = measure_network(network)
        for m in measured:
            layer = m.layer
            shape = f"{layer.size or 1}x{layer.size or 1}x{layer.channels} {layer.kernel}x{layer.kernel}/{layer.stride} {layer.outputs}"
            print(
                f"{layer.name:26} {shape:24} {layer.count:5} {m.cycles:9,} {m.bound:9,.0f} {m.cycles / m.bound:6.3f}"
                f"  {m.bounded_by:6}  {m.tiling}"
            )
            if m.reason:
                print(f"{'':26} below {LOW:.0%} of its bound: {m.reason}")
        cycles, bound = totals(measured)
        print(f"{'all':26} {'':24} {sum(m.layer.count for m in measured):5} {cycles:9,} {bound:9,.0f} {cycles / bound:6.3f}\n")


if __name__ == "__main__":
    main()
