"""Simulator against SCALE-Sim on convolutions of ResNet-50: `python -m benchmarks.scalesim [--all]`. Both in one run, in CPU seconds.

SCALE-Sim counts cycles of a systolic array of the same size and computes no values; the simulator computes cycles and values with all
checks on. Its launches are first ones of a session (planning has a row of its own); SCALE-Sim's seconds begin when it is imported, and it
saves no traces. The suite takes a layer or two for each machine, `--all` every layer: most of an hour, nearly all of it SCALE-Sim's for
`edge-16`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.launch import place
from accelkit.kernels.plan import Plan
from accelkit.simulator import Session
from benchmarks.layers import Layer, resnet50
from benchmarks.row import Row, UnavailableError, least_first_seconds, print_rows

PYTHON = Path(__file__).parents[1] / "build" / "scalesim" / "bin" / "python"
BAR = "ratio >= 400"
# layers that SCALE-Sim does in seconds, half a minute on the small array
SUITE = {"server-128": ("conv2 3x3", "conv4 3x3"), "edge-16": ("conv5 other 1x1",)}


@dataclass(frozen=True)
class Measured:
    """A layer on both sides: CPU seconds; ours of a launch, and of planning it."""

    layer: Layer
    theirs: float
    ours: float
    planning: float


def measure(layer: Layer, machine: Machine) -> Measured:
    """Run a layer on both sides."""
    started = time.process_time()
    plan = layer.plan(machine)
    planning = time.process_time() - started
    assert isinstance(plan, Plan), plan

    def new_launch() -> Callable[[], object]:
        placed = place(Session(machine), plan, "layer")
        placed.write("x", np.random.default_rng(0).integers(0, 256, plan.buffer("x").nbytes).astype(np.uint8))
        return placed.launch

    new_launch()()  # compiles
    return Measured(layer, _scalesim(layer, machine), least_first_seconds(new_launch), planning)


def _scalesim(layer: Layer, machine: Machine) -> float:
    size = layer.size + 2 * (layer.kernel // 2)  # padded
    task = {
        "array": machine.array_rows,
        "sram_kib": machine.scratchpad_rows * machine.lanes // 2048,  # half for x, half for weights
        "words_per_cycle": machine.bus_bytes,
        "layer": [size, size, layer.kernel, layer.kernel, layer.channels, layer.outputs, layer.stride],
    }
    command = [PYTHON, "-P", Path(__file__).with_name("scalesim_layer.py"), json.dumps(task)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"scalesim on {layer.name}: {result.stderr.strip().splitlines()[-1]}")
    return float(json.loads(result.stdout.splitlines()[-1])["seconds"])


def convolutions() -> list[Layer]:
    """All of ResNet-50 but the classifier, each once; `count` says how often the network has it."""
    return [layer for layer in resnet50() if layer.size]


def macs(layer: Layer) -> int:
    """Multiplications of one such layer."""
    return (layer.size // layer.stride) ** 2 * layer.kernel**2 * layer.channels * layer.outputs


def rows(is_whole: bool = False) -> Iterator[Row]:
    """A row for each layer, then all convolutions: the sum with `is_whole`, else extrapolated by MACs and labelled so."""
    if not PYTHON.exists():
        raise UnavailableError("scalesim isn't set up; `make scalesim` installs it into an environment of its own")
    for name, chosen in SUITE.items():
        machine, measured = load_machine(name), []
        for layer in convolutions():
            if is_whole or layer.name in chosen:
                m = measure(layer, machine)
                measured.append(m)
                yield Row(f"{layer.name} of resnet50", name, m.ours, "s", "times as fast as SCALE-Sim", m.theirs / m.ours, BAR)
        yield from _together(name, measured, is_whole)


def _together(machine: str, measured: list[Measured], is_whole: bool) -> Iterator[Row]:
    """All convolutions of the network as often as it has them; of some layers, by MACs."""
    share = 1.0
    if not is_whole:
        share = sum(macs(m.layer) for m in measured) / sum(macs(layer) * layer.count for layer in convolutions())
    counts = [m.layer.count if is_whole else 1 for m in measured]
    theirs = sum(m.theirs * count for m, count in zip(measured, counts, strict=True))
    ours = sum(m.ours * count for m, count in zip(measured, counts, strict=True))
    label = "all" if is_whole else f"extrapolated by MACs from {share:.1%} of them"
    yield Row(f"SCALE-Sim, convolutions of resnet50, {label}", machine, theirs / share, "s", "x the simulator's time", theirs / ours)
    planning = sum(m.planning for m in measured)
    yield Row("planning of these layers", machine, planning, "s", "x their launches", planning / sum(m.ours for m in measured))


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", action="store_true", help="every convolution of the network (most of an hour)")
    try:
        print_rows(rows(parser.parse_args().all))
    except UnavailableError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
