"""What a placement is and what a model cost, as data: one row for each node of the file, totals and shares, transfers, islands, memory.

Cycles never depend on data, so one run (one batch of the model's own size) stands for all. Times of the host are measured, shown
beside the cycles and never added to them (docs/adr/0005). Keys and units: docs/models.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from accelkit.isa.row import Memory
from accelkit.kernels.onnx.areas import constant_bytes
from accelkit.kernels.onnx.bounds import find_bound, is_on_array, losses
from accelkit.kernels.onnx.executor import Executor, Measured
from accelkit.kernels.onnx.extents import product_extents
from accelkit.kernels.onnx.placement import Placement
from accelkit.kernels.onnx.records import Record, Where
from accelkit.kernels.onnx.schedule import Island, Launch

Summary = dict[str, Any]


def explain(placement: Placement) -> Summary:
    """The report of a placement that hasn't run: cycles are estimates of the planners."""
    return _Report(placement, None).summary()


def summarise(executor: Executor) -> Summary:
    """The report of all runs so far; cycles, launches and bytes of nodes are those of one run."""
    return _Report(executor.placement, executor).summary()


class _Report:
    def __init__(self, placement: Placement, executor: Executor | None) -> None:
        self._placement = placement
        self._executor = executor
        self._runs = executor.runs if executor else 0
        self._machine = placement.machine

    def summary(self) -> Summary:
        nodes = [self._node(record) for record in self._placement.records]
        summary: Summary = {
            "model": self._placement.graph.source,
            "machine": self._machine.name,
            "array": [self._machine.array_rows, self._machine.array_columns],
            "clock_ghz": self._machine.clock_ghz,
            "runs": self._runs,
            "nodes": nodes,
            "totals_per_run": self._totals(nodes),
            "memory": self._memory(),
            "transfers": [] if self._executor is None else [asdict(t) for t in self._executor.memory.transfers.values()],
            "cpu": self._cpu(),
        }
        if self._runs:
            once = summary["totals_per_run"]
            summary["totals"] = {key: once[key] * self._runs for key in ("launches", "cycles", "milliseconds")}
        return summary

    def _node(self, record: Record) -> Summary:
        entry: Summary = {
            "index": record.node.index,
            "name": record.node.name,
            "op": record.node.op_type,
            "where": record.where.value,
            "code": record.code,
            "reason": record.reason,
            "note": record.note,
            "into": list(record.into),
            "macs": record.macs,
        }
        if record.island is not None:
            entry["island"] = record.island
        if record.where is Where.ACCELERATOR:
            entry |= self._cost(record)
        return entry

    def _cost(self, record: Record) -> Summary:
        steps = [self._launch(number) for number in record.launches]
        tasks = tuple(step.task for step in steps)
        bound = find_bound(self._machine, self._placement.graph, tasks)
        cycles = self._cycles(record.launches)
        macs = sum(task.plan.macs for task in tasks)
        entry: Summary = {
            "kernel": "+".join(dict.fromkeys(task.plan.kernel for task in tasks)),
            "tiling": "; ".join(dict.fromkeys(task.plan.tiling for task in tasks)),
            "launches": sum(len(task.plan.steps) for task in tasks),
            "cycles": cycles,
            "estimate_cycles": self._estimate(record.launches),
            "utilisation": self._utilisation(macs, cycles),
            "bound": bound.kind,
            "bound_cycles": round(bound.cycles),
            "bound_share": bound.cycles / cycles if cycles else 0.0,
            "bytes": {"dram_read_least": bound.read_bytes, "dram_written_least": bound.write_bytes},
            "conversions": {
                "launches": sum(len(self._launch(number).task.plan.steps) for number in record.conversions),
                "cycles": self._cycles(record.conversions),
            },
        }
        extents = product_extents(tasks[0].call.case)
        if extents is not None and is_on_array(tasks[0].plan):
            entry["extents"] = extents
        results = [m.last for m in self._measured(record.launches) if m.last is not None]
        if results:
            entry["units"] = {
                unit.name.lower(): {
                    kind.name.lower(): total for kind in classes if (total := sum(result.units[unit][kind] for result in results))
                }
                for unit, classes in results[0].units.items()
            }
            entry["bytes"] |= {
                f"{memory.name.lower()}_{side}": sum(getattr(result.traffic[memory], side) for result in results)
                for memory in Memory
                for side in ("read", "written")
            }
            entry |= losses(entry, macs, bound)
        return entry

    def _totals(self, nodes: list[Summary]) -> Summary:
        placement, machine = self._placement, self._machine
        numbers = [number for number, step in enumerate(placement.steps) if isinstance(step, Launch)]
        conversions = [number for number in numbers if self._launch(number).converts]
        launches = sum(len(self._launch(number).task.plan.steps) for number in numbers)
        kernel_cycles = self._cycles(numbers)
        cycles = kernel_cycles + launches * machine.launch_cycles
        macs = sum(record.macs for record in placement.records)
        accelerated = sum(record.macs for record in placement.records if record.where is not Where.CPU)
        fallbacks = sum(record.where is Where.CPU for record in placement.records)
        counts = {where.value: sum(record.where is where for record in placement.records) for where in Where}
        return {
            "nodes": {where: count for where, count in counts.items() if count},
            "by_op": _by_op(nodes, kernel_cycles),
            "accelerator_share_of_nodes": 1 - fallbacks / len(placement.records),
            "macs": macs,
            "accelerator_macs": accelerated,
            "accelerator_share_of_macs": accelerated / macs if macs else 1.0,
            "launches": launches,
            "kernel_cycles": kernel_cycles,
            "launch_cycles": launches * machine.launch_cycles,
            "conversion_cycles": self._cycles(conversions),
            "cycles": cycles,
            "bound_cycles": sum(node.get("bound_cycles", 0) for node in nodes),
            "milliseconds": cycles / machine.clock_ghz / 1e6,
            "bytes": _sum_bytes(nodes),
            "kernel_utilisation": self._utilisation(accelerated, kernel_cycles),
            "utilisation": self._utilisation(accelerated, cycles),
        }

    def _memory(self) -> Summary:
        arena = self._placement.arena
        return {
            "activation_bytes": arena.nbytes,
            "activation_bytes_least": arena.least_bytes,
            "activation_bytes_without_reuse": sum(life.nbytes for life in self._placement.lives.values()),
            "constant_bytes": constant_bytes(self._placement.steps, self._placement.graph),
        }

    def _cpu(self) -> Summary:
        islands = []
        for number, step in enumerate(self._placement.steps):
            if isinstance(step, Island):
                seconds = self._executor.measured[number].seconds if self._executor else 0.0
                islands.append({"island": number, "nodes": [node.name for node in step.nodes], "host_milliseconds": seconds * 1e3})
        return {"islands": islands, "host_milliseconds": sum(island["host_milliseconds"] for island in islands)}

    def _launch(self, number: int) -> Launch:
        step = self._placement.steps[number]
        assert isinstance(step, Launch)
        return step

    def _measured(self, numbers: Iterable[int]) -> list[Measured]:
        return [self._executor.measured[number] for number in numbers] if self._executor else []

    def _cycles(self, numbers: Iterable[int]) -> int:
        """Cycles of one run, or estimates if there was none; without the cost of launches."""
        numbers = list(numbers)
        if self._runs:
            return sum(measured.cycles for measured in self._measured(numbers)) // self._runs
        return self._estimate(numbers)

    def _estimate(self, numbers: Iterable[int]) -> int:
        """What the planners expect; an estimate has the cost of a launch for all launches but one, which isn't the kernel's."""
        plans = [self._launch(number).task.plan for number in numbers]
        return sum(plan.estimate_cycles - (len(plan.steps) - 1) * self._machine.launch_cycles for plan in plans)

    def _utilisation(self, macs: int, cycles: int) -> float:
        """Useful MACs / (PEs x cycles)."""
        return macs / (self._machine.peak_macs_per_cycle * cycles) if cycles else 0.0


def _by_op(nodes: list[Summary], kernel_cycles: int) -> list[Summary]:
    """What each operator of the file comes to, the dearest first; conversions count with the node that needs them."""
    groups: dict[str, list[Summary]] = {}
    for node in nodes:
        groups.setdefault(node["op"], []).append(node)
    rows = []
    for op, group in groups.items():
        cycles = sum(node["cycles"] + node["conversions"]["cycles"] for node in group if "cycles" in node)
        rows.append(
            {
                "op": op,
                "nodes": len(group),
                "on_cpu": sum(node["where"] == Where.CPU.value for node in group),
                "macs": sum(node["macs"] for node in group),
                "cycles": cycles,
                "share_of_cycles": cycles / kernel_cycles if kernel_cycles else 0.0,
            }
        )
    return sorted(rows, key=lambda row: (-row["cycles"], -row["macs"], row["op"]))


def _sum_bytes(nodes: list[Summary]) -> dict[str, int]:
    total: dict[str, int] = {}
    for node in nodes:
        for kind, nbytes in node.get("bytes", {}).items():
            total[kind] = total.get(kind, 0) + nbytes
    return total
