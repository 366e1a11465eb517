"""`-W`: which warnings are shown, and whether they are errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from accelkit.assembler.diagnostics import Diagnostic

GROUPS = {"unused": ("W0101",), "precision": ("W0102",), "lint": ("W08", "W09")}
_OFF_BY_DEFAULT = ("unused",)
HELP = (
    f"Show (NAME, all) or hide (no-NAME) warnings; error makes all shown ones errors. Names: {', '.join(GROUPS)}, or a code."
    f" Not shown unless asked for: {', '.join(_OFF_BY_DEFAULT)}."
)


class WarningSelection:
    """What the options `-W` of a command line say. UsageError if one of them means nothing."""

    def __init__(self, options: Sequence[str]) -> None:
        self.are_errors = False
        self._hidden = {code for name in _OFF_BY_DEFAULT for code in GROUPS[name]}
        for option in options:
            if option in ("error", "no-error"):
                self.are_errors = option == "error"
            elif option == "all":
                self._hidden.clear()
            else:
                name = option.removeprefix("no-")
                if name not in GROUPS and not (name[:1] == "W" and name[1:].isdigit() and len(name) == 5):
                    raise click.UsageError(f"-W {option}: unknown; expected {', '.join(GROUPS)}, all, error, or a code like W0101")
                codes = GROUPS.get(name, (name,))
                self._hidden = self._hidden | set(codes) if option.startswith("no-") else self._hidden - set(codes)

    def apply(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics that are to be shown, warnings as errors if they are."""
        shown = [one for one in diagnostics if one.severity == "error" or not one.code.startswith(tuple(self._hidden))]
        return [one._replace(severity="error") for one in shown] if self.are_errors else shown
