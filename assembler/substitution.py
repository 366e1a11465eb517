r"""Text of macros and repetitions: `\name` becomes the argument, `\@` the number of the expansion, a local name one of its own.

Strings, characters and comments stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from accelkit.assembler.syntax import Line, Span

_PART = re.compile(
    r"""\\(?P<parameter>\(\)|@|[A-Za-z_][A-Za-z0-9_]*)|(?<![\w.])(?P<name>\.?[A-Za-z_][A-Za-z0-9_.]*(?:@[0-9]+)?)"""
    r"""|"(?:\\.?+|[^"\\])*+(?:"|$)|'(?:\\.?+|[^'\\])*+(?:'|$)|(?:\#|;|//).*""",  # a string without an end ends with the line
    re.ASCII,
)


def substitute(written: str, replaced: Mapping[str, str]) -> str:
    """The line after substitution. Keys of `replaced` are parameters with their backslash, and local names without."""

    def replacement(match: re.Match[str]) -> str:
        return replaced.get(match[0], match[0])

    return _PART.sub(replacement, written) if replaced else written


def written_span(line: Line, span: Span) -> Span:
    """Where the columns of a line stand in the line as written, before substitution."""
    if line.origin is None or not line.origin.replaced:
        return span
    start, end = None, None
    for (first, last), (written_first, written_last), is_kept in _pieces(line.origin.written, line.origin.replaced):
        if start is None and span.start < max(last, first + 1):
            start = written_first + (span.start - first if is_kept else 0)
        if end is None and span.end <= last:
            end = written_first + span.end - first if is_kept else written_last
    length = len(line.origin.written)
    start = length + max(0, span.start - len(line.text)) if start is None else start
    return Span(start, max(start, length if end is None else end))


def argument_span(line: Line, span: Span) -> Span | None:
    """Where the text in some columns of a macro's line stands in the call; None if it is not a part of one argument."""
    origin = line.origin
    if origin is None or not origin.arguments:
        return None
    for (first, last), (written_first, written_last), is_kept in _pieces(origin.written, origin.replaced):
        if not is_kept and first <= span.start < span.end <= last:
            given = origin.arguments.get(origin.written[written_first:written_last])
            return Span(given.start + span.start - first, given.start + span.end - first) if given is not None else None
    return None


def _pieces(written: str, replaced: Mapping[str, str]) -> Iterator[tuple[tuple[int, int], tuple[int, int], bool]]:
    """Columns after and before substitution of each piece of a line, and whether it is kept as it is."""
    position, shift = 0, 0
    for match in _PART.finditer(written):
        replacement = replaced.get(match[0])
        if replacement is None:
            continue
        start, end = match.span()
        if start > position:
            yield (position + shift, start + shift), (position, start), True
        yield (start + shift, start + shift + len(replacement)), (start, end), False
        shift += len(replacement) - (end - start)
        position = end
    if position < len(written):
        yield (position + shift, len(written) + shift), (position, len(written)), True
