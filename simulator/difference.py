"""What an edit cost or won: two accounts by line, side by side."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from accelkit.simulator.annotate import short_names
from accelkit.simulator.lines import Line, Share, totals
from accelkit.simulator.report import table

Pair = tuple[Line | None, Line | None]  # before, after


def pair_lines(before: Sequence[Line], after: Sequence[Line]) -> list[Pair]:
    """Lines that belong together: equal texts in the same order, and lines that took the place of others one for one."""
    pairs: list[Pair] = []
    matcher = SequenceMatcher(None, [line.text for line in before], [line.text for line in after], autojunk=False)
    for tag, first, end, other_first, other_end in matcher.get_opcodes():
        old, new = before[first:end], after[other_first:other_end]
        if tag == "equal" or len(old) == len(new):
            pairs += zip(old, new, strict=True)
        else:
            pairs += [(line, None) for line in old]
            pairs += [(None, line) for line in new]
    return pairs


def has_difference(before: Sequence[Line], after: Sequence[Line]) -> bool:
    """Whether cycles of some line have changed; a line's text alone doesn't count."""
    units = dict.fromkeys([*totals(before), *totals(after)])
    return any(_changes(_share(old, unit), _share(new, unit)) for old, new in pair_lines(before, after) for unit in units)


def difference(before: Sequence[Line], after: Sequence[Line]) -> str:
    """A row for each line and unit whose cycles changed, by reason; for each unit the rows add up to the change of its total."""
    pairs = pair_lines(before, after)
    old_names, new_names = short_names(line.place for line in before), short_names(line.place for line in after)
    rows = []
    for unit in totals(after):
        for old, new in pairs:
            changed = _changes(_share(old, unit), _share(new, unit))
            if changed:
                reasons = ", ".join(f"{cls.replace('_', ' ')} {n:+,}" for cls, n in changed.items())
                line = new or old
                assert line is not None
                places = new_names[new.place] if new else "-", old_names[old.place] if old else "-"
                rows.append([unit, *places, f"{sum(changed.values()):+,}", reasons, line.text])
        change = totals(after)[unit].cycles - totals(before)[unit].cycles
        rows.append([unit, "total", "", f"{change:+,}", "", ""])
    return "\n".join(_aligned(["unit", "line", "was", "cycles", "by reason", "source"], rows))


def _share(line: Line | None, unit: str) -> Share:
    return line.units.get(unit, Share()) if line else Share()


def _changes(old: Share, new: Share) -> dict[str, int]:
    """Classes whose cycles changed."""
    classes = dict.fromkeys([*old.classes, *new.classes])
    changes = {cls: new.classes.get(cls, 0) - old.classes.get(cls, 0) for cls in classes}
    return {cls: cycles for cls, cycles in changes.items() if cycles}


def _aligned(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Numbers in columns, reasons and source after them."""
    left = table(header[:4], [row[:4] for row in rows])
    width = max(len(row[4]) for row in [header, *rows])
    for line, row in zip(left, [header, *rows], strict=True):
        yield f"{line}  {row[4].ljust(width)}  {row[5]}".rstrip()
