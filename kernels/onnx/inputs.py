"""Input arrays: read, checked against the model, and cut into runs along the batch dimension."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.errors import InputError
from accelkit.kernels.onnx.graph import Graph

Array = npt.NDArray[Any]


def read_array(path: Path) -> Array:
    """The array in a `.npy` file; InputError if there is none."""
    try:
        value = np.load(path, allow_pickle=False)
    except OSError as error:
        raise InputError(f"{path}: can't read the input: {error.strerror or error}") from error
    except Exception as error:  # what NumPy's reader raises at a damaged header has no common base
        raise InputError(f"{path}: not a .npy file, or a truncated one; write it with numpy.save") from error
    if not isinstance(value, np.ndarray):
        raise InputError(f"{path}: holds several arrays (.npz); give one .npy file for each input, as NAME=FILE.npy")
    return value


def read_samples(path: Path) -> dict[str, Array]:
    """The arrays in a `.npz` file by name; InputError if there are none."""
    hint = "write it with numpy.savez(FILE, NAME=array)"
    try:
        archive = np.load(path, allow_pickle=False)
        samples = {} if isinstance(archive, np.ndarray) else {name: archive[name] for name in archive.files}
    except OSError as error:
        raise InputError(f"{path}: can't read the arrays: {error.strerror or error}") from error
    except Exception as error:  # what NumPy's reader and zipfile raise at a damaged file has no common base
        raise InputError(f"{path}: not a .npz file, or a truncated one; {hint}") from error
    if isinstance(archive, np.ndarray):
        raise InputError(f"{path}: one array without a name (.npy); {hint}")
    archive.close()
    if not samples:
        raise InputError(f"{path}: holds no array; {hint}")
    return samples


def split_runs(graph: Graph, given: Mapping[str, Array]) -> list[dict[str, Array]]:
    """The inputs of each run. A first dimension that is a multiple of the model's batch gives that many runs.

    An input of exactly the model's shape serves all runs. The name "" stands for a model's only input.
    InputError for inputs that are missing, unknown, of another type or shape, or of different numbers of runs.
    """
    named = _by_name(graph, given)
    counts = {name: _count_runs(graph, name, value) for name, value in named.items()}
    runs = max(counts.values(), default=1)
    for name, count in counts.items():
        if count not in (1, runs):
            raise InputError(f"input {name} has {count} batches, another input has {runs}; all must have the same number, or one")
    split = []
    for run in range(runs):
        batch = {}
        for name, value in named.items():
            size = len(value) // counts[name] if value.ndim else 0
            batch[name] = np.ascontiguousarray(value[run * size : (run + 1) * size]) if counts[name] > 1 else value
        split.append(batch)
    return split


def _by_name(graph: Graph, given: Mapping[str, Array]) -> dict[str, Array]:
    known = ", ".join(f"{name}: {graph.types[name]}" for name in graph.inputs)
    named = dict(given)
    if "" in named:
        if len(graph.inputs) != 1:
            raise InputError(f"the model has {len(graph.inputs)} inputs ({known}); give each as NAME=FILE.npy")
        if graph.inputs[0] in named:
            raise InputError(f"input {graph.inputs[0]} is given twice, with and without its name")
        named[graph.inputs[0]] = named.pop("")
    for name in named:
        if name not in graph.inputs:
            raise InputError(f"the model has no input {name}; it has {known}")
    for name in graph.inputs:
        if name not in named:
            raise InputError(f"input {name} is missing; the model has {known}")
    return named


def _count_runs(graph: Graph, name: str, value: Array) -> int:
    kind = graph.types[name]
    assert kind.shape is not None
    expected = f"expected {kind}" + (f", or a multiple of {kind.shape[0]} in its first dimension" if kind.shape else "")
    seen = f"input {name} is {value.dtype} {list(value.shape)}, {expected}"
    if value.dtype != kind.dtype:
        raise InputError(f"{seen}; convert it: x.astype(numpy.{kind.dtype})")
    if value.shape == kind.shape:
        return 1
    if value.ndim != len(kind.shape) or value.shape[1:] != kind.shape[1:]:
        raise InputError(f"{seen}; reshape or transpose it (ONNX has NCHW)")
    if len(value) == 0 or kind.shape[0] == 0 or len(value) % kind.shape[0]:
        raise InputError(f"{seen}; it has {len(value)}")
    return len(value) // kind.shape[0]
