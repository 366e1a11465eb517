"""Two instructions in no order: races, ports of banks without order, ports that are held."""

import numpy as np

from accelkit.isa.faults import Fault
from accelkit.isa.row import Memory
from accelkit.isa.units import Unit
from accelkit.simulator import descriptors
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.sanitiser.detail import Detail, Part, ranges_of, width
from accelkit.simulator.sanitiser.history import Places, Touch, is_same, retrace
from accelkit.simulator.sanitiser.scene import Scene, doing, part


def race(scene: Scene) -> Detail:
    """What both touch, what either may get, and who wrote there before."""
    fault, memory = scene.culprit, scene.memory
    places = np.unique(np.concatenate([one.places for one in scene.footprints(fault, memory)]))
    watched = scene.watch(memory, places, fault)
    other = scene.other()
    shared, this_writes, other_writes = _conflict(scene, places, [touch for touch in watched.before if is_same(touch.record, other)])
    earlier = watched.last_writers(shared, but=other)
    ranges = ranges_of(places[shared])
    nbytes = len(shared) * width(memory, scene.machine)
    lines = [
        f"both touch {scene.places(memory, ranges)} ({nbytes:,} bytes): this one {doing(this_writes, fault)},"
        f" the other {doing(other_writes, other)}"
    ]
    if this_writes and other_writes:
        lines.append("what stays there is what either writes, as timing has it")
    else:
        reader, writer = ("the other", "this one") if this_writes else ("this one", "the other")
        lines.append(f"{reader} gets what {writer} writes or what was there before, as timing has it")
        lines.append(f"who wrote there before: {scene.writers(earlier)}")
    parts = (part("fault", fault), part("other", other), *(part("writer", touch.record) for touch in earlier))
    return Detail(tuple(lines), parts, memory, ranges, nbytes, scene.token(other, fault))


def _conflict(scene: Scene, places: Places, others: list[Touch]) -> tuple[Places, bool, bool]:
    """Positions of the places that both touch and one of them writes; whether this one and the other write any of them."""
    shared: Places = np.zeros(0, np.int64)
    this_writes = other_writes = False
    for mine in scene.footprints(scene.culprit, scene.memory):
        index = np.flatnonzero(np.isin(places, mine.places, assume_unique=True))
        for touch in others:
            common = np.intersect1d(index, touch.positions, assume_unique=True)
            if len(common) and (mine.is_write or touch.is_write):
                shared = np.union1d(shared, common)
                this_writes |= mine.is_write
                other_writes |= touch.is_write
    return shared, this_writes, other_writes


def bank_order(scene: Scene) -> Detail:
    """What each of the two touches in the bank."""
    fault, memory = scene.culprit, scene.memory
    bank, is_write = int(scene.shadow.fault[mem.F_VALUE]), bool(scene.shadow.fault[mem.F_LIMIT])
    size = scene.machine.scratchpad_bank_rows if memory is Memory.SCRATCHPAD else scene.machine.accumulator_bank_rows
    places = np.arange(bank * size, (bank + 1) * size)
    other = scene.other()
    verb = "writes" if is_write else "reads"
    mine, theirs = (_rows_in(scene, one, memory, is_write, places) for one in (fault, other))
    ranges = ranges_of(mine)
    lines = (
        f"this one {verb} {scene.places(memory, ranges)} of the bank, the other {verb} {scene.places(memory, ranges_of(theirs))}:"
        " two units may not use a port of a bank in one cycle",
    )
    nbytes = len(mine) * width(memory, scene.machine)
    return Detail(lines, (part("fault", fault), part("other", other)), memory, ranges, nbytes, _either(scene, other, fault))


def _either(scene: Scene, first: st.Record, second: st.Record) -> str:
    token = scene.token(first, second)
    return f"use different banks, or {token}" if token else ""


def _rows_in(scene: Scene, record: st.Record, memory: Memory, is_write: bool, bank: Places) -> Places:
    """Rows of a bank that an instruction reads or writes; those that its walk spans, where it touches none."""
    rows = np.unique(np.concatenate([one.places for one in scene.footprints(record, memory) if one.is_write == is_write]))
    inside = rows[(rows >= bank[0]) & (rows <= bank[-1])]
    return inside if len(inside) else rows


def port_fault(scene: Scene, pc: int, cycle: int) -> Detail | None:
    """Who holds the port."""
    timing = scene.run.timing
    bank, memory, unit = int(timing.fault_value), Memory(int(timing.fault_place)), Unit(int(timing.fault_other))
    is_write = timing.fault == Fault.BANK_WRITE
    holders: list[st.Record] = []

    def see(chunk: st.Array) -> bool:
        is_under_way = (chunk.s <= cycle) & (chunk.c >= cycle) & (descriptors.rows().unit[chunk.op] == unit)
        for record in chunk[is_under_way]:
            if any(bank in one.banks and one.is_write == is_write for one in scene.footprints(record, memory)):
                holders[:] = [record.copy()]
        return False

    retrace(scene.machine, scene.again(cycle + 1), see)
    if not holders:
        return None
    lines = (f"held by {scene.name(holders[0])}, issued at cycle {int(holders[0].s)}",)
    return Detail(lines, (Part("fault", pc, cycle, cycle), part("holder", holders[0])), memory)
