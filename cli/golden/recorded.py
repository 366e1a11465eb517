"""What was recorded of a case: a section at the end of its TOML file, and beside it an .npz file that shows where a difference is.

The .npz file's name has its digest, and it is written before the TOML file that names it, which changes in one step: whenever
recording is interrupted, there is the old record or the new one.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelkit.cli.files import replacing
from accelkit.isa.files import read_bytes

Array = NDArray[Any]
Rows = list[dict[str, Any]]  # cycles by line of a kernel (`lines.as_json`), or by node of a model
_MARK = "# Recorded by `accel-sim golden record`: what follows is not to be edited.\n"
_ROWS = "rows"


@dataclass(frozen=True)
class Recorded:
    """What a run gave, as digests; `data` is the name of the file with the arrays and the cycles by line."""

    isa: tuple[int, int]
    machine: str
    inputs: str
    program: str
    cycles: int
    data: str
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Data:
    """The arrays of the outputs by name, and the cycles by line or node."""

    outputs: Mapping[str, Array]
    rows: Rows


def digest_of(*parts: Array | bytes | str) -> str:
    """SHA-256 of texts, bytes and arrays with their types and shapes."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            little = part.astype(part.dtype.newbyteorder("<"), copy=False)
            head, content = f"{part.dtype.name}{list(part.shape)}".encode(), np.ascontiguousarray(little).tobytes()
        else:
            head, content = b"", part.encode() if isinstance(part, str) else part
        digest.update(head + b"\0" + len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def read_recorded(table: Any) -> Recorded:
    """The section as it was written; ValueError if it isn't."""
    try:
        first, second = (int(number) for number in table["isa"])
        outputs = {str(name): str(digest) for name, digest in table["outputs"].items()}
        machine, inputs, program, data = (str(table[key]) for key in ("machine", "inputs", "program", "data"))
        return Recorded((first, second), machine, inputs, program, int(table["cycles"]), data, outputs)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not as it was written ({type(error).__name__}: {error})") from error


def read_data(folder: Path, recorded: Recorded) -> Data:
    """The recorded arrays; ValueError if the file is missing, or isn't the one that was written."""
    path = folder / recorded.data
    try:
        content = read_bytes(path)
        if recorded.data.rpartition(".npz")[0].rpartition(".")[2] != _short(content):
            raise ValueError(f"{path} has been changed since it was recorded")
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        rows = json.loads(archive[_ROWS].tobytes())
        outputs = {name: archive[f"output{place}"] for place, name in enumerate(recorded.outputs)}
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}; was it left out of the commit?") from error
    except KeyError as error:
        raise ValueError(f"{path} lacks {error}") from error
    return Data(outputs, rows)


def write(path: Path, stem: str, recorded: Recorded, data: Data) -> Recorded:
    """Record into the case's file `path`; its data file is called `stem`.DIGEST.npz. OSError."""
    stream = io.BytesIO()
    arrays: dict[str, Any] = {f"output{place}": data.outputs[name] for place, name in enumerate(recorded.outputs)}
    arrays[_ROWS] = np.frombuffer(json.dumps(data.rows, separators=(",", ":")).encode(), np.uint8)
    np.savez_compressed(stream, **arrays)
    content = stream.getvalue()
    name = f"{stem}.{_short(content)}.npz"
    with replacing(path.parent / name) as target:
        target.write(content)
    before = path.read_text(encoding="utf-8").partition(_MARK)[0].rstrip("\n")
    with replacing(path) as target:
        target.write(f"{before}\n\n{_MARK}{_section(recorded, name)}".encode())
    for other in path.parent.glob(f"{stem}.*.npz"):
        if other.name != name and _is_data(other.name, stem):
            other.unlink()
    return recorded


def _section(recorded: Recorded, data: str) -> str:
    keys: Sequence[tuple[str, object]] = (
        ("isa", list(recorded.isa)),
        ("machine", recorded.machine),
        ("inputs", recorded.inputs),
        ("program", recorded.program),
        ("cycles", recorded.cycles),
        ("data", data),
    )
    lines = ["[recorded]", *(f"{key} = {json.dumps(value)}" for key, value in keys), "", "[recorded.outputs]"]
    return "\n".join([*lines, *(f"{json.dumps(name)} = {json.dumps(digest)}" for name, digest in recorded.outputs.items())]) + "\n"


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _is_data(name: str, stem: str) -> bool:
    """Whether a file's name is that of an earlier record of the same case."""
    middle = name.removeprefix(f"{stem}.").removesuffix(".npz")
    return len(middle) == 16 and all(digit in "0123456789abcdef" for digit in middle)
