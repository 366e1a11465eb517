"""Cases and comments for the lint reach the program, and survive its file."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from accelkit.assembler import assemble_file
from accelkit.isa.elf import read_elf, write_elf
from accelkit.isa.program import Allowance, Case

SOURCE = """\
        .arg    M, value
        .arg    x, in, s8[M]
        .arg    N, value
        .equ    ROWS, 8
        .case   small, machine=edge-16, N=-1, M=2 * ROWS
        .case   large, machine="my machines/big.toml", M=0xffffffff
        .case   odd, machine=../machines/odd-7.toml, M=7, N=7 // a path
        .case   large, N=5              # goes on with the case above
        # lint: allow L0101 the host fills these rows

again:
        # a comment
        larg    t0, args[M]             # lint: allow L0203,L0204   measured
        .data
        .ascii  "# lint: allow L0101 text"
"""


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """SOURCE as a file, with the machines that it names where it expects them: their paths count from the file."""
    preset = resources.files("accelkit.isa.machines") / "tiny-8.toml"
    for path in ("kernels/k.s", "kernels/my machines/big.toml", "machines/odd-7.toml"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(preset.read_text())
    (tmp_path / "kernels/k.s").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return Path("kernels/k.s")


def test_cases_reach_the_program(kernel: Path) -> None:
    """A case has its machine as written and a value for every value argument; lines of one name are one case."""
    assert assemble_file(kernel).cases == (
        Case("small", "edge-16", (("M", 16), ("N", -1))),
        Case("large", "my machines/big.toml", (("M", 0xFFFFFFFF), ("N", 5))),
        Case("odd", "../machines/odd-7.toml", (("M", 7), ("N", 7))),
    )


def test_allowances_speak_of_a_line(kernel: Path) -> None:
    """A comment beside a statement speaks of it, one on a line of its own of the next statement; strings are no comments."""
    assert assemble_file(kernel).allowances == (
        Allowance("kernels/k.s", 13, ("L0101",), "the host fills these rows"),
        Allowance("kernels/k.s", 13, ("L0203", "L0204"), "measured"),
    )


def test_both_survive_the_file(kernel: Path) -> None:
    """The ELF file holds cases and allowances."""
    program = assemble_file(kernel)
    again = read_elf(write_elf(program), "k.elf")
    assert (again.cases, again.allowances) == (program.cases, program.allowances)
