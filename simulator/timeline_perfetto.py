"""Timelines as Perfetto's protobuf: a third of JSON's size, texts stand in it once."""

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import Program
from accelkit.isa.table import TABLE
from accelkit.isa.units import QUEUED_UNITS
from accelkit.simulator import descriptors
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import protobuf as core
from accelkit.simulator.core import state as st
from accelkit.simulator.lines import Sources, line_text, place
from accelkit.simulator.timeline import TRACKS
from accelkit.simulator.timeline_json import MOST_TEXT, class_names, mnemonic

_PROCESS = 1  # uuid of the track that holds all others
_FRESH, _GOES_ON = 1, 2  # sequence flags: interned texts begin anew, are needed
# Kinds of interned texts: field numbers of InternedData
_CATEGORY, _NAME, _ARGUMENT, _STRING = 1, 2, 3, 29
_ARGUMENTS = {
    core.ARGUMENT_LINE: "line",
    core.ARGUMENT_TEXT: "text",
    core.ARGUMENT_BLAME: "blame",
    core.ARGUMENT_DISPATCH: "dispatch",
    core.ARGUMENT_COMPLETION: "completion",
    core.ARGUMENT_MISSES: "page_misses",
}
_CATEGORIES = {core.CATEGORY_BEATS: "beats", core.CATEGORY_STALL: "stall", core.CATEGORY_DISPATCH: "dispatch"}


class PerfettoEncoder:
    """`Encoder` for protobuf; field numbers are those of perfetto_trace.proto."""

    def __init__(self) -> None:
        self._programs: dict[int, tuple[Program, int]] = {}  # by identity, with its base: to compare programs takes longer than their texts
        self._next = 1
        self._names: set[int] = set()
        operands = sorted({operand.name for row in TABLE.rows for operand in row.slots})
        self._operands = {name: core.ARGUMENT_OPERANDS + number for number, name in enumerate(operands)}
        self._operand_names = np.zeros(256 * g.SLOTS, np.uint8)
        for row in TABLE.rows:
            first = row.opcode * g.SLOTS
            self._operand_names[first : first + len(row.slots)] = [self._operands[operand.name] for operand in row.slots]

    def header(self) -> bytes:
        """Tracks, and texts of all programs."""
        packets = [_packet(_message(60, _number(1, _PROCESS) + _message(3, _number(1, 1) + _string(6, "accelerator"))))]
        for number, name in enumerate(TRACKS):
            packets.append(_track(core.FIRST_TRACK + number, name, b""))
        for unit in QUEUED_UNITS:
            packets.append(_track(core.DEPTH_TRACKS + unit, f"{unit.name.lower()} queue", _message(8, b"")))
        texts = [_interned(_CATEGORY, number, name) for number, name in _CATEGORIES.items()]
        texts += [_interned(_ARGUMENT, number, name) for number, name in _ARGUMENTS.items()]
        texts += [_interned(_ARGUMENT, number, name) for name, number in self._operands.items()]
        texts += [_interned(_NAME, core.NAME_STALL + number, name) for number, name in class_names().items()]
        packets.append(_packet(_message(12, b"".join(texts)) + _number(10, 1) + _number(13, _FRESH)))
        return b"".join(packets)

    def program(self, program: Program, sources: Sources) -> bytes:
        """Texts of the program, when it begins for the first time."""
        self._ops = np.array([word & 0xFF for word in program.words], np.int64)
        _, self._base = self._programs.get(id(program), (program, 0))
        if self._base:
            return b""
        words = len(program.words)
        self._base = self._next
        self._programs[id(program)] = program, self._base
        self._next += 2 * words
        texts = []
        for pc in range(words):
            texts.append(_interned(_STRING, self._base + pc, line_text(program, pc, sources)[:MOST_TEXT]))
            texts.append(_interned(_STRING, self._base + words + pc, place(program, pc)))
            op = int(self._ops[pc])
            if op not in self._names:
                self._names.add(op)
                texts.append(_interned(_NAME, op + 1, mnemonic(program, pc)))
        return _packet(_message(12, b"".join(texts)) + _number(10, 1) + _number(13, _GOES_ON))

    def encode(self, state: st.Record, out: NDArray[np.uint8], events: st.Array, chunk: st.Array, first: int) -> int:
        """See `Encoder`."""
        rows, texts = descriptors.rows(), (self._ops, self._operand_names, self._base)
        return int(core.perfetto(rows, state, out, *texts, events, chunk, first))

    def launch(self, name: str, first: int, until: int) -> bytes:
        """A slice of the track of launches."""
        track = _number(11, core.FIRST_TRACK + len(TRACKS) - 1)
        begin = _message(11, _number(9, 1) + track + _string(23, name))
        end = _message(11, _number(9, 2) + track)
        return _packet(_number(8, first) + _number(10, 1) + begin) + _packet(_number(8, until) + _number(10, 1) + end)

    def footer(self) -> bytes:
        """Nothing."""
        return b""


def _varint(value: int) -> bytes:
    if value < 0x80:  # nearly all
        return bytes((value,))
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _string(field: int, text: str) -> bytes:
    return _message(field, text.encode(errors="replace"))  # protobuf takes UTF-8 alone, and a name of a file may be none


def _packet(content: bytes) -> bytes:
    return _message(1, content)


def _interned(kind: int, number: int, text: str) -> bytes:
    return _message(kind, _number(1, number) + _string(2, text))


def _track(uuid: int, name: str, counter: bytes) -> bytes:
    return _packet(_message(60, _number(1, uuid) + _string(2, name) + _number(5, _PROCESS) + counter))
