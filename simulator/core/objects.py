"""Object code of the core in the cache: where it is, how it is loaded; what is missing is compiled (compilers.py)."""

import ctypes
import hashlib
import importlib.util
import logging
import os
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from accelkit.simulator.core import compilers, jit
from accelkit.simulator.core.compilers import CompileError

_CHECKED = 32  # bytes of digest before the object code
_log = logging.getLogger(__name__)


class Request(NamedTuple):
    """An entry point for arguments of some kinds (entry.py)."""

    module: str
    name: str
    kinds: tuple[Hashable, ...]

    @property
    def symbol(self) -> str:
        """Its name in object code."""
        return f"accelkit_{self.name}_{hashlib.sha256(repr(self).encode()).hexdigest()[:16]}"


# The cache


def cache_folder() -> Path:
    """Where object code of this version of the core for this processor is kept: under ACCELKIT_CACHE, else XDG_CACHE_HOME, else
    ~/.cache."""
    base = os.environ.get("ACCELKIT_CACHE")
    if not base:
        base = str(Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "accelkit")
    return Path(base).absolute() / f"jit-{_digest()}"


def _home() -> Path:
    """The user's folder; for a user of whom the system knows none (containers), a place where nothing can be written."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


@cache
def _digest() -> str:
    """What object code depends on: sources, compiler, processor."""
    from llvmlite import binding

    digest = hashlib.sha256()
    paths = sorted(Path(__file__).parent.glob("*.py"))
    for package in ("numba", "llvmlite"):  # not imported: that would take longer than all the rest
        found = importlib.util.find_spec(package)
        assert found is not None
        assert found.submodule_search_locations
        paths.append(Path(found.submodule_search_locations[0]) / "_version.py")
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    chosen = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")]
    host = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), str(jit.HAS_BOUNDS_CHECKS)]
    digest.update("\0".join([*chosen, *host]).encode())
    return digest.hexdigest()[:16]


@cache
def folder() -> Path:
    """The cache folder; a temporary one, for this process, where that can't be written."""
    wanted = cache_folder()
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError:
        temporary = tempfile.TemporaryDirectory(prefix="accelkit-")
        _kept.append(temporary)
        return Path(temporary.name)


_kept: list[Any] = []  # until the process ends


def _places(request: Request) -> Iterator[Path]:
    """Where its object code may be: a cache that can't be written, of an image, may have it."""
    name = f"{request.symbol}.o"
    yield cache_folder() / name
    yield folder() / name


def write(path: Path, code: bytes) -> None:
    """Keep object code, whole or not at all. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)  # someone may have removed the cache meanwhile
    part = path.with_suffix(f".{os.urandom(8).hex()}.part")  # containers that share a cache have the same process numbers
    try:
        part.write_bytes(_check(path.name, code) + code)
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # a full disk
            error.filename = str(path)
        raise


def _check(name: str, code: bytes) -> bytes:
    """Digest of a file's name and object code: that of another entry point is as wrong as half of the code."""
    return hashlib.sha256(name.encode() + b"\0" + code).digest()


def _read(request: Request) -> bytes | None:
    """Object code; None if there is none, or not what was written."""
    for path in _places(request):
        with suppress(OSError):
            data = path.read_bytes() if path.is_file() else b""  # to read a pipe might never end
            if _check(path.name, data[_CHECKED:]) == data[:_CHECKED]:
                return data[_CHECKED:]
    return None


# Compiling


def prepare(groups: Sequence[Sequence[Request]]) -> bool:
    """Compile what is missing, the groups side by side; whether anything was. CompileError if that fails."""
    missing = [[request for request in group if not any(map(Path.is_file, _places(request)))] for group in groups]
    _compile([group for group in missing if group])
    return any(missing)


def _compile(groups: Sequence[Sequence[Request]]) -> None:
    if groups:
        _log.warning("compiling what this needs of the simulator's core (once per version; up to half a minute) ...")
        compilers.run([[(request, str(folder() / f"{request.symbol}.o")) for request in group] for group in groups])


# Loading


@cache
def _engine() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target)


def load(request: Request) -> Callable[[Any], int]:
    """Machine code of an entry point, compiled first where that isn't done yet. CompileError if it can't be."""
    code = _read(request)
    if code is None:
        _compile([[request]])
        code = _read(request)
    if code is None:
        raise CompileError(f"{request.symbol}.o is gone, or not what was written there; likely fix: remove {folder()}")
    from llvmlite import binding

    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(request.symbol)
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
