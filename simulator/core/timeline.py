"""What happened in a launch as a table of timeline events: slices, stalls, depths of queues, tokens from post to wait."""

from accelkit.simulator.core import account as ac
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import entry, njit
from accelkit.simulator.core.state import Array, Record

# Fields of an event. Times are cycles since the timeline's begin.
KIND = 0
TRACK = 1  # a port, SEQUENCER_TRACK, or (depths) a unit
TIME = 2
END = 3  # the cycle after the last
PC = 4
INDEX = 5  # slices: of the instruction in the chunk
VALUE = 6  # stalls: class; depths: instructions in the queue; tokens: a number that post and wait share
BLAME = 7
FIELDS = 8

SLICE = 0  # beats of an instruction; its tokens follow
STALL = 1
DEPTH = 2
POST = 3
TAKE = 4
DISPATCH = 5

SEQUENCER_TRACK = st.PORTS
SEQUENCER_CLASSES = 16  # added to a sequencer class
RING = 2 * st.MAX_DEPTH
MOST_EVENTS = RING + 64  # of one instruction

TIMELINE = st.record_type(
    offset=1,  # cycles before the launch
    first=1,  # window, in cycles of the launch
    last=1,
    has_scalars=1,
    shows_depths=1,
    events=1,  # in the table
    span=1,  # next stall to look at
    position=1,  # bytes encoded
    issued=st.UNITS,
    left=st.UNITS,  # of them, departures that the depth shows
    issue_ring=(st.UNITS, RING),
    posted=g.CHANNELS,
    waited=g.CHANNELS,
)


@njit
def _event(
    timeline: Record, events: Array, kind: int, track: int, time: int, end: int, pc: int, index: int, value: int, blame: int
) -> None:
    event = events[timeline.events]
    timeline.events += 1
    event[KIND] = kind
    event[TRACK] = track
    event[TIME] = time + timeline.offset
    event[END] = end + timeline.offset
    event[PC] = pc
    event[INDEX] = index
    event[VALUE] = value
    event[BLAME] = blame


@njit
def _is_inside(timeline: Record, first: int, last: int) -> bool:
    return bool(first <= timeline.last and last >= timeline.first)


@entry
def depart(timeline: Record, events: Array, unit: int, until: int) -> None:
    """Depths of a unit's queue after the departures that can be seen at cycle `until` or before."""
    while timeline.left[unit] < timeline.issued[unit]:
        time = timeline.issue_ring[unit, timeline.left[unit] % RING] + 1
        if time > until:
            break
        timeline.left[unit] += 1
        if timeline.shows_depths and _is_inside(timeline, time, time):
            depth = timeline.issued[unit] - timeline.left[unit]
            _event(timeline, events, DEPTH, unit, time, time, -1, -1, depth, -1)


@njit
def _queue(timeline: Record, events: Array, unit: int, record: Record) -> None:
    """Depth of the unit's queue when an instruction has come; departures before it first. It can be seen from d + 1 to s."""
    depart(timeline, events, unit, record.d + 1)
    timeline.issue_ring[unit, timeline.issued[unit] % RING] = record.s
    timeline.issued[unit] += 1
    if timeline.shows_depths and _is_inside(timeline, record.d + 1, record.d + 1):
        depth = timeline.issued[unit] - timeline.left[unit]
        _event(timeline, events, DEPTH, unit, record.d + 1, record.d + 1, -1, -1, depth, -1)


@njit
def _tokens(rows: Record, timeline: Record, events: Array, record: Record, unit: int, port: int, is_shown: bool) -> None:
    bit = 0
    while record.wait >> bit:
        if record.wait >> bit & 1:
            channel = rows.wait_channel[unit, bit]
            number = timeline.waited[channel] * g.CHANNELS + channel + 1
            timeline.waited[channel] += 1
            if is_shown:
                _event(timeline, events, TAKE, port, record.s, record.s, record.pc, -1, number, -1)
        bit += 1
    bit = 0
    while record.post >> bit:
        if record.post >> bit & 1:
            channel = rows.post_channel[port, bit]
            number = timeline.posted[channel] * g.CHANNELS + channel + 1
            timeline.posted[channel] += 1
            if is_shown:
                _event(timeline, events, POST, port, record.e, record.e, record.pc, -1, number, -1)
        bit += 1


@entry
def issued(
    rows: Record, timeline: Record, events: Array, wanted: Array, chunk: Array, spans: Array, first: int, count: int
) -> int:
    """Events of instructions `first` to `count - 1` of a chunk and of their stalls; the first one that found no room."""
    for index in range(first, count):
        if timeline.events + MOST_EVENTS > len(events):
            return index
        record = chunk[index]
        unit = rows.unit[record.op]
        port = rows.port[record.op]
        is_wanted = wanted[record.pc]
        while timeline.span < len(spans) and spans[timeline.span, ac.SPAN_NUMBER] == record.number:
            span = spans[timeline.span]
            timeline.span += 1
            begin, until, cls = span[ac.SPAN_FIRST], span[ac.SPAN_UNTIL], span[ac.SPAN_CLASS]
            if is_wanted and cls != g.CLASS_EMPTY and _is_inside(timeline, begin, until - 1):
                _event(timeline, events, STALL, port, begin, until, record.pc, -1, cls, span[ac.SPAN_BLAME])
        is_shown = is_wanted and _is_inside(timeline, record.s, record.e)
        if is_shown:
            _event(timeline, events, SLICE, port, record.s, record.e + 1, record.pc, index, 0, -1)
        _tokens(rows, timeline, events, record, unit, port, is_shown)
        _queue(timeline, events, unit, record)
    return count


@entry
def dispatched(timeline: Record, events: Array, wanted: Array, log: Array, first: int, count: int) -> int:
    """Events of the sequencer for dispatches `first` to `count - 1` of the log; the first one that found no room."""
    track = SEQUENCER_TRACK
    for number in range(first, count):
        if timeline.events + MOST_EVENTS > len(events):
            return number
        entry = log[number]
        pc, d = entry[st.LOG_PC], entry[st.LOG_CYCLE]
        if not 0 <= pc < len(wanted) or not wanted[pc]:
            continue
        waited = entry[st.LOG_WAITED]
        if waited > 0 and _is_inside(timeline, d - waited, d - 1):
            cls = entry[st.LOG_CLASS] + SEQUENCER_CLASSES
            _event(timeline, events, STALL, track, d - waited, d, pc, -1, cls, entry[st.LOG_BLAME])
        if timeline.has_scalars and _is_inside(timeline, d, d):
            _event(timeline, events, DISPATCH, track, d, d + 1, pc, -1, 0, -1)
    return count
