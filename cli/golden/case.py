"""A golden case as its TOML file says it, and where cases lie."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelkit.cli.golden.recorded import Recorded, read_recorded
from accelkit.isa.files import read_bytes
from accelkit.isa.messages import shortened

FOLDER_CASE = "case.toml"
FILE_CASE = ".case.toml"
_FILE_KINDS = {"model": ".onnx", "kernel": ".s or .elf"}
_KEYS = ("kernel", "model", "machine", "permitted_drift", "max_cycles", "seed", "generator", "reference", "arguments", "inputs", "expected")
_RECORDED = "recorded"


class GoldenError(Exception):
    """A case that can't be used; the text says what was seen, what was expected and where."""

    def __init__(self, text: str = "") -> None:
        super().__init__(shortened(text))


class ProgramError(GoldenError):
    """A program that can't be assembled: the case is as it should be."""


@dataclass(frozen=True)
class Case:
    """What is run, and what it has to give. Paths are relative to the case's file. `permitted_drift` is in cycles, up or down."""

    path: Path
    name: str
    kernel: str | None
    model: str | None
    machine: str
    permitted_drift: int = 0
    max_cycles: int | None = None
    seed: int = 0
    generator: str | None = None  # FILE.py:FUNCTION, called with the seed
    reference: str | None = None  # FILE.py:FUNCTION, called with the inputs and arguments
    arguments: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, str] = field(default_factory=dict)
    recorded: Recorded | None = None

    def file(self, name: str) -> Path:
        """A file that the case names; GoldenError if it isn't there."""
        path = self.path.parent / name
        if not path.is_file():
            raise GoldenError(f"{self.path}: there is no file {path}; was it left out of the commit?")
        return path


def find_cases(folders: Sequence[Path]) -> list[Path]:
    """The files of all cases under the folders (or the case files themselves), each once, in order of their names. GoldenError if a
    folder has none."""
    found: dict[Path, None] = {}
    for folder in folders:
        if folder.is_file():
            found[folder] = None
            continue
        if not folder.is_dir():
            raise GoldenError(f"{folder}: no such folder")
        names = sorted(path for path in folder.rglob("*.toml") if is_case(path))
        if not names:
            raise GoldenError(f"{folder}: no case in it; a case is a file {FOLDER_CASE} or NAME{FILE_CASE}")
        found |= dict.fromkeys(names)
    return list(found)


def is_case(path: Path) -> bool:
    """Whether a file's name is that of a case."""
    return path.name == FOLDER_CASE or path.name.endswith(FILE_CASE)


def name_of(path: Path) -> str:
    """A case's name: that of its folder, or of its file."""
    return path.absolute().parent.name if path.name == FOLDER_CASE else path.name.removesuffix(FILE_CASE).removesuffix(".toml")


def read_case(path: Path) -> Case:
    """The case in a file; GoldenError if it isn't one."""
    try:
        values = tomllib.loads(read_bytes(path).decode())
    except OSError as error:
        raise GoldenError(f"{path}: can't be read: {error.strerror or error}") from error
    except ValueError as error:
        raise GoldenError(f"{path}: not a TOML file: {error}") from error
    try:
        recorded = read_recorded(values.pop(_RECORDED)) if _RECORDED in values else None
    except ValueError as error:
        raise GoldenError(f"{path}: [{_RECORDED}]: {error}; record the case again") from error
    for key in values:
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; it has {', '.join(_KEYS)}"
            raise GoldenError(f"{path}: a case has no key {key!r}{hint}")
    if ("kernel" in values) == ("model" in values):
        kinds = " or ".join(f'{kind} = "FILE" ({ends})' for kind, ends in _FILE_KINDS.items())
        raise GoldenError(f"{path}: expected either {kinds}")
    return Case(
        path=path,
        name=name_of(path),
        kernel=_get(path, values, "kernel", str),
        model=_get(path, values, "model", str),
        machine=_get(path, values, "machine", str) or "edge-16",
        permitted_drift=_get(path, values, "permitted_drift", int) or 0,
        max_cycles=_get(path, values, "max_cycles", int),
        seed=_get(path, values, "seed", int) or 0,
        generator=_get(path, values, "generator", str),
        reference=_get(path, values, "reference", str),
        arguments=_table(path, values, "arguments", int),
        inputs=_table(path, values, "inputs", str, dict),
        expected=_table(path, values, "expected", str),
        recorded=recorded,
    )


def _get(path: Path, values: Mapping[str, Any], key: str, kind: type) -> Any:
    value = values.get(key)
    if value is not None and type(value) is not kind:
        wanted = "a text" if kind is str else "an integer"
        raise GoldenError(f"{path}: {key} = {value!r}: expected {wanted}")
    if isinstance(value, int) and value < 0:
        raise GoldenError(f"{path}: {key} = {value}: expected 0 or more")
    return value


def _table(path: Path, values: Mapping[str, Any], key: str, *kinds: type) -> Mapping[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise GoldenError(f"{path}: {key} = {table!r}: expected a table [{key}]")
    for name, value in table.items():
        if type(value) not in kinds:
            wanted = {int: "an integer", str: "a file's name", dict: "a generator { ... }"}
            raise GoldenError(f"{path}: [{key}] {name} = {value!r}: expected {' or '.join(wanted[kind] for kind in kinds)}")
    return table
