"""One run of a case: its outputs, its cycles and where they went."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from accelkit.cli.golden.case import Case, GoldenError, ProgramError
from accelkit.cli.golden.inputs import Values, call, load, values_of
from accelkit.cli.golden.recorded import Array, Data, Recorded, Rows, digest_of
from accelkit.cli.golden.stores import Stores
from accelkit.cli.sources import read_sources
from accelkit.isa.files import read_bytes
from accelkit.isa.machine import Machine, MachineError, load_machine
from accelkit.isa.program import Program
from accelkit.isa.table import ISA_VERSION
from accelkit.simulator.arguments import buffer_names
from accelkit.simulator.lines import as_json, by_line, place


@dataclass(frozen=True)
class Measured:
    """What a run gave. `fault` says why it did not end well (then there are no outputs), `blame`, where that is known, which instruction
    wrote an element (output, its number) last, None if none did, `wrong` what its reference has against it."""

    identity: Recorded  # without data
    outputs: Mapping[str, Array]
    rows: Rows
    fault: str | None = None
    blame: Callable[[str, int], tuple[str, int] | None] | None = None  # (file:line text, cycle)
    wrong: str | None = None

    @property
    def data(self) -> Data:
        """What is recorded beside the digests."""
        return Data(self.outputs, self.rows)


def measure(case: Case, is_judged: bool) -> Measured:
    """Run a case; with `is_judged` also against its reference (a model's is ONNX Runtime). GoldenError if it can't run."""
    preset = case.path.parent / case.machine
    try:
        machine = load_machine(str(preset) if preset.is_file() else case.machine)
    except MachineError as error:
        raise GoldenError(f"{case.path}: machine: {error}") from error
    values = values_of(case)
    if case.model is not None:
        from accelkit.cli.golden.model import measure_model

        measured = measure_model(case, machine, values, is_judged)
    else:
        measured = _measure_kernel(case, machine, values)
    if is_judged and measured.fault is None and measured.wrong is None:
        return replace(measured, wrong=_judge(case, values, measured.outputs))
    return measured


def identity(machine: Machine, values: Values, program: str, cycles: int, outputs: Mapping[str, Array]) -> Recorded:
    """What is recorded of a run, but for the data file's name."""
    parts: list[Any] = []
    for name in sorted(values):
        value = values[name]
        parts += [name, value if isinstance(value, np.ndarray) else str(value)]
    digests = {name: digest_of(value) for name, value in outputs.items()}
    return Recorded(ISA_VERSION, machine.digest, digest_of(*parts), program, cycles, "", digests)


def _judge(case: Case, values: Values, outputs: Mapping[str, Array]) -> str | None:
    """The first difference from what the case says is right."""
    from accelkit.cli.golden.verdict import first_difference

    right = {name: load(case, file) for name, file in case.expected.items()}
    if case.reference is not None:
        right |= call(case, "reference", case.reference, values)
    for name, expected in right.items():
        if name not in outputs:
            raise GoldenError(f"{case.path}: there is no output {name}; it has {', '.join(outputs) or 'none'}")
        if text := first_difference(name, np.asarray(expected), outputs[name]):
            return text
    return None


def _measure_kernel(case: Case, machine: Machine, values: Values) -> Measured:
    from accelkit.simulator import ArgumentError, LaunchError, Session
    from accelkit.simulator.account import Account
    from accelkit.simulator.session import DEFAULT_MAX_CYCLES

    assert case.kernel is not None
    path = case.file(case.kernel)
    program = _load(case, path)
    account, stores = Account(), Stores()
    session = Session(machine, observers=[account, stores])
    fault: str | None = None
    try:
        result = session.run(program, case.max_cycles or DEFAULT_MAX_CYCLES, **values)
    except LaunchError as error:
        result, fault = error.result, str(error)
    except (ArgumentError, ValueError) as error:
        raise GoldenError(f"{case.path}: {error}") from error
    texts = {_relative(case, file): lines for file, lines in read_sources(program, os.path.relpath(path)).items()}
    shown = replace(
        program, lines=tuple(line and line._replace(file=_relative(case, line.file)) for line in program.lines)
    )
    rows = as_json(by_line(shown, account, texts)) if account.is_complete else []
    buffers = buffer_names(program)

    def blame(name: str, element: int) -> tuple[str, int] | None:
        found = stores.writer(session, buffers[name], element * result.outputs[name].itemsize)
        return None if found is None else (place(shown, found[0]), found[1])

    digest = digest_of(" ".join(f"{word:x}" for word in program.words), program.data)
    recorded = identity(machine, values, digest, result.cycles, result.outputs)
    return Measured(recorded, result.outputs, rows, fault, blame)


def _load(case: Case, path: Path) -> Program:
    from accelkit.assembler import AssemblyError, assemble_file
    from accelkit.isa.elf import ElfError, read_elf

    try:
        # The assembler keeps only the last part of an absolute path.
        return assemble_file(os.path.relpath(path)) if path.suffix == ".s" else read_elf(read_bytes(path), str(path))
    except OSError as error:
        raise GoldenError(f"{path}: {error.strerror or error}") from error
    except AssemblyError as error:
        raise ProgramError(str(error)) from error
    except ElfError as error:
        raise GoldenError(f"{case.path}: {error}") from error


def _relative(case: Case, file: str) -> str:
    """A source file as seen from the case, so that a record is the same wherever the tree lies; an ELF file's as it has them."""
    if case.kernel is None or not case.kernel.endswith(".s"):
        return file
    return os.path.relpath(file, case.path.parent).replace(os.sep, "/")
