"""Happens-before (docs/adr/0003) of a straight piece of program while it is written, and the tokens that establish it.

A token is always posted by an earlier instruction than the one that waits, and posts and waits of a channel come in the same order, so
tokens from here never deadlock and none is left over.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from accelkit.isa.row import Instruction
from accelkit.isa.units import CHANNELS, Channel, Port, Unit
from accelkit.simulator.generator.footprint import Footprint


@dataclass
class Entry:
    """A tensor instruction in the order. `number` counts on its port from 1; `known` gives for each port how many of its instructions
    have surely completed when this one issues, `completed` when this one has completed."""

    step: int
    unit: Unit
    port: Port
    number: int
    footprints: Sequence[Footprint]
    known: list[int]
    completed: list[int]
    wait: int = 0
    post: int = 0


@dataclass
class Order:
    """Entries so far. `order_rows` and `order_banks` are the probabilities with which a conflict in rows or bytes, or on a bank's
    port, gets its token; `spare_tokens` that of a token that nothing needs."""

    random: Random
    order_rows: float = 1.0
    order_banks: float = 1.0
    spare_tokens: float = 0.2
    entries: list[Entry] = field(default_factory=list)
    fenced: list[int] = field(default_factory=lambda: [0] * len(Port))
    last_post: dict[int, int] = field(default_factory=dict)

    def add(self, step: int, row: Instruction, footprints: Sequence[Footprint]) -> Entry:
        """The entry of the next instruction; `post` of earlier entries grows where this one waits for them."""
        assert row.port is not None
        number = 1 + self._count(row.port)
        earlier = [entry.known for entry in self.entries if entry.unit is row.unit][-1:]
        entry = Entry(step, row.unit, row.port, number, footprints, _merge(self.fenced, *earlier), [])
        for other in reversed(self.entries):
            if self._must_wait(entry, other):
                self._wait(entry, other)
        while self.entries and self.random.random() < self.spare_tokens:
            self._add_token(entry, [self.random.choice(self.entries[-12:])])
        entry.completed = list(entry.known)
        entry.completed[row.port] = number
        if row.port is Port.RUN:
            entry.completed[Port.PRELOAD] = max(entry.completed[Port.PRELOAD], self._count(Port.PRELOAD))
        self.entries.append(entry)
        return entry

    def fence(self) -> None:
        """All that follows comes after all so far."""
        self.fenced = [self._count(port) for port in Port]

    def _count(self, port: Port) -> int:
        return sum(entry.port is port for entry in self.entries)

    def _must_wait(self, entry: Entry, other: Entry) -> bool:
        if other.unit is entry.unit or entry.known[other.port] >= other.number:
            return False
        pairs = [(mine, theirs) for mine in entry.footprints for theirs in other.footprints]
        if any(mine.meets(theirs) for mine, theirs in pairs) and self.random.random() < self.order_rows:
            return True
        return (
            any(mine.shares_port(theirs) for mine, theirs in pairs)
            and self.random.random() < self.order_banks
        )

    def _wait(self, entry: Entry, other: Entry) -> None:
        """Order `entry` after `other`: by a post of any later instruction of its port, or of a run after a preload."""
        place = self.entries.index(other)
        posters = [later for later in self.entries[place:] if later.port is other.port][
            : self.random.randint(1, 4)
        ]
        if other.port is Port.PRELOAD and not any(_waits_for(entry, Port.RUN)) and self.random.random() < 0.3:
            posters = [later for later in self.entries[place:] if later.port is Port.RUN][:1] or posters
        if not self._add_token(entry, posters[-1:]) and not self._add_token(entry, [other]):
            raise AssertionError("no free channel between two instructions that nothing orders")

    def _add_token(self, entry: Entry, posters: Sequence[Entry]) -> bool:
        """One token from the last of `posters` on a channel on which it stays in order; False if there is none."""
        for poster in posters:
            free = [
                channel
                for channel in CHANNELS
                if (channel.producer, channel.consumer) == (poster.port, entry.unit)
                and not entry.wait >> channel.wait_bit & 1
                and poster.number > self.last_post.get(channel.number, 0)
            ]
            if free:
                channel = self.random.choice(free)
                entry.wait |= 1 << channel.wait_bit
                poster.post |= 1 << channel.post_bit
                self.last_post[channel.number] = poster.number
                entry.known = _merge(entry.known, poster.completed)
                return True
        return False


def _waits_for(entry: Entry, port: Port) -> list[bool]:
    channels: list[Channel] = [c for c in CHANNELS if c.producer is port and c.consumer is entry.unit]
    return [bool(entry.wait >> channel.wait_bit & 1) for channel in channels]


def _merge(*clocks: list[int]) -> list[int]:
    return [max(counts) for counts in zip(*clocks, strict=True)]
