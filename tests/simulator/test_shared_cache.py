"""Where CI runs the simulator: jobs that share a cache, homes that can't be written (docs/goldens.md), caches with other things in them."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from accelkit.simulator.core import jit, objects
from accelkit.simulator.core.compilers import CompileError
from accelkit.simulator.core.entry import Entry, request
from tests.simulator.test_cold_start import sum_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"
RUN = "from accelkit.cli.accel_sim import main; main()"
COMPILE = """
import logging, sys
import numpy as np
logging.basicConfig(stream=sys.stdout, format="%(levelname)s")
from tests.simulator.test_cold_start import sum_of
print("ready", flush=True)
sys.stdin.readline()
print(sum_of(np.array([4, 5, 6], np.int16), 3))
"""
needs_compiler = pytest.mark.skipif(jit.IS_INTERPRETED, reason="nothing is compiled")


def compile_at_once(processes: int, cache: Path) -> list[list[str]]:
    """Let processes compile and call a function, all from one moment on; what each of them says."""
    environment = {**os.environ, "ACCELKIT_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", COMPILE]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate()[0].split() for process in started]


@needs_compiler
def test_processes_share_a_cache(tmp_path: Path) -> None:
    """Processes that fill an empty cache at the same time all get the right sum, leave nothing half-written, and the next one finds the
    function there."""
    assert compile_at_once(3, tmp_path) == [["WARNING", "15"]] * 3
    (folder,) = tmp_path.iterdir()
    assert [path.suffix for path in folder.iterdir()] == [".o"]
    assert compile_at_once(1, tmp_path) == [["15"]]


def run_example(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`accel-sim run` of the example, with ones as operands, without the variables that say where caches are but for those given."""
    np.save(folder / "a.npy", np.ones((3, 7), np.int8))
    np.save(folder / "b.npy", np.ones((7, 5), np.int8))
    variables = {name: value for name, value in os.environ.items() if name not in ("ACCELKIT_CACHE", "XDG_CACHE_HOME")}
    options = ["--arg", "M=3", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy", "--out", "c=c.npy"]
    command = [sys.executable, "-c", RUN, "run", str(EXAMPLE), *options]
    return subprocess.run(command, cwd=folder, env={**variables, **environment}, capture_output=True, text=True, check=False)


def home_that_cant_be_written(folder: Path) -> str:
    """A home directory in which nothing can be made, not even by root."""
    home = folder / "home"
    home.mkdir(mode=0o500)
    return str(home) if not os.access(home, os.W_OK) else "/proc/self"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that root can't write to")
@pytest.mark.parametrize("is_cache_named", [True, False])
def test_home_that_cant_be_written(is_cache_named: bool, tmp_path: Path) -> None:
    """With a cache of its own, a run doesn't care for the home; without one, it keeps nothing (here interpreted: it would have to compile
    for half a minute)."""
    home = home_that_cant_be_written(tmp_path)
    cache = {"ACCELKIT_CACHE": str(objects.cache_folder().parent.absolute())} if is_cache_named else {"NUMBA_DISABLE_JIT": "1"}
    done = run_example(tmp_path, HOME=home, **cache)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "c.npy"), np.full((3, 5), 7))


def test_nothing_is_kept_elsewhere(tmp_path: Path) -> None:
    """A run writes its outputs, and to the cache; the home stays empty."""
    home = tmp_path / "home"
    home.mkdir()
    done = run_example(tmp_path, HOME=str(home), ACCELKIT_CACHE=str(objects.cache_folder().parent.absolute()))
    assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy", "c.npy", "home"]


@needs_compiler
@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to(path), lambda path: path.write_bytes(b"damaged")])
def test_what_is_no_object_code(put: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, a link in a circle or damage in the place of object code: it is compiled to a place of its own, where the cache can't be
    written, else it takes that place."""
    values = np.arange(5)
    name = f"{request(sum_of, values, 5).symbol}.o"
    monkeypatch.setattr(objects, "cache_folder", lambda: tmp_path)
    put(tmp_path / name)
    for own in (tmp_path / "own", tmp_path):
        own.mkdir(exist_ok=True)
        monkeypatch.setattr(objects, "folder", lambda own=own: own)
        assert Entry(inspect.unwrap(sum_of))(values, 3) == 3
        assert (own / name).is_file()
        (tmp_path / "own" / name).unlink(missing_ok=True)


@needs_compiler
def test_folder_in_the_place_of_object_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can't be replaced: the message names it."""
    values = np.arange(5)
    monkeypatch.setattr(objects, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(objects, "folder", lambda: tmp_path)
    place = tmp_path / f"{request(sum_of, values, 5).symbol}.o"
    place.mkdir()
    with pytest.raises(CompileError, match=rf"\(exit code 1\): IsADirectoryError: .*{place}"):
        Entry(inspect.unwrap(sum_of))(values, 3)
    assert list(tmp_path.iterdir()) == [place]
