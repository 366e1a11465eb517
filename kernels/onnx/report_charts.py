"""The report page's charts, by plotly (extra `report`)."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from accelkit.isa.machine import Machine
from accelkit.isa.units import Port
from accelkit.kernels.onnx.report import Summary
from accelkit.kernels.onnx.roofline import Point, extent, points, ridge, roof
from accelkit.simulator.activity import Activity

UNITS = ("array", "vector", "load", "store")
_CLASSES = {
    "busy": "#15803d", "preload": "#84cc16", "page_miss": "#f59e0b", "drain": "#7c3aed", "outstanding": "#db2777",
    "wait_load": "#1d4ed8", "wait_store": "#0891b2", "wait_preload": "#65a30d", "wait_run": "#dc2626", "wait_vector": "#c084fc",
    "empty": "#d4d4d4",
}  # fmt: skip
_BOUNDS = {"compute": "#c2410c", "bandwidth": "#1d4ed8"}
_LAYOUT: dict[str, Any] = {"template": "plotly_white", "margin": {"l": 70, "r": 20, "t": 50, "b": 60}, "font": {"size": 12}}

_MENU: dict[str, Any] = {"type": "buttons", "direction": "right", "x": 0, "xanchor": "left", "y": 1.17}


def label(node: dict[str, Any]) -> str:
    """How charts name a node: its number makes it unique."""
    return _text(f"{node['index']} {node['name'][:40]}")


def layers(summary: Summary) -> go.Figure:
    """Cycles by layer; if it has run, of the unit chosen above the chart, by class: the classes of each unit add up to the layer."""
    nodes = [node for node in summary["nodes"] if "cycles" in node]
    names = [label(node) for node in nodes]
    figure = go.Figure(layout=_layout("cycles of one run", height=430, barmode="stack"))
    if not summary["runs"]:
        figure.add_bar(x=names, y=[node["cycles"] for node in nodes], name="estimate")
        return figure
    for unit in UNITS:
        for cls, colour in _CLASSES.items():
            cycles = [node["units"][unit].get(cls, 0) for node in nodes]
            if any(cycles):
                figure.add_bar(x=names, y=cycles, name=_words(cls), marker_color=colour, meta=unit, visible=unit == UNITS[0])
    buttons = [
        {"label": unit, "method": "restyle", "args": [{"visible": [trace.meta == unit for trace in figure.data]}]} for unit in UNITS
    ]
    figure.update_layout(updatemenus=[_MENU | {"buttons": buttons}])
    return figure


def reasons(summary: Summary) -> go.Figure:
    """Cycles of each unit by class, all layers together."""
    figure = go.Figure(layout=_layout("", height=340, barmode="stack", xaxis_title="cycles of one run, in kernels of the layers"))
    for cls, colour in _CLASSES.items():
        cycles = [sum(node["units"][unit].get(cls, 0) for node in summary["nodes"] if "units" in node) for unit in UNITS]
        if any(cycles):
            figure.add_bar(y=list(UNITS), x=cycles, name=_words(cls), marker_color=colour, orientation="h")
    return figure


def traffic(summary: Summary) -> go.Figure:
    """Bytes by layer and memory; for DRAM also the least that the layer could move."""
    nodes = [node for node in summary["nodes"] if "bytes" in node]
    names = [label(node) for node in nodes]
    memories = ("dram", "scratchpad", "accumulator") if summary["runs"] else ("dram",)
    figure = go.Figure(layout=_layout("bytes of one run", height=400, barmode="stack"))
    for memory in memories:
        for way, colour in (("read", "#1d4ed8"), ("written", "#f59e0b")):
            if summary["runs"]:
                moved = [node["bytes"][f"{memory}_{way}"] for node in nodes]
                figure.add_bar(x=names, y=moved, name=way, marker_color=colour, meta=memory, visible=memory == "dram")
    least = [node["bytes"]["dram_read_least"] + node["bytes"]["dram_written_least"] for node in nodes]
    marker = {"symbol": "line-ew-open", "size": 9, "color": "black"}
    figure.add_scatter(x=names, y=least, name="least, both ways", mode="markers", marker=marker, meta="dram")
    if len(memories) > 1:
        buttons = [
            {"label": memory, "method": "restyle", "args": [{"visible": [trace.meta == memory for trace in figure.data]}]}
            for memory in memories
        ]
        figure.update_layout(updatemenus=[_MENU | {"buttons": buttons}])
    return figure


def roofline(summary: Summary, machine: Machine) -> go.Figure:
    """Layers with MACs under the roofs of array and bus; see `roofline`."""
    some = [point for point in points(summary, machine) if point.macs]
    low, high = extent(some, machine)
    figure = go.Figure(layout=_layout("MACs per cycle", height=460, xaxis_title="MACs per DRAM byte (busier way)"))
    corners = [low, ridge(machine), high]
    line = {"color": "black"}
    figure.add_scatter(x=corners, y=[roof(x, machine) for x in corners], mode="lines", name="roof", line=line, hoverinfo="skip")
    _add_points(figure, some, [point.intensity or high for point in some], [point.rate for point in some])
    figure.update_xaxes(type="log")
    figure.update_yaxes(type="log")
    return figure


def moves(summary: Summary, machine: Machine) -> go.Figure:
    """Layers without MACs under the roof of the bus."""
    some = [point for point in points(summary, machine) if not point.macs]
    figure = go.Figure(layout=_layout("DRAM bytes per cycle (busier way)", height=360, xaxis_title="cycles"))
    figure.add_hline(y=machine.bus_bytes)
    figure.update_yaxes(rangemode="tozero")
    _add_points(figure, some, [point.cycles for point in some], [point.bandwidth for point in some])
    figure.update_xaxes(type="log")
    return figure


def timeline(summary: Summary, machine: Machine, activity: Activity, names: list[str]) -> go.Figure:
    """Busy share of each port over the first run; above it the launches, `names` of which are given in order."""
    busy = activity.busy()
    width = activity.width
    last = activity.spans[-1][1] if activity.spans else 0
    ports = [port.name.lower() for port in Port]
    share = [[round(int(cycles) / width, 3) for cycles in row] for row in busy]
    title = f"cycle; a column is {width} cycle{'s' if width > 1 else ''}"
    figure = go.Figure(layout=_layout("", height=380, xaxis_title=title))
    figure.add_heatmap(
        x0=width / 2, dx=width, y=ports, z=share, zmin=0, zmax=1, colorscale=[[0, "#f5f5f5"], [1, "#15803d"]],
        colorbar={"title": "busy", "tickformat": ".0%"}, hovertemplate="%{y}, cycle %{x}: %{z:.0%} busy<extra></extra>",
    )  # fmt: skip
    spans = [(first, until, name) for (first, until), name in zip(activity.spans, names, strict=True)]
    figure.add_bar(
        base=[first for first, _, _ in spans], x=[until - first for first, until, _ in spans], y=["launch"] * len(spans),
        orientation="h", width=0.8, marker={"color": ["#94a3b8", "#475569"] * (len(spans) // 2 + 1)}, name="launches", showlegend=False,
        hovertemplate=[f"{_text(name)}: cycles {first:,} to {until - 1:,}<extra></extra>" for first, until, name in spans],
    )  # fmt: skip
    figure.update_layout(barmode="overlay", dragmode="zoom", title={"text": "drag to zoom, double click for all", "font": {"size": 12}})
    figure.update_xaxes(range=[0, last])
    figure.update_yaxes(fixedrange=True)
    return figure


def _add_points(figure: go.Figure, some: list[Point], xs: list[float], ys: list[float]) -> None:
    most = max([point.cycles for point in some], default=1)
    for bound, colour in _BOUNDS.items():
        rows = [row for row, point in enumerate(some) if point.bound == bound]
        chosen = [some[row] for row in rows]
        texts = [
            f"{_text(f'{p.index} {p.name} ({p.op})')}<br>{p.cycles:,} cycles, {p.nbytes:,} DRAM bytes, {p.macs:,} MACs"
            for p in chosen
        ]
        marker = {"color": colour, "opacity": 0.6, "size": [6 + 20 * (p.cycles / most) ** 0.5 for p in chosen]}
        figure.add_scatter(
            x=[xs[row] for row in rows], y=[ys[row] for row in rows], mode="markers", name=f"bound by {bound}",
            marker=marker, text=texts, hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip


def _layout(y_title: str, **more: Any) -> dict[str, Any]:
    return _LAYOUT | {"yaxis": {"title": {"text": y_title}}, "legend": {"orientation": "v"}} | more


def _words(cls: str) -> str:
    return cls.replace("_", " ")


def _text(name: str) -> str:
    """A name for the charts, which know some markup and three entities."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
