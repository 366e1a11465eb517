"""`accel-sim quantize`: make an int8 model of a floating-point one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accelkit.cli.common import EXIT_FAULT, check_files, fail, require_onnx, shown_progress, write_file

if TYPE_CHECKING:
    from accelkit.kernels.onnx.quantise import Quantised


@click.command()
@click.argument("net", metavar="NET.onnx", type=click.Path(path_type=Path))
@click.option(
    "--data",
    metavar="CALIB.npz",
    required=True,
    type=click.Path(path_type=Path),
    help="Typical inputs: one array for each input, called like it, the first dimension counts samples.",
)
@click.option("--output", "-o", metavar="OUT.onnx", required=True, help="The int8 model.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["qoperator", "qdq"]),
    default="qoperator",
    show_default=True,
    help="QLinear operators, or floating-point ones between QuantizeLinear and DequantizeLinear (which covers more operators).",
)
@click.option("--ops", metavar="OP,...", help="Quantise only these operators, such as Conv,MatMul,Gemm; the others stay in floating point.")
@click.option("--u8", "is_unsigned", is_flag=True, help="Unsigned activations and weights; default signed.")
@click.option("--per-tensor", "is_per_tensor", is_flag=True, help="One scale for all channels of a weight; default one for each.")
@click.option("--json", "is_json", is_flag=True, help="Print what became of each node as JSON.")
def quantize(
    net: Path, data: Path, output: str, form: str, ops: str | None, is_unsigned: bool, is_per_tensor: bool, is_json: bool
) -> None:
    """Quantise the floating-point model NET.onnx to int8, calibrated on samples, and say what became of each node.

    BatchNormalization goes into the convolution before it, then ONNX Runtime's static quantiser does the work. CALIB.npz comes
    from numpy.savez("calib.npz", x=images) for an input x.

    \b
    Examples:
      accel-sim quantize net.onnx --data calib.npz -o int8.onnx
      accel-sim quantize net.onnx --data calib.npz -o int8.onnx --format qdq
      accel-sim quantize net.onnx --data calib.npz -o int8.onnx --ops Conv,MatMul,Gemm

    \b
    Exit codes: 0 the model is written; 1 nothing could be quantised, there is
    no file; 2 bad options or input.
    """
    require_onnx()
    check_files((net, data), [("--output", output)])
    from accelkit.kernels.onnx.errors import InputError, ModelError
    from accelkit.kernels.onnx.inputs import read_samples
    from accelkit.kernels.onnx.quantise import quantise_file
    from accelkit.kernels.onnx.recipe import Recipe

    try:
        samples = read_samples(data)
    except InputError as error:
        fail(str(error))
    operators = tuple(dict.fromkeys(name.strip() for name in (ops or "").split(",") if name.strip()))
    try:
        recipe = Recipe(form == "qdq", operators, is_unsigned, is_per_tensor)
        result = quantise_file(net, samples, recipe, lambda runs: shown_progress(runs, "calibration"))
    except ModelError as error:
        fail(str(error))
    except InputError as error:
        fail(f"{data}: {error}")
    _report(net, output, result, is_json)
    if not result.count("quantised"):
        fail(f"{net}: nothing was quantised, {output} is not written; {_cause(result)}", EXIT_FAULT)
    for row in result.missed:
        click.echo(f"warning: {row.name} ({row.op_type}) stays in floating point: {row.detail}", err=True)
    write_file(output, result.content)


def _report(net: Path, output: str, result: Quantised, is_json: bool) -> None:
    counts = {outcome: result.count(outcome) for outcome in ("quantised", "folded", "float")}
    if is_json:
        rows = [{"name": row.name, "op": row.op_type, "outcome": row.outcome, "detail": row.detail} for row in result.rows]
        click.echo(json.dumps({"model": str(net), "output": output, "totals": counts, "nodes": rows}, indent=2))
        return
    from accelkit.kernels.onnx.report_text import align

    table = [("node", "op", "outcome", "how, or why not"), *((r.name, r.op_type, r.outcome, r.detail) for r in result.rows)]
    click.echo("\n".join(align(table, set())))
    click.echo(f"\n{len(result.rows)} nodes: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))


def _cause(result: Quantised) -> str:
    """The first product's reason, or that there is none."""
    if result.missed:
        row = result.missed[0]
        return f"{row.name} ({row.op_type}): {row.detail}"
    return "no node is an operator that can be quantised, or --ops names none of them"
