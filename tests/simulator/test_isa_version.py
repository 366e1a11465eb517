"""Which program runs on which version of the instruction set (docs/adr/0014)."""

from dataclasses import replace

import pytest

from accelkit.assembler import assemble
from accelkit.isa.table import ISA_VERSION
from accelkit.simulator import Session

MAJOR, MINOR = ISA_VERSION


@pytest.mark.parametrize("version", [(MAJOR, minor) for minor in range(MINOR + 1)])
def test_older_minor_runs(version: tuple[int, int]) -> None:
    """A program of this or an earlier minor version runs, in the cycles of today's."""
    program = assemble("nop\nhalt\n")
    assert Session("tiny-8").launch(replace(program, isa_version=version)).cycles == Session("tiny-8").launch(program).cycles


@pytest.mark.parametrize("version", [(MAJOR, MINOR + 1), (MAJOR + 1, 0), (MAJOR - 1, 9)])
def test_others_are_refused(version: tuple[int, int]) -> None:
    """A later minor version, and another major version are refused before anything runs."""
    program = replace(assemble("nop\nhalt\n"), isa_version=version)
    theirs = rf"made for ISA version {version[0]}\.{version[1]}"
    with pytest.raises(ValueError, match=rf"{theirs}, this simulator has {MAJOR}\.{MINOR}; assemble it again"):
        Session("tiny-8").launch(program)
