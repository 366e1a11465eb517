"""What the commands share: messages and exit codes, NAME=VALUE options, whole files."""

import io
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from accelkit.cli.files import write_output
from accelkit.isa.files import read_bytes
from accelkit.isa.messages import shortened

if TYPE_CHECKING:
    from accelkit.isa.program import Program

T = TypeVar("T")

EXIT_FAULT = 1
EXIT_USAGE = 2
Exclusions = Mapping[str, tuple[tuple[str, ...], str]]  # by option: others that have nothing to do then, and why


def fail(text: str, code: int = EXIT_USAGE) -> NoReturn:
    """End with a message on standard error."""
    click.echo(f"error: {shortened(text)}", err=True)
    sys.exit(code)


def is_terminal() -> bool:
    """Whether somebody sees standard error, where progress is shown."""
    return sys.stderr is not None and sys.stderr.isatty()  # None: closed before the start


def shown_progress(items: Sequence[T], label: str) -> Iterator[T]:
    """The items, with a bar over them on standard error if that is a terminal."""
    if not is_terminal():
        yield from items
        return
    with click.progressbar(items, label=label, file=sys.stderr, show_pos=True) as bar:
        yield from bar


def require_onnx() -> None:
    """Ends with a message if the extra for models isn't installed."""
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        fail(f'{error.name} is not installed; models need the onnx extra: python -m pip install "accelkit[onnx]"')


def load_program(path: str) -> "Program":
    """The program of an ELF or assembly file; ends with a message if it can't be had."""
    from accelkit.isa.elf import ElfError, read_elf

    try:
        if Path(path).suffix == ".s":
            from accelkit.assembler import AssemblyError, assemble_file

            try:
                return assemble_file(path)
            except AssemblyError as error:
                click.echo(str(error), err=True)
                sys.exit(EXIT_FAULT)
        return read_elf(read_bytes(path), path)
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    except ElfError as error:
        fail(str(error))


def pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """Options of the form NAME=VALUE, by name."""
    result: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            fail(f"{option} {text}: expected NAME=VALUE")
        if name in result:
            fail(f"{option} {name} is given twice")
        result[name] = value
    return result


def check_files(read: Iterable[Path | str], targets: Iterable[tuple[str, str]]) -> None:
    """Ends with a message, before anything runs for long, if a file would be written over what is read or written, or has no folder.

    `targets` are options and the files that they write.
    """
    taken = {os.path.realpath(path): f"{path} is read" for path in read}
    for option, path in targets:
        if not Path(path).absolute().parent.is_dir():
            fail(f"{path}: can't be written: there is no folder {Path(path).parent}")
        if reason := taken.get(os.path.realpath(path)):
            fail(f"{option} {path}: would overwrite it: {reason}")
        taken[os.path.realpath(path)] = f"{option} writes it"


def check_exclusions(exclusions: Exclusions, given: Mapping[str, object]) -> None:
    """The end with a message if two options exclude each other; `given` has what each was given."""
    for option, (others, reason) in exclusions.items():
        for other in others:
            if given[option] and given[other]:
                fail(f"{other} and {option} exclude each other: {option} {reason}")


def check_targets(option: str, files: dict[str, str]) -> None:
    """Ends with a message, before anything runs for long, if a file that is to be written has no folder or is named twice."""
    taken: dict[str, str] = {}
    for name, path in files.items():
        if not Path(path).absolute().parent.is_dir():
            fail(f"{path}: can't be written: there is no folder {Path(path).parent}")
        first = taken.setdefault(os.path.realpath(path), name)
        if first != name:
            fail(f"{option} {name}={path}: {first} goes to that file already")


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Ctrl-C ends the process at once: compiled code does not let Python look before it returns, which may take minutes."""
    handler = signal.getsignal(signal.SIGINT)
    is_ours = handler is signal.default_int_handler  # otherwise somebody ignores or handles it
    if is_ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, handler)


def integer(name: str, text: str) -> int:
    """The value of `--arg name=text`."""
    try:
        return int(text, 0)
    except ValueError:
        fail(f"--arg {name}={text}: {text!r} is no integer")


def load_array(option: str, path: str) -> Any:
    """The array of a .npy file; `option` names it in messages."""
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except Exception as error:  # what NumPy's reader raises at a damaged header has no common base
        fail(f"{option}: {unread_array(path, error)}")


def unread_array(path: str | Path, error: Exception) -> str:
    """Why np.load has not read a file, in a line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{path}: {error.strerror}"
    # NumPy takes any file that isn't one of its own for a pickle, and says how to load that.
    why = "it holds something else than numbers in NumPy's format" if "pickle" in str(error) else error
    return f"{path} is no readable .npy file: {why}"


def write_array(path: str, array: Any) -> None:
    """Write a .npy file, whole or not at all."""
    import numpy as np

    stream = io.BytesIO()
    np.save(stream, array)
    write_file(path, stream.getvalue())


def write_file(path: str, content: bytes) -> None:
    """Write a file, whole or not at all (- is standard output); ends with a message if that can't be done."""
    try:
        write_output(path, content)
    except click.ClickException as error:
        fail(error.message)
