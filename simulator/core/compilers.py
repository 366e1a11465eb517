"""Processes that compile the core (compiler.py): started, told what is wanted, waited for, and never left running."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from accelkit.simulator.core import jit

Job = tuple[object, str]  # an objects.Request, and the path of what is made of it
MOST_SECONDS = 1800  # that a compiler may take: on the slowest computers minutes
_COMPILE = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from accelkit.simulator.core.compiler import main; main()"


class CompileError(RuntimeError):
    """The core can't be compiled: what went wrong, in a line; what the compiler said is a note of it."""


def run(groups: Sequence[Sequence[Job]]) -> None:
    """A compiler for each group, side by side; to the end. CompileError if one fails."""
    compilers: list[_Compiler] = []
    try:
        for group in groups:
            compilers.append(_Compiler(list(group)))
        for compiler in compilers:
            compiler.finish()
    finally:
        for compiler in compilers:
            compiler.stop()


class _Compiler:
    """A process that compiles. It ends when this one does, however that ends: it reads from a pipe that nothing else keeps open."""

    def __init__(self, wanted: list[Job]) -> None:
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
