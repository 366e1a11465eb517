"""`accel-sim model`: run an int8 ONNX model, on the accelerator what it can take, on the CPU the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelkit.cli.common import (
    EXIT_FAULT,
    check_exclusions,
    check_files,
    fail,
    require_onnx,
    write_array,
    write_file,
)
from accelkit.cli.pictures import check_pictures, watch, write_pictures
from accelkit.cli.request import jitter_option
from accelkit.cli.tracing import TRACE_HELP, trace_path, tracing

if TYPE_CHECKING:
    from accelkit.cli.model_run import Outcome
    from accelkit.kernels.onnx.placement import Placement
    from accelkit.kernels.onnx.report import Summary

_FILE = click.Path(dir_okay=False, allow_dash=True)
_LARGEST_BATCH = (1 << 31) - 1  # far above what a DRAM holds; products of sizes stay within 64 bits


@click.command()
@click.argument("net", metavar="NET.onnx", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "inputs",
    metavar="[NAME=]FILE.npy",
    multiple=True,
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
@click.option(
    "--batch",
    metavar="N",
    type=click.IntRange(1, _LARGEST_BATCH),
    help="Size of the batch dimension, if the model leaves it open. [default: 1]",
)
@click.option("--explain", is_flag=True, help="Place only: where each node would run and why, cycles as estimated; needs no input.")
@click.option("--versus", metavar="NAME|FILE", help="A second machine: the same run there, layer by layer beside the first.")
@click.option("--pin", "pins", metavar="NODE=SIDE", multiple=True, help="Hold a node of the file to `cpu` or `accelerator`.")
@click.option("--no-fallback", is_flag=True, help="Fail, naming each node, if the accelerator can't take all; else cost decides.")
@click.option("--compare", is_flag=True, help="Check every intermediate against ONNX Runtime; 1 at the first that differs.")
@click.option("--timing-only", is_flag=True, help="Cycles of one run without values: needs no input, the CPU's nodes don't run.")
@click.option("--functional-only", is_flag=True, help="Outputs without cycles: no checks of the kernels, no report.")
@click.option("--trace", "trace_file", metavar="FILE", help=TRACE_HELP)
@click.option(
    "--threads",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="2: values are computed beside the timing of what comes after them; the result is the same.",
)
@jitter_option
@click.option("--html", metavar="FILE", help="Write the report as a page with charts, of one file, for a browser.")
@click.option("--roofline", metavar="FILE", help="Draw the layers under the machine's roofline: .png or .svg.")
@click.option("--json", "json_file", type=_FILE, help="Write the report as JSON (- is stdout, instead of the table).")
@click.option("--csv", "csv_file", type=_FILE, help="Write the report's nodes as CSV (- is stdout, instead of the table).")
def model(
    net: Path,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    machine: str,
    batch: int | None,
    explain: bool,
    versus: str | None,
    pins: tuple[str, ...],
    no_fallback: bool,
    compare: bool,
    timing_only: bool,
    functional_only: bool,
    trace_file: str | None,
    threads: int,
    jitter: int | None,
    html: str | None,
    roofline: str | None,
    json_file: str | None,
    csv_file: str | None,
) -> None:
    """Run the int8 model NET.onnx (QOperator or QDQ form) and print what each node cost.

    Cycles are those of the accelerator; what it can't take runs on the CPU, in ONNX Runtime, and its time is shown apart.

    \b
    Examples:
      accel-sim model net.onnx --explain
      accel-sim model net.onnx --input images.npy --output logits.npy
      accel-sim model net.onnx --input left=a.npy --input right=b.npy --compare
      accel-sim model net.onnx --input x.npy --machine edge-16 --versus server-128
      accel-sim model net.onnx --input x.npy --no-fallback --pin head=cpu --csv -
      accel-sim model net.onnx --timing-only --versus server-128
      accel-sim model net.onnx --functional-only --input images.npy --output logits.npy
      accel-sim model net.onnx --input x.npy --trace net.pftrace
      accel-sim model net.onnx --input x.npy --jitter 7 --compare
      accel-sim model net.onnx --input x.npy --html report.html --roofline roofline.svg

    \b
    Exit codes: 0 all is well; 1 an intermediate differs (--compare), a kernel
    doesn't end well, a node on the CPU (--no-fallback); 2 bad options or input.
    """
    require_onnx()
    _check_options(
        {
            "--input": inputs, "--output": outputs, "--explain": explain, "--compare": compare, "--versus": versus,
            "--timing-only": timing_only, "--functional-only": functional_only, "--trace": trace_file, "--jitter": jitter, "--html": html,
            "--roofline": roofline, "--json": json_file, "--csv": csv_file,
        }
    )  # fmt: skip
    trace = trace_file and trace_path(trace_file, net.stem)
    reports = {"--json": json_file, "--csv": csv_file, "--trace": trace, "--html": html, "--roofline": roofline}
    targets = [("--output", _path(text)) for text in outputs]
    targets += [(option, path) for option, path in reports.items() if path is not None and path != "-"]
    check_files((net, machine, versus or machine, *map(_path, inputs)), targets)
    check_pictures(html, roofline)
    from accelkit.cli.model_run import prepare, run_model, time_model
    from accelkit.isa.machine import MachineError, load_machine
    from accelkit.kernels.memo import recalled
    from accelkit.kernels.onnx.errors import FallbackError, InputError, ModelError
    from accelkit.kernels.onnx.loading import read_model
    from accelkit.kernels.onnx.placement import place
    from accelkit.kernels.onnx.report import explain as explain_placement
    from accelkit.kernels.onnx.report_text import format_csv
    from accelkit.kernels.onnx.versus import compare_machines
    from accelkit.simulator import LaunchError, Mode

    mode = Mode.VALUES if functional_only else Mode.FULL
    try:
        machines = [load_machine(name) for name in ((machine, versus) if versus else (machine,))]
        graph = read_model(net, batch)
        request = prepare(graph, inputs, outputs, is_comparing=compare) if inputs else None
        with recalled(net.absolute(), machines):
            placements = [place(graph, one, _pins(pins), falls_back=not no_fallback) for one in machines]
        for placement in placements:
            _warn(placement)
        with tracing(trace_file, net.stem, has_scalars=False) as timelines:
            activity = None if html is None or explain else watch(placements[0])
            observers = [*timelines, activity] if activity else timelines
            outcome = None if request is None else run_model(placements, request, observers, mode, jitter or 0, threads)
            timed = time_model(placements, observers, jitter or 0) if timing_only else None
    except FallbackError as error:
        fail(str(error), EXIT_FAULT)
    except (ModelError, InputError, MachineError) as error:
        fail(str(error))
    except LaunchError as error:
        fail(str(error), EXIT_FAULT)
    summaries = timed or (outcome.summaries if outcome else [explain_placement(placement) for placement in placements])
    summary = summaries[0]
    if outcome is not None:
        for path, value in outcome.outputs.items():
            write_array(path, value)
        if compare:
            summary["compare"] = outcome.comparison()
    if versus:
        summary["versus"] = compare_machines(summaries[0], summaries[1])
    if json_file is not None:
        write_file(json_file, (json.dumps(summary, indent=2) + "\n").encode())
    if csv_file is not None:
        write_file(csv_file, format_csv(summary).encode())
    write_pictures(html, roofline, summary, placements[0], activity)
    if "-" not in (json_file, csv_file):
        for text in _texts(summaries, outcome, compare, functional_only):
            click.echo(text)
    if outcome is not None and outcome.difference is not None:
        fail(outcome.difference, EXIT_FAULT)


def _texts(summaries: list[Summary], outcome: Outcome | None, is_comparing: bool, is_functional: bool) -> Iterator[str]:
    """What standard output gets: a table for each machine, the machines side by side, that all intermediates are equal."""
    from accelkit.kernels.onnx.report_text import format_table
    from accelkit.kernels.onnx.versus import format_versus

    first = summaries[0]
    yield f"{first['runs']} runs; no cycles with --functional-only" if is_functional else format_table(first)
    if "versus" in first:
        yield f"\n{format_table(summaries[1])}\n\n{format_versus(first['versus'])}"
    if is_comparing and outcome is not None and outcome.difference is None:
        yield outcome.compared()


def _path(text: str) -> str:
    """The file of a `[NAME=]FILE`."""
    return text.rpartition("=")[2]


_NO_VALUES = ("--input", "--output", "--compare")
_EXCLUDED = {  # by an option that says what is run: options that then have nothing to show
    "--explain": (("--timing-only", "--functional-only", *_NO_VALUES, "--trace", "--jitter"), "runs nothing"),
    "--timing-only": (("--functional-only", *_NO_VALUES), "computes no values"),
    "--functional-only": (("--versus", "--trace", "--jitter", "--html", "--roofline", "--json", "--csv"), "reports no cycles"),
}


def _check_options(given: dict[str, object]) -> None:
    """The end with a message if options don't go together; `given` has what each was given."""
    check_exclusions(_EXCLUDED, given)
    if not (given["--input"] or given["--explain"] or given["--timing-only"]):
        fail("--input is missing: give an array for each input, or --explain or --timing-only, which need none")
    if given["--functional-only"] and not (given["--output"] or given["--compare"]):
        fail("--functional-only has nothing to show: give --output NAME=FILE.npy, or --compare")
    if given["--json"] == given["--csv"] == "-":
        fail("--json - and --csv - both want standard output; give one of them a file")


def _pins(texts: tuple[str, ...]) -> dict[str, str]:
    """`NODE=SIDE`, by node."""
    pins: dict[str, str] = {}
    for text in texts:
        name, _, side = text.rpartition("=")
        if side not in ("cpu", "accelerator") or not name:
            fail(f"--pin {text}: expected NODE=cpu or NODE=accelerator")
        if pins.setdefault(name, side) != side:
            fail(f"--pin {name} is given twice, for both sides")
    return pins


def _warn(placement: Placement) -> None:
    """One line on standard error if nodes fall back that nobody sent to the CPU."""
    fallbacks = placement.fallbacks
    if not fallbacks:
        return
    first = fallbacks[0]
    others = f" and {len(fallbacks) - 1} more" if len(fallbacks) > 1 else ""
    click.echo(
        f"warning: {len(fallbacks)} of {len(placement.records)} nodes run on the CPU, not on {placement.machine.name}:"
        f" {first.node.name} ({first.node.op_type}): {first.code}: {first.reason}{others}; --no-fallback names all and fails",
        err=True,
    )
