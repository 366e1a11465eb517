"""Breakpoints and watches of the debugger: the cycles of a recorded launch at which each stops, all known in advance, so that forwards and
backwards are the same search."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import Program
from accelkit.isa.registers import ABI_NAMES, REGISTER_NUMBERS
from accelkit.isa.units import CHANNELS
from accelkit.simulator import descriptors, explain
from accelkit.simulator.core import footprint
from accelkit.simulator.core import state as st
from accelkit.simulator.places import Place, find
from accelkit.simulator.recording import Recording
from accelkit.simulator.rewind import Rewind


@dataclass(frozen=True)
class Stop:
    """A breakpoint or watch: `hits` are cycles, in order, and what happened there."""

    text: str
    hits: tuple[tuple[int, str], ...]


def breakpoint_at(recording: Recording, words: list[str]) -> Stop:
    """What `break WORDS` means: LABEL, LINE, FILE:LINE, `cycle N`, `token CHANNEL`, `read|write|access PLACE`, `fault`. ValueError."""
    text = " ".join(words)
    match words:
        case ["fault"]:
            hits = _faults(recording)
        case ["cycle", number]:
            if not number.isdecimal() or int(number) > recording.end:
                raise ValueError(f"break {text}: expected a cycle from 0 to {recording.end}")
            hits = [(int(number), "")]
        case ["token", channel]:
            hits = _tokens(recording, channel)
        case [("read" | "write" | "access") as kind, place]:
            hits = list(_accesses(recording, find(recording, place), kind))
        case [where]:
            wanted = _instructions(recording, where)
            hits = [(one.d, "") for one in recording.dispatches if one.pc in wanted]
        case _:
            raise ValueError("break: expected LABEL, LINE, FILE:LINE, cycle N, token CHANNEL, read|write|access PLACE, or fault")
    return Stop(text, tuple(hit for hit in hits if hit[0] <= recording.end))


def watch(recording: Recording, text: str) -> Stop:
    """What `watch REGISTER|CHANNEL|PLACE` means: each cycle from which another value holds. ValueError."""
    if text in REGISTER_NUMBERS:
        hits = list(_register_changes(recording, REGISTER_NUMBERS[text]))
    elif "->" in text or _is_token_only(recording.program, text):
        hits = _tokens(recording, text)
    else:
        hits = list(_changes(recording, find(recording, text)))
    return Stop(text, tuple(hit for hit in hits if hit[0] <= recording.end))


def _is_token_only(program: Program, name: str) -> bool:
    """Whether a name is a token's, and not a place's too."""
    places = {*(region.name for region in program.regions), *(argument.name for argument in program.arguments)}
    return name not in places and any(token.name == name for token in program.tokens)


def _faults(recording: Recording) -> list[tuple[int, str]]:
    fault = recording.result.fault
    if fault is not None:
        return [(fault.cycle, recording.message)]
    return [(recording.end, recording.message)] if recording.message else []


def _instructions(recording: Recording, where: str) -> set[int]:
    """Instructions at a label or at a line."""
    program = recording.program
    labels = {symbol.name: symbol.value for symbol in program.symbols if symbol.section == "text"}
    if where in labels:
        return {labels[where]}
    file, _, number = where.rpartition(":")
    if number.isdecimal():
        lines = {pc: line.line for pc, line in enumerate(program.lines) if line is not None and _is_file(line.file, file)}
        chosen = {pc for pc, line in lines.items() if line == int(number)}
        if chosen:
            return chosen
        near = f"; lines {min(lines.values())} to {max(lines.values())} have some" if lines else ""
        raise ValueError(f"{where}: no instruction at this line{near}")
    raise ValueError(f"{where}: no such label (there are: {', '.join(sorted(labels)) or 'none'}); a line is a number or FILE:LINE")


def _is_file(path: str, wanted: str) -> bool:
    """Whether a path is the file that somebody means by all or the end of its path, or by nothing."""
    return wanted in ("", path) or path.endswith(f"/{wanted}")


def _tokens(recording: Recording, name: str) -> list[tuple[int, str]]:
    numbers = {str(channel): channel.number for channel in CHANNELS}
    tokens = {token.name: token.channel for token in recording.program.tokens}
    channel_name = tokens.get(name, name)
    if channel_name not in numbers:
        also = f", or a token: {', '.join(tokens)}" if tokens else ""
        raise ValueError(f"{name}: no channel; expected PRODUCER->CONSUMER.INDEX, as in {CHANNELS[0]}{also}")
    hits: list[tuple[int, str]] = []
    count = 0
    for cycle, channel, step, pc in recording.token_changes:
        if channel == numbers[channel_name]:
            count += step
            verb = "posted" if step > 0 else "taken"
            hits.append((cycle, f"{name}: {count} ({verb} by {explain.where(recording.program, pc)})"))
    return hits


def touches(recording: Recording, record: st.Record, place: Place, kind: str) -> bool:
    """Whether an instruction reads or writes (`access`: either) anything of a place."""
    config, rows = descriptors.config(recording.machine), descriptors.rows()
    for number in range(int(rows.accesses[record.op])):
        access = rows.access[record.op, number]
        is_wanted = kind == "access" or (kind == "write") == bool(access[st.ACCESS_WRITE])
        if not is_wanted or access[st.ACCESS_MEMORY] != place.memory or not footprint.takes_place(access, record.flag_bits):
            continue
        low, high = footprint.extent(config, record.op, access, record.values)
        if high < place.first or low >= place.end:
            continue
        starts = np.array([record.values[access[st.ACCESS_BASE]]], np.int64)
        for level in range(int(access[st.ACCESS_LEVELS])):
            count, step = footprint.level(config, record.op, access, record.values, level)
            starts = np.unique(np.add.outer(starts, np.arange(count) * step))
        length = high - int(starts[-1]) + 1  # 1 row, or the bytes of a row of DRAM
        if np.any((starts < place.end) & (starts + length > place.first)):
            return True
    return False


def _accesses(recording: Recording, place: Place, kind: str) -> Iterator[tuple[int, str]]:
    for record in recording.records:
        if touches(recording, record, place, kind):
            yield int(record.s), f"{place.name}: {explain.where(recording.program, int(record.pc))} issues"


def _changes(recording: Recording, place: Place) -> Iterator[tuple[int, str]]:
    """Cycles from which other bytes hold. Only cycles in which an instruction that writes there is under way need a look."""
    state = Rewind(recording)
    for record in recording.records:
        if not touches(recording, record, place, "write"):
            continue
        first, until = max(state.cycle, int(record.s)), min(int(record.c) + 1, recording.end)
        state.go(first)
        before = place.read(state.memories)
        for cycle in range(first + 1, until + 1):
            state.go(cycle)
            after = place.read(state.memories)
            if before.tobytes() != after.tobytes():
                yield cycle, _difference(place, before, after)
            before = after


def _difference(place: Place, before: NDArray[np.generic], after: NDArray[np.generic]) -> str:
    bits = f"u{before.itemsize}"  # a float may differ from itself
    changed = np.flatnonzero(before.view(bits) != after.view(bits))
    first = int(changed[0])
    row, column = divmod(first, place.columns())
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{place.name}: row {row}, column {column}: {before[first]} -> {after[first]}{more}"


def _register_changes(recording: Recording, register: int) -> Iterator[tuple[int, str]]:
    state = Rewind(recording)
    before = 0
    for one in recording.dispatches:
        if one.unit < 0 and one.d < recording.end:
            state.go_registers(one.d + 1)
            after = int(state.registers[register])
            if after != before:
                yield one.d + 1, f"{ABI_NAMES[register]}: {before} -> {after} (by {explain.where(recording.program, one.pc)})"
            before = after
