"""What a benchmark yields: rows, each a figure, and what it is compared with in the same run.

A module of this folder that has `rows() -> Iterator[Row]` belongs to the suite (`python -m benchmarks`).
"""

from __future__ import annotations

import operator
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

_SENSES = {"<=": operator.le, ">=": operator.ge}
_BAR = re.compile(r"(figure|ratio) (<=|>=) ([0-9.]+)")


class UnavailableError(Exception):
    """A benchmark's tool or data isn't to be had here; the text says which, and how to get it."""


@dataclass(frozen=True)
class Row:
    """A measurement. `ratio` and `reference` read as a phrase: 1.2 "x the bound", 0.97 "of the array's peak".

    `bar` says what is wanted, in parts joined by "; ": "figure <= 0.35; ratio <= 1.5". ValueError if it says something else.
    """

    name: str  # the workload
    machine: str  # a preset, or empty
    figure: float
    unit: str  # of the figure: CPU seconds are "s", by the clock on the wall "s wall"
    reference: str = ""
    ratio: float | None = None
    bar: str = ""

    def __post_init__(self) -> None:
        for subject, _, _ in self.bars():
            if subject == "ratio" and self.ratio is None:
                raise ValueError(f"{self.name}: the bar {self.bar!r} is about a ratio, and there is none")

    def bars(self) -> list[tuple[str, str, float]]:
        """The parts of the bar: figure or ratio, <= or >=, limit."""
        parts = []
        for text in self.bar.split("; ") if self.bar else ():
            if not (match := _BAR.fullmatch(text)):
                raise ValueError(f"{self.name}: bar {text!r}; expected such as 'figure <= 0.35; ratio >= 100'")
            parts.append((match[1], match[2], float(match[3])))
        return parts

    @property
    def is_met(self) -> bool | None:
        """Whether every part of the bar holds; None without a bar."""
        parts = self.bars()
        values = {"figure": self.figure, "ratio": self.ratio}
        return all(_SENSES[sense](values[subject], limit) for subject, sense, limit in parts) if parts else None

    def to_json(self) -> dict[str, Any]:
        """The fields and `met`."""
        return asdict(self) | {"met": self.is_met}

    @staticmethod
    def from_json(fields: dict[str, Any]) -> Row:
        """The row that `to_json` wrote."""
        return Row(**{name: value for name, value in fields.items() if name != "met"})


def number(value: float) -> str:
    """Three digits or more: 0.0123, 1.25, 45.2, 1,234."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def describe(row: Row) -> str:
    """A row in a line of text."""
    ratio = f", {number(row.ratio)} {row.reference}" if row.ratio is not None else ""
    met = {True: "met", False: "MISSED", None: ""}[row.is_met]
    on = f" on {row.machine}" if row.machine else ""
    return f"{row.name}{on}: {number(row.figure)} {row.unit}{ratio}" + (f" ({row.bar}: {met})" if row.bar else "")


def print_rows(rows: Iterable[Row]) -> None:
    """A line for each row, as soon as it is there."""
    for row in rows:
        print(describe(row), flush=True)


def least_first_seconds(make: Callable[[], Callable[[], object]], repeats: int = 5) -> float:
    """As `least_seconds`, of calls that are new each time, such as the first launch of a session: it knows no launch yet (ADR 0018)."""
    return min(least_seconds(make(), 1) for _ in range(repeats))


def least_seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The least CPU time of a call in seconds, of this process and all its threads: what disturbs a run only adds to it."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return best
