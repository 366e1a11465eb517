"""A model's run: outputs, and cycles by node of its file. Needs the extra `onnx`."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from accelkit.cli.golden.case import Case, GoldenError
from accelkit.cli.golden.inputs import Values
from accelkit.cli.golden.measure import Measured, identity
from accelkit.isa.files import read_bytes
from accelkit.isa.machine import Machine


def measure_model(case: Case, machine: Machine, values: Values, is_judged: bool) -> Measured:
    """Run a model; with `is_judged` every intermediate against ONNX Runtime. GoldenError if it can't run."""
    try:
        from accelkit.kernels.onnx.compare import Comparison
        from accelkit.kernels.onnx.errors import InputError, ModelError
        from accelkit.kernels.onnx.executor import Executor
        from accelkit.kernels.onnx.inputs import split_runs
        from accelkit.kernels.onnx.loading import read_model
        from accelkit.kernels.onnx.placement import place
        from accelkit.kernels.onnx.report import summarise
    except ImportError as error:
        raise GoldenError(f'{error.name} is not installed; models need the onnx extra: python -m pip install "accelkit[onnx]"') from error
    from accelkit.simulator import LaunchError, Session

    assert case.model is not None
    path = case.file(case.model)
    outputs: dict[str, list[Any]] = {}
    wrong = None
    digest = hashlib.sha256(read_bytes(path)).hexdigest()
    try:
        graph = read_model(path)
        executor = Executor(place(graph, machine), is_judged, Session(machine))
        comparison = Comparison(graph) if is_judged else None
        for batch in split_runs(graph, values):
            if comparison is not None:
                comparison.start(batch)
            for name, value in executor.run(batch, comparison.observe if comparison else None).items():
                outputs.setdefault(name, []).append(value)
    except LaunchError as error:
        return Measured(identity(machine, values, digest, 0, {}), {}, [], str(error))
    except (ModelError, InputError) as error:
        raise GoldenError(f"{case.path}: {error}") from error
    if comparison is not None and comparison.difference is not None:
        wrong = str(comparison.difference)
    joined = {name: np.concatenate(parts) if parts[0].ndim else np.stack(parts) for name, parts in outputs.items()}
    summary = summarise(executor)
    rows = [
        {"name": node["name"], "op": node["op"], "where": node["where"], "cycles": node.get("cycles", 0)} for node in summary["nodes"]
    ]
    cycles = summary["totals_per_run"]["cycles"]
    return Measured(identity(machine, values, digest, cycles, joined), joined, rows, wrong=wrong)
