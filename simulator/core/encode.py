"""Timeline events as JSON of the Trace Event Format. An encoder is given a table of events, the chunk of instructions that slices point
into, and room; it returns the first event that found none and notes its position."""

from accelkit.simulator.core import generated as g
from accelkit.simulator.core import timeline as tl
from accelkit.simulator.core.jit import entry, njit
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


@entry
def json(
    rows: Record, timeline: Record, out: Array, texts: Array, at: Array, words: int, events: Array, chunk: Array, first: int
) -> int:
    """Encode events from `first` on."""
    for number in range(first, timeline.events):
        if timeline.position + MOST_BYTES > len(out):
            return number
        timeline.position = _json_event(rows, out, timeline.position, texts, at, words, events[number], chunk)
    return int(timeline.events)
