"""The run behind `accel-sim model`: inputs, one or two machines, comparison, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from accelkit.cli.common import check_targets, ended_by_interrupt, fail, is_terminal
from accelkit.kernels.onnx.compare import Comparison
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.inputs import read_array, split_runs
from accelkit.kernels.onnx.placement import Placement
from accelkit.kernels.onnx.report import Summary, summarise
from accelkit.simulator import Mode, Session
from accelkit.simulator.observe import Observer

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Request:
    """What is to be run: the inputs of each run, and the file of each output that is asked for."""

    graph: Graph
    batches: list[Arrays]
    targets: dict[str, str]
    is_comparing: bool


def prepare(graph: Graph, inputs: tuple[str, ...], outputs: tuple[str, ...], is_comparing: bool) -> Request:
    """Read and check what the command line names; InputError, or the end with a message, if it can't be used."""
    targets = _outputs(graph, outputs)
    given = {name: read_array(Path(path)) for name, path in _named("--input", inputs).items()}
    return Request(graph, split_runs(graph, given), targets, is_comparing)


@dataclass(frozen=True)
class Outcome:
    """Outputs of the first machine by file, a report for each machine, the first difference from ONNX Runtime if there is one."""

    outputs: Arrays
    summaries: list[Summary]
    difference: str | None
    compared_tensors: int
    missing_tensors: int

    def comparison(self) -> Summary:
        """The comparison as data."""
        return {
            "is_equal": self.difference is None,
            "difference": self.difference,
            "tensors": self.compared_tensors,
            "tensors_fused_away": self.missing_tensors,
        }

    def compared(self) -> str:
        """The comparison for people, if all is equal."""
        rest = f"; {self.missing_tensors} only inside fused nodes or as views" if self.missing_tensors else ""
        return f"compared with ONNX Runtime: every intermediate of every run is equal ({self.compared_tensors} tensors{rest})"


def run_model(
    placements: Sequence[Placement],
    request: Request,
    observers: Sequence[Observer] = (),
    mode: Mode = Mode.FULL,
    jitter: int = 0,
    threads: int = 1,
) -> Outcome:
    """Run all batches on each machine, the first one observed, with delays of a seed (0: none). ModelError, LaunchError."""
    batches = request.batches
    comparison = Comparison(request.graph) if request.is_comparing else None
    executors = [
        Executor(placement, request.is_comparing, Session(placement.machine, True, () if number else observers, jitter, mode, threads))
        for number, placement in enumerate(placements)
    ]
    steps = len(batches) * sum(len(placement.steps) for placement in placements)
    with ended_by_interrupt(), _progress(steps) as advance:
        results = [_run_all(executor, batches, comparison, advance) for executor in executors]
    return Outcome(
        {path: results[0][name] for name, path in request.targets.items()},
        [summarise(executor) for executor in executors],
        str(comparison.difference) if comparison and comparison.difference else None,
        comparison.tensors if comparison else 0,
        comparison.unseen if comparison else 0,
    )


def time_model(placements: Sequence[Placement], observers: Sequence[Observer] = (), jitter: int = 0) -> list[Summary]:
    """The reports of one run on each machine without values, the first one observed, with delays of a seed (0: none). ModelError,
    LaunchError."""
    executors = [
        Executor(placement, session=Session(placement.machine, True, () if number else observers, jitter, Mode.TIMING))
        for number, placement in enumerate(placements)
    ]
    with ended_by_interrupt(), _progress(sum(len(placement.steps) for placement in placements)) as advance:
        for executor in executors:
            executor.time(advance)
    return [summarise(executor) for executor in executors]


def _run_all(executor: Executor, batches: list[Arrays], comparison: Comparison | None, advance: Callable[[int], None]) -> Arrays:
    """Outputs joined over the runs, which end at the first difference."""
    parts: dict[str, list[npt.NDArray[Any]]] = {}
    for batch in batches:
        if comparison is not None:
            comparison.start(batch)
        results = executor.run(batch, comparison.observe if comparison else None, advance)
        for name, value in results.items():
            parts.setdefault(name, []).append(value)
        if comparison is not None and comparison.difference is not None:
            break
    return {name: np.concatenate(values) if values[0].ndim else np.stack(values) for name, values in parts.items()}


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[int], None]]:
    """A bar over the steps of all runs on standard error, if that is a terminal."""
    if not is_terminal():
        yield lambda _step: None
        return
    with click.progressbar(length=steps, label="steps", file=sys.stderr, show_pos=True) as bar:
        yield lambda _step: bar.update(1)


def _named(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """`NAME=FILE` or `FILE`, whose name is empty; a path that exists as it stands isn't taken apart."""
    named: dict[str, str] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = "", text
        if name in named:
            fail(f"{option} {name or text} is given twice" if name else f"{option} {text}: a second file without a NAME=")
        named[name] = path
    return named


def _outputs(graph: Graph, texts: tuple[str, ...]) -> dict[str, str]:
    """The file of each output that is asked for."""
    targets = _named("--output", texts)
    names = ", ".join(graph.outputs)
    if "" in targets:
        if len(graph.outputs) > 1:
            fail(f"the model has {len(graph.outputs)} outputs ({names}); give each as --output NAME=FILE.npy")
        if graph.outputs[0] in targets:
            fail(f"--output {graph.outputs[0]} is given twice, with and without its name")
        targets[graph.outputs[0]] = targets.pop("")
    for name in targets:
        if name not in graph.outputs:
            fail(f"--output {name}: the model has no output of that name; it has {names}")
    check_targets("--output", targets)
    return targets
