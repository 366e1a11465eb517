"""Timeline events as Perfetto's protobuf, as `encode.json` does it for JSON.

Tags are bytes: field number << 3 | wire type (0 varint, 1 eight bytes, 2 length and content), numbers are those of perfetto_trace.proto.
Lengths are known only when the content is written: a varint of one byte (of two in slices, which have arguments) is kept for them.
"""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import timeline as tl
from accelkit.simulator.core.encode import MOST_BYTES
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record

# Numbers of interned texts; those of arguments are below 128, one byte
NAME_STALL = 300  # + class
CATEGORY_BEATS = 1
CATEGORY_STALL = 2
CATEGORY_DISPATCH = 3
ARGUMENT_LINE = 1
ARGUMENT_TEXT = 2
ARGUMENT_BLAME = 3
ARGUMENT_DISPATCH = 4
ARGUMENT_COMPLETION = 5
ARGUMENT_MISSES = 6
ARGUMENT_OPERANDS = 16  # names of operands, each once, from here on

DEPTH_TRACKS = 32  # uuids: tracks from 2 on, depths from here on
FIRST_TRACK = 2

SEQUENCE = 1  # the only one: all packets share the interned texts


@njit
def _varint(out: Array, position: int, value: int) -> int:
    if value < 0:  # two's complement of 64 bits
        for _ in range(9):
            out[position] = value & 0x7F | 0x80
            position += 1
            value >>= 7
        out[position] = 1
        return position + 1
    while value >= 0x80:
        out[position] = value & 0x7F | 0x80
        position += 1
        value >>= 7
    out[position] = value
    return position + 1


@njit
def _pair(out: Array, position: int, first: int, second: int) -> int:
    """Two bytes: a tag and a small number, or what a field of 16 and above has for a tag."""
    out[position] = first
    out[position + 1] = second
    return position + 2


@njit
def _length(out: Array, begin: int, end: int) -> None:
    """Put the length of what stands from `begin` to `end` into the two bytes before it."""
    out[begin - 2] = (end - begin) & 0x7F | 0x80
    out[begin - 1] = (end - begin) >> 7


@njit
def _value(out: Array, position: int, name: int, value: int) -> int:
    """A debug annotation (4) of a name (1): an integer (4)."""
    begin = _pair(out, position, 4 << 3 | 2, 0)
    position = _pair(out, begin, 1 << 3, name)
    out[position] = 4 << 3
    position = _varint(out, position + 1, value)
    out[begin - 1] = position - begin
    return position


@njit
def _text(out: Array, position: int, name: int, text: int) -> int:
    """A debug annotation (4) of a name (1): an interned text (17)."""
    begin = _pair(out, position, 4 << 3 | 2, 0)
    position = _pair(out, begin, 1 << 3, name)
    position = _varint(out, _pair(out, position, 0x88, 1), text)
    out[begin - 1] = position - begin
    return position


@njit
def _flow(out: Array, position: int, kind: int, number: int) -> int:
    """Eight bytes for the number of a flow that begins (47) or ends (48) here."""
    position = _pair(out, position, 0xF9, 2) if kind == tl.POST else _pair(out, position, 0x81, 3)
    for _ in range(8):
        out[position] = number & 0xFF
        number >>= 8
        position += 1
    return position


@njit
def _packet(out: Array, position: int, time: int) -> int:
    """Begin of a packet's content: time (8) and sequence (10)."""
    out[position] = 8 << 3
    position = _varint(out, position + 1, time)
    return _pair(out, position, 10 << 3, SEQUENCE)


@njit
def _short(out: Array, position: int, time: int, kind: int, track: int, depth: int) -> int:
    """A packet (1) of a track event (11) of a type (9) on a track (11), and what a counter shows (30) unless `depth` is negative."""
    begin = _pair(out, position, 1 << 3 | 2, 0)
    inner = _pair(out, _packet(out, begin, time), 11 << 3 | 2, 0)
    position = _pair(out, inner, 9 << 3, kind)
    position = _pair(out, position, 11 << 3, track)
    if depth >= 0:
        position = _varint(out, _pair(out, position, 0xF0, 1), depth)
    out[inner - 1] = position - inner
    out[begin - 1] = position - begin
    return position


@njit
def _beats(
    rows: Record, timeline: Record, out: Array, position: int, names: Array, events: Array, number: int, record: Record
) -> int:
    """What slices of beats have beyond other slices: operands, events, and the tokens that follow them in the table."""
    op = record.op
    for slot in range(rows.slots[op]):
        position = _value(out, position, names[op * g.SLOTS + slot], record.values[slot])
    position = _value(out, position, ARGUMENT_DISPATCH, record.d)
    position = _value(out, position, ARGUMENT_COMPLETION, record.c)
    if record.misses:
        position = _value(out, position, ARGUMENT_MISSES, record.misses)
    follower = number + 1
    while follower < timeline.events and (events[follower, tl.KIND] == tl.POST or events[follower, tl.KIND] == tl.TAKE):
        position = _flow(out, position, events[follower, tl.KIND], events[follower, tl.VALUE])
        follower += 1
    return position


@njit
def _slice(
    rows: Record,
    timeline: Record,
    out: Array,
    position: int,
    ops: Array,
    names: Array,
    base: int,
    events: Array,
    number: int,
    chunk: Array,
) -> int:
    """The packet (1) that begins a slice; it needs interned texts (13)."""
    event = events[number]
    kind, pc = event[tl.KIND], event[tl.PC]
    words = len(ops)
    out[position] = 1 << 3 | 2
    begin = position + 3
    position = _pair(out, _packet(out, begin, event[tl.TIME]), 13 << 3, 2)
    out[position] = 11 << 3 | 2
    inner = position + 3
    position = _pair(out, inner, 9 << 3, 1)
    position = _pair(out, position, 11 << 3, FIRST_TRACK + event[tl.TRACK])
    out[position] = 10 << 3
    if kind == tl.STALL:
        position = _varint(out, position + 1, NAME_STALL + event[tl.VALUE])
        position = _pair(out, position, 3 << 3, CATEGORY_STALL)
        position = _text(out, position, ARGUMENT_LINE, base + words + pc)
        if event[tl.BLAME] >= 0:
            position = _text(out, position, ARGUMENT_BLAME, base + words + event[tl.BLAME])
    else:
        position = _varint(out, position + 1, ops[pc] + 1)
        position = _pair(out, position, 3 << 3, CATEGORY_BEATS if kind == tl.SLICE else CATEGORY_DISPATCH)
        position = _text(out, position, ARGUMENT_LINE, base + words + pc)
        position = _text(out, position, ARGUMENT_TEXT, base + pc)
        if kind == tl.SLICE:
            position = _beats(rows, timeline, out, position, names, events, number, chunk[event[tl.INDEX]])
    _length(out, inner, position)
    _length(out, begin, position)
    return position


@entry
def perfetto(
    rows: Record,
    timeline: Record,
    out: Array,
    ops: Array,
    names: Array,
    base: int,
    events: Array,
    chunk: Array,
    first: int,
) -> int:
    """Encode events from `first` on. `ops` are opcodes by instruction, `names` (uint8) numbers of operands' names by opcode and slot;
    `base` is the number of the program's first interned text."""
    position = timeline.position
    for number in range(first, timeline.events):
        if position + MOST_BYTES > len(out):
            timeline.position = position
            return number
        event = events[number]
        kind = event[tl.KIND]
        if kind == tl.DEPTH:
            position = _short(out, position, event[tl.TIME], 4, DEPTH_TRACKS + event[tl.TRACK], event[tl.VALUE])
        elif kind != tl.POST and kind != tl.TAKE:  # those are in their slice
            position = _slice(rows, timeline, out, position, ops, names, base, events, number, chunk)
            position = _short(out, position, event[tl.END], 2, FIRST_TRACK + event[tl.TRACK], -1)
    timeline.position = position
    return int(timeline.events)
