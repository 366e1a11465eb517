"""Whole models on simulator and RTL, launch by launch: `python -m tests.rtl.models [NAME ...]`, one input each, on edge-16."""

import sys
from dataclasses import replace

import onnx

from accelkit.isa.machine import load_machine
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.simulator.rtl.verify import VerifyingSession
from models.fetch import fetch
from models.quantise import split_runs

DRAM_BYTES = 1 << 27  # the RTL gets all of it for each launch; cycles don't depend on the size


def verify(name: str) -> list[str]:
    """Run the model's first input; prints what was compared, returns what differs."""
    fetched = fetch(name)
    machine = replace(load_machine("edge-16"), dram_bytes=DRAM_BYTES)
    session = VerifyingSession(machine)
    executor = Executor(place(read_model(fetched.path), machine), session=session)
    executor.run(next(iter(split_runs(fetched.load_feeds(), onnx.load(fetched.path)))))
    compared = session.verifications
    cycles = sum(measured.cycles for measured in executor.measured)
    differences = [f"{name}, launch {i}: {one}" for i, one in enumerate(compared) if one.difference or not one.is_compared]
    print(f"{name}: {len(compared)} launches, {cycles:,} cycles in kernels, {len(differences)} differences", flush=True)
    return differences


if __name__ == "__main__":
    found = [difference for name in sys.argv[1:] or ["efficientnet-lite0"] for difference in verify(name)]
    print(*found, sep="\n")
    sys.exit(bool(found))
