"""The roofline of a model's layers, from its report: what bounds each, and how near it comes.

A layer with multiply-accumulates stands at its MACs per DRAM byte (of the busier way: reads and writes have a bus each) and its MACs
per cycle. The roofs are the bus (a slope) and the array (a level); both hold for every launch, so that no measured point lies above.
A layer without MACs stands at its cycles and its DRAM bytes per cycle, under the roof of the bus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.report import Summary


@dataclass(frozen=True)
class Point:
    """A layer. `intensity` is in MACs per byte and None without DRAM traffic; `rate` in MACs, `bandwidth` in bytes per cycle."""

    index: int
    name: str
    op: str
    bound: str
    cycles: int
    nbytes: int
    macs: int
    intensity: float | None
    rate: float
    bandwidth: float


def points(summary: Summary, machine: Machine) -> list[Point]:
    """A point for every node that costs cycles on the accelerator, in the model's order; nodes fused into it count with it."""
    return [_point(node, machine) for node in summary["nodes"] if node.get("cycles")]


def _point(node: dict[str, Any], machine: Machine) -> Point:
    moved, cycles = node["bytes"], node["cycles"]
    nbytes = max(moved.get(f"dram_{way}", moved[f"dram_{way}_least"]) for way in ("read", "written"))
    macs = round(node["utilisation"] * machine.peak_macs_per_cycle * cycles)
    return Point(
        node["index"],
        node["name"],
        node["op"],
        node["bound"],
        cycles,
        nbytes,
        macs,
        macs / nbytes if nbytes else None,
        macs / cycles,
        nbytes / cycles,
    )


def roof(intensity: float, machine: Machine) -> float:
    """The most MACs in a cycle at that many MACs per byte."""
    return min(float(machine.peak_macs_per_cycle), intensity * machine.bus_bytes)


def ridge(machine: Machine) -> float:
    """MACs per byte from which on the array bounds."""
    return machine.peak_macs_per_cycle / machine.bus_bytes


def extent(some: list[Point], machine: Machine) -> tuple[float, float]:
    """Least and largest intensity that a picture shows; layers without DRAM traffic are drawn at its right edge."""
    known = [point.intensity for point in some if point.macs and point.intensity]
    return min([*known, ridge(machine)]) / 2, max([*known, ridge(machine)]) * 4
