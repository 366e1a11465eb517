"""A launch that ended in a fault, and what every story of one needs: history of places, names, parts, a fit token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.isa.row import Memory
from accelkit.isa.units import CHANNELS
from accelkit.simulator import descriptors
from accelkit.simulator.core import memories as mem
from accelkit.simulator.core import state as st
from accelkit.simulator.explain import instruction, where
from accelkit.simulator.generator.footprint import Footprint
from accelkit.simulator.sanitiser.detail import Part, Ranges, places_text
from accelkit.simulator.sanitiser.history import Places, Touch, Watched, footprints_of, retrace

MOST_NAMED = 3  # instructions of one kind in a text
Buffer = tuple[str, int, int, bool]  # name, first byte, bytes, whether stores may write it


@dataclass(frozen=True)
class Scene:
    """`again` gives the fresh state of the same launch, which may run for so many cycles."""

    program: Program
    machine: Machine
    run: st.Launch
    memories: mem.Memories
    shadow: mem.Shadow
    buffers: Sequence[Buffer]
    again: Callable[[int], st.Launch]

    @cached_property
    def culprit(self) -> st.Record:
        """The instruction that the checker stopped."""
        return self.run.chunk[self.shadow.fault[mem.F_INDEX]].copy()

    @property
    def memory(self) -> Memory:
        """The memory that a checker fault is about."""
        return Memory(int(self.shadow.fault[mem.F_PLACE]))

    def footprints(self, record: st.Record, memory: Memory) -> list[Footprint]:
        """An instruction's accesses to a memory."""
        return [one for one in footprints_of(record, self.machine) if one.memory is memory]

    def watch(self, memory: Memory, places: Places, fault: st.Record, foresight_cycles: int = 0) -> Watched:
        """The history of places up to an instruction, and who writes them within so many cycles after it."""
        watched = Watched(self.machine, memory, places, fault, foresight_cycles > 0)
        retrace(self.machine, self.again(int(fault.s) + 1 + foresight_cycles), watched.see)
        return watched

    def other(self) -> st.Record:
        """The instruction that the checker names beside the one at fault."""
        fault, found = self.shadow.fault, []

        def see(chunk: st.Array) -> bool:
            is_other = (descriptors.rows().port[chunk.op] == fault[mem.F_OTHER_PORT]) & (chunk.sequence == fault[mem.F_OTHER_NUMBER])
            found.extend(chunk[is_other].copy())
            return bool(found)

        retrace(self.machine, self.again(int(self.culprit.s) + 1), see)
        return found[0]

    def name(self, record: st.Record) -> str:
        """Place and text of an instruction."""
        pc = int(record.pc)
        return f"{where(self.program, pc)} ({instruction(self.program, pc)})"

    def places(self, memory: Memory, ranges: Ranges) -> str:
        """Rows or bytes for a text."""
        return places_text(memory, ranges, self.program)

    def writers(self, touches: Sequence[Touch]) -> str:
        """Who wrote last, the latest first."""
        if not touches:
            return "nothing of this launch"
        texts = [f"{self.name(t.record)}, complete at cycle {int(t.record.c)}" for t in touches[::-1][:MOST_NAMED]]
        more = [f"{len(touches) - len(texts)} more"] if len(touches) > len(texts) else []
        return "; ".join([*texts, *more])

    def token(self, one: st.Record, other: st.Record) -> str:
        """The fix that orders two instructions as they were dispatched, by a channel that the program doesn't use yet; empty if both are in
        use."""
        first, second = sorted((one, other), key=lambda record: int(record.number))
        rows, code = descriptors.rows(), self.run.code
        producer, consumer = rows.port[first.op], rows.unit[second.op]
        channels = [channel for channel in CHANNELS if (channel.producer, channel.consumer) == (producer, consumer)]
        posting, waiting = where(self.program, int(first.pc)), where(self.program, int(second.pc))
        for channel in channels:
            posts = np.flatnonzero((rows.port[code.op] == producer) & (code.post >> channel.post_bit & 1 != 0))
            is_taken = np.any((rows.unit[code.op] == consumer) & (code.wait >> channel.wait_bit & 1 != 0))
            if len(posts) and not is_taken:
                return f"wait({channel.wait_text}) at {waiting}: {where(self.program, int(posts[0]))} posts it, and nothing takes it"
            if not len(posts):
                return f"post({channel.post_text}) at {posting}, wait({channel.wait_text}) at {waiting}"
        return ""


def part(role: str, record: st.Record, count: int = 1) -> Part:
    """An instruction's part."""
    return Part(role, int(record.pc), int(record.s), int(record.c), count)


def doing(is_write: bool, record: st.Record) -> str:
    """What an instruction does at the places, and when."""
    return f"writes until cycle {int(record.c)}" if is_write else f"reads in cycles {int(record.s)} to {int(record.e)}"
