"""A report for people and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from accelkit.kernels.onnx.records import Where
from accelkit.kernels.onnx.report import Summary

_COLUMNS = ("#", "node", "op", "runs on", "kernel", "MACs", "DRAM KB", "cycles", "util", "bound", "of bound", "launches", "why / note")
_RIGHT = {"#", "MACs", "DRAM KB", "cycles", "util", "of bound", "launches"}
_SHOWN_TRANSFERS = 4  # --json has them all


def format_table(summary: Summary) -> str:
    """The table of nodes, then totals, memory, transfers and the CPU's time."""
    rows = [_COLUMNS, *(_row(node) for node in summary["nodes"])]
    return "\n".join([*align(rows, _RIGHT), "", *_by_op(summary), "", *_totals(summary)])


def _by_op(summary: Summary) -> list[str]:
    once = summary["totals_per_run"]
    rows = [("op", "nodes", "on the CPU", "of nodes", "of MACs", "of cycles")]
    for row in once["by_op"]:
        rows.append(
            (
                row["op"],
                str(row["nodes"]),
                str(row["on_cpu"]) if row["on_cpu"] else "",
                _share(row["nodes"], len(summary["nodes"])),
                _share(row["macs"], once["macs"]),
                _share(row["cycles"], once["kernel_cycles"]),
            )
        )
    return align(rows, set(rows[0][1:]))


def align(rows: Sequence[tuple[str, ...]], right: set[str]) -> list[str]:
    """Rows with columns of one width; the first has the names, `right` those to align at the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = zip(rows[0], row, widths, strict=True)
        padded = [cell.rjust(width) if name in right else cell.ljust(width) for name, cell, width in cells]
        lines.append("  ".join(padded).rstrip())
    return lines


def _row(node: Summary) -> tuple[str, ...]:
    is_on_accelerator = node["where"] == Where.ACCELERATOR.value
    why = f"{node['code']}: {node['reason']}" if node["code"] else node["reason"]
    parts = [why, node["note"], f"into {', '.join(node['into'])}" if node["into"] else ""]
    return (
        str(node["index"]),
        node["name"],
        node["op"],
        node["where"],
        node.get("kernel", ""),
        f"{node['macs']:,}" if node["macs"] else "",
        f"{dram_bytes(node) / 1000:,.1f}" if is_on_accelerator else "",
        f"{node['cycles']:,}" if is_on_accelerator else "",
        f"{node['utilisation']:.1%}" if is_on_accelerator else "",
        node.get("bound", ""),
        f"{node['bound_share']:.0%}" if is_on_accelerator else "",
        str(node["launches"]) if is_on_accelerator else "",
        "; ".join(part for part in parts if part),
    )


def dram_bytes(node: Summary) -> int:
    """DRAM bytes read and written; the least there can be if nothing has run."""
    moved = node["bytes"]
    return int(sum(moved.get(f"dram_{way}", moved[f"dram_{way}_least"]) for way in ("read", "written")))


def _totals(summary: Summary) -> list[str]:
    once, runs = summary["totals_per_run"], summary["runs"]
    about = "" if runs else "about "
    per_launch = once["launch_cycles"] // max(once["launches"], 1)
    counts = ", ".join(f"{count} {where}" for where, count in once["nodes"].items())
    lines = [
        f"{summary['machine']}, one run: {about}{once['cycles']:,} cycles = {once['kernel_cycles']:,} in kernels"
        f" + {once['launches']} launches x {per_launch:,}; {once['milliseconds']:.4g} ms at {summary['clock_ghz']:g} GHz",
        f"not on the CPU: {once['accelerator_share_of_nodes']:.1%} of nodes ({counts}),"
        f" {once['accelerator_share_of_macs']:.1%} of {once['macs']:,} MACs",
        f"utilisation {once['kernel_utilisation']:.1%} in kernels, {once['utilisation']:.1%} with launches;"
        f" the nodes' bounds add up to {once['bound_cycles']:,} cycles, {_share(once['bound_cycles'], once['cycles'])} of all",
    ]
    if once["conversion_cycles"]:
        share = _share(once["conversion_cycles"], once["cycles"])
        lines.append(f"layout conversions on the accelerator: {once['conversion_cycles']:,} cycles, {share} of all")
    if runs > 1:
        total = summary["totals"]
        lines.append(f"{runs} runs: {total['cycles']:,} cycles, {total['launches']:,} launches, {total['milliseconds']:.4g} ms")
    memory = summary["memory"]
    lines.append(
        f"DRAM: {memory['activation_bytes']:,} bytes of activations ({memory['activation_bytes_least']:,} at the fullest step,"
        f" {memory['activation_bytes_without_reuse']:,} without reuse), {memory['constant_bytes']:,} of constants"
    )
    return [*lines, *_host(summary)]


def _host(summary: Summary) -> list[str]:
    cpu, runs = summary["cpu"], summary["runs"]
    count = sum(len(island["nodes"]) for island in cpu["islands"])
    line = f"CPU fallback: {count} nodes in {len(cpu['islands'])} islands"
    if not runs:
        return [line]
    transfers = summary["transfers"]
    moved = sum(t["nbytes"] * t["count"] for t in transfers)
    named = [f"{t['tensor']} {t['direction']}{f' as {order}' if (order := t['order']) else ''}" for t in transfers]
    shown = [*named[:_SHOWN_TRANSFERS], *(["..."] if len(named) > _SHOWN_TRANSFERS else [])]
    names = f" ({', '.join(shown)})" if shown else ""
    moves = sum(t["count"] for t in transfers)
    seconds = sum(t["seconds"] for t in transfers)
    return [
        f"between host and DRAM: {moves:,} tensors, {moved:,} bytes, {seconds * 1e3:.3g} ms of host time{names}",
        f"{line}, {cpu['host_milliseconds']:.3g} ms of host time",
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0%"


_CSV = (
    "index", "name", "op", "where", "code", "reason", "note", "into", "macs", "kernel", "tiling", "launches", "cycles",
    "estimate_cycles", "utilisation", "bound", "bound_cycles", "bound_share",
)  # fmt: skip


def format_csv(summary: Summary) -> str:
    """The nodes as comma-separated values; the first line has the names, numbers have no separators."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    kinds = list(next((node["bytes"] for node in summary["nodes"] if "bytes" in node), {}))
    writer.writerow([*_CSV, *kinds, "conversion_cycles"])
    for node in summary["nodes"]:
        cells = [node.get(key, "") for key in _CSV]
        cells[_CSV.index("into")] = " ".join(node["into"])
        cells += [node["bytes"][kind] if "bytes" in node else "" for kind in kinds]
        writer.writerow([*cells, node["conversions"]["cycles"] if "conversions" in node else ""])
    return text.getvalue()
