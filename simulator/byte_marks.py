"""What the host does to the checker's marks (core/memories.Marks): makes them, and of DRAM bytes makes room for more, marks its own writes,
clears those of new buffers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.simulator.core.memories import LINE, Marks


def make(places: int = 0) -> Marks:
    """Marks of at least so many places, none of which is marked. Zeros that nothing touches cost no memory."""
    lines = -(-places // LINE)
    return Marks(
        lines=np.zeros(lines, np.int64),
        places=np.zeros(lines * LINE, np.int64),
        parts=np.zeros(lines, np.int64),
    )


def with_room(marks: Marks, nbytes: int) -> Marks:
    """The marks, with none for the bytes after them to at least `nbytes`."""
    if len(marks.places) >= nbytes:
        return marks
    longer = make(max(nbytes, 2 * len(marks.places)))
    for old, new in zip(marks, longer, strict=True):
        new[: len(old)] = old
    return longer


def write(marks: Marks, start: int, nbytes: int, value: int) -> None:
    """Mark bytes as written by the host, which acts between launches: whole lines, else bytes."""
    end = start + nbytes
    first_line, end_line = -(-start // LINE), end // LINE
    if first_line > end_line:
        _write_part(marks, start, end, value)
        return
    marks.lines[first_line:end_line] = value
    _write_part(marks, start, first_line * LINE, value)
    _write_part(marks, end_line * LINE, end, value)


def _write_part(marks: Marks, start: int, end: int, value: int) -> None:
    if start < end:
        line = start // LINE
        marks.places[start:end] = value
        marks.parts[line] = marks.parts[line] or value


def clear(marks: Marks, start: int, nbytes: int) -> None:
    """Take off the marks of bytes; other bytes of their first and last line keep theirs."""
    end = start + nbytes
    first_line, end_line = -(-start // LINE), end // LINE
    for line in {start // LINE, (end - 1) // LINE}:
        if first_line <= line < end_line:
            continue
        _split(marks, line)
        low, high = max(start, line * LINE), min(end, (line + 1) * LINE)
        marks.places[low:high] = 0
    if first_line < end_line:
        marks.lines[first_line:end_line] = 0
        marked = first_line + np.flatnonzero(marks.parts[first_line:end_line])
        marks.places.reshape(-1, LINE)[marked] = 0
        marks.parts[marked] = 0


def _split(marks: Marks, line: int) -> None:
    """Give the line's stamp to its bytes."""
    stamp, data = marks.lines[line], marks.places[line * LINE : (line + 1) * LINE]
    if stamp:
        data[(data == 0) | (data < stamp)] = stamp
        marks.parts[line] = max(marks.parts[line], stamp) if marks.parts[line] else stamp
        marks.lines[line] = 0


def are_marked(marks: Marks, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each of some bytes has a stamp."""
    result: NDArray[np.bool_] = (marks.places[places] != 0) | (marks.lines[places // LINE] != 0)
    return result


@dataclass(frozen=True)
class Places:
    """Bytes: lines that belong to them wholly, and bytes of other lines."""

    lines: NDArray[np.int64] | slice
    bytes: NDArray[np.int64]

    @staticmethod
    def above(marks: Marks, ranges: Sequence[tuple[int, int]], known: int) -> "Places":
        """The bytes of some ranges (first, number) with a stamp above `known`."""
        lines, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for first, nbytes in ranges:
            begin, end = first // LINE, -(-(first + nbytes) // LINE)
            lines.append(begin + np.flatnonzero(marks.lines[begin:end] > known))
            parts = begin + np.flatnonzero(marks.parts[begin:end] > known)
            parts = parts[marks.lines[parts] <= known]
            inside = (parts[:, None] * LINE + np.arange(LINE)).reshape(-1)
            places.append(inside[marks.places[inside] > known])
        of_lines, of_bytes = np.unique(np.concatenate(lines)), np.unique(np.concatenate(places))
        if len(of_lines) and of_lines[-1] - of_lines[0] + 1 == len(of_lines):
            return Places(slice(int(of_lines[0]), int(of_lines[-1]) + 1), of_bytes)
        return Places(of_lines, of_bytes)

    def are_marked(self, marks: Marks) -> bool:
        """Whether all of them have a stamp."""
        if not are_marked(marks, self.bytes).all():
            return False
        of_lines = marks.lines[self.lines] != 0
        if of_lines.all():
            return True
        lines = np.arange(self.lines.start, self.lines.stop) if isinstance(self.lines, slice) else self.lines
        return bool((marks.places.reshape(-1, LINE)[lines[~of_lines]] != 0).all())

    def mark(self, marks: Marks, stamp: int) -> None:
        """Stamp all of them."""
        marks.lines[self.lines] = stamp
        marks.places[self.bytes] = stamp
        marks.parts[self.bytes // LINE] = stamp
