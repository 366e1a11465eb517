"""What a model cost: one row per node, totals, conversions and the CPU's part, as data (`summarise`) and as a table.

Cycles never depend on data, so one run (one batch of the model's own size) stands for all. Times of the CPU are measured, shown
beside the cycles and never added to them (docs/adr/0005).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from accelkit.kernels.onnx.executor import Executor, Measured
from accelkit.kernels.onnx.placement import Record, Where

Summary = dict[str, Any]


def summarise(executor: Executor) -> Summary:
    """The report as JSON data; `nodes` has one entry per node of the file, in its order. Docs: docs/models.md."""
    placement, machine = executor.placement, executor.placement.machine
    launches = sum(m.launches for m in executor.measured.values())
    kernel_cycles = sum(m.cycles for m in executor.measured.values())
    macs = sum(record.macs for record in placement.records)
    accelerated = sum(record.macs for record in placement.records if record.plan is not None)
    runs = max(executor.runs, 1)
    launch_cycles = launches * machine.launch_cycles
    cycles = kernel_cycles + launch_cycles
    return {
        "model": placement.graph.source,
        "machine": machine.name,
        "clock_ghz": machine.clock_ghz,
        "runs": executor.runs,
        "nodes": [_node(executor, record) for record in sorted(placement.records, key=lambda record: record.node.index)],
        "totals_per_run": {
            "macs": macs,
            "accelerator_macs": accelerated,
            "launches": launches // runs,
            "kernel_cycles": kernel_cycles // runs,
            "launch_cycles": launch_cycles // runs,
            "cycles": cycles // runs,
            "milliseconds": cycles / runs / machine.clock_ghz / 1e6,
            "kernel_utilisation": _utilisation(executor, accelerated * executor.runs, kernel_cycles),
            "utilisation": _utilisation(executor, accelerated * executor.runs, cycles),
        },
        "totals": {"launches": launches, "cycles": cycles, "milliseconds": cycles / machine.clock_ghz / 1e6},
        "conversions": [asdict(conversion) for conversion in executor.memory.conversions.values()],
        "cpu": {
            "islands": [
                {
                    "stage": stage,
                    "nodes": [record.node.name for record in island.records],
                    "host_milliseconds": island.seconds * 1e3,
                }
                for stage, island in executor.islands.items()
            ],
            "host_milliseconds": sum(island.seconds for island in executor.islands.values()) * 1e3,
        },
    }


def _utilisation(executor: Executor, macs: int, cycles: int) -> float:
    """Useful MACs / (PEs x cycles)."""
    return macs / (executor.placement.machine.peak_macs_per_cycle * cycles) if cycles else 0.0


def _node(executor: Executor, record: Record) -> Summary:
    """One row; cycles, launches and units are those of one run."""
    entry: Summary = {
        "index": record.node.index,
        "name": record.node.name,
        "op": record.node.op_type,
        "where": record.where.value,
        "reason": record.reason,
        "note": record.note,
        "macs": record.macs,
    }
    if record.where is Where.CPU:
        entry["island"] = record.stage
    if record.plan is None:
        return entry
    measured = executor.measured.get(record.node.index, Measured())
    runs = max(executor.runs, 1)
    entry |= {
        "kernel": record.plan.kernel,
        "tiling": record.plan.tiling,
        "buffer_bytes": sum(buffer.nbytes for buffer in record.plan.buffers),
        "launches": measured.launches // runs,
        "cycles": measured.cycles // runs,
        "utilisation": _utilisation(executor, record.macs * executor.runs, measured.cycles),
    }
    if measured.last is not None:
        entry["units"] = {
            unit.name.lower(): {kind.name.lower(): count for kind, count in classes.items() if count}
            for unit, classes in measured.last.units.items()
        }
    return entry


_COLUMNS = ("#", "node", "op", "runs on", "MACs", "cycles", "util", "launches", "why not on the accelerator / note")
_SHOWN_CONVERSIONS = 4  # --json has them all
_RIGHT = {"#", "MACs", "cycles", "util", "launches"}


def format_table(summary: Summary) -> str:
    """The summary for people: the table of nodes, then totals, conversions and the CPU's time."""
    rows = [_COLUMNS]
    for node in summary["nodes"]:
        on_accelerator = node["where"] == Where.ACCELERATOR.value
        rows.append(
            (
                str(node["index"]),
                node["name"],
                node["op"],
                node["where"],
                f"{node['macs']:,}" if node["macs"] else "",
                f"{node['cycles']:,}" if on_accelerator else "",
                f"{node['utilisation']:.1%}" if on_accelerator else "",
                str(node["launches"]) if on_accelerator else "",
                node["reason"] or node["note"],
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    lines = []
    for row in rows:
        cells = zip(_COLUMNS, row, widths, strict=True)
        padded = [cell.rjust(width) if name in _RIGHT else cell.ljust(width) for name, cell, width in cells]
        lines.append("  ".join(padded).rstrip())
    return "\n".join([*lines, "", *_totals(summary)])


def _totals(summary: Summary) -> list[str]:
    once, runs = summary["totals_per_run"], summary["runs"]
    lines = [
        f"{summary['machine']}, one run: {once['cycles']:,} cycles = {once['kernel_cycles']:,} in kernels"
        f" + {once['launches']} launches x {once['launch_cycles'] // max(once['launches'], 1):,};"
        f" {once['milliseconds']:.4g} ms at {summary['clock_ghz']:g} GHz",
        f"MACs: {once['macs']:,}, of them {once['accelerator_macs']:,} on the accelerator"
        f" (utilisation {once['kernel_utilisation']:.1%} in kernels, {once['utilisation']:.1%} with launches)",
    ]
    if runs > 1:
        total = summary["totals"]
        lines.append(f"{runs} runs: {total['cycles']:,} cycles, {total['launches']:,} launches, {total['milliseconds']:.4g} ms")
    conversions = summary["conversions"]
    moved = sum(c["nbytes"] * c["count"] for c in conversions)
    named = [f"{c['tensor']} {c['direction']}" for c in conversions]
    shown = [*named[:_SHOWN_CONVERSIONS], *(["..."] if len(named) > _SHOWN_CONVERSIONS else [])]
    names = f" ({', '.join(shown)})" if shown else ""
    seconds = sum(c["seconds"] for c in conversions)
    lines.append(
        f"layout conversions on the host: {sum(c['count'] for c in conversions)}, {moved:,} bytes, {seconds * 1e3:.3g} ms{names}"
    )
    cpu = summary["cpu"]
    count = sum(len(island["nodes"]) for island in cpu["islands"])
    lines.append(f"CPU fallback: {count} nodes in {len(cpu['islands'])} islands, {cpu['host_milliseconds']:.3g} ms of host time")
    return lines
