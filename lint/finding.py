"""What the lint hands back."""

from dataclasses import dataclass, field
from typing import NamedTuple

from accelkit.isa.program import Allowance


class Place(NamedTuple):
    """An instruction that has to do with a finding, and in which way."""

    pc: int
    role: str


class Token(NamedTuple):
    """A token that would order two instructions (pc): posted by the one, waited for by the other."""

    producer: int
    consumer: int


class Finding(NamedTuple):
    """One finding at instruction `pc` (None: no instruction, see `line`). `cases` are those in which it shows, none for findings that
    need no case; `token` would mend it, `drop` (post pcs, wait pcs, channel) are tokens to take out."""

    code: str
    message: str
    pc: int | None
    places: tuple[Place, ...] = ()
    help: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    token: Token | None = None
    drop: tuple[tuple[int, ...], tuple[int, ...], int] | None = None
    line: tuple[str, int] | None = None  # file and line where no instruction stands

    @property
    def pcs(self) -> tuple[int, ...]:
        """All instructions that it names."""
        return tuple(pc for pc in (self.pc, *(place.pc for place in self.places)) if pc is not None)


@dataclass
class Report:
    """Findings in order of the program, those that comments allow with the reason, and what was not looked at, a line each.

    `cases` are the names of the cases that were run to their end.
    """

    findings: list[Finding] = field(default_factory=list)
    allowed: list[tuple[Finding, Allowance]] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
