"""A first run on an empty cache says that it compiles; the cache's place follows the environment."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from accelkit.assembler import assemble
from accelkit.simulator import Session, compilation, session
from accelkit.simulator.core import jit


@pytest.mark.parametrize(("has_compiled_code", "messages"), [(False, 1), (True, 0)])
def test_first_launch_on_a_cold_cache_says_so_once(
    has_compiled_code: bool,
    messages: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One line for the first of two launches, none if compiled code lies in the cache."""
    if has_compiled_code:
        (tmp_path / "anything.nbi").touch()
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(jit.numba_config, "DISABLE_JIT", 0)
    monkeypatch.setattr(compilation, "compile_apart", lambda: None)
    session._announce_compilation.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            Session("tiny-8").launch(assemble("halt\n"))
    assert [record.message.startswith("compiling the simulator's core") for record in caplog.records] == [
        True
    ] * messages


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
    assert str(jit.cache_folder().parent) == expected


def test_user_without_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whom the system doesn't know, as in containers: nothing can be kept, nothing fails."""

    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("ACCELKIT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", home)
    assert jit._prepare() is None


def test_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    """Where no cache can be made, the core still imports: it compiles anew in each process."""
    blocked = tmp_path / "file"
    blocked.touch()
    script = "from accelkit.simulator.core import jit; print(jit.FOLDER)"
    environment = {"ACCELKIT_CACHE": str(blocked / "below"), "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "None\n"


def test_compilation_apart(tmp_path: Path) -> None:
    """Each part of the core is compiled in a process of its own; where that can't work, it is left to the first launch."""
    calls: list[list[str]] = []

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        calls.append(command)
        return subprocess.CompletedProcess(command, len(calls) > 2)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation.subprocess, "run", run)
        patch.setattr(jit, "FOLDER", tmp_path)
        compilation.compile_apart()
        assert [command[-1] for command in calls] == list(compilation.PARTS)
        compilation.compile_apart()  # the first fails: no second
        assert len(calls) == 3
        patch.setattr(jit, "FOLDER", None)
        compilation.compile_apart()
        assert len(calls) == 3


@pytest.mark.parametrize("part", compilation.PARTS)
def test_parts_compile(part: str) -> None:
    """What the processes run works; here from the cache."""
    compilation.main(part)
