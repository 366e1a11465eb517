"""Two machines side by side: the same model, node by node, and why the cycles differ."""

from __future__ import annotations

from accelkit.kernels.onnx.records import Where
from accelkit.kernels.onnx.report import Summary
from accelkit.kernels.onnx.report_text import align, dram_bytes

_LOW = 0.8  # shares below that are named as a reason
_LAUNCHES = 0.1  # a share of a node's cycles that launches or conversions must reach to be named
_KEYS = ("where", "kernel", "cycles", "utilisation", "bound", "bound_share", "bytes", "launches")


def compare_machines(left: Summary, right: Summary) -> Summary:
    """Both reports' nodes in pairs, in the order of the file: what each costs, the ratio, why they differ."""
    return {
        "machines": [left["machine"], right["machine"]],
        "cycles": [summary["totals_per_run"]["cycles"] for summary in (left, right)],
        "milliseconds": [summary["totals_per_run"]["milliseconds"] for summary in (left, right)],
        "nodes": [_pair(left, right, a, b) for a, b in zip(left["nodes"], right["nodes"], strict=True)],
    }


def _pair(left: Summary, right: Summary, a: Summary, b: Summary) -> Summary:
    cycles = [node.get("cycles") for node in (a, b)]
    return {
        "name": a["name"],
        "op": a["op"],
        "macs": a["macs"],
        "sides": [{key: node[key] for key in _KEYS if key in node} for node in (a, b)],
        "ratio": cycles[0] / cycles[1] if cycles[0] and cycles[1] else None,
        "why": _why(left, right, a, b),
    }


def _why(left: Summary, right: Summary, a: Summary, b: Summary) -> list[str]:
    """What differs in kind, then what each machine loses."""
    names = (left["machine"], right["machine"])
    if a["where"] != b["where"]:
        return [f"{name}: {_place(node)}" for name, node in zip(names, (a, b), strict=True)]
    if a["where"] != Where.ACCELERATOR.value:
        return []
    reasons = []
    if a["bound"] != b["bound"]:
        reasons.append(f"{a['bound']}-bound on {names[0]}, {b['bound']}-bound on {names[1]}")
    if a["kernel"] != b["kernel"]:
        reasons.append(f"kernel {a['kernel']} on {names[0]}, {b['kernel']} on {names[1]}")
    for summary, node in ((left, a), (right, b)):
        lost = _lost(summary, node)
        if lost:
            reasons.append(f"{summary['machine']}: {', '.join(lost)}")
    return reasons


def _place(node: Summary) -> str:
    why = f" ({node['code']}: {node['reason']})" if node["code"] else f" into {', '.join(node['into'])}" if node["into"] else ""
    return f"{node['where']}{why}"


def _lost(summary: Summary, node: Summary) -> list[str]:
    """What keeps a node from its bound, and what comes on top of its kernels."""
    lost = []
    fill, extents = node.get("fill"), node.get("extents")
    if fill is not None and fill < _LOW and node["bound_share"] < _LOW:
        lost.append(f"{node['main_unit']} filled {fill:.0%}")
    if extents is not None and node["bound_share"] < _LOW:
        for name, what, size in zip("KN", ("rows", "columns"), summary["array"], strict=True):
            if extents[name] % size:
                lost.append(f"{name} = {extents[name]} on {size} {what}")
    if node.get("busy", 1.0) < _LOW and node["bound_share"] < _LOW:
        lost.append(f"{node['main_unit']} busy {node['busy']:.0%}, else {node['waits'].replace('_', ' ')}")
    once = summary["totals_per_run"]
    launch = node["launches"] * once["launch_cycles"] // max(once["launches"], 1)
    if launch > _LAUNCHES * node["cycles"]:
        lost.append(f"+ {launch:,} cycles for {node['launches']} launch{'' if node['launches'] == 1 else 'es'}")
    converting = node["conversions"]["cycles"]
    if converting > _LAUNCHES * node["cycles"]:
        lost.append(f"+ {converting:,} cycles for conversions")
    return lost


def format_versus(versus: Summary) -> str:
    """The pairs as a table, and the totals."""
    one, other = versus["machines"]
    header = ("node", "op", f"cycles {one}", f"cycles {other}", "ratio", "util", "util'", "bound", "bound'", "KB", "KB'", "why")
    rows = [header]
    for node in versus["nodes"]:
        a, b = node["sides"]
        if "cycles" not in a and "cycles" not in b:
            continue
        cells = [f"{side['cycles']:,}" if "cycles" in side else side["where"] for side in (a, b)]
        cells.append(f"{node['ratio']:.2f}" if node["ratio"] else "")
        cells += [f"{side['utilisation']:.1%}" if "cycles" in side else "" for side in (a, b)]
        cells += [f"{side['bound']} {side['bound_share']:.0%}" if "cycles" in side else "" for side in (a, b)]
        cells += [f"{dram_bytes(side) / 1000:.1f}" if "cycles" in side else "" for side in (a, b)]
        rows.append((node["name"], node["op"], *cells, "; ".join(node["why"])))
    cycles, times = versus["cycles"], versus["milliseconds"]
    total = (
        f"{one}: {cycles[0]:,} cycles, {times[0]:.4g} ms; {other}: {cycles[1]:,} cycles, {times[1]:.4g} ms:"
        f" {cycles[0] / max(cycles[1], 1):.2f} times the cycles, {times[0] / times[1] if times[1] else 0:.2f} times the time"
    )
    return "\n".join([f"{one} beside {other} (with '):", *align(rows, {*header[2:7], "KB", "KB'"}), "", total])
