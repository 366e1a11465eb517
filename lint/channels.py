"""Which channels a program uses, and which could order two of its instructions."""

from functools import cache

from accelkit.isa.row import Instruction
from accelkit.isa.units import CHANNELS, Channel, Port, Unit
from accelkit.lint.words import Code, Word


def waits_of(word: Word) -> tuple[Channel, ...]:
    """Channels that a tensor instruction waits on."""
    return _waited(word.row.unit, word.values["wait"])


def posts_of(word: Word) -> tuple[Channel, ...]:
    """Channels that a tensor instruction posts on."""
    return _posted(word.row.port, word.values["post"])


@cache
def _waited(consumer: Unit, mask: int) -> tuple[Channel, ...]:
    return tuple(channel for channel in CHANNELS if channel.consumer is consumer and mask >> channel.wait_bit & 1)


@cache
def _posted(producer: Port | None, mask: int) -> tuple[Channel, ...]:
    return tuple(channel for channel in CHANNELS if channel.producer is producer and mask >> channel.post_bit & 1)


def between(producer: Instruction, consumer: Instruction) -> list[Channel]:
    """Channels from one instruction's port to the other's unit."""
    return [c for c in CHANNELS if c.producer is producer.port and c.consumer is consumer.unit]


def used_channels(code: Code) -> set[Channel]:
    """Channels that some instruction waits on or posts on."""
    tensors = [word for word in code if word is not None and word.row.is_tensor]
    return {channel for word in tensors for channel in (*waits_of(word), *posts_of(word))}


def free_channel(code: Code, producer: int, consumer: int) -> Channel | None:
    """A channel that nothing uses and that leads from instruction `producer` to the unit of instruction `consumer`; None if there is
    none left."""
    first, second = code[producer], code[consumer]
    assert first is not None
    assert second is not None
    used = used_channels(code)
    return next((channel for channel in between(first.row, second.row) if channel not in used), None)


def posted_in_vain(code: Code, producer: int, consumer: int) -> Channel | None:
    """A channel on which instruction `producer` posts to the unit of `consumer`, and on which nothing waits."""
    first, second = code[producer], code[consumer]
    assert first is not None
    assert second is not None
    waited = {channel for word in code if word is not None and word.row.is_tensor for channel in waits_of(word)}
    return next((channel for channel in between(first.row, second.row) if channel in posts_of(first) and channel not in waited), None)


def run_after(code: Code, pc: int) -> int | None:
    """The next instruction in the text that completes after the preload at `pc` and posts on the port on which `sync.array` posts too (so
    that its channel can be primed); None if that is no preload, or nothing follows."""
    word = code[pc]
    if word is None or word.row.port is not Port.PRELOAD:
        return None
    later = range(pc + 1, len(code))
    return next((other for other in later if (found := code[other]) is not None and found.row.port is Port.RUN), None)
