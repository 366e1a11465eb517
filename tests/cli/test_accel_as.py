"""`accel-as` and `accel-objdump` as commands: files, streams, exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from accelkit.assembler import assemble, assemble_file
from accelkit.assembler.codes import CODES
from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_objdump import main as accel_objdump
from accelkit.isa.elf import read_elf, write_elf
from accelkit.isa.program import Program
from accelkit.lint.codes import CODES as LINT_CODES

SOURCE = """\
        .arg x, in, s8[*]
        larg a0, args[x]
loop:   j loop
        .data
text:   .ascii "hello"
"""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A runner in an empty folder that holds kernel.s."""
    monkeypatch.chdir(tmp_path)
    Path("kernel.s").write_text(SOURCE)
    return CliRunner()


def test_assembles_a_file(runner: CliRunner) -> None:
    """`accel-as kernel.s -o kernel.elf` writes the program, prints nothing and leaves no other file."""
    result = runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf"])
    assert (result.exit_code, result.output) == (0, "")
    assert read_elf(Path("kernel.elf").read_bytes(), "kernel.elf") == assemble_file("kernel.s")
    assert sorted(path.name for path in Path().iterdir()) == ["kernel.elf", "kernel.s"]


def test_streams(runner: CliRunner) -> None:
    """`-` reads stdin and writes stdout; errors then name <stdin>."""
    result = runner.invoke(accel_as, ["-", "-o", "-"], input=SOURCE)
    assert result.exit_code == 0
    assert result.stdout_bytes == write_elf(assemble(SOURCE, "<stdin>"))
    shown = runner.invoke(accel_objdump, ["-"], input=result.stdout_bytes)
    assert "larg a0, args[x]" in shown.output
    assert "<stdin>:1:1: error[E0107]" in runner.invoke(accel_as, ["-", "-o", "-"], input="frob").output


def test_errors_leave_the_old_output(runner: CliRunner) -> None:
    """With errors the exit code is 1, all are on stderr, and an earlier output stays as it was."""
    runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf"])
    before = Path("kernel.elf").read_bytes()
    Path("kernel.s").write_text("frob\nli t0, (\n")
    result = runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "kernel.s:1:1: error[E0107]" in result.stderr
    assert "kernel.s:2:9: error[E0101]" in result.stderr
    assert Path("kernel.elf").read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [[], ["kernel.s"], ["nothing.s", "-o", "k.elf"], [".", "-o", "k.elf"], ["kernel.s", "-o", "k.elf", "--frob"]],
    ids=["nothing", "no output", "no such file", "a folder", "unknown option"],
)
def test_wrong_usage(runner: CliRunner, arguments: list[str]) -> None:
    """Wrong usage exits with 2 and shows how the command is used."""
    result = runner.invoke(accel_as, arguments)
    assert result.exit_code == 2
    assert "Usage: accel-as" in result.stderr


def test_output_that_cannot_be_written(runner: CliRunner) -> None:
    """An output in a folder that does not exist is an error in one line, without a traceback."""
    result = runner.invoke(accel_as, ["kernel.s", "-o", "missing/kernel.elf"])
    assert result.exit_code == 1
    assert result.stderr == "Error: missing/kernel.elf: can't be written: No such file or directory\n"


def test_output_keeps_links_and_permissions(runner: CliRunner) -> None:
    """An output that is a link stays one, and a file keeps its permissions."""
    Path("real.elf").write_bytes(b"")
    Path("real.elf").chmod(0o640)
    Path("link.elf").symlink_to("real.elf")
    assert runner.invoke(accel_as, ["kernel.s", "-o", "link.elf"]).exit_code == 0
    assert Path("link.elf").is_symlink()
    assert Path("real.elf").read_bytes()
    assert Path("real.elf").stat().st_mode & 0o777 == 0o640


def test_disassembly(runner: CliRunner) -> None:
    """`accel-objdump` shows arguments, labels, words, instructions and data."""
    runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf"])
    result = runner.invoke(accel_objdump, ["kernel.elf"])
    assert result.exit_code == 0
    assert result.output == """\
Arguments:
     0  x: in s8[*]
     1  data: in u8[5]

Instructions:
     0:  00000000 00000000 00000000 00000221  larg a0, args[x]
loop:
     1:  00000000 00000000 00000000 0000002e  j loop

Data:
text:
     0:  68 65 6c 6c 6f                                   hello
"""
    code = runner.invoke(accel_objdump, ["-d", "kernel.elf"])
    assert code.output == "".join(result.output.partition("Instructions:\n")[2].partition("\nData:")[0])


def test_dependencies_need_a_file(runner: CliRunner) -> None:
    """-MD names its file after the output: without one it is wrong usage."""
    assert runner.invoke(accel_as, ["kernel.s", "-o", "-", "-MD"]).exit_code == 2


@pytest.mark.parametrize("options", [["-W", "frob"], ["-D", "1x"], ["-D", "x="], ["-m", "edge-17"], ["--explain", "E9999"]])
def test_wrong_options(runner: CliRunner, options: list[str]) -> None:
    """An option's value that means nothing is wrong usage."""
    assert runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf", *options]).exit_code == 2
    assert not Path("kernel.elf").exists()


def test_constants_and_machines(runner: CliRunner) -> None:
    """-D gives constants, -m a machine that the program has to fit."""
    Path("kernel.s").write_text("li t0, N + ONE\n.region x, sp[1024 * N]\nhalt\n")
    assert runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf", "-D", "N=4", "-D", "ONE", "-m", "tiny-8"]).exit_code == 0
    assert read_elf(Path("kernel.elf").read_bytes(), "k").words[0] == assemble("li t0, 5").words[0]
    result = runner.invoke(accel_as, ["kernel.s", "-o", "kernel.elf", "-D", "N=5", "-D", "ONE", "-m", "tiny-8"])
    assert result.exit_code == 1
    assert "error[E0602]: region 'x' has rows 0..5119; sp of tiny-8 has 4096 rows" in result.stderr


def test_several_sources(runner: CliRunner) -> None:
    """Sources make one program, named after the first."""
    Path("one.s").write_text("call two\nhalt\n")
    Path("two.s").write_text(".global two\ntwo: ret\n")
    assert runner.invoke(accel_as, ["one.s", "two.s", "-o", "both.elf"]).exit_code == 0
    assert read_elf(Path("both.elf").read_bytes(), "both").words == assemble("call .+2\nhalt\nret").words


def test_explanations(runner: CliRunner) -> None:
    """Every code, of the assembler and of the lint, can be explained, without a source."""
    for code in (*CODES, *LINT_CODES):
        result = runner.invoke(accel_as, ["--explain", code])
        assert result.exit_code == 0
        assert result.output.startswith(f"{code}: ")


def test_disassembly_of_illegal_words(runner: CliRunner) -> None:
    """A word that is no instruction is shown with the reason, and does not end the listing."""
    Path("kernel.elf").write_bytes(write_elf(Program("k", (0, 0x31), (None, None))))
    lines = runner.invoke(accel_objdump, ["-d", "kernel.elf"]).output.splitlines()
    assert lines[0].endswith("<illegal: no instruction has opcode 0x00>")
    assert lines[1].endswith("halt")


def test_disassembly_refuses_other_files(runner: CliRunner) -> None:
    """A file that is no program gives one line and exit code 1."""
    result = runner.invoke(accel_objdump, ["kernel.s"])
    assert result.exit_code == 1
    assert result.stderr == "Error: kernel.s: no ELF file; expected one that accel-as wrote\n"


def test_listing_assembles_again(runner: CliRunner) -> None:
    """The instructions of a kernel's listing, with their labels, assemble to the same words."""
    kernel = Path(__file__).parents[2] / "kernels" / "asm" / "gemm.s"
    assert runner.invoke(accel_as, [str(kernel), "-o", "gemm.elf"]).exit_code == 0
    program = read_elf(Path("gemm.elf").read_bytes(), "gemm.elf")
    lines = runner.invoke(accel_objdump, ["-d", "gemm.elf"]).output.splitlines()
    text = "\n".join(line if line.endswith(":") else line[45:] for line in lines)
    declarations = "\n".join(f".equ {argument.name}, {number}" for number, argument in enumerate(program.arguments))
    assert assemble(f"{declarations}\n{text}").words == program.words


def test_a_closed_pipe_is_no_traceback(runner: CliRunner) -> None:
    """`accel-objdump kernel.elf | head -1` ends quietly."""
    Path("long.s").write_text("nop\n" * 20000 + "halt\n")
    scripts = Path(sys.executable).parent
    command = f"'{scripts}/accel-as' long.s -o long.elf && '{scripts}/accel-objdump' long.elf | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.stdout == "Instructions:\n"
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "kernel.s"], "-o kernel.s: kernel.s is also read"),
        (["-o", "k.elf", "--map", "./kernel.s"], "--map ./kernel.s: kernel.s is also read"),
        (["-o", "link.s"], "-o link.s: kernel.s is also read"),
        (["-o", "k.elf", "--listing", "k.elf"], "--listing k.elf: -o goes there too"),
        (["-o", "k.d", "-MD"], "-MD k.d: -o goes there too"),
        (["-o", "-", "--listing", "-"], "--listing -: -o goes there too"),
        (["-", "-", "-o", "k.elf"], "- stands twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_file_is_lost(runner: CliRunner, options: list[str], message: str) -> None:
    """A source is never written over, nor one output by another: that is wrong usage, and nothing is written."""
    Path("link.s").symlink_to("kernel.s")
    result = runner.invoke(accel_as, ["kernel.s", *options])
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert Path("kernel.s").read_text() == SOURCE
    assert sorted(path.name for path in Path().iterdir()) == ["kernel.s", "link.s"]


def test_included_files_are_not_lost(runner: CliRunner) -> None:
    """Nor is a file that is included."""
    Path("kernel.s").write_text('.include "k.inc"\n')
    Path("k.inc").write_text("halt\n")
    result = runner.invoke(accel_as, ["kernel.s", "-o", "k.inc"])
    assert (result.exit_code, "-o k.inc: k.inc is also read" in result.stderr) == (2, True)
    assert Path("k.inc").read_text() == "halt\n"
    assert runner.invoke(accel_as, ["kernel.s", "-o", "/dev/null", "--map", "/dev/null"]).exit_code == 0
