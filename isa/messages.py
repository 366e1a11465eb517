"""Texts of messages. What they quote (names, numbers, paths) comes from files and may be megabytes long."""

import re

_MOST_OF_WORD = 300
_MOST_OF_LINE = 3000  # lists of names
_ENDS = 100  # characters that are kept at each end of what is too long
_LONG = (re.compile(rf"[^\s]{{{_MOST_OF_WORD + 1},}}"), re.compile(rf"[^\n]{{{_MOST_OF_LINE + 1},}}"))


def shortened(text: str) -> str:
    """A message without the middle of words and lines that nobody would read to their end."""
    if len(text) > _MOST_OF_WORD:
        for pattern in _LONG:
            text = pattern.sub(_without_middle, text)
    return text


def _without_middle(match: re.Match[str]) -> str:
    text = match[0]
    return f"{text[:_ENDS]}...({len(text) - 2 * _ENDS} more characters)...{text[-_ENDS:]}"
