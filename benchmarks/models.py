"""Speed of whole models, values, cycles and all checks on, beside ONNX Runtime: `python -m benchmarks.models [NAME MACHINE]...`.

A run is one image through a placed plan, as a run of ONNX Runtime is one through a loaded session: int8, one thread, all of its
optimisations, in the same process. A session that has run its launches before doesn't time them again (docs/adr/0018), so there is a
row for the first run of a session, too. Placing is measured twice, without and with what an earlier process has kept in the cache.
`--peak NAME MACHINE` prints the largest resident size, in bytes, of a process that does nothing but read, place and run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.kernels import memo
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import Placement, place
from accelkit.simulator import Mode, Session
from benchmarks.row import Row, least_seconds, print_rows
from models.fetch import Fetched, fetch
from models.quantise import Feeds
from models.simulate import peak_bytes

REFERENCE = "x ONNX Runtime's time, int8, one thread"


@dataclass(frozen=True)
class Bars:
    """CPU seconds, at most: of a run, and of one without values; and how many times ONNX Runtime's time the former."""

    run: float
    timing: float | None = None
    ratio: float | None = None


BARS = {
    ("resnet50", "edge-16"): Bars(0.35, 0.1, 1.5),
    ("resnet50", "server-128"): Bars(0.25, 0.05, 1.5),
    ("efficientnet-lite0", "edge-16"): Bars(0.25),
}
PLACING_BAR, PEAK_BAR = 1, 350  # CPU seconds with what was kept; MiB


def with_onnx_runtime(fetched: Fetched, feeds: Feeds) -> tuple[Callable[[], object], list[np.ndarray]]:
    """A run that can be repeated, and its outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(fetched.path), options, ["CPUExecutionProvider"])
    return lambda: session.run(None, feeds), session.run(None, feeds)


def one_image(fetched: Fetched, graph: Graph) -> Feeds:
    """The first run's inputs."""
    return {name: values[: (graph.types[name].shape or (1,))[0]] for name, values in fetched.load_feeds().items()}


def seconds_to_place(graph: Graph, machine_name: str, folder: str) -> tuple[float, Placement]:
    """CPU seconds of one placement by a process that knows nothing, with a cache in `folder`."""
    with patch.dict("os.environ", ACCELKIT_CACHE=folder), patch.object(memo, "_kept", {}):
        started = time.process_time()
        with memo.recalled(graph.source, machine_name):
            placement = place(graph, load_machine(machine_name))
        return time.process_time() - started, placement


def seconds_without_values(placement: Placement) -> tuple[float, float]:
    """CPU seconds of the first run for cycles alone of a session, and of one in a session that has made one."""
    first = min(seconds_of_first_run(placement, Mode.TIMING, {}) for _ in range(5))
    executor = Executor(placement, session=Session(placement.machine, mode=Mode.TIMING))
    executor.time()
    return first, least_seconds(executor.time)


def seconds_of_first_run(placement: Placement, mode: Mode, feeds: Feeds) -> float:
    """CPU seconds of one run in a session that knows no launch; weights are packed before."""
    executor = Executor(placement, session=Session(placement.machine, mode=mode))
    started = time.process_time()
    if mode is Mode.TIMING:
        executor.time()
    else:
        executor.run(feeds)
    return time.process_time() - started


def wall_of_first_runs(placement: Placement, feeds: Feeds) -> dict[int, float]:
    """Seconds of a clock on the wall, by number of threads, of one run in a session that knows no launch: by turns, the least of five."""
    walls = {1: float("inf"), 2: float("inf")}
    for threads in 5 * list(walls):
        executor = Executor(placement, session=Session(placement.machine, threads=threads))
        started = time.perf_counter()
        executor.run(feeds)
        walls[threads] = min(walls[threads], time.perf_counter() - started)
    return walls


def measure(name: str, machine: str, bars: Bars) -> Iterator[Row]:
    """Rows of a model on a machine."""
    fetched = fetch(name)
    graph = read_model(fetched.path)
    feeds = one_image(fetched, graph)
    with tempfile.TemporaryDirectory() as folder:
        first, placement = seconds_to_place(graph, machine, folder)
        kept, _ = seconds_to_place(graph, machine, folder)
    yield Row(f"{name}, placing, first time", machine, first, "s")
    yield Row(f"{name}, placing, with the cache", machine, kept, "s", bar=f"figure <= {PLACING_BAR}")

    yield Row(f"{name}, packing weights", machine, least_seconds(lambda: Executor(placement)), "s")
    executor = Executor(placement)
    outputs = executor.run(feeds)
    with_ort, expected = with_onnx_runtime(fetched, feeds)
    assert all(np.array_equal(outputs[key], value) for key, value in zip(graph.outputs, expected, strict=True)), "outputs differ"
    theirs, ours = least_seconds(with_ort), least_seconds(lambda: executor.run(feeds))
    bar = f"figure <= {bars.run}" + (f"; ratio <= {bars.ratio}" if bars.ratio else "")
    yield Row(f"{name}, one image, launches known", machine, ours, "s", REFERENCE, ours / theirs, bar)
    first = min(seconds_of_first_run(placement, Mode.FULL, feeds) for _ in range(3))
    yield Row(f"{name}, first image of a session", machine, first, "s", REFERENCE, first / theirs)
    walls = wall_of_first_runs(placement, feeds)
    yield Row(f"{name}, first image of a session, two threads", machine, walls[2], "s wall", "x that with one", walls[2] / walls[1])
    first, known = seconds_without_values(placement)
    bar = f"figure <= {bars.timing}" if bars.timing else ""
    yield Row(f"{name}, timing only, launches known", machine, known, "s", bar=bar)
    yield Row(f"{name}, timing only, first run of a session", machine, first, "s", bar=bar)

    command = [sys.executable, "-m", "benchmarks.models", "--peak", name, machine]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    yield Row(f"{name}, largest resident size", machine, peak / (1 << 20), "MiB", bar=f"figure <= {PEAK_BAR}")


def print_peak(name: str, machine: str) -> None:
    """One run, and what it has needed; the model must be there already, for building it needs more."""
    fetched = fetch(name)
    graph = read_model(Path(fetched.path))
    Executor(place(graph, load_machine(machine))).run(one_image(fetched, graph))
    print(peak_bytes())


def rows() -> Iterator[Row]:
    """All models that have bars."""
    for (name, machine), bars in BARS.items():
        yield from measure(name, machine, bars)


def main(arguments: list[str]) -> None:
    """Print the rows of models on machines, in pairs of arguments, or of all."""
    if arguments[:1] == ["--peak"]:
        print_peak(*arguments[1:])
        return
    pairs = list(zip(arguments[::2], arguments[1::2], strict=True)) or list(BARS)
    for pair in pairs:
        print_rows(measure(*pair, BARS[pair]))


if __name__ == "__main__":
    main(sys.argv[1:])
