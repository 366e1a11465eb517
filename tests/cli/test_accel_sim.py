"""`accel-sim run` and `machines`: results, files, messages and exit codes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.assembler import assemble_file
from accelkit.cli.accel_sim import main
from accelkit.isa.elf import write_elf
from accelkit.simulator import Session

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with matmul.elf and fit inputs."""
    monkeypatch.chdir(tmp_path)
    Path("matmul.elf").write_bytes(write_elf(assemble_file(EXAMPLE)))
    rng = np.random.default_rng(1)
    np.save("a.npy", rng.integers(-128, 128, (20, 7), dtype=np.int8))
    np.save("b.npy", rng.integers(-128, 128, (7, 5), dtype=np.int8))
    return tmp_path


def run(*options: str) -> Result:
    """`accel-sim run matmul.elf` with the arguments of the fixture, then `options`."""
    arguments = ["--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy"]
    return CliRunner().invoke(main, ["run", "matmul.elf", *arguments, *options])


def test_output_is_the_product(folder: Path) -> None:
    """The file written by --out equals NumPy's product."""
    result = run("--out", "c=c.npy")
    assert result.exit_code == 0, result.output
    assert np.array_equal(np.load("c.npy"), np.load("a.npy").astype(np.int32) @ np.load("b.npy"))


def test_source_file_gives_the_same_cycles(folder: Path) -> None:
    """A .s file is assembled first."""
    shutil.copy(EXAMPLE, "matmul.s")
    first = run("--json", "-")
    arguments = ["--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy", "--json", "-"]
    second = CliRunner().invoke(main, ["run", "matmul.s", *arguments])
    assert json.loads(first.output)["cycles"] == json.loads(second.output)["cycles"]


@pytest.mark.parametrize("machine", ["edge-16", "tiny-8", "server-128"])
def test_classes_add_up_to_the_cycles(folder: Path, machine: str) -> None:
    """Each unit's classes, and the sequencer's, add up to the total exactly."""
    result = json.loads(run("--json", "-", "--machine", machine).output)
    assert result["verdict"] == "halted"
    assert {unit: sum(classes.values()) for unit, classes in result["units"].items()} == dict.fromkeys(
        ("load", "store", "array", "vector"), result["cycles"]
    )
    assert sum(result["sequencer"].values()) == result["cycles"]


def test_fault_is_exit_1_with_message_and_result(folder: Path) -> None:
    """A program at fault still reports its cycles; the outputs are not written."""
    Path("bad.s").write_text("        larg a0, args[9]\n        halt\n")
    result = CliRunner().invoke(main, ["run", "bad.s", "--json", "bad.json"])
    assert result.exit_code == 1
    assert "bad.s:1:9: dispatch fault: read past the launch's arguments" in result.output
    report = json.loads(Path("bad.json").read_text())
    assert report["fault"] == {"class": "argument", "instruction": 0, "cycle": 0, "detail": None}


def test_fault_has_its_story_as_data(folder: Path) -> None:
    """A race: its places, and both instructions with their lines, in JSON as in the message."""
    source = EXAMPLE.read_text().replace("wait(loaded)", "")
    Path("racy.s").write_text(source)
    arguments = ["--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy", "--json", "racy.json"]
    result = CliRunner().invoke(main, ["run", "racy.s", *arguments])
    assert result.exit_code == 1
    detail = json.loads(Path("racy.json").read_text())["fault"]["detail"]
    assert (detail["memory"], detail["ranges"], detail["bytes"]) == ("scratchpad", [[1024, 1030]], 7 * 16)
    lines = {text: number for number, text in enumerate(source.splitlines(), 1)}
    preload, load = (next(n for text, n in lines.items() if word in text) for word in ("preload", "load.b"))
    parts = {part["role"]: part for part in detail["instructions"]}
    assert parts["fault"]["place"].startswith(f"racy.s:{preload}:")
    assert parts["other"]["place"].startswith(f"racy.s:{load}:")
    assert parts["other"]["issue"] < parts["fault"]["issue"] < parts["other"]["complete"]
    assert all(line in result.output for line in detail["lines"])


def test_endless_program_ends_at_the_bound(folder: Path) -> None:
    """--max-cycles ends it and says where it was."""
    Path("loop.s").write_text("loop: j loop\n")
    result = CliRunner().invoke(main, ["run", "loop.s", "--max-cycles", "1000"])
    assert result.exit_code == 1
    assert "loop.s:1:7: cycle bound: the program had not ended after 1000 cycles" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--arg", "M=21"], "--arg M is given twice"),
        (["--arg", "Q=1"], "matmul has no argument Q; it has M, K, N, a, b, c"),
        (["--arg", "c"], "--arg c: expected NAME=VALUE"),
        (["--arg", "c=x"], "--arg c=x: 'x' is no integer"),
        (["--arg", "c=3"], "matmul: argument c is a buffer s32[M, N], not int"),
        (["--in", "c=missing.npy"], "--in c: missing.npy: No such file or directory"),
        (["--in", "c=text.npy"], "--in c: text.npy is no readable .npy file: it holds something else than numbers in NumPy's format"),
        (["--in", "c=pickle.npy"], "--in c: pickle.npy is no readable .npy file"),
        (["--in", "c=a.npy"], "matmul: argument c is s32[M, N]: expected dtype int32, found int8"),
        (["--in", "c=wrong.npy"], "matmul: argument c is s32[M, N]: expected shape 20x5, found 5x20"),
        (["--out", "a=x.npy"], "--out a: matmul has no output buffer of that name; it has c"),
        (["--out", "c=nowhere/c.npy"], "error: nowhere/c.npy: can't be written: there is no folder nowhere"),
        (["--max-cycles", str(1 << 70)], "Invalid value"),
        (["--machine", "edge16"], "did you mean edge-16?"),
    ],
)
def test_bad_option_is_exit_2(folder: Path, options: list[str], message: str) -> None:
    """One clear line, no traceback, nothing run."""
    Path("text.npy").write_text("no array")
    np.save("pickle.npy", np.array([{}]), allow_pickle=True)
    np.save("wrong.npy", np.zeros((5, 20), np.int32))
    result = run(*options)
    assert (result.exit_code, message in result.output, "cycles" in result.stdout) == (2, True, False), result.output


@pytest.mark.parametrize("missing", ["M", "a"])
def test_missing_argument_is_exit_2(folder: Path, missing: str) -> None:
    """Both kinds of argument are asked for by name."""
    arguments = {"M": "20", "K": "7", "N": "5", "a": "a.npy", "b": "b.npy"}
    options: list[str] = []
    for name, value in arguments.items():
        if name != missing:
            options += ["--in" if value.endswith(".npy") else "--arg", f"{name}={value}"]
    result = CliRunner().invoke(main, ["run", "matmul.elf", *options])
    assert (result.exit_code, f"argument {missing} (" in result.output, "missing" in result.output) == (2, True, True)


HEADER = "{'descr': '|i1', 'fortran_order': False, 'shape': "
DAMAGED_ARRAYS = {
    "a zip file": b"PK\x03\x04 and nothing else",
    "more than memory": f"{HEADER}({1 << 46},), }}",
    "more than an integer": f"{HEADER}({'9' * 30},), }}",
    "an open bracket": f"{HEADER}(20, 7",
}


@pytest.mark.parametrize("damage", DAMAGED_ARRAYS)
def test_damaged_array_is_exit_2(folder: Path, damage: str) -> None:
    """Whatever NumPy's reader makes of a damaged header, it is one line."""
    content = DAMAGED_ARRAYS[damage]
    if isinstance(content, str):
        content = b"\x93NUMPY\x01\x00" + (len(content) + 1).to_bytes(2, "little") + content.encode() + b"\n"
    Path("bad.npy").write_bytes(content)
    result = run("--in", "c=bad.npy")
    assert result.exit_code == 2
    assert result.output.startswith("error: --in c: bad.npy is no readable .npy file: ")


def test_arguments_may_have_any_name(folder: Path) -> None:
    """Names that Python's functions use for themselves are names like others."""
    Path("names.s").write_text("        .arg self, value\n        .arg program, value\n        .arg max_cycles, value\n        halt\n")
    names = ["--arg", "self=1", "--arg", "program=2", "--arg", "max_cycles=3"]
    result = CliRunner().invoke(main, ["run", "names.s", *names])
    assert result.exit_code == 0, result.output


def test_too_little_memory_is_exit_2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch that needs more memory than there is ends with a message."""

    def refuse(*_arguments: object) -> None:
        raise MemoryError("Unable to allocate 6.71 GiB")

    monkeypatch.setattr(Session, "allocate", refuse)
    result = run()
    assert (result.exit_code, result.output) == (2, "error: matmul: not enough memory on this computer: Unable to allocate 6.71 GiB\n")


def test_two_outputs_do_not_share_a_file(folder: Path) -> None:
    """The second would replace the first."""
    Path("two.s").write_text("        .arg p, out, s8[4]\n        .arg q, out, s8[4]\n        halt\n")
    result = CliRunner().invoke(main, ["run", "two.s", "--out", "p=c.npy", "--out", "q=./c.npy"])
    assert (result.exit_code, result.output) == (2, "error: --out q=./c.npy: p goes to that file already\n")


def test_links_in_a_circle_are_replaced(folder: Path) -> None:
    """A link that leads nowhere is no place of a file yet."""
    Path("one").symlink_to("two")
    Path("two").symlink_to("one")
    assert run("--out", "c=one").exit_code == 0
    assert np.load("one").shape == (20, 5)


def _damage(data: bytes, how: str) -> bytes:
    if how == "truncated":
        return data[: len(data) // 2]
    if how == "foreign":
        return data[:18] + (62).to_bytes(2, "little") + data[20:]  # e_machine of x86-64
    if how == "text":
        return b"int main() {}\n"
    if how == "empty":
        return b""
    position = data.index(bytes([0x20]), 64)  # the opcode of an li: the word no longer matches the CRC
    return data[:position] + bytes([0x21]) + data[position + 1 :]


@pytest.mark.parametrize("how", ["truncated", "foreign", "text", "empty", "crc"])
def test_damaged_elf_is_exit_2(folder: Path, how: str) -> None:
    """Each damage has a message of its own that names the file."""
    Path("matmul.elf").write_bytes(_damage(Path("matmul.elf").read_bytes(), how))
    result = run()
    assert result.exit_code == 2
    assert result.output.startswith("error: matmul.elf: ")
    words = {"truncated": "truncated", "foreign": "machine", "text": "ELF", "empty": "ELF", "crc": "CRC"}
    assert words[how] in result.output


def test_missing_program_is_exit_2(folder: Path) -> None:
    """A path that leads nowhere."""
    result = CliRunner().invoke(main, ["run", "none.elf"])
    assert (result.exit_code, result.output) == (2, "error: none.elf: No such file or directory\n")


def test_machines_are_listed_and_shown() -> None:
    """The list names the presets; --show gives values with units; --json both."""
    listing = CliRunner().invoke(main, ["machines"]).output
    assert [line.split()[:2] for line in listing.splitlines()] == [
        ["edge-16", "16x16"],
        ["server-128", "128x128"],
        ["tiny-8", "8x8"],
    ]
    shown = CliRunner().invoke(main, ["machines", "--show", "tiny-8"]).output
    assert "dram.read_latency                  20 cycles" in shown
    values = json.loads(CliRunner().invoke(main, ["machines", "--show", "tiny-8", "--json"]).output)
    assert (values["queue_depth"], values["array_rows"]) == (4, 8)
