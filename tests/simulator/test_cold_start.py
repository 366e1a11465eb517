"""Object code of the core: compiled once, with a message; kept where the environment says; never half of it, never the wrong one."""

import errno
import inspect
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from accelkit.assembler import assemble
from accelkit.simulator import Session
from accelkit.simulator.core import compilers, execute, jit, objects, timing
from accelkit.simulator.core.entry import Entry, request
from accelkit.simulator.core.jit import entry
from accelkit.simulator.core.state import Array

ROOT = Path(__file__).parents[2]
needs_compiler = pytest.mark.skipif(jit.IS_INTERPRETED, reason="nothing is compiled")


@entry
def sum_of(values: Array, count: int) -> int:
    """The sum of the first numbers of an array."""
    total = 0
    for place in range(count):
        total += values[place]
    return int(total)


@entry
def tell_length(values: Array) -> bool:
    """True if there is anything."""
    return len(values) > 0


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, at the repository's root."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "-c", code], env=variables, cwd=ROOT, capture_output=True, text=True, check=False)


def test_what_is_missing_is_compiled_once_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One line and the groups as they are, less what is there already; nothing when all of it is there."""
    asked: list[list[list[str]]] = []

    def compile_all(groups: Sequence[Sequence[compilers.Job]]) -> None:
        asked.append([[path for _, path in group] for group in groups])
        for path in (path for group in groups for _, path in group):
            Path(path).touch()

    monkeypatch.setattr(objects, "folder", lambda: tmp_path)
    monkeypatch.setattr(compilers, "run", compile_all)
    one, two, three = (objects.Request("module", name, ()) for name in ("one", "two", "three"))
    (tmp_path / f"{two.symbol}.o").touch()
    with caplog.at_level(logging.WARNING):
        assert objects.prepare([[one, two], [two], [three]])
        assert not objects.prepare([[one, two], [three]])
    assert asked == [[[str(tmp_path / f"{request.symbol}.o")] for request in (one, three)]]
    assert [record.message.startswith("compiling what this needs of the simulator's core") for record in caplog.records] == [True]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ACCELKIT_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/accelkit"),
        ({"HOME": "/c"}, "/c/.cache/accelkit"),
        ({"ACCELKIT_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/c"}, "/c/.cache/accelkit"),
    ],
)
def test_cache_follows_the_environment(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ACCELKIT_CACHE, else XDG_CACHE_HOME, else the home directory."""
    for name in ("ACCELKIT_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert str(objects.cache_folder().parent) == expected


def test_user_without_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whom the system doesn't know, as in containers: object code goes to a folder of this process."""

    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("ACCELKIT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", home)
    folder = inspect.unwrap(objects.folder)()
    assert folder.name.startswith("accelkit-")
    assert folder.is_dir()


def test_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    """Where no cache can be made, a folder serves that goes with the process."""
    blocked = tmp_path / "file"
    blocked.touch()
    run = run_python("from accelkit.simulator.core import objects; print(objects.folder())", ACCELKIT_CACHE=str(blocked / "below"))
    folder = Path(run.stdout.strip())
    assert folder.name.startswith("accelkit-")
    assert not folder.exists()


@needs_compiler
def test_a_launch_does_without_numba() -> None:
    """What has been compiled runs without the compiler, which takes longer to import than a small launch to run."""
    Session("tiny-8").launch(assemble("halt\n"))
    code = "from accelkit.assembler import assemble; from accelkit.simulator import Session; import sys;"
    run = run_python(f"{code} print(Session('tiny-8').launch(assemble('halt\\n')).cycles, 'numba' in sys.modules)")
    assert run.stdout == "1 False\n", run.stderr


@needs_compiler
def test_damaged_object_code_is_compiled_again(caplog: pytest.LogCaptureFixture) -> None:
    """A file that is not what was written there is never run."""
    values = np.arange(7)
    assert sum_of(values, 7) == 21
    path = objects.folder() / f"{request(sum_of, values, 7).symbol}.o"
    path.write_bytes(path.read_bytes()[:-100])
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        again = Entry(inspect.unwrap(sum_of))
        assert again(values, 3) == 3
    assert len(caplog.records) == 1


@needs_compiler
def test_object_code_of_another_function_is_compiled_again() -> None:
    """A file under another's name is never run."""
    values = np.arange(3)
    sum_of(values, 3)
    tell_length(values)
    one, other = (objects.folder() / f"{asked.symbol}.o" for asked in (request(sum_of, values, 3), request(tell_length, values)))
    one.write_bytes(other.read_bytes())
    assert Entry(inspect.unwrap(sum_of))(values, 3) == 3


def test_object_code_of_a_folder_that_cant_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the cache serves, where nothing can be added to it."""
    asked = objects.Request("module", "one", ())
    monkeypatch.setattr(objects, "cache_folder", lambda: tmp_path / "given")
    monkeypatch.setattr(objects, "folder", lambda: tmp_path)
    (tmp_path / "given").mkdir()
    objects.write(tmp_path / "given" / f"{asked.symbol}.o", b"code")
    assert not objects.prepare([[asked]])
    assert objects._read(asked) == b"code"


def test_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of object code that can't be written nothing is left."""

    def fail(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match=f"No space.*{tmp_path / 'code.o'}"):
        objects.write(tmp_path / "code.o", b"code")
    assert list(tmp_path.iterdir()) == []


@needs_compiler
def test_code_is_made_for_the_kinds_of_arguments() -> None:
    """Other types of elements get other code, never a misreading; what has no code is refused; a bool stays one."""
    assert sum_of(np.array([1, -2, 3], np.int8), 2) == -1
    assert sum_of(np.array([1, -2, 3], np.int32), 3) == 2
    with pytest.raises(TypeError, match=r"shape \(5,\) with strides \(16,\).*contiguous"):
        sum_of(np.arange(10)[::2], 3)
    assert tell_length(np.zeros(0, np.int8)) is False
    assert tell_length(np.zeros(2, np.int8)) is True


@needs_compiler
def test_bounds_are_checked_if_asked_for() -> None:
    """NUMBA_BOUNDSCHECK=1: an index outside an array is an IndexError that names the function."""
    code = "import numpy; from tests.simulator.test_cold_start import sum_of; print(sum_of(numpy.arange(4), 4)); sum_of(numpy.arange(4), 5)"
    run = run_python(code, NUMBA_BOUNDSCHECK="1")
    assert run.stdout == "6\n", run.stderr
    assert run.stderr.splitlines()[-1] == "IndexError: sum_of: an index of the core out of bounds; NUMBA_DISABLE_JIT=1 shows where"


@needs_compiler
@pytest.mark.parametrize("point", [timing.advance, execute.execute], ids=["advance", "execute"])
def test_object_code_needs_no_runtime(point: Entry) -> None:
    """The core allocates nothing and calls nothing but what moves memory."""
    from io import BytesIO

    from elftools.elf.elffile import ELFFile

    Session("tiny-8").launch(assemble("halt\n"))
    code = objects._read(point.loaded[0])
    symbols = ELFFile(BytesIO(code or b"")).get_section_by_name(".symtab").iter_symbols()
    wanted = {symbol.name for symbol in symbols if symbol.entry.st_shndx == "SHN_UNDEF" and symbol.name}
    assert wanted <= {"memset", "memcpy", "memmove"}


@needs_compiler
def test_a_run_compiles_once(tmp_path: Path) -> None:
    """All that a first `accel-sim run` of a kernel calls is asked for before its launch, so that the message comes once."""
    source = tmp_path / "kernel.s"
    source.write_text("fill.b sp[zero], fill=zero\n        halt\n")
    code = f"""
import sys
from accelkit.cli.accel_sim import main
from accelkit.simulator.core import objects
prepare, load, asked = objects.prepare, objects.load, set()
def see(groups):
    asked.update(request for group in groups for request in group)
    return prepare(groups)
def check(request):
    assert request in asked, request.name
    return load(request)
objects.prepare, objects.load = see, check
sys.argv = ["accel-sim", "run", {str(source)!r}]
main()
"""
    run = run_python(code)
    assert run.returncode == 0, run.stderr
    assert "halted after" in run.stdout


def test_cache_removed_meanwhile(tmp_path: Path) -> None:
    """Object code is written where its folder has gone."""
    path = tmp_path / "gone" / "jit" / "code.o"
    objects.write(path, b"code")
    assert path.read_bytes().endswith(b"code")
