"""Timeline events as bytes: JSON of the Trace Event Format, and Perfetto's protobuf. Each encoder is given a table of events, the chunk
of instructions that slices point into, and room; it returns the first event that found none and notes its position."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import timeline as tl
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Record

MOST_BYTES = 1 << 14  # of one event with its tokens, whose texts are bounded

# Texts by number: fragments first, then names of classes, names of operands by opcode and slot, then per instruction of the program
# its name and arguments, and its place.
FRAGMENTS = (
    b'{"ph":"X","cat":"beats","pid":1,"tid":',
    b'{"ph":"X","cat":"stall","pid":1,"tid":',
    b'{"ph":"X","cat":"dispatch","pid":1,"tid":',
    b'{"ph":"C","pid":1,"name":"',
    b'{"ph":"s","cat":"token","name":"token","pid":1,"tid":',
    b'{"ph":"f","bp":"e","cat":"token","name":"token","pid":1,"tid":',
    b',"ts":',
    b',"dur":',
    b',"dispatch":',
    b',"completion":',
    b',"page_misses":',
    b',"id":',
    b'","ts":',
    b',"args":{"depth":',
    b'},\n',
    b'}},\n',
    b',"name":"',
    b'","args":{"line":"',
    b'","blame":"',
    b'"}},\n',
    b',',
    b'load queue',
    b'store queue',
    b'array queue',
    b'vector queue',
)
(
    F_SLICE, F_STALL, F_DISPATCH, F_DEPTH, F_POST, F_TAKE, F_TIME, F_LENGTH, F_DISPATCHED, F_COMPLETED, F_MISSES, F_ID, F_TIME_QUOTED,
    F_DEPTH_IS, F_END, F_END_ARGUMENTS, F_NAME, F_LINE, F_BLAME, F_END_TEXT, F_COMMA, F_QUEUE,
) = range(22)  # fmt: skip
CLASS_TEXTS = len(FRAGMENTS)
OPERAND_TEXTS = CLASS_TEXTS + 32
PROGRAM_TEXTS = OPERAND_TEXTS + 256 * g.SLOTS


@njit
def _text(out: Array, position: int, texts: Array, at: Array, number: int) -> int:
    for place in range(at[number], at[number + 1]):
        out[position] = texts[place]
        position += 1
    return position


@njit
def _digits(out: Array, position: int, value: int) -> int:
    if value < 0:
        out[position] = 45  # a minus sign
        position += 1
        value = -value
    length = 1
    power = 10
    while value >= power and length < 18:
        power *= 10
        length += 1
    for place in range(position + length - 1, position - 1, -1):
        out[place] = 48 + value % 10
        value //= 10
    return position + length


@njit
def _time(out: Array, position: int, cycles: int) -> int:
    """A cycle as a nanosecond, in the microseconds of the format."""
    position = _digits(out, position, cycles // 1000)
    rest = cycles % 1000
    out[position] = 46  # a point
    out[position + 1] = 48 + rest // 100
    out[position + 2] = 48 + rest // 10 % 10
    out[position + 3] = 48 + rest % 10
    return position + 4


@njit
def _begin(out: Array, position: int, texts: Array, at: Array, event: Array, fragment: int, has_length: bool) -> int:
    position = _text(out, position, texts, at, fragment)
    position = _digits(out, position, event[tl.TRACK] + 1)
    position = _text(out, position, texts, at, F_TIME)
    position = _time(out, position, event[tl.TIME])
    if has_length:
        position = _text(out, position, texts, at, F_LENGTH)
        position = _time(out, position, event[tl.END] - event[tl.TIME])
    return position


@njit
def _number(out: Array, position: int, texts: Array, at: Array, fragment: int, value: int) -> int:
    position = _text(out, position, texts, at, fragment)
    return _digits(out, position, value)


@njit
def _json_event(
    rows: Record, out: Array, position: int, texts: Array, at: Array, words: int, event: Array, chunk: Array
) -> int:
    kind = event[tl.KIND]
    if kind == tl.SLICE:
        position = _begin(out, position, texts, at, event, F_SLICE, True)
        position = _text(out, position, texts, at, PROGRAM_TEXTS + event[tl.PC])
        record = chunk[event[tl.INDEX]]
        for slot in range(rows.slots[record.op]):
            name = OPERAND_TEXTS + record.op * g.SLOTS + slot
            position = _number(out, position, texts, at, name, record.values[slot])
        position = _number(out, position, texts, at, F_DISPATCHED, record.d)
        position = _number(out, position, texts, at, F_COMPLETED, record.c)
        if record.misses:
            position = _number(out, position, texts, at, F_MISSES, record.misses)
        return _text(out, position, texts, at, F_END_ARGUMENTS)
    if kind == tl.DISPATCH:
        position = _begin(out, position, texts, at, event, F_DISPATCH, True)
        position = _text(out, position, texts, at, PROGRAM_TEXTS + event[tl.PC])
        return _text(out, position, texts, at, F_END_ARGUMENTS)
    if kind == tl.STALL:
        position = _begin(out, position, texts, at, event, F_STALL, True)
        position = _text(out, position, texts, at, F_NAME)
        position = _text(out, position, texts, at, CLASS_TEXTS + event[tl.VALUE])
        position = _text(out, position, texts, at, F_LINE)
        position = _text(out, position, texts, at, PROGRAM_TEXTS + words + event[tl.PC])
        if event[tl.BLAME] >= 0:
            position = _text(out, position, texts, at, F_BLAME)
            position = _text(out, position, texts, at, PROGRAM_TEXTS + words + event[tl.BLAME])
        return _text(out, position, texts, at, F_END_TEXT)
    if kind == tl.DEPTH:
        position = _text(out, position, texts, at, F_DEPTH)
        position = _text(out, position, texts, at, F_QUEUE + event[tl.TRACK])
        position = _text(out, position, texts, at, F_TIME_QUOTED)
        position = _time(out, position, event[tl.TIME])
        position = _number(out, position, texts, at, F_DEPTH_IS, event[tl.VALUE])
        return _text(out, position, texts, at, F_END_ARGUMENTS)
    position = _begin(out, position, texts, at, event, F_POST if kind == tl.POST else F_TAKE, False)
    position = _number(out, position, texts, at, F_ID, event[tl.VALUE])
    return _text(out, position, texts, at, F_END)


@njit
def json(
    rows: Record, timeline: Record, out: Array, texts: Array, at: Array, words: int, events: Array, chunk: Array, first: int
) -> int:
    """Encode events from `first` on."""
    for number in range(first, timeline.events):
        if timeline.position + MOST_BYTES > len(out):
            return number
        timeline.position = _json_event(rows, out, timeline.position, texts, at, words, events[number], chunk)
    return int(timeline.events)


# Protobuf: field numbers of perfetto_trace.proto, as tag bytes (field << 3 | wire type).

LENGTH_BYTES = 4  # of a message, whose length is known only afterwards: a varint may be longer than it needs

# Numbers of interned texts
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
ARGUMENT_OPERANDS = 16  # + opcode * SLOTS + slot
DEPTH_TRACKS = 32  # uuids: tracks from 2 on, depths from here on
FIRST_TRACK = 2


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
def _field(out: Array, position: int, number: int, value: int) -> int:
    """A varint field."""
    position = _varint(out, position, number << 3)
    return _varint(out, position, value)


@njit
def _open(out: Array, position: int, number: int) -> int:
    """Begin a message field; where its content begins."""
    return _varint(out, position, number << 3 | 2) + LENGTH_BYTES


@njit
def _close(out: Array, begin: int, position: int) -> None:
    """Put the length of a message before its content."""
    length = position - begin
    for place in range(LENGTH_BYTES):
        more = 0x80 if place < LENGTH_BYTES - 1 else 0
        out[begin - LENGTH_BYTES + place] = length & 0x7F | more
        length >>= 7


@njit
def _argument(out: Array, position: int, name: int, field: int, value: int) -> int:
    """A debug annotation: an integer (field 4) or an interned text (field 17)."""
    begin = _open(out, position, 4)
    position = _field(out, begin, 1, name)
    position = _field(out, position, field, value)
    _close(out, begin, position)
    return position


@njit
def _identity(out: Array, position: int, number: int) -> int:
    """A fixed64 field's value."""
    for _ in range(8):
        out[position] = number & 0xFF
        number >>= 8
        position += 1
    return position


@njit
def _slice_begin(
    rows: Record, timeline: Record, out: Array, position: int, ops: Array, base: int, events: Array, number: int, chunk: Array
) -> int:
    """Content of a TrackEvent that begins a slice; a slice's tokens are the events after it."""
    event = events[number]
    kind = event[tl.KIND]
    words = len(ops)
    position = _field(out, position, 9, 1)
    position = _field(out, position, 11, FIRST_TRACK + event[tl.TRACK])
    if kind == tl.STALL:
        position = _field(out, position, 10, NAME_STALL + event[tl.VALUE])
        position = _field(out, position, 3, CATEGORY_STALL)
        position = _argument(out, position, ARGUMENT_LINE, 17, base + words + event[tl.PC])
        if event[tl.BLAME] >= 0:
            position = _argument(out, position, ARGUMENT_BLAME, 17, base + words + event[tl.BLAME])
        return position
    position = _field(out, position, 10, ops[event[tl.PC]] + 1)
    position = _field(out, position, 3, CATEGORY_BEATS if kind == tl.SLICE else CATEGORY_DISPATCH)
    position = _argument(out, position, ARGUMENT_LINE, 17, base + words + event[tl.PC])
    position = _argument(out, position, ARGUMENT_TEXT, 17, base + event[tl.PC])
    if kind == tl.DISPATCH:
        return position
    record = chunk[event[tl.INDEX]]
    for slot in range(rows.slots[record.op]):
        position = _argument(out, position, ARGUMENT_OPERANDS + record.op * g.SLOTS + slot, 4, record.values[slot])
    position = _argument(out, position, ARGUMENT_DISPATCH, 4, record.d)
    position = _argument(out, position, ARGUMENT_COMPLETION, 4, record.c)
    if record.misses:
        position = _argument(out, position, ARGUMENT_MISSES, 4, record.misses)
    follower = number + 1
    while follower < timeline.events and (events[follower, tl.KIND] == tl.POST or events[follower, tl.KIND] == tl.TAKE):
        field = 47 if events[follower, tl.KIND] == tl.POST else 48
        position = _varint(out, position, field << 3 | 1)
        position = _identity(out, position, events[follower, tl.VALUE])
        follower += 1
    return position


@njit
def _packet(out: Array, position: int, time: int) -> int:
    """Begin a TracePacket of the sequence; where its content begins is `position` + 1 + LENGTH_BYTES."""
    begin = _open(out, position, 1)
    position = _field(out, begin, 8, time)
    position = _field(out, position, 10, 1)
    return _field(out, position, 13, 2)


@njit
def perfetto(
    rows: Record, timeline: Record, out: Array, ops: Array, base: int, events: Array, chunk: Array, first: int
) -> int:
    """Encode events from `first` on; `base` is the number of the program's first interned text."""
    for number in range(first, timeline.events):
        start = timeline.position
        if start + MOST_BYTES > len(out):
            return number
        event = events[number]
        kind = event[tl.KIND]
        if kind == tl.POST or kind == tl.TAKE:
            continue  # in their slice
        begin = start + 1 + LENGTH_BYTES
        inner = _open(out, _packet(out, start, event[tl.TIME]), 11)
        if kind == tl.DEPTH:
            position = _field(out, inner, 9, 4)
            position = _field(out, position, 11, DEPTH_TRACKS + event[tl.TRACK])
            position = _field(out, position, 30, event[tl.VALUE])
        else:
            position = _slice_begin(rows, timeline, out, inner, ops, base, events, number, chunk)
        _close(out, inner, position)
        _close(out, begin, position)
        if kind != tl.DEPTH:
            start = position
            begin = start + 1 + LENGTH_BYTES
            inner = _open(out, _packet(out, start, event[tl.END]), 11)
            position = _field(out, inner, 9, 2)
            position = _field(out, position, 11, FIRST_TRACK + event[tl.TRACK])
            _close(out, inner, position)
            _close(out, begin, position)
        timeline.position = position
    return int(timeline.events)
