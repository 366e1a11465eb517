"""What the debugger prints of a recorded launch at the beginning of a cycle: where it is, registers, queues, tokens, memories."""

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.registers import ABI_NAMES
from accelkit.isa.units import QUEUED_UNITS, channels_waited
from accelkit.simulator.lines import END, Sources, line_text, place
from accelkit.simulator.recording import NEVER, Dispatch, Recording

MOST_ROWS = 64  # of a matrix


def location(recording: Recording, cycle: int, sources: Sources) -> str:
    """The cycle and what the sequencer dispatches then, or next."""
    index = recording.next_dispatch(cycle)
    if index == len(recording.dispatches):
        return f"cycle {cycle}: {'end' if cycle >= recording.end else 'the sequencer has stopped'}"
    one = recording.dispatches[index]
    waits = "" if one.d == cycle else f" (dispatches in cycle {one.d})"
    return f"cycle {cycle}: {_source(recording, one.pc, sources)}{waits}"


def _source(recording: Recording, pc: int, sources: Sources) -> str:
    where = place(recording.program, pc)
    if where == END:
        return f"instruction {pc} (outside the program)"
    return f"{where}: {line_text(recording.program, pc, sources)}"


def registers(values: NDArray[np.int64]) -> str:
    """All registers, four in a line: name, unsigned value in hexadecimal, signed value."""
    signed = values.astype(np.uint32).view(np.int32)
    cells = [f"{name:>4} {value:#010x} {number:>11}" for name, value, number in zip(ABI_NAMES, values, signed, strict=True)]
    return "\n".join("   ".join(cells[first : first + 4]) for first in range(0, len(cells), 4))


def tokens(recording: Recording, cycle: int) -> str:
    """Channels that hold tokens."""
    held = recording.tokens(cycle)
    return "\n".join(f"{recording.program.channel_text(name)}: {count}" for name, count in held.items()) or "no tokens"


def queues(recording: Recording, cycle: int, sources: Sources) -> str:
    """Each unit's instructions: under way (issued, results not there), and queued, with what the oldest of them lacks."""
    lines: list[str] = []
    for unit in QUEUED_UNITS:
        mine = [one for one in recording.dispatches if one.unit == unit and one.d < cycle]
        under_way = [one for one in mine if one.s < cycle <= one.c]
        queued = [one for one in mine if one.s >= cycle and not _never_queued(recording, one)]
        lines.append(f"{unit.name.lower()}: {len(under_way)} under way, {len(queued)} of {recording.machine.queue_depth} queued")
        for one in under_way:
            beats = f"beats until cycle {one.e}" if cycle <= one.e else "no more beats"
            lines.append(f"  under way since cycle {one.s}, {beats}, complete at {one.c}: {_source(recording, one.pc, sources)}")
        for number, one in enumerate(queued):
            lacks = _lacks(recording, one, cycle) if number == 0 else ""
            lines.append(f"  queued since cycle {one.d}{lacks}: {_source(recording, one.pc, sources)}")
    return "\n".join(lines)


def _never_queued(recording: Recording, one: Dispatch) -> bool:
    """Whether it is the instruction of a dispatch fault, which takes its cycle but goes nowhere."""
    fault = recording.result.fault
    return fault is not None and one.s == NEVER and (fault.pc, fault.cycle) == (one.pc, one.d)


def _lacks(recording: Recording, one: Dispatch, cycle: int) -> str:
    held = recording.tokens(cycle)
    mask = int(recording.code[one.pc].wait)
    channels = [str(channel) for channel in channels_waited(QUEUED_UNITS[one.unit]) if mask >> channel.wait_bit & 1]
    missing = [recording.program.channel_text(name) for name in channels if not held.get(name)]
    if one.s == cycle:
        return ", issues now"
    return f", waits for {', '.join(missing)}" if missing else ""


def matrix(values: NDArray[np.generic], columns: int) -> str:
    """Elements as a matrix with row numbers."""
    shown = [str(value) for value in values[: MOST_ROWS * columns]]
    width = max(map(len, shown))
    rows = [shown[first : first + columns] for first in range(0, len(shown), columns)]
    pad = len(str(len(rows) - 1))
    lines = [f"{number:>{pad}}: {' '.join(cell.rjust(width) for cell in row)}" for number, row in enumerate(rows)]
    if len(values) > len(shown):
        lines.append(f"... {-(-len(values) // columns) - len(rows)} more rows")
    return "\n".join(lines)
