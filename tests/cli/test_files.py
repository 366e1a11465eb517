"""Files of the commands: inputs that are never written over, and names that are no UTF-8."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_objdump import main as accel_objdump
from accelkit.cli.accel_sim import main as accel_sim
from accelkit.isa.elf import read_elf

COPY = """.include "head.inc"
    larg    a0, args[x]
    li      t0, 16
    load.b  sp[zero], dram[a0], bytes=t0
    fence
    store.b dram[a0], sp[zero], bytes=t0
    halt
"""
FILES = ("copy.s", "head.inc", "copy.elf", "x.npy", "own.toml", "before.json")
ODD = "na\udcefve"  # on disk a byte EF, which begins no character


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with all that a run may read."""
    monkeypatch.chdir(tmp_path)
    Path("copy.s").write_text(COPY)
    Path("head.inc").write_text("    .arg x, inout, s8[16]\n    nop\n")
    Path("own.toml").write_text((resources.files("accelkit.isa.machines") / "edge-16.toml").read_text())
    np.save("x.npy", np.arange(16, dtype=np.int8))
    assert CliRunner().invoke(accel_as, ["copy.s", "-o", "copy.elf"]).exit_code == 0
    assert sim("run", "--json", "before.json").exit_code == 0
    return tmp_path


def sim(command: str, *options: str, program: str = "copy.elf") -> Result:
    """A command of `accel-sim` on the program."""
    return CliRunner().invoke(accel_sim, [command, program, "-m", "own.toml", "--in", "x=x.npy", *options])


@pytest.mark.parametrize(
    ("command", "file"), [*((c, f) for c in ("run", "stress", "verify") for f in FILES[:-1]), ("run", FILES[-1])]
)
def test_no_output_takes_the_place_of_an_input(folder: Path, file: str, command: str) -> None:
    """Program, its sources, machine, arrays and the run to compare with: exit 2, and all are as before."""
    option = {"run": "--json", "stress": "--json", "verify": "--vcd"}[command]
    diff = ["--diff", "before.json"] if command == "run" else []
    before = {name: Path(name).read_bytes() for name in FILES}
    result = sim(command, option, file, *diff)
    assert (result.exit_code, f"{option} {file}: {file} is also read" in result.output) == (2, True), result.output
    assert {name: Path(name).read_bytes() for name in FILES} == before


@pytest.mark.parametrize("options", [["--out", "x=x.npy"], ["--trace", "x.npy"], ["--diff", "copy.json", "--trace", "json"]], ids=str)
def test_no_other_output_does_either(folder: Path, options: list[str]) -> None:
    """An array that goes back where it came from; a timeline, whose name a format alone stands for."""
    Path("before.json").rename("copy.json")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = sim("run", *options)
    assert (result.exit_code, "is also read" in result.output) == (2, True), result.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_timeline_named_by_its_format_shares_no_file(folder: Path) -> None:
    """`--trace json` writes copy.json, so nothing else may."""
    result = sim("run", "--trace", "json", "--json", "copy.json")
    assert (result.exit_code, "goes there too" in result.output, Path("copy.json").exists()) == (2, True, False)


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes")
def test_names_that_are_no_utf_8(folder: Path) -> None:
    """A source with such a name assembles, keeps its bytes in every output, and its program runs, with all that names lines."""
    source, program = f"{ODD}.s", f"{ODD}.elf"
    Path(source).write_text(COPY)
    for arguments in (
        ["accel_as", source, "-o", program, "-MD", "--listing", f"{ODD}.lst", "--map", f"{ODD}.map"],
        ["accel_objdump", "-d", "-S", "-t", program],
        ["accel_lint", program],
        *(["accel_sim", "run", program, "--in", "x=x.npy", "--annotate", *more] for more in ([], ["--json", "-"])),
        *(["accel_sim", "run", program, "--in", "x=x.npy", "--trace", kind] for kind in ("json", "pftrace", "kanata")),
    ):
        code = f"import sys; sys.argv[0] = {arguments[0]!r}; from accelkit.cli.{arguments[0]} import main; main()"
        process = subprocess.run([sys.executable, "-c", code, *arguments[1:]], capture_output=True, check=False)
        assert process.returncode == 0, process.stderr.decode(errors="replace")
        assert b"Traceback" not in process.stderr
    assert b"na\xefve" in Path(f"{ODD}.lst").read_bytes()
    assert Path(f"{ODD}.d").read_bytes() == b"na\xefve.elf: na\xefve.s head.inc\n"
    kept = read_elf(Path(program).read_bytes(), program)
    assert (kept.name, {line.file for line in kept.lines if line}) == (ODD, {source, "head.inc"})


def test_without_standard_error(folder: Path) -> None:
    """A process that was started without one has no progress to show, and ends as ever."""
    code = "import sys; sys.stderr = None; from accelkit.cli.accel_sim import main; main()"
    process = subprocess.run(
        [sys.executable, "-c", code, "stress", "copy.elf", "--in", "x=x.npy", "--seeds", "2"], capture_output=True, check=False
    )
    assert (process.returncode, process.stdout.count(b"2 seeds: the same outputs")) == (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("accel_as - -o x.elf <&-", 0, b""),  # an empty program
        ("accel_objdump - <&-", 1, b"no ELF file"),
        ("accel_as copy.s -o - >&-", 1, b"can't be written: Bad file descriptor"),
        ("accel_sim dap <&-", 0, b""),
        ("accel_sim dap >&-", 2, b"standard output can't be written: Bad file descriptor"),
        ("accel_lsp <&-", 0, b""),
        ("accel_lsp >&-", 1, b"standard output can't be written: Bad file descriptor"),
    ],
)
def test_closed_streams(folder: Path, call: str, code: int, message: bytes) -> None:
    """Standard input that was closed has nothing in it; what would go to a standard output that was closed is an error."""
    command, _, rest = call.partition(" ")
    script = f"import sys; from accelkit.cli.{command} import main; main()"
    line = f"{sys.executable} -c '{script}' {rest}"
    process = subprocess.run(line, shell=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert (process.returncode, b"Traceback" in process.stderr) == (code, False), process.stderr.decode()
    assert message in process.stderr


def test_working_folder_that_is_gone(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Names can't be resolved there; that is said, not that standard output is at fault."""
    gone = tmp_path_factory.mktemp("gone")
    script = "import os, sys; os.rmdir(os.getcwd()); from accelkit.cli.accel_sim import main; main()"
    command = [sys.executable, "-c", script, "run", str(folder / "copy.elf"), "--in", f"x={folder / 'x.npy'}"]
    process = subprocess.run(command, cwd=gone, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (2, "error: the working folder is gone: No such file or directory\n")


def test_objdump_of_a_damaged_name(folder: Path) -> None:
    """Bytes of a program's name that are no UTF-8 don't make its file unreadable."""
    content = Path("copy.elf").read_bytes().replace(b"\0copy\0", b"\0c\xffpy\0")
    Path("other.elf").write_bytes(content)
    assert CliRunner().invoke(accel_objdump, ["-d", "other.elf"]).exit_code == 0
