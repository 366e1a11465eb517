"""Places that nobody gave: reads of what nothing wrote, DRAM outside the declared buffers."""

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.row import Memory
from accelkit.simulator import byte_marks
from accelkit.simulator.core import memories as mem
from accelkit.simulator.sanitiser.detail import Detail, ranges_of, width
from accelkit.simulator.sanitiser.history import Places, Touch
from accelkit.simulator.sanitiser.scene import MOST_NAMED, Buffer, Scene, part

FORESIGHT_CYCLES = 100_000  # after the read, in which a write is looked for


def uninitialised(scene: Scene) -> Detail:
    """What of the read nothing wrote, who wrote the rest of it, and who writes it too late."""
    fault, memory = scene.culprit, scene.memory
    places = np.unique(np.concatenate([one.places for one in scene.footprints(fault, memory) if not one.is_write]))
    missing = ~_is_written(scene.shadow, memory, places)
    watched = scene.watch(memory, places, fault, FORESIGHT_CYCLES)
    ranges = ranges_of(places[missing])
    nbytes = int(missing.sum()) * width(memory, scene.machine)
    whole = "" if missing.all() else f"of {scene.places(memory, ranges_of(places))}, which it reads, "
    lines = [f"{whole}nothing has written {scene.places(memory, ranges)} ({nbytes:,} bytes)"]
    writers = watched.last_writers(np.flatnonzero(~missing))
    for touch in writers[::-1][:MOST_NAMED]:
        written = scene.places(memory, ranges_of(places[touch.positions]))
        lines.append(f"{written}: written by {scene.name(touch.record)}, complete at cycle {int(touch.record.c)}")
    parts = [part("fault", fault), *(part("writer", touch.record) for touch in writers)]
    fix = ""
    later = next((touch for touch in watched.after if missing[touch.positions].any()), None)
    if later is not None:
        parts.append(part("later writer", later.record))
        lines.append(_too_late(scene, places, missing, later))
        fix = (later.record.number < fault.number and scene.token(later.record, fault)) or "let that one come first"
    return Detail(tuple(lines), tuple(parts), memory, ranges, nbytes, fix)


def _is_written(shadow: mem.Shadow, memory: Memory, places: Places) -> NDArray[np.bool_]:
    """Whether places count as written when the checker stopped."""
    if memory is not Memory.DRAM:
        written: NDArray[np.bool_] = (shadow.scratchpad_written if memory is Memory.SCRATCHPAD else shadow.accumulator_written)[places]
        return written
    result = np.ones(len(places), np.bool_)
    for first, end, is_writable, stamp in shadow.buffers:
        inside = (places >= first) & (places < end)
        if is_writable:  # inputs count as written
            result[inside] = byte_marks.are_marked(shadow.stored, stamp + places[inside] - first)
    return result


def _too_late(scene: Scene, places: Places, missing: NDArray[np.bool_], later: Touch) -> str:
    record = later.record
    when = f"issued at cycle {int(record.s)}, complete at cycle {int(record.c)}"
    what = scene.places(scene.memory, ranges_of(places[later.positions[missing[later.positions]]]))
    return f"{what}: written only later, by {scene.name(record)}, {when}"


def outside(scene: Scene) -> Detail:
    """Which bytes lie in no buffer that may be used so, and the buffers beside them."""
    fault = scene.culprit
    footprint = next(one for one in scene.footprints(fault, Memory.DRAM))
    is_in = np.zeros(len(footprint.places), np.bool_)
    for _, address, nbytes, is_writable in scene.buffers:
        if is_writable or not footprint.is_write:
            is_in |= (footprint.places >= address) & (footprint.places < address + nbytes)
    wrong = footprint.places[~is_in]
    what = "are wrong"
    if not len(wrong):
        wrong, what = np.arange(scene.shadow.fault[mem.F_VALUE], scene.shadow.fault[mem.F_LIMIT] + 1), "are a row across two buffers"
    ranges = ranges_of(wrong)
    verb = "writes" if footprint.is_write else "reads"
    lines = [f"it {verb} {len(footprint.places):,} bytes, of which {len(wrong):,} {what}: {scene.places(Memory.DRAM, ranges)}"]
    for name, address, nbytes, is_writable in _near(scene, int(wrong[0]), int(wrong[-1])):
        kind = "" if is_writable else " (an input)"
        lines.append(f"buffer {name}{kind}: {scene.places(Memory.DRAM, ((address, address + nbytes - 1),))}")
    return Detail(tuple(lines), (part("fault", fault),), Memory.DRAM, ranges, len(wrong))


def _near(scene: Scene, first: int, last: int) -> list[Buffer]:
    """Buffers with bytes from first to last, and those before and after them, if no more than a few; in order."""
    ordered = sorted(scene.buffers, key=lambda one: one[1])
    meeting = [one for one in ordered if one[1] <= last and first < one[1] + one[2]]
    before = [one for one in ordered if one[1] + one[2] <= first][-1:]
    after = [one for one in ordered if one[1] > last][:1]
    return meeting[:MOST_NAMED] if len(meeting) > 1 or (meeting and meeting[0][1] <= first) else [*before, *meeting, *after]
