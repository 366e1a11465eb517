"""`accel-sim model`: run an int8 ONNX model, on the accelerator what it can take, on the CPU the rest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accelkit.cli.common import (
    EXIT_FAULT,
    check_targets,
    ended_by_interrupt,
    fail,
    require_onnx,
    write_array,
    write_file,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from accelkit.kernels.onnx.compare import Difference
    from accelkit.kernels.onnx.executor import Executor
    from accelkit.kernels.onnx.graph import Graph

    Arrays = dict[str, npt.NDArray[Any]]


@click.command()
@click.argument("net", metavar="NET.onnx", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "inputs",
    metavar="[NAME=]FILE.npy",
    multiple=True,
    required=True,
    help="Input array; NAME if the model has several. A multiple of the model's batch means that many runs.",
)
@click.option(
    "--output",
    "outputs",
    metavar="[NAME=]FILE.npy",
    multiple=True,
    help="Where to write an output of all runs; NAME if the model has several.",
)
@click.option("--machine", "-m", default="edge-16", show_default=True, metavar="NAME|FILE", help="Preset or TOML file.")
@click.option("--compare", is_flag=True, help="Check every intermediate against ONNX Runtime; 1 at the first that differs.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the report as JSON (- is stdout, instead of the table).",
)
def model(
    net: Path, inputs: tuple[str, ...], outputs: tuple[str, ...], machine: str, compare: bool, json_file: str | None
) -> None:
    """Run the int8 model NET.onnx (QOperator or QDQ form) and print what each node cost.

    Cycles are those of the accelerator; what it can't take runs on the CPU, in ONNX Runtime, and its time is shown apart.

    \b
    Examples:
      accel-sim model net.onnx --input images.npy --output logits.npy
      accel-sim model net.onnx --input left=a.npy --input right=b.npy --compare
    """
    require_onnx()
    from accelkit.isa.machine import MachineError, load_machine
    from accelkit.kernels.onnx.errors import InputError, ModelError
    from accelkit.kernels.onnx.executor import Executor
    from accelkit.kernels.onnx.inputs import read_array, split_runs
    from accelkit.kernels.onnx.loading import read_model
    from accelkit.kernels.onnx.placement import place
    from accelkit.kernels.onnx.report import format_table, summarise
    from accelkit.simulator import LaunchError

    try:
        graph = read_model(net)
        targets = _outputs(graph, outputs)
        batches = split_runs(graph, {name: read_array(Path(path)) for name, path in _named("--input", inputs).items()})
        executor = Executor(place(graph, load_machine(machine)), keeps_all=compare)
        with ended_by_interrupt():
            results, difference = _run_all(executor, batches, compare)
    except (ModelError, InputError, MachineError) as error:
        fail(str(error))
    except LaunchError as error:
        fail(str(error), EXIT_FAULT)
    for name, path in targets.items():
        write_array(path, results[name])
    summary = summarise(executor)
    if compare:
        summary["compare"] = {"is_equal": difference is None, "difference": None if difference is None else str(difference)}
    if json_file is not None:
        write_file(json_file, (json.dumps(summary, indent=2) + "\n").encode())
    if json_file != "-":
        click.echo(format_table(summary))
        if compare and difference is None:
            click.echo("compared with ONNX Runtime: every intermediate of every run is equal")
    if difference is not None:
        fail(str(difference), EXIT_FAULT)


def _run_all(executor: Executor, batches: list[Arrays], is_comparing: bool) -> tuple[Arrays, Difference | None]:
    """Outputs joined over the runs, which end at the first difference."""
    import numpy as np

    from accelkit.kernels.onnx.compare import Comparison

    comparison = Comparison(executor.placement.graph) if is_comparing else None
    parts: dict[str, list[npt.NDArray[Any]]] = {}
    difference = None
    with _progress(batches) as shown:
        for batch in shown:
            for name, value in executor.run(batch).items():
                parts.setdefault(name, []).append(value)
            difference = comparison.check(executor, batch) if comparison else None
            if difference is not None:
                break
    joined = {name: np.concatenate(values) if values[0].ndim else np.stack(values) for name, values in parts.items()}
    return joined, difference


@contextmanager
def _progress(batches: list[Arrays]) -> Iterator[Iterable[Arrays]]:
    """A bar on standard error if that is a terminal and there is more than one run."""
    if len(batches) == 1 or not sys.stderr.isatty():
        yield batches
        return
    with click.progressbar(batches, label="runs", file=sys.stderr, show_pos=True) as shown:
        yield shown


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
