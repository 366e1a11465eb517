"""Diagnostics: what was seen, what was expected, where, and the likely fix; collected over all passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from accelkit.assembler.syntax import Line, Span
from accelkit.isa.messages import shortened

MAX_SHOWN = 20
_MANY_NAMES = 1000  # more names than this are not all compared with a misspelt one
_MAX_COMPARISONS = 20_000  # of names, in a run: some hundred misspelt words; a comparison takes several microseconds


class Note(NamedTuple):
    """A further place that explains a diagnostic."""

    message: str
    line: Line
    span: Span


class Diagnostic(NamedTuple):
    """An error or warning. `line.text` and the columns of `span` are shown below it; `help` lines follow."""

    code: str
    message: str
    line: Line
    span: Span
    help: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    severity: str = "error"

    def render(self) -> str:
        """The text for people: `file:line:column: error[code]: message`, the source line, a caret range, help and notes."""
        from accelkit.assembler.render import render  # only who has something to show needs it

        return render(self)


def diagnostic(
    code: str, message: str, line: Line, span: Span, help: Iterable[str] = (), notes: Iterable[Note] = (), severity: str = "error"
) -> Diagnostic:
    """A diagnostic whose texts are no longer than people read, whatever they quote."""
    short_notes = tuple(note._replace(message=shortened(note.message)) for note in notes)
    return Diagnostic(code, shortened(message), line, span, tuple(map(shortened, help)), short_notes, severity)


class Reject(Exception):
    """Raised where a line turns out wrong; whoever walks the lines catches it, reports it and goes on."""

    def __init__(self, code: str, message: str, span: Span, help: Iterable[str] = (), notes: Iterable[Note] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.help = help
        self.notes = notes

    def at(self, line: Line) -> Diagnostic:
        """The diagnostic, for the line on which it was found."""
        return diagnostic(self.code, self.message, line, self.span, self.help, self.notes)


class Unknown(Exception):
    """A value that depends on something already reported: no further error, but no value either."""


class _On:
    """See `Report.on`. Every operand passes through one: a generator would take twice as long."""

    __slots__ = ("_found", "_line")

    def __init__(self, found: list[Diagnostic], line: Line) -> None:
        self._found = found
        self._line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if isinstance(error, Reject):
            self._found.append(error.at(self._line))
            return True
        return isinstance(error, Unknown)


class Report:
    """Collects the diagnostics of a pass."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def on(self, line: Line) -> _On:
        """Record what is rejected within, as an error on this line, and go on after it."""
        return _On(self.found, line)

    def warn(self, code: str, message: str, line: Line, span: Span, help: Iterable[str] = ()) -> None:
        """Record a warning."""
        self.found.append(diagnostic(code, message, line, span, help, severity="warning"))


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics in order of the lines."""
    return tuple(sorted(diagnostics, key=lambda found: (found.line.order, found.line.number, found.span.start)))


class AssemblyError(ValueError):
    """The source has errors. `diagnostics` holds them all (and warnings) in order of the lines; the text shows the first 20."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__()

    def __str__(self) -> str:
        return render_all(self.diagnostics)


def render_all(diagnostics: Sequence[Diagnostic]) -> str:
    """Diagnostics as text (at most MAX_SHOWN, errors first if they are more), and how many there are.

    What several expansions of a macro or repetition have alike is shown once.
    """
    alike: dict[tuple[object, ...], list[Diagnostic]] = {}
    for found in diagnostics:
        line = found.line
        where = line.number if line.origin is not None else (line.number, line.order)
        alike.setdefault((found.code, found.message, line.file, where, found.span), []).append(found)
    firsts = [found[0] for found in alike.values()]
    shown: Sequence[Diagnostic] = firsts
    if len(firsts) > MAX_SHOWN:
        shown = in_order(sorted(firsts, key=lambda found: found.severity)[:MAX_SHOWN])
    repeats = {id(found[0]): len(found) - 1 for found in alike.values()}
    counts = []
    for severity in ("error", "warning"):
        if number := sum(found.severity == severity for found in diagnostics):
            counts.append(f"{number} {severity}{'s' if number > 1 else ''}")
    cut = f", the first {MAX_SHOWN} shown" if len(firsts) > MAX_SHOWN else ""
    parts = []
    for found in shown:
        parts.append(found.render())
        if repeated := repeats[id(found)]:
            parts.append(f"  the same in {repeated} expansion{'s' if repeated > 1 else ''} more")
    return "\n".join([*parts, f"{' and '.join(counts)}{cut}"])


class _Comparisons:
    """How many names a run has compared: a source of nothing but errors must not take minutes."""

    left = _MAX_COMPARISONS


def begin_run() -> None:
    """Suggestions are limited for each run: after so many errors nobody reads them."""
    _Comparisons.left = _MAX_COMPARISONS


def did_you_mean(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Help that names the nearest candidates, or none if nothing is near."""
    if _Comparisons.left <= 0:
        return ()
    known = list(dict.fromkeys(candidates))
    if word.lower() in known:
        return (f"did you mean '{word.lower()}'?",)
    if len(known) > _MANY_NAMES:
        _Comparisons.left -= len(known) // 16  # so much less to look at a name's beginning only
        known = [name for name in known if name[:2] == word[:2] and abs(len(name) - len(word)) < 3][:_MANY_NAMES]
    _Comparisons.left -= len(known)
    import difflib  # only who misspells something needs it

    close = difflib.get_close_matches(word[:64], known, n=2, cutoff=0.6)
    return (f"did you mean {' or '.join(repr(name) for name in close)}?",) if close else ()
