"""A fuzzed case: its model, its run on the accelerator, and ONNX Runtime's own run of it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from accelkit.isa.machine import Machine
from accelkit.kernels.onnx.errors import FallbackError
from accelkit.kernels.onnx.executor import Executor
from accelkit.kernels.onnx.loading import read_model
from accelkit.kernels.onnx.placement import place
from accelkit.kernels.onnx.records import Where
from tests.fuzz.operators.families import FAMILIES, builder
from tests.fuzz.operators.space import Choice
from tests.kernels.machines import NAMED
from tests.kernels.onnx.builder import run_reference

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A family's choice with sizes; everything else follows from them."""

    family: str
    choice: Choice
    sizes: Mapping[str, int]

    def build(self) -> tuple[onnx.ModelProto, dict[str, Array], list[str]]:
        """Model, inputs, names of outputs. ValueError if the sizes contradict each other."""
        b = builder(self.choice, self.sizes)
        outputs = FAMILIES[self.family].build(b, self.choice, self.sizes)
        return b.model(outputs), b.inputs, outputs

    def smaller(self, size: str, value: int) -> Case:
        """The case with another size."""
        return replace(self, sizes={**self.sizes, size: value})


@dataclass(frozen=True)
class Outcome:
    """`failure` is empty if every output is equal; `kind` is "difference" or an exception's name; `refused` says what ran on the CPU."""

    failure: str
    outputs: int = 0
    refused: tuple[str, ...] = ()
    kind: str = "difference"


@cache
def machine(name: str) -> Machine:
    """A machine of the kernels' tests; the DRAM is small, so that a session is cheap."""
    return {machine.name: machine for machine in NAMED}[name]


def run(case: Case) -> Outcome:
    """Run the case both ways. Whatever goes wrong on our side is a failure, too; ONNX Runtime's refusal is a ValueError."""
    model, inputs, names = case.build()
    try:
        expected = run_reference(model, inputs, names)
    except Exception as error:  # ONNX Runtime's exceptions have no common base of their own
        raise ValueError(f"ONNX Runtime: {error}") from error
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.onnx"
            path.write_bytes(model.SerializeToString())
            graph = read_model(path)
        try:  # whatever it costs
            placement = place(graph, machine(case.choice["machine"]), falls_back=False)
        except FallbackError:
            placement = place(graph, machine(case.choice["machine"]))
        results = Executor(placement).run(inputs)
    except Exception as error:  # a crash of the dispatcher is what the fuzzer looks for
        return Outcome(f"{type(error).__name__}: {error}", kind=type(error).__name__)
    refused = tuple(f"{r.node.op_type}: {r.code}" for r in placement.records if r.where is Where.CPU)
    for name in names:
        if results[name].dtype != expected[name].dtype or results[name].shape != expected[name].shape:
            return Outcome(
                f"{name} is {results[name].dtype} {results[name].shape}, expected {expected[name].dtype} {expected[name].shape}"
            )
        wrong = np.argwhere(results[name] != expected[name])
        if len(wrong):
            at = tuple(int(index) for index in wrong[0])
            return Outcome(
                f"{name}{list(at)} is {results[name][at]}, ONNX Runtime has {expected[name][at]};"
                f" {len(wrong)} of {expected[name].size} differ"
            )
    return Outcome("", sum(expected[name].size for name in names), refused)


def shrink(case: Case) -> Case:
    """The case with sizes as small as they go while it fails in the same way, one size after the other until nothing helps."""
    kind = run(case).kind

    def fails(candidate: Case) -> bool:
        try:
            outcome = run(candidate)
        except ValueError:
            return False
        return bool(outcome.failure) and outcome.kind == kind

    changed = True
    while changed:
        changed = False
        for size in case.sizes:
            for value in _smaller(case.sizes[size]):
                if fails(case.smaller(size, value)):
                    case, changed = case.smaller(size, value), True
                    break
    return case


def _smaller(value: int) -> list[int]:
    return list(dict.fromkeys(candidate for candidate in (0, 1, value // 2, value - 1) if 0 <= candidate < value))


def write_reproducer(case: Case, folder: Path) -> str:
    """The model and its inputs as files; returns the command that shows the difference."""
    model, inputs, _ = case.build()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.onnx").write_bytes(model.SerializeToString())
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
    named = " ".join(f"--input {name}={folder / name}.npy" for name in inputs)
    return f"accel-sim model {folder / 'net.onnx'} {named} --machine {_machine_argument(case, folder)} --compare"


def _machine_argument(case: Case, folder: Path) -> str:
    """The preset's name, or a file with the machine of the tests."""
    name = case.choice["machine"]
    if name != "odd-6":
        return name
    path = folder / f"{name}.toml"
    path.write_bytes((Path(__file__).parents[3] / "kernels" / "asm" / "odd-6.toml").read_bytes())
    return str(path)
