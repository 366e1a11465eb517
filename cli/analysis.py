"""What `accel-sim run` shows beyond the summary: listing, chart, difference from an earlier run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelkit.cli.common import fail
from accelkit.cli.sources import read_sources

if TYPE_CHECKING:
    from accelkit.isa.machine import Machine
    from accelkit.isa.program import Program
    from accelkit.simulator.lines import Line
    from accelkit.simulator.observe import Observer
    from accelkit.simulator.window import Window

_CUT_SHORT = "no cycles by line: the fault ended the run at once, so that they don't add up"


class Analysis:
    """The observers that the options need (but for the timeline), and afterwards their texts. Ends with a message if one can't be used."""

    def __init__(
        self,
        program: "Program",
        path: str,
        annotate: str | None,
        window_text: str | None,
        diff_file: str | None,
        wants_dead_stores: bool,
    ) -> None:
        from accelkit.simulator.account import Account
        from accelkit.simulator.gantt import DEFAULT_CYCLES, Gantt
        from accelkit.simulator.sanitiser.dead_stores import DeadStores
        from accelkit.simulator.window import Window

        self._program = program
        self._annotate = annotate
        self._before = None if diff_file is None else _read_lines(diff_file)
        window = Window(0, DEFAULT_CYCLES - 1) if window_text is None else read_window(window_text, program)
        self._account = Account()
        try:
            self._gantt = Gantt(window) if annotate == "gantt" else None
        except ValueError as error:
            fail(f"--window {window_text}: {error}")
        self._dead_stores = DeadStores() if wants_dead_stores else None
        observers = (self._account, self._gantt, self._dead_stores)
        self.observers: list[Observer] = [one for one in observers if one is not None]
        self.sources = read_sources(program, path)

    def lines(self) -> "list[Line]":
        """The account by line; none of a launch that a port or checker fault cut short."""
        from accelkit.simulator.lines import by_line

        return by_line(self._program, self._account, self.sources) if self._account.is_complete else []

    def as_json(self, machine: "Machine") -> dict[str, Any]:
        """The account, and dead stores if asked for, for the JSON file."""
        from accelkit.simulator.lines import as_json
        from accelkit.simulator.sanitiser import dead_stores

        found = None if self._dead_stores is None else dead_stores.as_json(self._dead_stores.found(), self._program, machine)
        return {"lines": as_json(self.lines()), **({} if found is None else {"dead_stores": found})}

    def warnings(self, machine: "Machine") -> str:
        """Dead stores, if asked for; empty if there are none."""
        from accelkit.simulator.sanitiser import dead_stores

        found = [] if self._dead_stores is None else self._dead_stores.found()
        return dead_stores.as_text(found, self._program, machine)

    def texts(self) -> Iterator[str]:
        """What the options ask for, in order."""
        from accelkit.simulator.annotate import listing
        from accelkit.simulator.difference import difference

        lines = self.lines()
        if self._annotate == "lines":
            yield listing(lines) if lines else _CUT_SHORT
        if self._gantt is not None:
            yield self._gantt.chart(self.sources)
        if self._before is not None:
            yield difference(self._before, lines) if lines else _CUT_SHORT


def read_window(text: str, program: "Program") -> "Window":
    """The window of --window."""
    from accelkit.simulator.window import parse_window

    try:
        window = parse_window(text)
        window.instructions(program)
    except ValueError as error:
        fail(f"--window {error}")
    return window


def _read_lines(path: str) -> "list[Line]":
    """Lines of a file that --json wrote."""
    from accelkit.simulator.lines import from_json

    try:
        value = json.loads(Path(path).read_bytes())
        lines = from_json(value.get("lines") if isinstance(value, dict) else None)
    except OSError as error:
        fail(f"--diff {path}: {error.strerror or error}")
    except ValueError as error:
        fail(f"--diff {path}: not a result that `accel-sim run --json` wrote: {error}")
    if not lines:
        fail(f"--diff {path}: that run has no cycles by line, as a fault ended it")
    return lines
