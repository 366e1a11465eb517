"""Units, the ports that post tokens, token channels, and the cycle classes of a unit.

A *unit* has an in-order command queue. A *port* completes instructions in order and so may post tokens: every unit is its own
port, but for the array, whose preloads and runs complete out of order and therefore post on different ports. A *channel* is a
counter between one port and one consuming unit; each such pair has `CHANNELS_PER_PAIR` of them.
"""

from dataclasses import dataclass
from enum import IntEnum


class Unit(IntEnum):
    """In-order command queues; the number is also the order in which ties between port faults are decided."""

    LOAD = 0
    STORE = 1
    ARRAY = 2
    VECTOR = 3
    SEQUENCER = 4  # executes at dispatch, has no queue


QUEUED_UNITS = (Unit.LOAD, Unit.STORE, Unit.ARRAY, Unit.VECTOR)


class Port(IntEnum):
    """Producers of tokens: completions of one port are in order."""

    LOAD = 0
    STORE = 1
    PRELOAD = 2
    RUN = 3
    VECTOR = 4


PORT_UNIT = {
    Port.LOAD: Unit.LOAD,
    Port.STORE: Unit.STORE,
    Port.PRELOAD: Unit.ARRAY,
    Port.RUN: Unit.ARRAY,
    Port.VECTOR: Unit.VECTOR,
}

CHANNELS_PER_PAIR = 2


@dataclass(frozen=True)
class Channel:
    """A token counter from `producer` to `consumer`.

    `wait_bit` and `post_bit` are its bits in the wait mask of a consuming and the post mask of a producing instruction.
    """

    number: int
    producer: Port
    consumer: Unit
    index: int
    wait_bit: int
    post_bit: int

    @property
    def wait_text(self) -> str:
        """The channel as a consumer writes it: `load.0`."""
        return f"{self.producer.name.lower()}.{self.index}"

    @property
    def post_text(self) -> str:
        """The channel as a producer writes it: `array.0`."""
        return f"{self.consumer.name.lower()}.{self.index}"

    def __str__(self) -> str:
        return f"{self.producer.name.lower()}->{self.consumer.name.lower()}.{self.index}"


def _channels() -> tuple[Channel, ...]:
    """Number all channels; a unit orders its own work, so no channel leads from a unit to itself."""
    channels: list[Channel] = []
    for consumer in QUEUED_UNITS:
        producers = [port for port in Port if PORT_UNIT[port] != consumer]
        for place, producer in enumerate(producers):
            consumers = [unit for unit in QUEUED_UNITS if unit != PORT_UNIT[producer]]
            for index in range(CHANNELS_PER_PAIR):
                channels.append(
                    Channel(
                        number=len(channels),
                        producer=producer,
                        consumer=consumer,
                        index=index,
                        wait_bit=place * CHANNELS_PER_PAIR + index,
                        post_bit=consumers.index(consumer) * CHANNELS_PER_PAIR + index,
                    )
                )
    return tuple(channels)


CHANNELS = _channels()


def channels_waited(consumer: Unit) -> tuple[Channel, ...]:
    """Channels that instructions of `consumer` can wait on, by wait bit."""
    return tuple(channel for channel in CHANNELS if channel.consumer == consumer)


def channels_posted(producer: Port) -> tuple[Channel, ...]:
    """Channels that instructions of `producer` can post on, by post bit."""
    return tuple(channel for channel in CHANNELS if channel.producer == producer)


class CycleClass(IntEnum):
    """What a cycle of a queued unit went to. The classes of a unit add up to the total cycles.

    A cycle in which the unit moves a beat is BUSY (for the array: a run streams), PRELOAD (only a preload streams) or PAGE_MISS
    (a DMA beat waits for a page to open). Any other cycle has the class of the *first* unmet condition of the oldest
    instruction that has not issued, in the order below.
    """

    BUSY = 0
    PRELOAD = 1
    PAGE_MISS = 2
    EMPTY = 3  # nothing in the queue
    DRAIN = 4  # sync and vector instructions wait until earlier work of the unit has completed
    OUTSTANDING = 5  # DMA: too many instructions in flight
    WAIT_LOAD = 6  # token of that port not there yet
    WAIT_STORE = 7
    WAIT_PRELOAD = 8
    WAIT_RUN = 9
    WAIT_VECTOR = 10


class SequencerClass(IntEnum):
    """What a cycle of the sequencer went to; these add up to the total cycles too."""

    DISPATCH = 0
    BRANCH = 1  # bubble after a taken branch or jump
    FENCE = 2
    QUEUE_LOAD = 3  # the queue of that unit is full
    QUEUE_STORE = 4
    QUEUE_ARRAY = 5
    QUEUE_VECTOR = 6
    ENDED = 7  # after the last dispatch
