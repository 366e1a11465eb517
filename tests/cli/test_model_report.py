"""`accel-sim model --html --roofline`: the page as a browser shows it, the picture, their data, messages."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main
from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.roofline import points, roof
from tests.kernels.onnx.builder import Builder, save

playwright_api = pytest.importorskip("playwright.sync_api")
CHARTS = ["layers", "reasons", "roofline", "moves", "timeline", "traffic"]
HOSTILE = '</script><img src=x onerror="window.hacked=1">$a_b$'  # markup and a formula in a node's name
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", "net.onnx", *arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """net.onnx (convolutions, a sum, a product, a node for the CPU), and of a run of 2 items r.html, r.svg, r.png, r.json."""
    path = tmp_path_factory.mktemp("report")
    b = Builder()
    b.conv("x", "c1", 3, 24, pads=[1, 1, 1, 1])
    b.conv("c1", "c2", 24, 24, pads=[1, 1, 1, 1])
    b.add("c1", "c2", "s")
    b.softmax("s", "soft")
    b.conv("soft", HOSTILE, 24, 40)
    save(b.model({"x": [1, 3, 9, 9]}, [HOSTILE]), path)
    np.save(path / "x.npy", np.random.default_rng(2).integers(-128, 128, (2, 3, 9, 9), dtype=np.int8))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        result = run("--input", "x.npy", "--html", "r.html", "--roofline", "r.svg", "--json", "r.json")
        assert result.exit_code == 0, result.output
        assert run("--input", "x.npy", "--html", "again.html", "--roofline", "r.png").exit_code == 0
        yield path


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "r.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with playwright_api.sync_playwright() as api:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        chromium = api.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, folder: Path) -> Iterator[Any]:
    """The page, loaded; at the end there must have been no console message, no error and no request but for the file."""
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", lambda request: seen.append(request.url))
    page.goto((folder / "r.html").as_uri())
    yield page
    assert seen == [(folder / "r.html").as_uri()]
    page.close()


def data(page: Any, chart: str) -> list[dict[str, Any]]:
    """What the chart has drawn: the library's own data, decoded by it."""
    script = """name => document.getElementById("chart-" + name)._fullData.map(trace => ({
      name: trace.name, meta: trace.meta, visible: trace.visible, x: trace.x && Array.from(trace.x), y: trace.y && Array.from(trace.y),
      z: trace.z && trace.z.map(row => Array.from(row))}))"""
    return page.evaluate(script, f"{chart}")  # type: ignore[no-any-return]


def column(page: Any, number: int) -> list[str]:
    script = """number => [...document.querySelectorAll("#layers tbody tr")].filter(row => !row.hidden)
      .map(row => row.cells[number].innerText)"""
    return page.evaluate(script, number)  # type: ignore[no-any-return]


def test_charts_are_drawn(page: Any) -> None:
    """Every chart has marks of a size in its plot, and nothing is asked of the network (see the fixture)."""
    for chart in CHARTS:
        marks = page.locator(f"#chart-{chart} .mlayer path, #chart-{chart} .mlayer image")
        marks.first.wait_for(state="attached")
        boxes = [box for mark in marks.all() if (box := mark.bounding_box())]
        assert any(box["width"] > 2 and box["height"] > 2 for box in boxes), chart


def test_classes_of_every_unit_add_up(page: Any, report: dict[str, Any]) -> None:
    """In the chart of each unit, the stacked classes of a layer are the layer's cycles; the buttons choose the unit."""
    nodes = [node for node in report["nodes"] if "cycles" in node]
    for unit in ("array", "vector", "load", "store"):
        page.locator("#chart-layers .updatemenu-button", has_text=unit).click()
        shown = [trace for trace in data(page, "layers") if trace["visible"] is True]
        assert {trace["meta"] for trace in shown} == {unit}
        assert [sum(stack) for stack in zip(*(trace["y"] for trace in shown), strict=True)] == [node["cycles"] for node in nodes]
    total = sum(node["cycles"] for node in nodes)
    assert [sum(stack) for stack in zip(*(trace["x"] for trace in data(page, "reasons")), strict=True)] == [total] * 4


def test_sorting(page: Any, report: dict[str, Any]) -> None:
    """A click sorts by number, most first, the next the other way; nodes without a value are last both times. Texts sort from a."""
    cycles = sorted((node["cycles"] for node in report["nodes"] if "cycles" in node), reverse=True)
    none = [""] * (len(report["nodes"]) - len(cycles))
    head = page.locator("#layers th button", has_text="cycles")
    head.click()
    assert column(page, 7) == [f"{value:,}" for value in cycles] + none
    head.click()
    assert column(page, 7) == [f"{value:,}" for value in reversed(cycles)] + none
    page.locator("#layers th button", has_text="op").first.click()
    assert column(page, 2) == sorted(node["op"] for node in report["nodes"])


def test_filter(page: Any, report: dict[str, Any]) -> None:
    """Rows that have all the words remain, in any case; without words all are back."""
    page.fill("#filter", "QLINEARCONV accelerator")
    wanted = [node["name"] for node in report["nodes"] if node["op"] == "QLinearConv" and node["where"] == "accelerator"]
    assert column(page, 1) == wanted
    assert page.inner_text("#shown") == f"{len(wanted)} of {len(report['nodes'])} layers"
    page.fill("#filter", "")
    assert len(column(page, 1)) == len(report["nodes"])


def test_names_are_text(page: Any) -> None:
    """A node's name with markup in it is shown as it is, in the table and in charts, and runs nothing."""
    assert f"{HOSTILE}_node" in column(page, 1)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0
    labels = page.locator("#chart-layers .xtick text").all_text_contents()
    assert labels[-1] == f"4 {HOSTILE}_node"[:42]


def test_timeline_and_zoom(page: Any, report: dict[str, Any]) -> None:
    """Busy columns add up to the report's busy cycles; a drag over the timeline shows a part of it."""
    heat = data(page, "timeline")[0]
    width = page.evaluate("document.getElementById('chart-timeline')._fullData[0].dx")
    assert heat["y"] == ["load", "store", "preload", "run", "vector"]
    for port in ("load", "store", "vector"):
        moved = [node["units"][port] for node in report["nodes"] if "units" in node]
        busy = sum(classes.get("busy", 0) + classes.get("page_miss", 0) for classes in moved)
        assert round(sum(heat["z"][heat["y"].index(port)]) * width) == pytest.approx(busy, rel=0.01), port
    page.locator("#chart-timeline").scroll_into_view_if_needed()
    box = page.locator("#chart-timeline .nsewdrag").first.bounding_box()
    whole = page.evaluate("document.getElementById('chart-timeline')._fullLayout.xaxis.range")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    page.wait_for_function("last => document.getElementById('chart-timeline')._fullLayout.xaxis.range[1] < last * 0.6", arg=whole[1])


def test_placement_and_traffic(page: Any, report: dict[str, Any]) -> None:
    """The CPU's node stands there with its reason; bytes of the traffic chart are the report's."""
    fallback = next(node for node in report["nodes"] if node["where"] == "cpu")
    assert page.locator("#fallbacks tbody tr td").all_inner_texts() == ["1", fallback["op"], fallback["code"], fallback["reason"]]
    for memory in ("dram", "scratchpad", "accumulator"):
        page.locator("#chart-traffic .updatemenu-button", has_text=memory).click()
        bars = {(trace["meta"], trace["name"]): trace["y"] for trace in data(page, "traffic") if trace["visible"] is True}
        for way in ("read", "written"):
            assert bars[memory, way] == [node["bytes"][f"{memory}_{way}"] for node in report["nodes"] if "bytes" in node]


def test_every_layer_is_a_point_below_its_roof(report: dict[str, Any], page: Any) -> None:
    """Each node with cycles is one point, on the page too; no measured layer beats array or bus."""
    machine = load_machine("edge-16")
    some = points(report, machine)
    assert [point.index for point in some] == [node["index"] for node in report["nodes"] if node.get("cycles")]
    for point in some:
        assert point.bandwidth <= machine.bus_bytes
        assert point.intensity is None or point.rate <= roof(point.intensity, machine) * (1 + 1e-9)
    drawn = [trace for chart in ("roofline", "moves") for trace in data(page, chart) if trace["name"] != "roof"]
    assert sum(len(trace["x"]) for trace in drawn) == len(some)


def test_pictures(folder: Path, report: dict[str, Any]) -> None:
    """The SVG has one mark for each layer; the PNG is one. The same run gives the same bytes."""
    svg = (folder / "r.svg").read_bytes()
    space = "{http://www.w3.org/2000/svg}"
    groups = [g for g in ElementTree.fromstring(svg).iter(f"{space}g") if g.get("id", "").startswith(("products-", "moves-"))]
    fills = [mark for group in groups for mark in group.iter() if "fill:" in mark.get("style", "")]  # not those in <defs>
    assert len(fills) == sum(bool(node.get("cycles")) for node in report["nodes"])
    assert (folder / "r.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert run("--input", "x.npy", "--roofline", "again.svg").exit_code == 0
    assert (folder / "again.svg").read_bytes() == svg
    assert (folder / "again.html").read_bytes() == (folder / "r.html").read_bytes()


def test_page_of_a_placement(folder: Path) -> None:
    """With --explain cycles are estimates and say so; there is no timeline."""
    result = run("--explain", "--html", "e.html", "--roofline", "e.png")
    assert result.exit_code == 0, result.output
    text = (folder / "e.html").read_text()
    assert "Nothing has run: cycles are the planners' estimates." in text
    assert 'id="chart-timeline"' not in text
    assert 'id="chart-roofline"' in text


@pytest.mark.parametrize(
    "options, message",
    [
        (["--roofline", "r.pdf"], "error: --roofline r.pdf: expected a file that ends in .png or .svg\n"),
        (["--html", "-"], "error: --html -: expected a file; standard output has the table\n"),
        (["--html", "no/r.html"], "error: no/r.html: can't be written: there is no folder no\n"),
        (["--html", "x.npy"], "error: --html x.npy: would overwrite it: x.npy is read\n"),
        (["--html", "q.svg", "--roofline", "q.svg"], "error: --roofline q.svg: would overwrite it: --html writes it\n"),
    ],
)  # fmt: skip
def test_bad_options(folder: Path, options: list[str], message: str) -> None:
    """What can't be written is refused with a message before anything runs."""
    result = run("--input", "x.npy", *options)
    assert (result.exit_code, result.stderr) == (2, message)


def test_missing_libraries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the message says how to get it."""
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    result = run("--input", "x.npy", "--html", "q.html")
    assert result.exit_code == 2
    assert 'need the report extra: python -m pip install "accelkit[report]"' in result.stderr
