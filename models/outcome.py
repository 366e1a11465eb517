"""What a check found: placement, cycles against the bound, differences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from accelkit.isa.machine import load_machine
from models.bounds import TensorSize, measure

Array = npt.NDArray[Any]
SLOW = 0.8  # a layer below this share of its bound is listed
_NEVER_INTEGER = {"LRN", "Softmax"}  # stay in float, in every int8 runtime


@dataclass(frozen=True)
class Layer:
    """A node of the accelerator with those that are fused into it: cycles of one run, and the least that they take one by one."""

    name: str
    op: str
    cycles: int
    bound: int
    why: str  # what its cycles went to

    @property
    def efficiency(self) -> float:
        return self.bound / self.cycles if self.cycles else 1.0


@dataclass(frozen=True)
class Outcome:
    """Of one model on one machine; cycles, launches and MACs are those of one run."""

    model: str
    machine: str
    runs: int
    nodes: int  # of the file, but for constants
    on_accelerator: int  # of them; views of its memory count
    can_fall_back: int  # LRN and Softmax on the CPU
    macs: int
    accelerator_macs: int
    cycles: int  # launches included
    fused_bound: int  # the report's: what fusion leaves out of DRAM isn't counted
    layers: tuple[Layer, ...]
    compared: int
    differences: tuple[str, ...]
    reasons: Mapping[str, int]
    peak_bytes: int
    host_seconds: float

    @property
    def bound(self) -> int:
        """Of the file's nodes, one by one, whatever is fused."""
        return sum(layer.bound for layer in self.layers)


def same_bits(a: Array, b: Array) -> bool:
    """Equal in type, shape and every value; NaN equals NaN, 0.0 doesn't equal -0.0."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not np.issubdtype(a.dtype, np.floating):
        return bool(np.array_equal(a, b))
    same = (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
    return bool(same.all())


def judge(
    name: str, machine: str, model: onnx.ModelProto, values: Mapping[str, Array], report: Path, compared: int, differences: list[str]
) -> Outcome:
    """`values` are all tensors of a run, for their sizes; `report` is the simulator's."""
    summary = json.loads(report.read_text())
    known = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer} | dict(values)
    sizes = {tensor: TensorSize(value.shape, value.nbytes) for tensor, value in known.items()} | _declared(model)
    chip = load_machine(machine)
    working = {entry["name"] for entry in summary["nodes"] if entry["where"] in ("accelerator", "fused")}
    bounds = {node.name: measure(node, sizes).bound_cycles(chip) for node in model.graph.node if node.name in working}
    joined = {entry["name"]: entry["into"][0] for entry in summary["nodes"] if entry["where"] == "fused"}
    for part, main in joined.items():
        bounds[main] += bounds[part]
    layers = [
        Layer(entry["name"], entry["op"], entry["cycles"] + entry["conversions"]["cycles"], bounds[entry["name"]], _explain(entry))
        for entry in summary["nodes"]
        if entry["where"] == "accelerator"
    ]
    where = Counter(entry["where"] for entry in summary["nodes"])
    on_cpu = [entry for entry in summary["nodes"] if entry["where"] == "cpu"]
    once = summary["totals_per_run"]
    return Outcome(
        model=name,
        machine=chip.name,
        runs=summary["runs"],
        nodes=len(summary["nodes"]) - where["constant"],
        on_accelerator=len(summary["nodes"]) - where["constant"] - where["cpu"],
        can_fall_back=sum(entry["op"] in _NEVER_INTEGER for entry in on_cpu),
        macs=once["macs"],
        accelerator_macs=once["accelerator_macs"],
        cycles=once["cycles"],
        fused_bound=once["bound_cycles"],
        layers=tuple(layers),
        compared=compared,
        differences=tuple(differences),
        reasons=Counter(f"{entry['op']}: {entry['reason']}" for entry in on_cpu),
        peak_bytes=summary["peak_bytes"],
        host_seconds=summary["host_seconds"],
    )


def _explain(entry: Mapping[str, Any]) -> str:
    """In the report's terms: how busy the unit is that bounds the layer, how much of that is useful, what it waits for most."""
    filled = "" if entry["fill"] is None else f", {entry['fill']:.0%} of that useful"
    return f"{entry['main_unit']} busy {entry['busy']:.0%}{filled}; waits: {entry['waits'] or 'none'}"


def _declared(model: onnx.ModelProto) -> dict[str, TensorSize]:
    sizes = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = tuple(dim.dim_value for dim in kind.shape.dim)
        itemsize = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)).itemsize
        sizes[value.name] = TensorSize(shape, int(np.prod(shape)) * itemsize)
    return sizes
