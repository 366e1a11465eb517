"""The report as one HTML page that needs no network: table, charts, roofline, timeline, placement, traffic."""

from __future__ import annotations

from collections import Counter
from html import escape
from importlib import resources
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.placement import Placement
from accelkit.kernels.onnx.report import Summary
from accelkit.kernels.onnx.report_text import dram_bytes
from accelkit.kernels.onnx.schedule import Launch
from accelkit.simulator.activity import Activity

# Nothing may be fetched: a browser that sees this refuses even what a charting library would ask for.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_COLUMNS = (
    "#", "node", "op", "runs on", "kernel", "MACs", "DRAM bytes", "cycles", "share", "util", "bound", "of bound", "busy", "waits",
    "why / note",
)  # fmt: skip
_NUMBERS = {"#", "MACs", "DRAM bytes", "cycles", "share", "util", "of bound", "busy"}


def launch_names(placement: Placement) -> list[str]:
    """The node of each launch of one run, in order."""
    names = []
    for step in placement.steps:
        if isinstance(step, Launch):
            nodes = step.task.call.nodes
            known = {record.node.index: record.node.name for record in placement.records}
            name = " + ".join(known.get(index, "") for index in nodes) or "conversion"
            names += [f"conversion for {name}" if step.converts and nodes else name] * len(step.task.plan.steps)
    return names


def page(summary: Summary, machine: Machine, placement: Placement, activity: Activity | None) -> str:
    """The page; without `activity` (nothing has run) cycles are estimates and there is no timeline. The same report gives the same page."""
    from plotly.offline import get_plotlyjs

    from accelkit.kernels.onnx import report_charts as charts

    sections = [("Layers", _table(summary)), ("Cycles by layer", _chart("layers", charts.layers(summary)))]
    if activity is not None:
        sections.append(("Cycles by reason", _chart("reasons", charts.reasons(summary))))
    roofline = _chart("roofline", charts.roofline(summary, machine)) + _chart("moves", charts.moves(summary, machine))
    sections.append(("Roofline", f"<p>Above: layers with MACs. Below: layers without, under the bus.</p>{roofline}"))
    if activity is not None:
        timeline = charts.timeline(summary, machine, activity, launch_names(placement))
        sections.append(("Timeline of the units", _chart("timeline", timeline)))
    sections += [("Placement", _placement(summary)), ("Memory traffic", _memory(summary) + _chart("traffic", charts.traffic(summary)))]
    title = escape(f"{summary['model']} on {summary['machine']}")
    body = "".join(f"<section><h2>{name}</h2>{content}</section>\n" for name, content in sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<link rel="icon" href="data:,"><title>{title}</title><style>{_resource("report_page.css")}</style>'
        f"<script>{get_plotlyjs()}</script></head>\n<body><h1>{title}</h1>{_tiles(summary)}\n{body}"
        f"<script>{_resource('report_page.js')}</script></body></html>\n"
    )


def _resource(name: str) -> str:
    return (resources.files("accelkit.kernels.onnx") / name).read_text()


def _chart(name: str, figure: Any) -> str:
    text: str = figure.to_html(
        include_plotlyjs=False, full_html=False, div_id=f"chart-{name}", config={"responsive": True, "displaylogo": False}
    )
    return text


def _tiles(summary: Summary) -> str:
    once = summary["totals_per_run"]
    about = "" if summary["runs"] else "about "
    tiles = {
        "cycles of one run": f"{about}{once['cycles']:,}",
        f"ms at {summary['clock_ghz']:g} GHz": f"{once['milliseconds']:.4g}",
        "utilisation": f"{once['utilisation']:.1%}",
        "of the bounds": f"{once['bound_cycles'] / once['cycles']:.1%}" if once["cycles"] else "0%",
        "of MACs on the accelerator": f"{once['accelerator_share_of_macs']:.1%}",
        "launches": f"{once['launches']:,}",
    }
    note = "" if summary["runs"] else "<p><b>Nothing has run: cycles are the planners' estimates.</b></p>"
    return "<div class=tiles>" + "".join(f"<div><b>{value}</b>{name}</div>" for name, value in tiles.items()) + f"</div>{note}"


def _table(summary: Summary) -> str:
    kernel_cycles = summary["totals_per_run"]["kernel_cycles"]
    heads = "".join(f'<th scope="col"{" class=n" if name in _NUMBERS else ""}><button>{name}</button></th>' for name in _COLUMNS)
    rows = "".join(_row(node, kernel_cycles) for node in summary["nodes"])
    return (
        '<p><input id="filter" type="search" placeholder="filter: words that a row must have" aria-label="filter">'
        ' <span id="shown"></span></p>'
        f'<div class="scroll"><table id="layers"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(node: dict[str, Any], kernel_cycles: int) -> str:
    texts = {0: str(node["index"]), 1: node["name"], 2: node["op"], 3: node["where"], 4: node.get("kernel", ""), 14: _why(node)}
    numbers: dict[int, tuple[float, str]] = {0: (node["index"], texts[0])}
    if node["macs"]:
        numbers[5] = node["macs"], f"{node['macs']:,}"
    if "cycles" in node:
        moved, share = dram_bytes(node), node["cycles"] / kernel_cycles if kernel_cycles else 0.0
        numbers |= {6: (moved, f"{moved:,}"), 7: (node["cycles"], f"{node['cycles']:,}"), 8: (share, f"{share:.1%}")}
        numbers |= {9: (node["utilisation"], f"{node['utilisation']:.1%}"), 11: (node["bound_share"], f"{node['bound_share']:.0%}")}
        texts[10] = node["bound"]
    if "busy" in node:
        numbers[12] = node["busy"], f"{node['main_unit']} {node['busy']:.0%}"
        texts[13] = node["waits"].replace("_", " ")
    cells = []
    for column in range(len(_COLUMNS)):
        if column in numbers:
            value, text = numbers[column]
            cells.append(f'<td class=n data-value="{value!r}">{text}</td>')
        else:
            cells.append(f"<td>{escape(texts.get(column, ''))}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _why(node: dict[str, Any]) -> str:
    why = f"{node['code']}: {node['reason']}" if node["code"] else node["reason"]
    parts = [why, node["note"], f"into {', '.join(node['into'])}" if node["into"] else ""]
    return "; ".join(part for part in parts if part)


def _placement(summary: Summary) -> str:
    once = summary["totals_per_run"]
    counts = ", ".join(f"{count} {escape(where)}" for where, count in once["nodes"].items())
    fallbacks = [node for node in summary["nodes"] if node["where"] == "cpu"]
    if not fallbacks:
        return f"<p>{counts}: no node runs on the CPU.</p>"
    groups = Counter((node["op"], node["code"], node["reason"]) for node in fallbacks)
    rows = "".join(
        f"<tr><td class=n>{count}</td>{''.join(f'<td>{escape(text)}</td>' for text in group)}</tr>" for group, count in groups.most_common()
    )
    head = "<tr><th class=n>nodes</th><th>op</th><th>code</th><th>why on the CPU</th></tr>"
    return f'<p>{counts}.</p><table id="fallbacks"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _memory(summary: Summary) -> str:
    memory = summary["memory"]
    moved = sum(transfer["nbytes"] * transfer["count"] for transfer in summary["transfers"])
    runs = f"; {moved:,} bytes between host and DRAM in {summary['runs']} runs" if summary["runs"] else ""
    return (
        f"<p>DRAM: {memory['activation_bytes']:,} bytes of activations ({memory['activation_bytes_without_reuse']:,} without reuse),"
        f" {memory['constant_bytes']:,} of constants{runs}.</p>"
    )
