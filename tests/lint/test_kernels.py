"""The library's kernels under the lint."""

import pytest

from accelkit.assembler import assemble_file
from accelkit.lint.check import lint_program
from accelkit.lint.sources import Sources
from tests.lint.kernel_cases import ASM, CASES, with_cases

KERNELS = sorted(path.stem for path in ASM.glob("*.s"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_warning_and_nothing_left_open(kernel: str) -> None:
    """On all its cases: no finding, every case halts, every tensor instruction is dispatched in some case."""
    path = ASM / f"{kernel}.s"
    report = lint_program(assemble_file(path), Sources({}, ASM), ASM)
    assert (report.findings, report.uncovered) == ([], [])
    assert report.cases


@pytest.mark.parametrize("kernel", CASES)
def test_cases_are_the_planners(kernel: str) -> None:
    """The declared cases are what the planner gives for them; `python -m tests.lint.kernel_cases` writes them anew."""
    assert (ASM / f"{kernel}.s").read_text() == with_cases(kernel)
