"""`accel-sim debug`: scripts and pipes, every command, and messages of those that can't be done."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """A working directory with matmul.s and fit inputs; their product."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLE, "matmul.s")
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (20, 7), dtype=np.int8), rng.integers(-128, 128, (7, 5), dtype=np.int8)
    np.save("a.npy", a)
    np.save("b.npy", b)
    return a.astype(np.int32) @ b.astype(np.int32)


def debug(*commands: str) -> Result:
    """`accel-sim debug` of matmul.s with commands from a pipe."""
    arguments = ["--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy"]
    return CliRunner().invoke(main, ["debug", "matmul.s", *arguments], input="\n".join(commands) + "\n")


def answer(result: Result, command: str) -> list[str]:
    """Lines printed after a command, the last time it was given."""
    return result.stdout.rpartition(f"(debug) {command}\n")[2].partition("(debug) ")[0].splitlines()


def numbers(lines: list[str]) -> list[list[float]]:
    """A printed matrix."""
    return [[float(cell) for cell in line.partition(":")[2].split()] for line in lines]


def number_of(text: str) -> int:
    """The line of matmul.s that contains a text."""
    return next(n for n, line in enumerate(EXAMPLE.read_text().splitlines(), 1) if text in line)


def test_matrices(product: np.ndarray) -> None:
    """The result is not there when its store issues, is there at the end, and reads the same bytes in every type."""
    result = debug(
        "break write c", "continue", "print c", "continue", "print c int8", "print c float32", "print acc[0:20]", "goto 324", "print c",
    )
    assert result.exit_code == 0, result.output
    first = result.stdout.partition("(debug) print c\n")[2].partition("(debug) ")[0].splitlines()
    assert not np.any(numbers(first))
    assert np.array_equal(numbers(answer(result, "print c")), product)
    assert np.array_equal(numbers(answer(result, "print c int8")), product.view(np.int8))
    assert np.allclose(numbers(answer(result, "print c float32")), product.view(np.float32), equal_nan=True)
    assert np.array_equal(np.array(numbers(answer(result, "print acc[0:20]")))[:, :5], product)


def test_watch_names_the_change(product: np.ndarray) -> None:
    """The first word of the result that is stored appears in the watch with the value that it gets."""
    result = debug("watch c", "continue")
    assert f"stop 2: c: row 0, column 0: 0 -> {product[0, 0]}" in answer(result, "continue")[1]


def test_moves(product: np.ndarray) -> None:
    """Steps and cycles forwards and back lead where one expects, and back is the way that one came."""
    halt = number_of("halt")
    result = debug(
        f"break matmul.s:{halt}", "continue", "back step", "cycle 1", "back cycle 3", "step 2", "step", "continue", "back", "back",
    )
    assert result.exit_code == 0, result.output
    cycles = [int(number) for number in re.findall(r"^cycle (\d+):", result.stdout, re.M)]
    assert cycles == [0, 13, 12, 13, 10, 12, 13, 324, 13, 0]
    assert f"cycle 13: matmul.s:{halt}: halt" in result.stdout


def test_queues_and_tokens(product: np.ndarray) -> None:
    """The second load is behind the first; the preload waits for its token; once posted it is held until the preload issues."""
    result = debug(
        "goto 20", "print queues", "print tokens", "break token loaded", "continue", "print tokens", "print t3", "print registers",
    )
    queues = "\n".join(answer(result, "print queues"))
    assert "array: 0 under way, 2 of 8 queued\n  queued since cycle 9, waits for load->array.0 (loaded): matmul.s:26: preload" in queues
    assert "load: 1 under way, 1 of 8 queued\n  under way since cycle 8, beats until cycle 34" in queues
    assert "(debug) print tokens\nno tokens\n" in result.stdout
    assert answer(result, "print tokens") == ["load->array.0 (loaded): 1"]
    assert answer(result, "print t3") == ["t3 = 1024 (0x400)"]
    assert any("t3 0x00000400        1024" in line for line in answer(result, "print registers"))


def test_fault_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`continue` stops at a fault with its whole message, from a script in a file; without the breakpoint it goes on to the end."""
    monkeypatch.chdir(tmp_path)
    Path("bad.s").write_text("li t0, 1\nfence\nli t1, 7\ntrap 42\n")
    Path("script").write_text("# find it\ncontinue\nprint t1\nback step\nprint t1\nbreaks\ndelete 1\nbreaks\nquit\nnonsense\n")
    result = CliRunner().invoke(main, ["debug", "bad.s", "--script", "script"])
    assert result.exit_code == 0, result.output
    assert answer(result, "continue")[:2] == ["cycle 3: bad.s:4: trap 42", "stop 1: bad.s:4:1: dispatch fault: trap"]
    assert "t1 = 7 (0x7)" in result.stdout
    assert answer(result, "print t1") == ["t1 = 0 (0x0)"]
    assert answer(result, "breaks") == []


def test_checker_fault_is_the_last_cycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A race ends the launch where its second instruction issues: nothing later can be visited, what led there can."""
    monkeypatch.chdir(tmp_path)
    source = (
        "li t0, 8\nfill.b sp[zero], rows=t0, fill=t0\nfence\nfill.b sp[zero], rows=t0, fill=t0\n"
        "preload sp[zero], rows=t0, columns=t0\nhalt\n"
    )
    Path("race.s").write_text(source)
    result = CliRunner().invoke(main, ["debug", "race.s"], input="continue\ncontinue\nprint queues\nback step\nprint sp[0:2]\n")
    assert result.exit_code == 0, result.output
    assert "stop 1: race.s:5:1: checker fault: two units access the same place in no order" in result.stdout
    cycles = [int(number) for number in re.findall(r"^cycle (\d+):", result.stdout, re.M)]
    assert cycles[1] == cycles[2]
    assert "array: 0 under way, 1 of 8 queued\n  queued since cycle" in result.stdout
    assert numbers(answer(result, "print sp[0:2]")) == [[8] * 16] * 2


def test_unreadable_script(product: np.ndarray) -> None:
    """A script that isn't there, or is no text, is a message and exit code 2."""
    Path("bytes").write_bytes(b"\xff\xfe")
    for name, message in (("nowhere", "nowhere: can't be read"), ("bytes", "bytes: not UTF-8 text")):
        arguments = ["debug", "matmul.s", "--script", name]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("dance", "expected a command: help, break"),
        ("break 9999", "no instruction at this line; lines"),
        ("break nowhere", "no such label (there are:"),
        ("break cycle 9999", "expected a cycle from 0 to 324"),
        ("break token load", "no channel; expected PRODUCER->CONSUMER.INDEX, as in store->load.0, or a token: loaded, done"),
        ("break", "expected LABEL, LINE"),
        ("watch nothing", "no region or buffer (there are: a, b, c)"),
        ("print sp[9:4]", "expected 0 <= first < end <="),
        ("print sp[x]", "rows are numbers"),
        ("print c int16", "int16 is no type"),
        ("print dram[0:3] int32", "holds no whole number of int32"),
        ("delete 7", "no breakpoint of that number"),
        ("step -1", "expected a number"),
        ("goto 9999", "the launch ends at cycle 324"),
        ("back home", "expected nothing, step [N] or cycle [N]"),
    ],
)
def test_wrong_commands(product: np.ndarray, command: str, message: str) -> None:
    """A script ends at a wrong command, with its line, what was expected, and exit code 2."""
    result = debug("where", command, "where")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: stdin:2: ")
    assert message in result.stderr
    assert result.stdout.count("(debug) where") == 1
