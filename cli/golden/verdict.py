"""A run against its record: the verdict, and where and why the two differ."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from accelkit.cli.golden.case import Case, GoldenError, ProgramError, name_of, read_case
from accelkit.cli.golden.measure import Measured, measure
from accelkit.cli.golden.recorded import Array, Data, Recorded, Rows, read_data
from accelkit.simulator.difference import difference
from accelkit.simulator.lines import from_json


class Verdict(Enum):
    """How a case stands."""

    OK = "ok"
    WRONG = "wrong"  # another output, or no end
    CYCLES = "cycles"  # the same outputs in more or fewer cycles than permitted
    STALE = "stale"  # recorded for another ISA, machine or input: no statement about the program
    UNUSABLE = "unusable"  # a file is missing or bad, or nothing is recorded


@dataclass(frozen=True)
class Checked:
    """A case's verdict. `detail` has a line per finding; `file` and `line` are where to look."""

    path: str
    name: str
    verdict: Verdict
    detail: str = ""
    file: str = ""
    line: int = 0
    cycles: int | None = None
    recorded_cycles: int | None = None
    note: str = ""


def check(path_text: str) -> Checked:
    """Run the case in a file and judge it. It raises nothing: a case that can't be used is a verdict."""
    path = Path(path_text)
    try:
        case = read_case(path)
        if case.recorded is None:
            raise GoldenError(f"{path}: nothing is recorded; `accel-sim golden record {path}` does that")
        data = read_data(path.parent, case.recorded)
        return _judge(case, case.recorded, data, measure(case, is_judged=False))
    except ProgramError as error:
        return Checked(path_text, name_of(path), Verdict.WRONG, str(error), path_text)
    except (GoldenError, ValueError, OSError) as error:
        return Checked(path_text, name_of(path), Verdict.UNUSABLE, str(error), path_text)
    except MemoryError:
        return Checked(path_text, name_of(path), Verdict.UNUSABLE, f"{path}: not enough memory on this computer", path_text)


def _judge(case: Case, old: Recorded, data: Data, run: Measured) -> Checked:
    new = run.identity
    known = {"path": str(case.path), "name": case.name, "cycles": new.cycles, "recorded_cycles": old.cycles}

    def verdict(kind: Verdict, lines: list[str], place: str = "", note: str = "") -> Checked:
        file, line = _position(case, place)
        return Checked(**known, verdict=kind, detail="\n".join(lines), file=file, line=line, note=note)  # type: ignore[arg-type]

    if reasons := stale_reasons(old, new):
        return verdict(Verdict.STALE, [*reasons, "Check why, then record the case again."])
    if run.fault is not None:
        return verdict(Verdict.WRONG, [run.fault])
    lines, place = output_differences(old, data, run)
    changed = abs(new.cycles - old.cycles) > case.permitted_drift
    if changed:
        lines += [f"{new.cycles:,} cycles, recorded {old.cycles:,} ({new.cycles - old.cycles:+,}; permitted: {case.permitted_drift})"]
        lines += _cycles(case, data.rows, run.rows)
    other = "another program with the same results" if new.program != old.program else ""
    if not lines:
        return verdict(Verdict.OK, [], note=other)
    if new.program != old.program:
        lines.append("the program is another one than the recorded")
    is_wrong = new.outputs != old.outputs
    if is_wrong and case.model is not None:
        against = measure(case, is_judged=True).wrong
        lines.append(f"  {against or 'every intermediate is equal to that of ONNX Runtime'}")
    return verdict(Verdict.WRONG if is_wrong else Verdict.CYCLES, lines, place)


def stale_reasons(old: Recorded, new: Recorded) -> list[str]:
    """Why the record says nothing about the run; empty if it does."""
    reasons = []
    if old.isa != new.isa:
        reasons.append(f"recorded for ISA {old.isa[0]}.{old.isa[1]}, this is {new.isa[0]}.{new.isa[1]}")
    if old.machine != new.machine:
        reasons.append(f"recorded on a machine of digest {old.machine}, this one has {new.machine}")
    if old.inputs != new.inputs:
        reasons.append("recorded with other inputs or arguments")
    return reasons


def output_differences(old: Recorded, data: Data, run: Measured) -> tuple[list[str], str]:
    """A line for each output that differs, with the line that wrote its first wrong element below; and that line for the first of them."""
    lines, place = [], ""
    for name in dict.fromkeys([*old.outputs, *run.outputs]):
        if name not in run.outputs or name not in old.outputs:
            lines.append(f"output {name} is {'gone' if name in old.outputs else 'new'}")
        elif old.outputs[name] != run.identity.outputs[name]:
            before, after = data.outputs[name], run.outputs[name]
            text = first_difference(name, before, after)
            lines.append(text or f"{name}: its data file and its digest disagree; record the case again")
            element = _first(before, after)
            if element is not None and run.blame is not None:
                writer = run.blame(name, element)
                lines.append("  no store wrote it" if writer is None else f"  written by {writer[0]}, issued in cycle {writer[1]:,}")
                place = place or (writer[0] if writer is not None else "")
    return lines, place


def first_difference(name: str, expected: Array, found: Array) -> str:
    """What differs first, in words; empty if nothing does."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return f"{name}: {found.dtype.name} {list(found.shape)}, expected {expected.dtype.name} {list(expected.shape)}"
    element = _first(expected, found)
    if element is None:
        return ""
    index = ", ".join(str(int(place)) for place in np.unravel_index(element, expected.shape))
    count = np.count_nonzero(_bits(expected) != _bits(found))
    values = f"{found.reshape(-1)[element]}, expected {expected.reshape(-1)[element]}"
    return f"{name}[{index}] = {values} ({count:,} of {expected.size:,} elements differ)"


def _first(expected: Array, found: Array) -> int | None:
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return None
    different = np.flatnonzero(_bits(expected) != _bits(found))
    return int(different[0]) if len(different) else None


def _bits(values: Array) -> Array:
    """Elements as integers of their size: not a number equals itself, zeros have signs."""
    flat = np.ascontiguousarray(values).reshape(-1)
    return flat.view(f"u{flat.itemsize}") if flat.dtype.kind == "f" else flat


def _cycles(case: Case, before: Rows, after: Rows) -> list[str]:
    """The change of cycles by line or by node."""
    if case.model is None:
        if not before or not after:
            return ["no cycles by line: a fault cut the run short"]
        return difference(from_json(before), from_json(after)).splitlines()
    old = {row["name"]: row for row in before}
    new = {row["name"]: row for row in after}
    lines = []
    for name in dict.fromkeys([*old, *new]):
        was, now = (rows[name]["cycles"] if name in rows else 0 for rows in (old, new))
        if was != now:
            row = new.get(name, old.get(name))
            assert row is not None
            lines.append(f"  {name} ({row['op']}, {row['where']}): {was:,} -> {now:,} ({now - was:+,})")
    return lines


def _position(case: Case, place: str) -> tuple[str, int]:
    """File (from here) and line of a place that is written as seen from the case; the case itself if there is none."""
    file, colon, line = place.rpartition(":")
    if not colon or not line.isdigit():
        return str(case.path), 1
    return os.path.relpath(case.path.parent / file), int(line)
