"""Sums that left int32: which element, its terms, and who wrote the sum so far.

The instruction has been executed when the checker stops: what it added is worked out again from its operands, which it doesn't change, and
taken off again, the last row first.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.row import Memory
from accelkit.isa.table import TABLE
from accelkit.simulator.core import state as st
from accelkit.simulator.core.memories import weights as weights_of
from accelkit.simulator.sanitiser.detail import Detail, Part
from accelkit.simulator.sanitiser.history import Places, Touch, values_of
from accelkit.simulator.sanitiser.scene import MOST_NAMED, Scene, part

LIMIT = 1 << 31


class Element(NamedTuple):
    """A sum that wrapped: where it lies (the sum so far, or what is summed up), its two terms, and what the second of them is."""

    memory: Memory
    row: int
    column: int
    first: int
    second: int
    what: str


def overflow(scene: Scene) -> Detail:
    """The first element that wrapped, and the history of its row."""
    fault = scene.culprit
    name = TABLE.by_opcode[int(fault.op)].mnemonic
    element = _of_run(scene, fault) if name == "run" else _with_bias(scene, fault, name)
    if element is None:
        return Detail((), (part("fault", fault),))
    places = np.array([element.row])
    watched = scene.watch(element.memory, places, fault)
    lines = [
        f"{scene.places(element.memory, ((element.row, element.row),))}, column {element.column}:"
        f" {element.first:,} + {element.second:,} ({element.what}) = {element.first + element.second:,};"
        f" int32 ends at {(LIMIT - 1 if element.first + element.second > 0 else -LIMIT):,}"
    ]
    touches = _since_overwritten([touch for touch in watched.before if touch.is_write])
    lines += _history(scene, touches)
    counts = Counter(int(touch.record.pc) for touch in touches)
    latest: dict[int, Part] = {int(t.record.pc): part("writer", t.record, counts[int(t.record.pc)]) for t in touches}
    row = ((element.row, element.row),)
    return Detail(tuple(lines), (part("fault", fault), *latest.values()), element.memory, row, 4)


def _of_run(scene: Scene, record: st.Record) -> Element | None:
    """The first accumulator element that a run's products took out of range."""
    values, memories = values_of(record), scene.memories
    sources = _rows(values, "sp", "rows", "step", "planes", "plane_step")
    targets = _rows(values, "acc", "rows", "acc_step", "planes", "acc_plane_step")
    weights = weights_of(memories)
    rows = memories.scratchpad if values["u8"] else memories.scratchpad_signed
    products = (rows[sources, : len(weights)].astype(np.int64) - values["zp"]) @ weights
    sums = {row: memories.accumulator[row].astype(np.int64) for row in np.unique(targets).tolist()}
    element: Element | None = None
    for row, added in zip(targets[::-1].tolist(), products[::-1], strict=True):
        sums[row] = _wrap(sums[row] - added)
        wrapped = np.flatnonzero(_wrap(sums[row] + added) != sums[row] + added)
        if len(wrapped):
            column = int(wrapped[0])
            element = Element(Memory.ACCUMULATOR, row, column, int(sums[row][column]), int(added[column]), "products of this row")
    return element


def _with_bias(scene: Scene, record: st.Record, name: str) -> Element | None:
    """The first sum that a bias took out of range; None where results lie on what they were made from."""
    values, memories = values_of(record), scene.memories
    columns = scene.machine.array_columns
    first = values["params"]
    read = [one.places for one in scene.footprints(record, Memory.SCRATCHPAD) if not one.is_write]
    written = _rows(values, "sp", "rows", "step", "planes", "plane_step")
    if np.isin(np.concatenate(read), written).any():
        return None
    biases = memories.scratchpad[first : first + scene.machine.parameter_rows].reshape(-1)[: 4 * columns].view(np.int32).astype(np.int64)
    if name == "requantise":
        rows = _rows(values, "acc", "rows", "acc_step", "planes", "acc_plane_step")
        memory, sums = Memory.ACCUMULATOR, memories.accumulator[rows].astype(np.int64)
    else:
        rows = _rows(values, "src", "rows", "src_step", "planes", "src_plane_step")
        memory, sums = Memory.SCRATCHPAD, _windows(scene, values, rows, name)[:, :columns]
    wrapped = np.argwhere(_wrap(sums + biases) != sums + biases)
    if not len(wrapped):
        return None
    place, column = wrapped[0].tolist()
    return Element(memory, int(rows[place]), column, int(sums[place, column]), int(biases[column]), "the bias")


def _windows(scene: Scene, values: dict[str, int], rows: Places, name: str) -> NDArray[np.int64]:
    """Sums of the windows that begin at rows, [rows, lanes]."""
    memories = scene.memories
    lines, columns = np.divmod(np.arange(values["lines"] * values["columns"]), values["columns"])
    taps = rows[:, None] + lines * values["line_step"] + columns * values["column_step"]
    data = (memories.scratchpad if values["u8"] else memories.scratchpad_signed)[taps].astype(np.int64)
    if name == "average":
        sums: NDArray[np.int64] = data.sum(axis=1)
        return sums
    first = values["weights"]
    weights = (memories.scratchpad if values["weights_u8"] else memories.scratchpad_signed)[first : first + taps.shape[1]].astype(np.int64)
    products: NDArray[np.int64] = (data - values["src_zp"]) * (weights - values["weights_zp"])
    return products.sum(axis=1)  # type: ignore[no-any-return]


def _rows(values: dict[str, int], base: str, count: str, step: str, planes: str, plane_step: str) -> Places:
    """Rows of a walk in order."""
    walk = np.arange(values[planes])[:, None] * values[plane_step] + np.arange(values[count]) * values[step]
    rows: Places = values[base] + walk.reshape(-1)
    return rows


def _wrap(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Modulo 2^32, as signed numbers."""
    wrapped: NDArray[np.int64] = ((values + LIMIT) & (2 * LIMIT - 1)) - LIMIT
    return wrapped


def _since_overwritten(writes: list[Touch]) -> list[Touch]:
    """The latest write that didn't add to what was there, and those after it."""
    for number in range(len(writes) - 1, -1, -1):
        if not values_of(writes[number].record).get("accumulate"):
            return writes[number:]
    return writes


def _history(scene: Scene, writes: list[Touch]) -> list[str]:
    """Who made the sum so far: the write it began with, then instructions that added to it, each with how often."""
    if not writes:
        return ["it was written before this launch"]
    adds = bool(values_of(writes[0].record).get("accumulate"))
    lines = [] if adds else [f"it began with {scene.name(writes[0].record)}, complete at cycle {int(writes[0].record.c)}"]
    added = writes if adds else writes[1:]
    counts = Counter(int(touch.record.pc) for touch in added)
    latest = {int(touch.record.pc): touch.record for touch in added}
    for pc, record in list(latest.items())[:MOST_NAMED]:
        often = "once" if counts[pc] == 1 else f"{counts[pc]:,} times"
        lines.append(f"then {often} {scene.name(record)}, at last complete at cycle {int(record.c)}")
    return lines
