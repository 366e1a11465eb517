"""Files as commands read and write them: `-` is the standard stream, and an output appears whole or not at all."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from accelkit.isa.files import read_stream
from accelkit.isa.messages import shortened


class SafeCommand(click.Command):
    """A command whose standard output may fail (a full disk, a closed descriptor) and memory may end: a message instead of a traceback,
    and no message of a page for an option or a file of megabytes."""

    output_exit_code = 1

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """As `click.Command.make_context`."""
        with _short_messages():
            return super().make_context(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """As `click.Command.invoke`."""
        with _short_messages():
            return super().invoke(context)

    def main(self, *arguments: Any, **options: Any) -> Any:
        """As `click.Command.main`. What is left at the end goes with the process: to look for cycles in it takes a tenth of a short run."""
        if sys.stdin is None:  # closed before the start: nothing to read
            sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 # as long as the process
        atexit.unregister(gc.freeze)  # of an earlier command in this process
        atexit.register(gc.freeze)
        try:
            return super().main(*arguments, **options)
        except OSError as error:
            # No write ends with ENOENT, so that without a name is what os.getcwd says.
            nameless = "the working folder is gone" if error.errno == errno.ENOENT else "standard output can't be written"
            place = error.filename or nameless
            click.echo(f"error: {shortened(str(place))}: {error.strerror or error}", err=True)
            sys.exit(self.output_exit_code)
        except MemoryError as error:
            click.echo(f"error: not enough memory: {error or 'allocation failed'}; are the sizes as meant?", err=True)
            sys.exit(self.output_exit_code)
        except RuntimeError as error:
            from accelkit.simulator.core.compilers import CompileError

            if not isinstance(error, CompileError):
                raise
            click.echo(f"error: {error}", err=True)
            sys.exit(self.output_exit_code)


@contextmanager
def _short_messages() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = shortened(error.message)  # final, for those who handle it
        raise


class SafeGroup(SafeCommand, click.Group):
    """The same of a group of commands."""

    output_exit_code = 2


def check_outputs(outputs: Mapping[str, str], inputs: Sequence[str]) -> None:
    """UsageError if one of the files to write (by option) is also read, or written twice: the other one would be lost. Devices and pipes
    keep what is written to them."""
    taken = {os.path.realpath(path): f"{path} is also read" for path in inputs if path != "-"}
    for option, path in outputs.items():
        place = "-" if path == "-" else os.path.realpath(path)
        if place in taken and (path == "-" or Path(path).is_file() or not Path(path).exists()):
            raise click.UsageError(f"{option} {path}: {taken[place]}")
        taken[place] = f"{option} goes there too"


def require_stdout() -> None:
    """OSError, as at any write that fails, if standard output was closed before the start."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def read_input(path: str) -> bytes:
    """The bytes of a file or, for `-`, of stdin."""
    try:
        with click.open_file(path, "rb") as stream:
            return read_stream(stream)
    except OSError as error:
        raise click.ClickException(f"{path}: can't be read: {error.strerror}") from None


def write_output(path: str, content: bytes) -> None:
    """Write a file in one step (a new file takes the old one's place), or stdout for `-`."""
    try:
        if path == "-":
            require_stdout()
            with click.open_file(path, "wb") as stream:
                stream.write(content)
        elif Path(path).exists() and not Path(path).is_file():  # /dev/stdout, a pipe: nothing to replace
            Path(path).write_bytes(content)
        else:
            _replace(Path(path), content)
    except OSError as error:
        raise click.ClickException(f"{path}: can't be written: {error.strerror}") from None


def _replace(path: Path, content: bytes) -> None:
    with replacing(path) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes take a file's place when it ends well; else nothing is left of them. OSError."""
    import tempfile  # --help need not wait for it

    target = Path(os.path.realpath(path))  # a link stays a link; Path.resolve raises for links in a circle
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
