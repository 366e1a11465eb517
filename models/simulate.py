"""One model on the simulator, in a process of its own so that its memory can be measured: used by `models.check`.

`python models/simulate.py MODEL MACHINE FOLDER` runs what FOLDER/feeds-0.npz, feeds-1.npz, ... hold and writes, for each run,
every tensor that it makes, then the report and the process's largest resident size.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.report import summarise


class _Writer:
    """Writes every tensor that a run makes; what the arena puts in its place later is another tensor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def __call__(self, name: str, value: npt.NDArray[Any]) -> None:
        np.savez(self.folder / f"{self.count:05}.npz", name=np.array(name), value=value)
        self.count += 1


def simulate(path: Path, machine: str, folder: Path) -> None:
    """Run all feeds of `folder`; ModelError or LaunchError as `accel-sim model`."""
    executor = Executor(place(read_model(path), load_machine(machine)), keeps_all=True)
    start = time.perf_counter()
    for run, feeds in enumerate(sorted(folder.glob("feeds-*.npz"))):
        target = folder / f"run-{run}"
        target.mkdir()
        with np.load(feeds) as values:
            outputs = executor.run({name: values[name] for name in executor.placement.graph.inputs}, _Writer(target))
        for name, value in outputs.items():
            np.savez(target / f"output-{name.replace('/', '_')}.npz", name=np.array(name), value=value)
    report = summarise(executor)
    report["host_seconds"] = time.perf_counter() - start
    report["peak_bytes"] = peak_bytes()
    (folder / "report.json").write_text(json.dumps(report))


def peak_bytes() -> int:
    """The largest resident size of this process so far. getrusage would count the parent's too, from before exec."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    try:
        simulate(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
    except ModelError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
