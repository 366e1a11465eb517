"""Stamps of rows or DRAM bytes: who accessed each last (memories.Marks)."""

from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import LINE, LINE_SHIFT, Marks
from accelkit.simulator.core.state import Array


@njit
def mark(marks: Marks, start: int, count: int, sequence: int) -> None:
    """Stamp `count` places from `start`."""
    end = start + count
    first_line = (start + LINE - 1) >> LINE_SHIFT
    end_line = end >> LINE_SHIFT
    if first_line > end_line:  # within one line
        _mark_part(marks, start, end, sequence)
        return
    _put(marks.lines[first_line:end_line], sequence)
    if start < first_line << LINE_SHIFT:
        _mark_part(marks, start, first_line << LINE_SHIFT, sequence)
    if end_line << LINE_SHIFT < end:
        _mark_part(marks, end_line << LINE_SHIFT, end, sequence)


@njit
def _put(stamps: Array, sequence: int) -> None:
    """Set all of a view: it begins at 0, for the compiler can't know that another beginning is not negative."""
    for place in range(len(stamps)):
        stamps[place] = sequence


@njit
def mark_rows(marks: Marks, start: int, rows: int, stride: int, count: int, sequence: int) -> None:
    """Stamp rows of `count` places."""
    if _are_lines(start, rows, stride, count):
        for row in range(rows):
            first = (start + row * stride) >> LINE_SHIFT
            _put(marks.lines[first : first + (count >> LINE_SHIFT)], sequence)
        return
    for row in range(rows):
        mark(marks, start + row * stride, count, sequence)


@njit
def _are_lines(start: int, rows: int, stride: int, count: int) -> bool:
    """Whether rows are whole lines."""
    return bool((start | count) & (LINE - 1) == 0 and (rows == 1 or stride & (LINE - 1) == 0))


@njit
def _mark_part(marks: Marks, start: int, end: int, sequence: int) -> None:
    _put(marks.places[start:end], sequence)
    marks.parts[start >> LINE_SHIFT] = sequence


@njit
def mark_one(marks: Marks, place: int, sequence: int) -> None:
    """Stamp a place."""
    marks.places[place] = sequence
    marks.parts[place >> LINE_SHIFT] = sequence


@njit
def stamp(marks: Marks, place: int) -> int:
    """The stamp of a place."""
    return max(int(marks.places[place]), int(marks.lines[place >> LINE_SHIFT]))


@njit
def may_be_above(marks: Marks, start: int, count: int, known: int) -> bool:
    """Whether any line of `count` places from `start` has a stamp above `known`, perhaps that of another place."""
    first, end = start >> LINE_SHIFT, ((start + count - 1) >> LINE_SHIFT) + 1
    lines, parts = marks.lines[first:end], marks.parts[first:end]
    is_above = False
    for line in range(len(lines)):
        is_above |= (lines[line] > known) | (parts[line] > known)
    return is_above


@njit
def may_rows_be_above(marks: Marks, start: int, rows: int, stride: int, count: int, known: int) -> bool:
    """The same of rows of `count` places."""
    is_above = False
    for row in range(rows):
        is_above |= may_be_above(marks, start + row * stride, count, known)
    return is_above


@njit
def are_rows_marked(marks: Marks, start: int, rows: int, stride: int, count: int) -> bool:
    """Whether all lines of rows of `count` places have a stamp."""
    are_marked = True
    for row in range(rows):
        first = start + row * stride
        lines = marks.lines[first >> LINE_SHIFT : ((first + count - 1) >> LINE_SHIFT) + 1]
        for line in range(len(lines)):
            are_marked &= lines[line] != 0
    return are_marked


@njit
def above(marks: Marks, start: int, count: int, known: int) -> int:
    """First of `count` places from `start` with a stamp above `known`, -1 if there is none."""
    if may_be_above(marks, start, count, known):
        for place in range(start, start + count):
            if stamp(marks, place) > known:
                return place
    return -1


@njit
def unmarked(marks: Marks, start: int, count: int) -> int:
    """First of `count` places from `start` that has no stamp, -1 if there is none."""
    are_marked = True
    for line in range(start >> LINE_SHIFT, ((start + count - 1) >> LINE_SHIFT) + 1):
        are_marked &= marks.lines[line] != 0
    if not are_marked:
        for place in range(start, start + count):
            if marks.lines[place >> LINE_SHIFT] == 0 and marks.places[place] == 0:
                return place
    return -1
