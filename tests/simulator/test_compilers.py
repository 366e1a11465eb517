"""Processes that compile the core: what their ends are to who started them, and theirs to these."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from accelkit.cli.files import SafeCommand
from accelkit.simulator.core import compilers, objects
from accelkit.simulator.core.compilers import CompileError
from accelkit.simulator.core.entry import Entry
from tests.simulator.test_cold_start import needs_compiler, run_python, sum_of


@needs_compiler
def test_working_folder_is_no_part_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's own random.py has no say, and a cache that is named from the working folder stays where it was."""
    (tmp_path / "random.py").write_text("raise SystemExit('the wrong module')\n")
    folder = objects.folder()
    assert folder.is_absolute()
    monkeypatch.chdir(tmp_path)
    assert Entry(inspect.unwrap(sum_of))(np.arange(4, dtype=np.uint16), 4) == 6


@pytest.mark.parametrize(
    ("python", "expected"),
    [
        ("", r"Python \(''\): "),
        ("/bin/false", r"\(exit code 1\): the compiler said nothing"),
    ],
)
def test_no_python_to_compile_with(python: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of `accel-sim`, no traceback."""
    monkeypatch.setattr(sys, "executable", python)
    missing = objects.Request("accelkit.simulator.core.again", "nothing", ())

    @click.command(cls=SafeCommand)
    def command() -> None:
        objects.load(missing)

    done = CliRunner().invoke(command)
    assert done.exit_code == 1
    assert re.fullmatch(rf"error: the simulator's core could not be compiled:? {expected}.*\n", done.output)


@needs_compiler
def test_what_does_not_compile_says_why() -> None:
    """A line with the compiler's last words, all of them as a note, and no file."""
    missing = objects.Request("accelkit.simulator.core.again", "nothing", ())
    with pytest.raises(CompileError, match=r"could not be compiled \(exit code 1\): .*has no attribute 'nothing'") as caught:
        objects.load(missing)
    assert "\n" not in str(caught.value)
    assert caught.value.__notes__[0].startswith("Traceback")
    assert not (objects.folder() / f"{missing.symbol}.o").exists()


@needs_compiler
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", r" \(killed by SIGKILL\): is there memory for two processes of 500 MB\?"),
        ("os.kill(os.getpid(), signal.SIGTERM)", r" \(killed by SIGTERM\): the compiler said nothing"),
        ("os.kill(os.getpid(), 40)", r" \(killed by signal 40\): the compiler said nothing"),
        ("os.write(2, b'LLVM ERROR'); os.abort()", r" \(killed by SIGABRT\): LLVM ERROR"),
        ("sys.exit(3)", r" \(exit code 3\): the compiler said nothing"),
        ("time.sleep(600)", r": it had not ended after 0 minutes"),
    ],
)  # fmt: skip
def test_compiler_that_ends_badly(does: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """How it ended, its last words, and the likely cause where it could not say it; none is left running."""
    monkeypatch.setattr(compilers, "_COMPILE", f"import os, signal, sys, time; sys.stdin.buffer.read(1); {does}")
    monkeypatch.setattr(compilers, "MOST_SECONDS", 1 if "sleep" in does else 60)
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **named: (started.append(popen(*given, **named)), started[-1])[1])
    with pytest.raises(CompileError) as caught:
        objects.load(objects.Request("accelkit.simulator.core.again", "nothing", ()))
    assert re.fullmatch(f"the simulator's core could not be compiled{said}", str(caught.value))
    assert [process.poll() is not None for process in started] == [True]


@needs_compiler
@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "signal.raise_signal(signal.SIGINT)",
        "signal.signal(2, signal.SIG_DFL); os.kill(os.getpid(), 2)",
    ],
)
def test_compilers_end_with_who_started_them(end: str, tmp_path: Path) -> None:
    """Killed, or by Ctrl-C with Python's handler or none: no compiler goes on, which holds standard output open, and nothing is written."""
    code = f"""
import os, signal
from accelkit.assembler import assemble
from accelkit.simulator import Session
from accelkit.simulator.core import compilers
def finish(compiler):
    print("started", flush=True)
    {end}
compilers._Compiler.finish = finish
Session("tiny-8").launch(assemble("halt"))
"""
    run = run_python(code, ACCELKIT_CACHE=str(tmp_path))
    assert run.returncode in (-9, -2, 1)
    assert run.stdout == "started\n"
    assert list(tmp_path.rglob("*.o")) == []
