"""Regions of the scratchpad and accumulator (`.region`): where they lie, and whether they may lie there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelkit.assembler.diagnostics import Note, Reject, Report, did_you_mean
from accelkit.assembler.expressions import evaluate
from accelkit.assembler.layout import PlacedRegion
from accelkit.assembler.symbols import Position
from accelkit.assembler.syntax import Expression, Name, RegionStatement, Setting
from accelkit.isa.program import Region
from accelkit.isa.row import Kind

_MEMORIES = (Kind.SCRATCHPAD.value, Kind.ACCUMULATOR.value)
_FORM = "form: .region name, sp[rows, ...] or acc[rows, ...] [, at=row] [, over=region]"
_MAX_ROW = (1 << 31) - 1


class Regions:
    """The regions of a program, in order of declaration."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[str, Region]] = {memory: {} for memory in _MEMORIES}
        self._end = dict.fromkeys(_MEMORIES, 0)  # the row behind all regions of a memory

    def declare(self, statement: RegionStatement, position: Position) -> Region:
        """The region that a statement declares: behind the last one in its memory, unless `at` or `over` says where."""
        name, memory = statement.name.text, statement.memory.text
        if memory not in _MEMORIES:
            raise Reject("E0601", f"a region lies in {' or '.join(_MEMORIES)}, not in {memory}", statement.memory.span, [_FORM])
        shape = tuple(_size(size, position) for size in statement.sizes)
        settings = _settings(statement)
        first_row, over = self._end[memory], ""
        if at := settings.get("at"):
            first_row = evaluate(at.value, position)  # type: ignore[arg-type]  # only `machine` has a text
        elif setting := settings.get("over"):
            covered = _covered(setting, memory, self._by_name[memory])
            first_row, over = covered.first_row, covered.name
        region = Region(name, memory, first_row, shape, over)
        if first_row < 0 or first_row + region.rows > _MAX_ROW:
            span = settings.get("at", statement).span
            raise Reject("E0602", f"rows {first_row}..{first_row + region.rows - 1} are no rows of any memory", span)
        if over and region.rows > covered.rows:
            message = f"region '{name}' has {region.rows} rows, '{over}' only {covered.rows}"
            raise Reject("E0603", message, settings["over"].span, ["only what lies within the other region may take its place"])
        self._by_name[memory][name] = region
        self._end[memory] = max(self._end[memory], first_row + region.rows)
        return region


def _size(size: Expression, position: Position) -> int:
    value = evaluate(size, position)
    if not 1 <= value <= _MAX_ROW:
        raise Reject("E0401", f"size {value} is outside 1..{_MAX_ROW}", size.span)
    return value


def _settings(statement: RegionStatement) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    for setting in statement.settings:
        key = setting.name.text
        if key not in ("at", "over"):
            raise Reject("E0601", f"a region has no '{key}'", setting.name.span, [*did_you_mean(key, ("at", "over")), _FORM])
        if settings:
            raise Reject("E0601", "one of at=... and over=... says where a region lies", setting.span, [_FORM])
        settings[key] = setting
    return settings


def _covered(setting: Setting, memory: str, known: Mapping[str, Region]) -> Region:
    if not isinstance(setting.value, Name) or setting.value.text not in known:
        near = did_you_mean(setting.value.text, known) if isinstance(setting.value, Name) else ()
        raise Reject("E0601", f"over=... names a region of {memory} that is declared further up", setting.value.span, near)
    return known[setting.value.text]


def check_overlaps(regions: Sequence[PlacedRegion], report: Report) -> None:
    """Report regions that share rows, but for those that are declared to lie over another."""
    for memory in _MEMORIES:
        own = [one for one in regions if one.region.memory == memory and not one.region.over]
        placed = sorted(own, key=lambda one: one.region.first_row)
        widest: PlacedRegion | None = None  # the region so far that reaches furthest
        for one in placed:
            if widest is not None and one.region.first_row < widest.region.first_row + widest.region.rows:
                first, second = sorted((widest, one), key=lambda known: (known.line.order, known.word.span.start))
                with report.on(second.line):
                    note = Note(f"region '{first.region.name}' has {_rows(first.region)}", first.line, first.word.span)
                    message = f"region '{second.region.name}' has {_rows(second.region)}, which are also of '{first.region.name}'"
                    raise Reject("E0603", message, second.word.span, [f"if that is meant: over={first.region.name}"], [note])
            if widest is None or one.region.first_row + one.region.rows > widest.region.first_row + widest.region.rows:
                widest = one


def _rows(region: Region) -> str:
    return f"rows {region.first_row}..{region.first_row + region.rows - 1} of {region.memory}"
