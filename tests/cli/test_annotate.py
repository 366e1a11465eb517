"""`accel-sim run --annotate`, `--diff` and `--window`: what is printed adds up and points at the right lines."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accelkit.cli.accel_sim import main
from accelkit.cli.common import load_program
from accelkit.cli.sources import read_sources
from accelkit.isa.program import SourceLine

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul.s"
UNITS = ("load", "store", "array", "vector", "sequencer")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with matmul.s and fit inputs."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLE, "matmul.s")
    rng = np.random.default_rng(1)
    np.save("a.npy", rng.integers(-128, 128, (20, 7), dtype=np.int8))
    np.save("b.npy", rng.integers(-128, 128, (7, 5), dtype=np.int8))
    return tmp_path


def run(*options: str, program: str = "matmul.s") -> Result:
    """`accel-sim run` with the arguments of the fixture, then `options`."""
    arguments = ["--arg", "M=20", "--arg", "K=7", "--arg", "N=5", "--in", "a=a.npy", "--in", "b=b.npy"]
    return CliRunner().invoke(main, ["run", program, *arguments, *options])


def number_of(text: str) -> int:
    """The line of matmul.s that contains a text."""
    return next(n for n, line in enumerate(EXAMPLE.read_text().splitlines(), 1) if text in line)


def test_listing_adds_up(folder: Path) -> None:
    """Every column of every unit adds up to that unit's row of totals, and each of those to the launch's cycles."""
    result = run("--annotate", "--json", "result.json")
    assert result.exit_code == 0, result.output
    cycles = json.loads(Path("result.json").read_text())["cycles"]
    text = result.output.split("\n\n")[-1].splitlines()
    header = text[0]
    sums: dict[str, int] = dict.fromkeys(UNITS, 0)
    for row in text[1:]:
        cells = row[: header.index("source")].split()
        for unit in UNITS:
            if unit in cells and "<-" not in row:
                numbers = [int(cell.replace(",", "").replace(".", "0")) for cell in cells[cells.index(unit) + 1 :]]
                assert numbers[0] == sum(numbers[1:]), row
                if cells[0] == "total":
                    assert numbers[0] == sums[unit] == cycles
                else:
                    sums[unit] += numbers[0]


def test_listing_blames(folder: Path) -> None:
    """The preload waits for the second load, the store for the run."""
    lines = run("--annotate").output.splitlines()
    assert any(f"<- {number_of('post(loaded)')}: load.b" in line and "wait load" in line for line in lines)
    assert any(f"<- {number_of('run     acc')}: run" in line and "wait run" in line for line in lines)


def test_summary_names_the_worst_stalls(folder: Path) -> None:
    """The largest cells of the account that are stalls, largest first, each with its line and the one to blame; twelve lines in all."""
    result = run("--json", "result.json")
    text = result.output.rstrip("\n").splitlines()
    shown = [line for line in text if line.startswith("lost: ")]
    cells = [
        (sum(one["cycles"] for one in line["blame"] if one["unit"] == unit and one["class"] == cls) or n, unit, cls, line["place"])
        for line in json.loads(Path("result.json").read_text())["lines"]
        for unit, classes in line["units"].items()
        for cls, n in classes.items()
        if cls not in ("busy", "preload", "empty", "dispatch", "ended")
    ]
    largest = sorted(cells, key=lambda cell: -cell[0])[:4]
    assert len(text) == 12
    for line, (cycles, unit, cls, place) in zip(shown, largest, strict=True):
        words = " ".join(line.split())
        assert words.startswith(f"lost: {unit} {cycles} ")
        assert f" {cls.replace('_', ' ')} at line {place.removeprefix('matmul.s:')}: " in words
    assert f"<- line {number_of('run     acc')}: run acc" in shown[0]


def test_json_has_lines(folder: Path) -> None:
    """Lines of the JSON file add up to its units, class by class."""
    value = json.loads(run("--json", "-").output)
    for unit, classes in {**value["units"], "sequencer": value["sequencer"]}.items():
        for cls, cycles in classes.items():
            assert sum(line["units"].get(unit, {}).get(cls, 0) for line in value["lines"]) == cycles
    assert {line["place"]: line["count"] for line in value["lines"]}[f"matmul.s:{number_of('halt')}"] == 1


def test_difference(folder: Path) -> None:
    """A fence before the store costs what the totals say, and the fence's line says why."""
    run("--json", "before.json")
    source = EXAMPLE.read_text().replace("        store.w", "        fence\n        store.w")
    Path("matmul.s").write_text(source)
    result = run("--diff", "before.json", "--json", "after.json")
    before, after = (json.loads(Path(f"{name}.json").read_text())["cycles"] for name in ("before", "after"))
    rows = [line.split() for line in result.output.split("\n\n")[-1].splitlines()[1:]]
    totals = {row[0]: int(row[2]) for row in rows if row[1] == "total"}
    assert totals == dict.fromkeys(UNITS, after - before)
    for unit in UNITS:
        changes = [int(row[3].replace(",", "")) for row in rows if row[0] == unit and row[1] != "total"]
        assert sum(changes) == after - before
    assert any(row[1] == str(number_of("store.w")) and "fence" in row and row[2] == "-" for row in rows)
    moved = [row for row in rows if row[1] == str(number_of("store.w") + 1)]
    assert all(row[2] == str(number_of("store.w")) for row in moved)


def test_no_difference(folder: Path) -> None:
    """The same program: nothing but totals of 0."""
    run("--json", "before.json")
    rows = run("--diff", "before.json").output.split("\n\n")[-1].splitlines()[1:]
    assert [row.split() for row in rows] == [[unit, "total", "+0"] for unit in UNITS]


def test_chart(folder: Path) -> None:
    """A column per cycle: dispatch, waits, beats and completion stand at the cycles of the trace."""
    from accelkit.assembler import assemble_file
    from accelkit.simulator import Session

    result = run("--annotate=gantt", "--window", "0:399")
    chart = result.output[result.output.index("cycles 0 to") :].splitlines()
    start = len(chart[1]) - len(chart[1].split(None, 1)[1])
    program = assemble_file("matmul.s")
    session = Session("edge-16")
    a, b = np.load("a.npy"), np.load("b.npy")
    for name, nbytes in (("a", a.nbytes), ("b", b.nbytes), ("c", 400)):
        session.allocate(name, nbytes)
    addresses = [session.buffer(name).address for name in "abc"]
    session.write(addresses[0], a)
    session.write(addresses[1], b)
    launch = session.launch(program, [20, 7, 5, *addresses], trace=True)
    assert launch.trace is not None
    for row, (_, d, s, e, c) in zip(chart[2:], launch.trace.tolist(), strict=False):
        cells = row[start:].ljust(400)
        assert cells[d] == "D"
        if s >= 0:
            assert cells[s : e + 1] == "#" * (e - s + 1)
            assert c == e or cells[c] == "C"
    waiting = chart[2 + next(pc for pc, line in enumerate(program.lines) if line and line.line == number_of("preload"))]
    assert "Dlll" in waiting


def test_chart_by_line(folder: Path) -> None:
    """Only the instructions of the lines, from the first one's dispatch on."""
    line = number_of("store.w")
    chart = run("--annotate=gantt", "--window", f"line:{line}").output
    rows = [row for row in chart[chart.index("cycles ") :].splitlines()[2:] if row[:4].strip().isdigit()]
    assert [int(row.split()[0]) for row in rows] == [line]
    assert rows[0].split()[1].startswith("D")


@pytest.mark.parametrize(
    "options, message",
    [
        (("--window", "1:2"), "--window is for --annotate=gantt and --trace"),
        (("--annotate=gantt", "--window", "9:2"), "--window 9:2: expected FIRST:LAST in cycles, or line:FIRST-LAST"),
        (("--annotate=gantt", "--window", "0:400"), "a window of 401 cycles; a chart shows at most 400"),
        (("--annotate=gantt", "--window", "line:1"), "matmul has no instruction at lines 1 to 1"),
        (("--trace", "out.vcd"), "--trace out.vcd: expected a file that ends in .json, .pftrace, .kanata"),
        (("--trace", "none/out.json"), "none/out.json: can't be written: there is no folder none"),
        (("--trace", "out.json", "--json", "out.json"), "--trace out.json: --json goes there too"),
        (("--diff", "none.json"), "--diff none.json: No such file"),
        (("--diff", "matmul.s"), "--diff matmul.s: not a result that `accel-sim run --json` wrote"),
    ],
)
def test_bad_options(folder: Path, options: tuple[str, ...], message: str) -> None:
    """Exit code 2 and what was expected."""
    result = run(*options)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("target, name", [("out.json", "out.json"), ("out.pftrace", "out.pftrace"), ("kanata", "matmul.kanata")])
def test_trace(folder: Path, target: str, name: str) -> None:
    """The timeline is in the file, or in one that has the program's name; nothing else is left in the folder."""
    before = {path.name for path in folder.iterdir()}
    result = run(f"--trace={target}")
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} - before == {name}
    assert b"matmul.s:" in Path(name).read_bytes()


def test_trace_of_a_deadlock(folder: Path) -> None:
    """What happened before a deadlock is there to see."""
    Path("matmul.s").write_text(EXAMPLE.read_text().replace("post(done)", ""))
    assert run("--trace", "out.json").exit_code == 1
    events = json.loads(Path("out.json").read_text())["traceEvents"]
    assert {"run", "preload", "load.b"} <= {event["name"] for event in events}


def test_fault_has_no_listing(folder: Path) -> None:
    """After a fault that ends the run at once nothing would add up: the listing says so."""
    Path("matmul.s").write_text(EXAMPLE.read_text().replace("wait(done)", ""))
    result = run("--annotate")
    assert result.exit_code == 1
    assert "no cycles by line" in result.output


def test_sources_are_files(folder: Path) -> None:
    """A program may name a device as its source, which could be endless: it isn't read, and the program's own source is."""
    program = load_program("matmul.s")
    named = replace(program, lines=(SourceLine(os.devnull, 1, 1), *program.lines[1:]))
    assert list(read_sources(named, "matmul.s")) == ["matmul.s"]
