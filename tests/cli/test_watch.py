"""`accel-sim watch`: a round for each save, compared with what is right and with the last good run; nothing but Ctrl-C ends it."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli import watch_command, watching
from accelkit.cli.accel_sim import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"
OPTIONS = ("--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy")
CASE = """\
kernel = "matmul.s"
reference = "reference.py:matmul"
arguments = { M = 20, K = 7, N = 5 }
inputs = { a = "a.npy", b = "b.npy" }
"""
REFERENCE = """\
def matmul(values):
    return {"c": values["a"].astype("int32") @ values["b"].astype("int32")}
"""
Edit = Callable[[], object]
Script = Iterator[None]


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """A working directory with matmul.s, inputs and a case that isn't recorded; the product."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    shutil.copy(EXAMPLE, "matmul.s")
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (20, 7), dtype=np.int8), rng.integers(-128, 128, (7, 5), dtype=np.int8)
    np.save("a.npy", a)
    np.save("b.npy", b)
    Path("matmul.case.toml").write_text(CASE)
    Path("reference.py").write_text(REFERENCE)
    return a.astype(np.int32) @ b.astype(np.int32)


def saves(*edits: Edit) -> Script:
    """A script that makes an edit, lets it come to rest, and so on; each yield is a pause of the command."""
    for edit in edits:
        edit()
        yield
        yield


def replaces(before: str, after: str, file: str = "matmul.s") -> Edit:
    """An edit of a text that is there."""

    def edit() -> None:
        text = Path(file).read_text()
        assert before in text
        Path(file).write_text(text.replace(before, after))

    return edit


def watch(script: Script, *arguments: str) -> tuple[Result, list[str]]:
    """The command with the script instead of time; the result, and what each round printed. Ctrl-C is pressed at the script's end."""

    def pause(_seconds: float) -> None:
        try:
            next(script)
        except StopIteration:
            raise KeyboardInterrupt from None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch_command, "pause", pause)
        result = CliRunner().invoke(main, ["watch", *arguments])
    return result, re.split(r"\n== saved: .*\n", result.stdout)


def line_of(text: str, file: str = "matmul.s") -> int:
    """The line of a file that contains a text."""
    return next(n for n, line in enumerate(Path(file).read_text().splitlines(), 1) if text in line)


def test_cycles_by_line(product: np.ndarray) -> None:
    """After a save the change of cycles is shown, the very text that `run --diff` prints for the same edit; equal files show none."""
    main_run = ["run", "matmul.s", *OPTIONS]
    assert CliRunner().invoke(main, [*main_run, "--json", "before.json"]).exit_code == 0
    slower = replaces("        slli    t4", "        nop\n        slli    t4")
    result, rounds = watch(saves(slower, Path("matmul.s").touch), "matmul.s", *OPTIONS)
    assert (result.exit_code, len(rounds)) == (0, 3), result.output
    cycles = json.loads(Path("before.json").read_text())["cycles"]
    assert f"outputs: c: as in the first good run\ncycles: {cycles}\nwatching matmul.s, a.npy, b.npy; Ctrl-C ends\n" == rounds[0]
    shown = CliRunner().invoke(main, [*main_run, "--diff", "before.json"]).stdout.partition("\n\nunit  ")[2].partition("\n\nunit ")[2]
    assert "nop" in shown
    assert rounds[1].partition("\nunit ")[2] == shown
    assert rounds[2].strip() == f"outputs: c: as in the first good run\ncycles: {cycles} (+0 since the last good run)"


def test_wrong_outputs_point_to_a_line(product: np.ndarray) -> None:
    """A wrong stride is found in the first element that differs from NumPy's product, with the store that wrote it; when it is mended,
    cycles are compared with the run before it."""
    right, wrong = "rows=t0, stride=t1            post", "rows=t0, stride=t2            post"
    result, rounds = watch(saves(replaces(right, wrong), replaces(wrong, right)), "matmul.s", *OPTIONS)
    a, b = np.load("a.npy"), np.load("b.npy")
    rows = np.stack([a.reshape(-1)[5 * m : 5 * m + 7] for m in range(20)])
    found = rows.astype(np.int32) @ b.astype(np.int32)
    m, n = np.argwhere(found != product)[0]
    count = np.count_nonzero(found != product)
    text = f"outputs are wrong:\n  c[{m}, {n}] = {found[m, n]}, expected {product[m, n]} ({count} of 100 elements differ)\n"
    assert f"{text}    written by matmul.s:{line_of('store.w')}, issued in cycle" in rounds[1]
    assert "(+0 since the last good run)" in rounds[2]
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        ("stride=t4", "stridee=t4", ["error[E0204]", "did you mean 'stride'", "the last good run took"]),
        ("preload sp[t3]", "j .\n preload sp[t3]", ["(--max-cycles)", "the last good run took"]),
        (" wait(loaded)\n", " # unordered\n", ["warning[W0901]", "checker fault", "the last good run took"]),
        ("s8[M, K]", "s8[M, K, 1]", ["error: accel-sim watch: ", "the last good run took"]),
    ],
    ids=["syntax", "endless", "race", "argument"],
)
def test_errors_do_not_end_it(before: str, after: str, messages: list[str], product: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors in the source, endless loops, faults and missing arguments are shown, and the next save goes on from the last good run."""
    monkeypatch.setattr(watching, "MAX_CYCLES", 100_000)
    result, rounds = watch(saves(replaces(before, after), replaces(after, before)), "matmul.s", *OPTIONS)
    assert (result.exit_code, len(rounds)) == (0, 3), result.output
    for message in messages:
        assert message in rounds[1]
    assert "(+0 since the last good run)" in rounds[2]


def test_editors_save_in_steps(product: np.ndarray) -> None:
    """A file that is emptied, missing and written part by part is read once, when it has come to rest; nothing happens without a change."""
    text = Path("matmul.s").read_text()

    def script() -> Script:
        yield
        yield
        Path("matmul.s").write_text("")
        yield
        Path("matmul.s").unlink()
        yield
        Path("matmul.s").write_text(text[:300])
        yield
        Path("new").write_text(text)
        Path("new").replace("matmul.s")
        yield
        yield
        yield

    result, rounds = watch(script(), "matmul.s", *OPTIONS)
    assert (result.exit_code, len(rounds)) == (0, 2), result.output
    assert "(+0 since the last good run)" in rounds[1]


def test_a_save_during_a_round_is_seen(product: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved while the program runs leads to another round."""
    measure = watching.measure
    edits = iter([replaces("        slli    t4", "        nop\n        slli    t4")])

    def measure_slowly(*arguments: object, **options: object) -> object:
        measured = measure(*arguments, **options)  # type: ignore[arg-type]
        for edit in edits:
            edit()
        return measured

    monkeypatch.setattr(watching, "measure", measure_slowly)
    _, rounds = watch(iter([None] * 4), "matmul.s", *OPTIONS)
    assert len(rounds) == 2
    assert "nop" in rounds[1]


def test_other_files_are_watched(product: np.ndarray) -> None:
    """Included files, machine and inputs count too. Another machine or input begins comparisons anew."""
    text = Path("matmul.s").read_text()
    Path("sizes.inc").write_text(".equ B, 1024\n")
    Path("matmul.s").write_text(re.sub(r"\.equ    B,.*", '.include "sizes.inc"', text))
    shutil.copy(EXAMPLE.parents[1] / "isa" / "machines" / "edge-16.toml", "machine.toml")
    edits = (
        replaces("1024", "1", "sizes.inc"),
        replaces("1\n", "1024\n", "sizes.inc"),
        replaces('read_latency = "100', 'read_latency = "117', "machine.toml"),
        lambda: np.save("a.npy", np.zeros((20, 7), np.int8)),
    )
    _, rounds = watch(saves(*edits), "matmul.s", *OPTIONS, "--machine", "machine.toml")
    assert [bool(re.search("error|outputs are wrong", text)) for text in rounds] == [False, True, False, False, False]
    assert ["comparisons begin anew" in text for text in rounds] == [False, False, False, True, True]


def test_golden_case(product: np.ndarray) -> None:
    """Before it is recorded a case is compared with its reference, afterwards with its record, its cycles too; a changed case says that the
    record is of another question."""
    right, wrong = "rows=t0, stride=t1            post", "rows=t0, stride=t2            post"

    def record() -> None:
        assert CliRunner().invoke(main, ["golden", "record", ".", "--jobs", "1"]).exit_code == 0

    slower = replaces("        slli    t4", "        nop\n        slli    t4")
    other = np.zeros((20, 7), np.int8)
    script = saves(replaces(right, wrong), replaces(wrong, right), record, slower, lambda: np.save("a.npy", other))
    result, rounds = watch(script, "matmul.case.toml")
    assert result.exit_code == 0, result.output
    assert "outputs: c: as reference.py:matmul has them" in rounds[0]
    assert "outputs are wrong:\n  c[" in rounds[1]
    assert ", by reference.py:matmul" in rounds[1]
    assert "outputs: c: as recorded\ncycles: 324 (+0 since the record)\n" in rounds[3]
    assert "nop" in rounds[4]
    assert "the record says nothing of this run: recorded with other inputs or arguments" in rounds[5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.s"], "missing.s: there is no such file"),
        (["matmul.s", "--in", "a=missing.npy"], "missing.npy"),
        (["matmul.s", "--arg", "M=many"], "'many' is no integer"),
        (["matmul.s", "--machine", "edge-61"], "edge-61"),
        (["matmul.s", "--arg", "a=1", "--in", "a=a.npy"], "a is given by --arg and by --in"),
        (["matmul.case.toml", "--arg", "M=1"], "a golden case says itself what it is run with"),
    ],
)
def test_bad_options_end_it(arguments: list[str], message: str, product: np.ndarray) -> None:
    """What no save can mend is a message at the start, with exit code 2."""
    result, _ = watch(saves(), *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_process(product: np.ndarray) -> None:
    """The command as it is used: it prints while it runs, sees a save, and ends by Ctrl-C with exit code 0."""
    command = [sys.executable, "-c", "from accelkit.cli.accel_sim import main; main()", "watch", "matmul.s", *OPTIONS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen = [next(line for line in process.stdout if line.startswith("watching"))]
        replaces("        slli    t4", "        nop\n        slli    t4")()
        seen += [next(line for line in process.stdout if line.startswith("sequencer  total"))]
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


FOR_MINUTES = """\
        li      t0, 65535
        li      t1, 0
        li      t2, 60
loop:   fill.b  sp[t1], rows=t0, step=t1, planes=t0, plane_step=t1, fill=t1
        addi    t2, t2, -1
        bnez    t2, loop
        halt
"""


def test_process_within_compiled_code(tmp_path: Path) -> None:
    """Ctrl-C ends it with exit code 0 while compiled code is at work on instructions that take minutes."""
    kernel = tmp_path / "kernel.s"
    kernel.write_text("halt\n")
    command = [sys.executable, "-c", "from accelkit.cli.accel_sim import main; main()", "watch", str(kernel)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if line.startswith("watching"))
        kernel.write_text(FOR_MINUTES)
        next(line for line in process.stdout if line == "1 warning\n")  # of the lint, before the run
        time.sleep(1)  # then it is there; before, it would end as well
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=20) == ("\n", "")
            assert process.returncode == 0
        finally:
            process.kill()
