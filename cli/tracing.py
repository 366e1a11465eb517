"""`--trace`: a timeline that is written while launches run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelkit.cli.common import check_targets, fail
from accelkit.cli.files import replacing

if TYPE_CHECKING:
    from accelkit.simulator.observe import Observer
    from accelkit.simulator.timeline import Timeline
    from accelkit.simulator.timeline_kanata import Kanata
    from accelkit.simulator.window import Window

FORMATS = ("json", "pftrace", "kanata")
TRACE_HELP = "Write a timeline: .json or (smaller) .pftrace for Perfetto, .kanata for Konata; a format alone names the file too."


def trace_path(target: str, name: str) -> str:
    """The file of a `--trace`: a format alone stands for `name` with that ending."""
    return f"{name}.{target}" if target in FORMATS else target


@contextmanager
def tracing(
    target: str | None,
    name: str,
    window: Window | None = None,
    sources: Mapping[str, Sequence[str]] | None = None,
    has_scalars: bool = True,
) -> Iterator[list[Observer]]:
    """The observer that writes the timeline, if one is wanted. `target` is a file, or a format: then the file is `name` and that."""
    if target is None:
        yield []
        return
    path = Path(trace_path(target, name))
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        fail(f"--trace {target}: expected a file that ends in {', '.join(f'.{one}' for one in FORMATS)}")
    check_targets("--trace", {"trace": str(path)})
    try:
        with replacing(path) as stream:
            timeline = _timeline(kind, stream, window, sources or {}, has_scalars)
            yield [timeline]
            timeline.close()
    except OSError as error:
        fail(f"{path}: can't be written: {error.strerror}")


def _timeline(
    kind: str, stream: object, window: Window | None, sources: Mapping[str, Sequence[str]], has_scalars: bool
) -> Timeline | Kanata:
    from accelkit.simulator.timeline import MANY_EVENTS, Timeline
    from accelkit.simulator.timeline_json import JsonEncoder
    from accelkit.simulator.timeline_perfetto import PerfettoEncoder

    if kind == "kanata":
        from accelkit.simulator.timeline_kanata import Kanata

        return Kanata(stream, window, sources)  # type: ignore[arg-type]

    def warn() -> None:
        size = 150 * MANY_EVENTS >> 20 if kind == "json" else 50 * MANY_EVENTS >> 20
        text = f"warning: the timeline has {MANY_EVENTS:,} events (about {size} MB) and goes on; --window FIRST:LAST keeps it small"
        click.echo(text, err=True)

    encoder = JsonEncoder() if kind == "json" else PerfettoEncoder()
    return Timeline(stream, encoder, window, sources, has_scalars, warn)  # type: ignore[arg-type]
