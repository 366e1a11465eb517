"""Everything that `accel-as` and `accel-objdump` write of a kernel, byte for byte."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from accelkit.cli.accel_as import main as accel_as
from accelkit.cli.accel_objdump import main as accel_objdump

FILES = {
    "kernel.s": """\
        .include "twice.inc"
        .arg    M, value in 1 .. 64
        .arg    x, in, s8[M]
        .region buffer, sp[2, 64]
        .region sums, acc[64]
        .token  full = load -> array
        .equ    ROWS, 5
        .case   one, machine=edge-16, M=4
        .global start
start:  larg    t0, args[M]
        twice   t0, t1
        .rept   2, i
        li      s\\i, buffer[\\i]
        .endr
        .if     ROWS > 5
        frob
        .endif
        larg    a0, args[x]
        load.b  sp[s0], dram[a0], bytes=t0  post(full)
        preload sp[s0]                      wait(full)
        halt
        .data
table:  .float  1.5, 16777217
        .asciz  "text that takes more than one line"
""",
    "inc/twice.inc": """\
        .macro  twice a, b
        add     \\b, \\a, \\a
        .endm
""",
}
GOLDEN = Path(__file__).parents[1] / "golden" / "asm"


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Everything that the two commands write of FILES, by the name of its golden file."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    options = ["-I", "inc", "-o", "kernel.elf", "--listing", "kernel.lst", "--map", "kernel.map", "-MD", "-W", "no-lint"]
    result = runner.invoke(accel_as, ["kernel.s", *options])
    assert result.exit_code == 0, result.output
    shown = {name: Path(name).read_text() for name in ("kernel.lst", "kernel.map", "kernel.d")}
    shown["warnings.txt"] = result.stderr
    for name, flags in {"objdump.txt": ["-h", "-t", "-S"], "objdump.json": ["--json"]}.items():
        shown[name] = runner.invoke(accel_objdump, [*flags, "kernel.elf"]).output
    shown["diagnostics.json"] = runner.invoke(accel_as, ["kernel.s", *options, "-W", "error", "--diagnostics", "json"]).stderr
    return shown


@pytest.mark.parametrize(
    "name", ["kernel.lst", "kernel.map", "kernel.d", "warnings.txt", "objdump.txt", "objdump.json", "diagnostics.json"]
)
def test_output_is_the_golden_one(name: str, outputs: dict[str, str], is_updating_golden: bool) -> None:
    """Listing, map, dependencies, warnings, and what accel-objdump says are the golden files, byte for byte."""
    if is_updating_golden:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        (GOLDEN / name).write_text(outputs[name])
    assert outputs[name] == (GOLDEN / name).read_text()
