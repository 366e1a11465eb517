"""`--html` and `--roofline`: a model's report as a page and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from accelkit.cli.common import fail, write_file

if TYPE_CHECKING:
    from accelkit.kernels.onnx.placement import Placement
    from accelkit.kernels.onnx.report import Summary
    from accelkit.simulator.activity import Activity

_KINDS = ("png", "svg")


def check_pictures(html: str | None, roofline: str | None) -> None:
    """Ends with a message, before anything runs, if a file's name or a missing library is in the way."""
    if html == "-":
        fail("--html -: expected a file; standard output has the table")
    if roofline is not None and Path(roofline).suffix.removeprefix(".") not in _KINDS:
        fail(f"--roofline {roofline}: expected a file that ends in .png or .svg")
    try:
        if html is not None:
            import plotly.graph_objects  # noqa: F401
        if roofline is not None:
            import matplotlib.figure  # noqa: F401
    except ImportError as error:
        fail(f'{error.name} is not installed; pages and pictures need the report extra: python -m pip install "accelkit[report]"')


def watch(placement: Placement) -> Activity:
    """The observer that the page's timeline is made of: the first run."""
    from accelkit.kernels.onnx.report_page import launch_names
    from accelkit.simulator.activity import Activity

    return Activity(len(launch_names(placement)))


def write_pictures(html: str | None, roofline: str | None, summary: Summary, placement: Placement, activity: Activity | None) -> None:
    """Write what is asked for; `activity` is None if nothing has run."""
    if html is not None:
        from accelkit.kernels.onnx.report_page import page

        write_file(html, page(summary, placement.machine, placement, activity).encode())
    if roofline is not None:
        from accelkit.kernels.onnx.roofline_picture import draw

        write_file(roofline, draw(summary, placement.machine, Path(roofline).suffix.removeprefix(".")))
