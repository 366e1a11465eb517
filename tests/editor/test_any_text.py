"""A text is unfinished most of the time: whatever stands there, the tools answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelkit.editor.completion import complete
from accelkit.editor.definitions import definitions, source_lines
from accelkit.editor.hover import definition_of, hover
from accelkit.editor.lexicon import scan
from tests.editor.fixtures import SOURCES, text

LINES = sorted({line for path in SOURCES for line in text(path).split("\n")})
# Lines of the fixtures cut and joined, and characters that mean something to the rules.
pieces = st.sampled_from(LINES).flatmap(lambda line: st.integers(0, len(line)).map(lambda end: line[:end]))
texts = st.lists(st.one_of(pieces, st.text("ab0.x:;#'\"\\[(,=->) \t\n\r\u00e9\U0001f600", max_size=12)), max_size=6).map("".join)


@given(texts)
def test_words_are_parts_of_the_line(source: str) -> None:
    """The words of a line stand in order, without overlap, where they say."""
    for line in source_lines(source):
        end = 0
        for word in scan(line):
            assert end <= word.start < word.end <= len(line)
            assert line[word.start : word.end] == word.text
            end = word.end


@given(texts, st.integers(0, 200))
def test_every_place_has_an_answer(source: str, column: int) -> None:
    """Hover, definition and completion answer at any place of any text; a proposal replaces what stands before the cursor only."""
    lines = source_lines(source)
    known = definitions(lines)
    for number, line in enumerate(lines):
        place = min(column, len(line))
        hover(lines, number, place, known)
        definition_of(lines, number, place, known)
        begin, _ = complete(line, place, known)
        assert begin <= place
