"""The roofline as a PNG or SVG file's bytes, by matplotlib (extra `report`)."""

from __future__ import annotations

import io
from typing import Any

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.report import Summary
from accelkit.kernels.onnx.roofline import Point, extent, points, ridge, roof

_COLOURS = {"compute": "#c2410c", "bandwidth": "#1d4ed8"}
_NAMED = 5  # layers with the most cycles have their names beside them


def draw(summary: Summary, machine: Machine, kind: str) -> bytes:
    """The picture as `kind`, png or svg; the same report gives the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    some = points(summary, machine)
    with mpl.rc_context({"svg.hashsalt": "accelkit"}):
        figure = Figure(figsize=(11, 5), dpi=130, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        about = "" if summary["runs"] else ", estimated"
        title = f"{summary['model']} on {summary['machine']}: one point a layer, area as its cycles{about}"
        figure.suptitle(title, parse_math=False)  # a $ in a name is no formula
        _products(left, [point for point in some if point.macs], machine)
        _moves(right, [point for point in some if not point.macs], machine)
        figure.legend(handles=_legend(), loc="outside lower center", ncols=2)
        stream = io.BytesIO()
        # Neither the date nor the library's version belongs into the picture.
        figure.savefig(stream, format=kind, metadata={"Date": None, "Creator": None} if kind == "svg" else {"Software": None})
    return stream.getvalue()


def _products(axes: Any, some: list[Point], machine: Machine) -> None:
    low, high = extent(some, machine)
    corners = [low, ridge(machine), high]
    axes.plot(corners, [roof(x, machine) for x in corners], color="black", linewidth=1.2)
    axes.set(xscale="log", yscale="log", xlabel="MACs per DRAM byte (busier way)", ylabel="MACs per cycle")
    axes.set_title(f"layers with MACs: array {machine.peak_macs_per_cycle:,} MACs/cycle, bus {machine.bus_bytes} B/cycle", fontsize=9)
    axes.set_ylim(min([point.rate for point in some] + [machine.peak_macs_per_cycle / 100]) / 2, machine.peak_macs_per_cycle * 2)
    _scatter(axes, "products", some, [point.intensity or high for point in some], [point.rate for point in some])


def _moves(axes: Any, some: list[Point], machine: Machine) -> None:
    axes.axhline(machine.bus_bytes, color="black", linewidth=1.2)
    axes.set(xscale="log", xlabel="cycles", ylabel="DRAM bytes per cycle (busier way)")
    axes.set_ylim(-0.05 * machine.bus_bytes, 1.1 * machine.bus_bytes)
    axes.set_title("layers without MACs, under the bus", fontsize=9)
    _scatter(axes, "moves", some, [point.cycles for point in some], [point.bandwidth for point in some])
    if some:  # two decades at least: ticks between have no labels then
        axes.set_xlim(min(point.cycles for point in some) / 10, max(point.cycles for point in some) * 10)
    else:
        axes.text(0.5, 0.5, "none in this model", transform=axes.transAxes, ha="center")


def _scatter(axes: Any, name: str, some: list[Point], xs: list[float], ys: list[float]) -> None:
    most = max([point.cycles for point in some], default=1)
    for bound, colour in _COLOURS.items():
        rows = [row for row, point in enumerate(some) if point.bound == bound]
        sizes = [20 + 280 * some[row].cycles / most for row in rows]
        place = [xs[row] for row in rows], [ys[row] for row in rows]
        axes.scatter(*place, sizes, colour, alpha=0.55, linewidths=0.5, edgecolors="white", gid=f"{name}-{bound}")
    _names(axes, some, xs, ys)
    axes.grid(visible=True, which="both", linewidth=0.3, alpha=0.5)


def _names(axes: Any, some: list[Point], xs: list[float], ys: list[float]) -> None:
    """Names of the layers with the most cycles; of those in one place only the first has room."""
    look: dict[str, Any] = {"xytext": (4, 4), "textcoords": "offset points", "fontsize": 7, "parse_math": False}
    taken: list[tuple[float, float]] = []
    for row in sorted(range(len(some)), key=lambda row: -some[row].cycles)[:_NAMED]:
        x, y = axes.transAxes.inverted().transform(axes.transData.transform((xs[row], ys[row])))
        if all(abs(x - a) > 0.2 or abs(y - b) > 0.03 for a, b in taken):
            axes.annotate(some[row].name[:40], (xs[row], ys[row]), **look)
            taken.append((x, y))


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], linestyle="", marker="o", color=colour, label=f"bound by {bound}") for bound, colour in _COLOURS.items()]
