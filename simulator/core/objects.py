"""Object code of the core in the cache: where it is, how it is loaded, and the processes that compile what is missing."""

import ctypes
import hashlib
import importlib.util
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from accelkit.simulator.core import jit

MOST_SECONDS = 1800  # that a compiler may take: on the slowest computers minutes
_CHECKED = 32  # bytes of digest before the object code
_log = logging.getLogger(__name__)


_COMPILE = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from accelkit.simulator.core.compiler import main; main()"


class CompileError(RuntimeError):
    """The core can't be compiled: what went wrong, in a line; what the compiler said is a note of it."""


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


def _path(request: Request) -> Path:
    given = cache_folder() / f"{request.symbol}.o"
    return given if given.exists() else folder() / given.name  # a folder that can't be written, of an image, may have it


def write(path: Path, code: bytes) -> None:
    """Keep object code, whole or not at all. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)  # someone may have removed the cache meanwhile
    part = path.with_suffix(f".{os.urandom(8).hex()}.part")  # containers that share a cache have the same process numbers
    try:
        part.write_bytes(_check(path.name, code) + code)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _check(name: str, code: bytes) -> bytes:
    """Digest of a file's name and object code: that of another entry point is as wrong as half of the code."""
    return hashlib.sha256(name.encode() + b"\0" + code).digest()


def _read(request: Request) -> bytes | None:
    """Object code; None if there is none, or not what was written."""
    path = _path(request)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return data[_CHECKED:] if _check(path.name, data[_CHECKED:]) == data[:_CHECKED] else None


# Compiling


def prepare(groups: Sequence[Sequence[Request]]) -> bool:
    """Compile what is missing, the groups side by side; whether anything was. CompileError if that fails."""
    missing = [[request for request in group if not _path(request).exists()] for group in groups]
    _compile([group for group in missing if group])
    return any(missing)


def _compile(groups: Sequence[Sequence[Request]]) -> None:
    if groups:
        _log.warning("compiling the simulator's core (once per version; about half a minute) ...")
        _run_compilers(groups)


def _run_compilers(groups: Sequence[Sequence[Request]]) -> None:
    compilers: list[_Compiler] = []
    try:
        for group in groups:
            compilers.append(_Compiler([(request, str(_path(request))) for request in group]))
        for compiler in compilers:
            compiler.finish()
    finally:
        for compiler in compilers:
            compiler.stop()


class _Compiler:
    """A process that compiles. It ends when this one does, however that ends: it reads from a pipe that nothing else keeps open."""

    def __init__(self, wanted: list[tuple[Request, str]]) -> None:
        environment = {**os.environ, jit.COMPILER_VARIABLE: "1", "NUMBA_DISABLE_JIT": "0"}
        # What lies in the working folder, a random.py, say, is no part of the compiler (-P).
        command = [sys.executable or "", "-P", "-c", _COMPILE]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        except OSError as error:
            raise _failed(f": Python ({command[0]!r}): {error.strerror}") from None
        assert self._process.stdin is not None
        self._pipe, self._process.stdin = self._process.stdin, None  # `communicate` would close it
        with suppress(BrokenPipeError):  # it has ended: its exit code says more
            self._pipe.write(pickle.dumps(sys.path) + pickle.dumps(wanted))
            self._pipe.flush()

    def finish(self) -> None:
        """Wait for its end. CompileError if it has not done its work."""
        try:
            said = self._process.communicate(timeout=MOST_SECONDS)[1].decode(errors="replace").strip()
        except subprocess.TimeoutExpired:
            raise _failed(f": it had not ended after {MOST_SECONDS // 60} minutes") from None
        if code := self._process.returncode:
            last = said.splitlines()[-1] if said else _MOST_LIKELY.get(code, "the compiler said nothing")
            error = _failed(f" ({_how_it_ended(code)}): {last}")
            error.add_note(said)
            raise error

    def stop(self) -> None:
        """End it, if it hasn't ended."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):
            self._pipe.close()


def _failed(why: str) -> CompileError:
    return CompileError(f"the simulator's core could not be compiled{why}")


_MOST_LIKELY = {-signal.SIGKILL: "is there memory for two processes of 500 MB?"}  # by exit code


def _how_it_ended(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    names = {int(one): one.name for one in signal.Signals}
    return f"killed by {names.get(-code, f'signal {-code}')}"


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
        raise CompileError(f"{_path(request)} is gone, or not what was written there; likely fix: remove {folder()}")
    from llvmlite import binding

    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(request.symbol)
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
