"""The values that a case runs with: files, seeded generators, functions of the case's own."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from accelkit.cli.common import unread_array
from accelkit.cli.golden.case import Case, GoldenError
from accelkit.cli.golden.recorded import Array

_GENERATOR: dict[str, Any] = {"dtype": str, "shape": list, "low": (int, float), "high": (int, float), "seed": int}
Values = dict[str, Any]  # integers of arguments, arrays of buffers


def values_of(case: Case) -> Values:
    """Arguments and inputs by name. GoldenError."""
    values: Values = {}
    if case.generator is not None:
        values |= call(case, "generator", case.generator, case.seed)
    values |= case.arguments
    for place, (name, value) in enumerate(case.inputs.items()):
        if isinstance(value, str):
            values[name] = load(case, value)
        else:
            values[name] = _generate(case, name, value, case.seed + place)
    return values


def load(case: Case, name: str) -> Array:
    """The array in a file of the case. GoldenError."""
    path = case.file(name)
    try:
        array = np.load(path, allow_pickle=False)
    except Exception as error:  # what NumPy's reader raises at a damaged header has no common base
        raise GoldenError(f"{case.path}: {unread_array(path, error)}") from error
    if not isinstance(array, np.ndarray):
        raise GoldenError(f"{case.path}: {path} holds several arrays; a .npy file holds one")
    return array


def call(case: Case, key: str, target: str, argument: object) -> dict[str, Any]:
    """The result, a dict by name, of the function that `FILE.py:FUNCTION` names. GoldenError."""
    file, colon, function = target.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise GoldenError(f"{case.path}: {key} = {target!r}: expected FILE.py:FUNCTION")
    path = case.file(file)
    try:
        found: Callable[[object], object] | None = runpy.run_path(str(path)).get(function)
        result = found(argument) if callable(found) else None
    except Exception as error:  # it is the user's code
        raise GoldenError(f"{case.path}: {key} = {target!r} failed: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise GoldenError(f"{case.path}: {key} = {target!r}: {path} has no function {function}")
    if not isinstance(result, Mapping):
        raise GoldenError(f"{case.path}: {key} = {target!r} gives {type(result).__name__}, expected a dict of values by name")
    return dict(result)


def _generate(case: Case, name: str, table: Mapping[str, Any], seed: int) -> Array:
    where = f"{case.path}: [inputs] {name}"
    for key, value in table.items():
        if key not in _GENERATOR or not isinstance(value, _GENERATOR[key]):
            raise GoldenError(f"{where}: {key} = {value!r}: expected dtype, shape and perhaps low, high, seed (as docs/goldens.md has it)")
    try:
        dtype, shape = np.dtype(table["dtype"]), [int(size) for size in table["shape"]]
        # NumPy keeps RandomState's stream frozen for ever, that of its newer generators not.
        random = np.random.RandomState(table.get("seed", seed))
        if dtype.kind == "f":
            return random.uniform(table.get("low", -1.0), table.get("high", 1.0), shape).astype(dtype)
        info = np.iinfo(dtype)
        return random.randint(table.get("low", info.min), table.get("high", info.max) + 1, shape, dtype)
    except KeyError as error:
        raise GoldenError(f"{where}: {error.args[0]} is missing") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise GoldenError(f"{where}: {error}") from error
