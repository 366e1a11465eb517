"""What macros, repetitions and includes may make of a source: a slip must end with a message, in about a second and in 300 MB.

What a source makes by itself is as large as the source. Only what is read more than once needs a limit, and all of it is counted here:
lines, their characters, and the entries of the tables of parameters and local names that go with them.
"""

from __future__ import annotations

from accelkit.assembler.diagnostics import Reject
from accelkit.assembler.syntax import Line, Origin, Span

MAX_DEPTH = 64  # of macros, repetitions and includes within each other
MAX_EXPANDED_LINES = 1 << 14
MAX_EXPANDED_CHARACTERS = 1 << 18
NEW_FORM = 4  # times that a line of a form counts which these limits have not met yet: it must be parsed
MAX_ERRORS = 1000  # a loop of errors is given up; those of the file itself are all reported
MAX_LINE_LENGTH = 1 << 14  # of a line after substitution


class TooMuch(Exception):
    """An expansion that must be given up as a whole."""

    def __init__(self, message: str, line: Line, span: Span) -> None:
        super().__init__(message)
        self.found = Reject("E0703", message, span).at(line)


class Limits:
    """What has been spent so far."""

    def __init__(self) -> None:
        self._lines = 0
        self._characters = 0
        self._forms: set[str] = set()

    def take_line(self, text: str, origin: Origin, error_count: int) -> None:
        """Count a line of an expansion, or of a file that is included again."""
        self._lines += 1
        if self._lines > MAX_EXPANDED_LINES:
            raise TooMuch(f"macros, repetitions and includes make more than {MAX_EXPANDED_LINES} lines", origin.line, origin.span)
        if error_count > MAX_ERRORS:
            raise TooMuch(f"more than {MAX_ERRORS} errors in macros and repetitions", origin.line, origin.span)
        if len(text) > MAX_LINE_LENGTH:
            raise TooMuch(f"a line gets longer than {MAX_LINE_LENGTH} characters", origin.line, origin.span)
        self.take_characters(len(text), origin.line, origin.span)

    def take_form(self, form: str, is_remembered: bool, text: str, origin: Origin) -> None:
        """Count the parsing of a line that could not be made from an earlier one."""
        if form not in self._forms or not is_remembered:
            self._forms.add(form)
            self.take_characters((NEW_FORM - 1) * len(text), origin.line, origin.span)

    def take_characters(self, count: int, line: Line, span: Span) -> None:
        """Count characters, or entries of a table."""
        self._characters += count
        if self._characters > MAX_EXPANDED_CHARACTERS:
            message = f"macros, repetitions and includes make more than {MAX_EXPANDED_CHARACTERS} characters"
            raise TooMuch(message, line, span)
