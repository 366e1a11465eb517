"""The annotated listing: each source line with its count and cycles by reason; columns add up to each unit's total."""

from collections.abc import Iterator, Sequence

from accelkit.isa.units import CycleClass, SequencerClass
from accelkit.simulator.lines import END, Line, Share, totals

_CLASSES = [cls.name.lower() for cls in CycleClass] + [cls.name.lower() for cls in SequencerClass]


def listing(lines: Sequence[Line]) -> str:
    """A row for each line and unit; under it, cycles lost by reason and the line to blame. Totals of the units at the end."""
    sums = totals(lines)
    used = [cls for cls in _CLASSES if any(share.classes.get(cls) for share in sums.values())]
    header = ["line", "count", "unit", "cycles", *(cls.replace("_", " ") for cls in used)]
    rows: list[tuple[list[str], str]] = []
    names = short_names(line.place for line in lines)
    texts = {line.place: line.text for line in lines}
    for line in lines:
        for number, (unit, share) in enumerate(_in_order(line)):
            count = f"{line.count:,}" if number == 0 and line.place != END else ""
            name = names[line.place] if number == 0 else ""
            rows.append((_row(name, count, unit, share, used), line.text if number == 0 else ""))
            rows += [([], blamed) for blamed in _blamed(share, names, texts)]
    for unit, share in sums.items():
        rows.append((_row("total", "", unit, share, used), ""))
    return "\n".join(_aligned(header, rows))


def short_names(places: Iterator[str]) -> dict[str, str]:
    """Places without their file, if all are in one; in order."""
    known = list(dict.fromkeys(places))
    files = {place.rpartition(":")[0] for place in known if ":" in place}
    return {place: place.rpartition(":")[2] if len(files) == 1 else place for place in known}


def _in_order(line: Line) -> list[tuple[str, Share]]:
    """Queued units first, then the sequencer."""
    return sorted(line.units.items(), key=lambda item: item[0] == "sequencer")


def _row(name: str, count: str, unit: str, share: Share, used: list[str]) -> list[str]:
    cycles = [share.classes.get(cls, 0) for cls in used]
    return [name, count, unit, f"{share.cycles:,}", *(f"{n:,}" if n else "." for n in cycles)]


def _blamed(share: Share, names: dict[str, str], texts: dict[str, str]) -> Iterator[str]:
    for (cls, place), cycles in sorted(share.blame.items(), key=lambda item: -item[1]):
        yield f"{cls.replace('_', ' ')} {cycles:,} <- {names.get(place, place)}: {texts.get(place, '')}"


def _aligned(header: list[str], rows: list[tuple[list[str], str]]) -> Iterator[str]:
    """Rows in columns, `unit` to the left; texts after them, and alone where a row has no columns."""
    widths = [max(len(row[n]) for row in (header, *(r for r, _ in rows if r))) for n in range(len(header))]
    indent = " " * (widths[0] + widths[1] + 4)
    for row, text in [(header, "source"), *rows]:
        if row:
            cells = [cell.ljust(w) if n == 2 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))]
            yield f"{'  '.join(cells)}  {text}".rstrip()
        else:
            yield indent + text
