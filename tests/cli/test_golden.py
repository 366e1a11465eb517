"""`accel-sim golden check`: the right verdict, exit code and place for everything that can become different."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import onnx
import pytest
from click.testing import CliRunner

from accelkit.cli.accel_sim import main
from tests.cli.golden_case import CASE, edit, golden, make_case, record

STORE_LINE = 29  # of matmul.s


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A case that isn't recorded, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return make_case(tmp_path)


@pytest.fixture
def recorded(case: Path) -> Path:
    """The same, recorded."""
    record()
    return case


def test_unchanged(recorded: Path) -> None:
    """A recorded case is ok, the text that the user wrote is kept, and recording it again changes no byte."""
    assert recorded.read_text().startswith(CASE)
    files = {path: path.read_bytes() for path in recorded.parent.iterdir() if path.is_file()}
    assert golden("check", "goldens").exit_code == 0
    assert golden("record", "goldens").exit_code == 0
    assert {path: path.read_bytes() for path in recorded.parent.iterdir() if path.is_file()} == files


def test_unrecorded(case: Path) -> None:
    """A case without a record is no success."""
    result = golden("check", "goldens")
    assert result.exit_code == 2
    assert "nothing is recorded" in result.output


def test_verdicts_do_not_take_the_place_of_a_case(case: Path) -> None:
    """A case's file as that of `--junit` is refused, and stays."""
    before = case.read_bytes()
    result = golden("check", "goldens", "--junit", str(case))
    assert (result.exit_code, "would overwrite it" in result.output, case.read_bytes()) == (2, True, before)


def test_changed_instruction(recorded: Path) -> None:
    """A program that gives other values is wrong: first element with both values, the line that stored it, annotation there."""
    edit(recorded.parent / "matmul.s", "sp[zero], rows=t0 ", "sp[zero], rows=t0, zp=t1 ")
    result = golden("check", "goldens", "--github", "--junit", "out.xml")
    assert result.exit_code == 1
    assert re.search(r"c\[0, 0\] = -?\d+, expected -?\d+ \(\d+ of 100 elements differ\)", result.output), result.output
    assert f"written by matmul.s:{STORE_LINE}, issued in cycle" in result.output
    assert f"written by matmul.s:{STORE_LINE}, " in golden("check", str(recorded.absolute())).output
    assert f"::error file=goldens/matmul.s,line={STORE_LINE},title=golden matmul%3A wrong::c[0, 0] = " in result.output
    suite = ElementTree.parse("out.xml").getroot()
    assert suite.attrib == {"tests": "1", "failures": "1", "errors": "0"}
    failure = suite.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.attrib["type"] == "wrong"


def test_flipped_bit(recorded: Path) -> None:
    """A record whose digest of an output has another bit is wrong, too, and a data file that was changed is unusable."""
    text = recorded.read_text()
    digest = re.findall(r'"c" = "(\w)', text)[0]
    recorded.write_text(text.replace(f'"c" = "{digest}', f'"c" = "{int(digest, 16) ^ 1:x}'))
    assert golden("check", "goldens").exit_code == 1
    recorded.write_text(text)
    data = next(recorded.parent.glob("*.npz"))
    content = bytearray(data.read_bytes())
    content[100] ^= 1
    data.write_bytes(content)
    result = golden("check", "goldens")
    assert result.exit_code == 2
    assert "has been changed since it was recorded" in result.output


def test_changed_cycles(recorded: Path) -> None:
    """One cycle more is a failure by itself that names the line, unless that much drift is permitted."""
    edit(recorded.parent / "matmul.s", "        li      t3, B", "        nop\n        li      t3, B")
    result = golden("check", "goldens")
    assert result.exit_code == 1
    assert re.search(r"matmul +cycles +\d+ +\d+ +\+\d+", result.output), result.output
    assert re.search(r"sequencer +23 .*dispatch \+1 +nop", result.output), result.output
    recorded.write_text("permitted_drift = 5\n" + recorded.read_text())
    result = golden("check", "goldens")
    assert result.exit_code == 0
    assert "another program with the same results" in result.output


def test_changed_record_of_cycles(recorded: Path) -> None:
    """A record of one cycle more is a change of cycles, without any change by line."""
    text = recorded.read_text()
    cycles = int(re.findall(r"\ncycles = (\d+)", text)[0])
    recorded.write_text(text.replace(f"cycles = {cycles}", f"cycles = {cycles + 1}"))
    result = golden("check", "goldens")
    assert result.exit_code == 1
    assert f"{cycles:,} cycles, recorded {cycles + 1:,} (-1; permitted: 0)" in result.output


@pytest.mark.parametrize(
    "file, before, after, text",
    [
        ("machine.toml", 'page_miss = "', 'page_miss = "1', "recorded on a machine of digest"),
        ("matmul.case.toml", "isa = [1, ", "isa = [1, 9", "recorded for ISA 1.9"),
        ("matmul.case.toml", "seed = 1", "seed = 2", "recorded with other inputs"),
    ],
)
def test_stale(recorded: Path, file: str, before: str, after: str, text: str) -> None:
    """Another machine, ISA version or input says nothing about the program: stale, with an exit code of its own."""
    edit(recorded.parent / file, before, after)
    result = golden("check", "goldens", "--github")
    assert result.exit_code == 3, result.output
    assert text in result.output
    assert "::warning file=goldens/matmul.case.toml,line=1" in result.output


@pytest.mark.parametrize("pattern", ["matmul.s", "*.npz", "machine.toml"])
def test_missing_file(recorded: Path, pattern: str) -> None:
    """A file that was left out of the commit is named."""
    path = next(recorded.parent.glob(pattern))
    path.unlink()
    result = golden("check", "goldens")
    assert result.exit_code == 2
    assert path.name in result.output


def test_source_errors(recorded: Path) -> None:
    """A program that doesn't assemble is wrong, not the case."""
    edit(recorded.parent / "matmul.s", "preload", "prelaod")
    result = golden("check", "goldens")
    assert result.exit_code == 1
    assert "unknown instruction" in result.output


@pytest.mark.parametrize(
    "text, message",
    [
        ("kernel = 3", "kernel = 3: expected a text"),
        ("kernle = 'a.s'", "did you mean kernel?"),
        ("", "expected either model"),
        ("kernel = 'a.s'\npermitted_drift = -1", "expected 0 or more"),
        ("kernel = 'matmul.s'\nreference = 'x'\n[recorded]\nisa = 3", "record the case again"),
        ("kernel = ", "not a TOML file"),
    ],
)
def test_bad_case(case: Path, text: str, message: str) -> None:
    """A bad case is named with what was expected, and is no reason not to look at the others."""
    case.write_text(text)
    result = golden("check", "goldens")
    assert result.exit_code == 2
    assert message in result.output


def test_parallel(recorded: Path) -> None:
    """Cases in two processes give the same verdicts, in order of their names."""
    for name in ("b", "a"):
        shutil.copytree(recorded.parent, recorded.parent / name)
    edit(recorded.parent / "b" / "matmul.s", "sp[zero], rows=t0 ", "sp[zero], rows=t0, zp=t1 ")
    result = CliRunner().invoke(main, ["golden", "check", "goldens", "--jobs", "2"])
    assert result.exit_code == 1
    rows = [line.split()[:2] for line in result.output.splitlines()[1:4]]
    assert rows == [["matmul", "ok"], ["matmul", "ok"], ["matmul", "wrong"]]


def test_model(case: Path) -> None:
    """A model is compared with ONNX Runtime when it is recorded; another model is wrong, and ONNX Runtime is asked again."""
    case.unlink()
    digits = Path(__file__).parents[2] / "models" / "digits" / "digits_int8.onnx"
    shutil.copy(digits, case.parent)
    path = case.parent / "digits.case.toml"
    images = 'images = { dtype = "float32", shape = [3, 1, 8, 8], low = 0, high = 1 }'
    path.write_text(f'model = "digits_int8.onnx"\n[inputs]\n{images}\n')
    result = golden("record", "goldens")
    assert "compared with ONNX Runtime" in result.output
    assert golden("check", "goldens").exit_code == 0
    model = onnx.load(digits)
    bias = next(tensor for tensor in model.graph.initializer if tensor.data_type == onnx.TensorProto.INT32 and len(tensor.dims) == 1)
    bias.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(bias) + 5000, bias.name))
    onnx.save(model, case.parent / "digits_int8.onnx")
    result = golden("check", "goldens")
    assert result.exit_code == 1
    assert re.search(r"logits\[\d+, \d+\] = .*, expected ", result.output), result.output
    assert "every intermediate is equal to that of ONNX Runtime" in result.output
    assert "the program is another one" in result.output
